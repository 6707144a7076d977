package adaptertest

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func (s *gatewayFixture) back(key string, of checkout.Paid, amount int64) ports.RefundRequest {
	return ports.RefundRequest{
		Project:  fixtureProject,
		Checkout: fixtureCheckout,
		Key:      key,
		Charge:   of.Provider,
		Amount:   money.Of(amount, money.USD),
		Since:    s.since,
	}
}

func (s *gatewayFixture) refund(r ports.RefundRequest) (order.RefundOutcome, error) {
	return s.Refund(ports.NewOutbound(s.ctx), s.Account, r)
}

func (s *gatewayFixture) refunded(r ports.RefundRequest) string {
	s.t.Helper()
	outcome, err := s.refund(r)
	given, ok := outcome.(order.Refunded)
	if err != nil || !ok || given.Provider == "" {
		s.t.Fatalf("refund %s: %#v, %v", r.Key, outcome, err)
	}
	return given.Provider
}

func (s *gatewayFixture) notRefunded(r ports.RefundRequest) {
	s.t.Helper()
	outcome, err := s.refund(r)
	if failed, ok := outcome.(order.RefundFailed); err != nil || !ok || failed.Code == "" {
		s.t.Errorf("refund %s: %#v, %v", r.Key, outcome, err)
	}
}

func refundParts(s *gatewayFixture) {
	p := s.pay(s.request(1, TokenPaid))
	ids := []string{s.refunded(s.back("ref_1", p, 10_00)), s.refunded(s.back("ref_2", p, 10_00)), s.refunded(s.back("ref_3", p, 29_90))}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 {
		s.t.Errorf("refunds share ids: %v", ids)
	}
	s.notRefunded(s.back("ref_4", p, 1))
	if again := s.paid(s.resolve(s.request(1, TokenPaid))); again.Provider != p.Provider {
		s.t.Errorf("what was given back was paid as %s, not %s", again.Provider, p.Provider)
	}
	s.wantTaken(1, 3)
}

func refundOnce(s *gatewayFixture) {
	p := s.pay(s.request(1, TokenPaid))
	r := s.back("ref_1", p, 30_00)
	first := s.refunded(r)
	if again := s.refunded(r); again != first {
		s.t.Errorf("the same key gave %s, then %s", first, again)
	}
	s.wantTaken(1, 1)
	r.Amount = money.Of(1_00, money.USD)
	if outcome, err := s.refund(r); err == nil {
		s.t.Errorf("another amount under the same key got %#v", outcome)
	}
	s.wantTaken(1, 1)
}

func refundBound(s *gatewayFixture) {
	p := s.pay(s.request(1, TokenPaid))
	s.notRefunded(s.back("ref_1", p, charged+1))
	s.refunded(s.back("ref_2", p, charged))
	s.notRefunded(s.back("ref_3", p, 1))
	s.wantTaken(1, 1)
}

func refundRace(s *gatewayFixture) {
	p := s.pay(s.request(1, TokenPaid))
	var racers sync.WaitGroup
	given := make([]bool, 8)
	for i := range given {
		racers.Go(func() {
			r := s.back(fmt.Sprint("ref_", i/2), p, 20_00) // two for each of four keys
			for range 20 {
				outcome, err := s.refund(r)
				if _, given[i] = outcome.(order.Refunded); err == nil {
					return
				}
			}
			s.t.Errorf("nobody ever knows what became of %s", r.Key)
		})
	}
	racers.Wait()
	times := 0
	for i := 0; i < len(given); i += 2 {
		if given[i] != given[i+1] {
			s.t.Errorf("of two refunds of key %d one was given", i/2)
		}
		if given[i] {
			times++
		}
	}
	if times != 2 {
		s.t.Errorf("%d refunds of 20.00 of 49.90", times)
	}
	s.wantTaken(1, 2)
}

func refundLost(s *gatewayFixture) {
	p := s.pay(s.request(1, TokenPaid))
	r := s.back("ref_1", p, 30_00)
	s.Lose(true)
	if outcome, err := s.refund(r); err == nil && reflect.TypeOf(outcome) != reflect.TypeFor[order.Refunded]() {
		s.t.Fatalf("the lost answer is %#v", outcome)
	}
	s.Lose(false)
	_, given := s.taken()
	if again := s.refunded(r); len(given) != 1 || given[0].Provider != again {
		s.t.Errorf("given as %v, then as %s", given, again)
	}
	s.wantTaken(1, 1)
}
