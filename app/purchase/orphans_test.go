package purchase_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// givenUp is a shop whose first attempt was voided, and the second one paid with standard shipping.
func givenUp(t *testing.T) (*till, *purchase.Service) {
	t.Helper()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service) // with express shipping
	expectFault(t, err, "payment_unresolved")
	delete(s.broken, "charge")
	s.outcome = checkout.NotCharged{}
	s.charging = func() { s.outcome = checkout.Paid{Provider: "ch_2"} }
	result, err := service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{
		Checkout: s.checkout.ID(),
		Method:   project.SharedPaymentToken,
		Token:    "tok_other",
		Option:   "standard",
	})
	if err != nil || placed(result) == nil || s.checkout.Attempt() != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	return s, service
}

func (s *till) hear(t *testing.T, service *purchase.Service, attempt int, charge string) {
	t.Helper()
	for range 2 {
		if err := service.Heard(t.Context(), s.project.ID, checkout.AttemptKey(s.checkout.ID(), attempt), checkout.Paid{Provider: charge}); err != nil {
			t.Fatal(err)
		}
	}
}

// orphaned are the refund states that payment.orphaned told.
func (s *till) orphaned() (states string) {
	for _, e := range s.events {
		if o, ok := e.Data.(event.PaymentOrphaned); ok {
			states += o.Refund + " "
		}
	}
	return states
}

// A notice of money for an attempt that was given up, once or twice, is one orphan charge with the amount of
// that attempt, which is given back.
func TestNoticeOfAnAttemptGivenUp(t *testing.T) {
	t.Parallel()
	s, service := givenUp(t)
	s.hear(t, service, 1, "ch_1")
	if s.orphan == nil || s.orphaned() != "pending " {
		t.Fatalf("orphan %+v, told %q", s.orphan, s.orphaned())
	}
	s.broken["refund"] = errGone
	if n, err := refundOrphans(t, service); n != 0 || !errors.Is(err, errGone) || !s.orphan.Pending() {
		t.Fatalf("%d decided, %v: %+v", n, err, s.orphan)
	}
	delete(s.broken, "refund")
	if n, err := refundOrphans(t, service); n != 0 || err != nil || len(s.refunds) != 1 {
		t.Fatalf("before its pause: %d decided, %v, asked %d times", n, err, len(s.refunds))
	}
	s.now = s.now.Add(2 * time.Second)
	s.refunded = order.Refunded{Provider: "re_1"}
	if n, err := refundOrphans(t, service); n != 1 || err != nil || s.orphan.State != checkout.OrphanRefunded {
		t.Fatalf("%d decided, %v: %+v", n, err, s.orphan)
	}
	if s.orphaned() != "pending succeeded " {
		t.Errorf("told %q", s.orphaned())
	}
	for _, r := range s.refunds {
		if r.Key != s.orphan.ID || r.Charge != "ch_1" || r.Amount != usd(100_00+14_99) || r.Route.Provider != "sandbox" {
			t.Errorf("asked for %+v", r)
		}
	}
	s.hear(t, service, 1, "ch_1")
	if n, err := refundOrphans(t, service); n != 0 || err != nil || len(s.refunds) != 2 || s.order == nil {
		t.Errorf("heard again: %d decided, %v, asked %d times", n, err, len(s.refunds))
	}
}

// What the provider refuses to give back, a person sees to.
func TestOrphanThatIsNotRefunded(t *testing.T) {
	t.Parallel()
	s, service := givenUp(t)
	s.hear(t, service, 1, "ch_1")
	s.refunded = order.RefundFailed{Code: "charge_disputed"}
	if n, err := refundOrphans(t, service); n != 1 || err != nil || s.orphan.State != checkout.OrphanFailed || s.orphan.Failure != "charge_disputed" {
		t.Errorf("%d decided, %v: %+v", n, err, s.orphan)
	}
	if s.orphaned() != "pending failed " {
		t.Errorf("told %q", s.orphaned())
	}
}

// The provider's notices of the order's own payment, and of attempts that never were, are no orphans.
func TestNoticesThatAreNoOrphans(t *testing.T) {
	t.Parallel()
	s, service := givenUp(t)
	s.hear(t, service, 2, "ch_2")
	s.hear(t, service, 3, "ch_3")
	if s.orphan != nil || len(s.events) != 1 {
		t.Errorf("orphan %+v, %d events", s.orphan, len(s.events))
	}
	s.hear(t, service, 2, "ch_other")
	if s.orphan == nil || s.orphan.State != checkout.OrphanFailed || s.orphan.Failure != checkout.ErrSecondCharge {
		t.Errorf("a second charge of the attempt that was paid: %+v", s.orphan)
	}
}

// A notice that comes while the attempt is charged is left to whoever charges it. If that process dies, the
// attempt stays, and is resolved.
func TestNoticeWhileCharging(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.charging = func() {
		s.hear(t, service, 1, "ch_1")
		if s.order != nil || s.orphan != nil || s.checkout.Status() != checkout.Processing {
			t.Errorf("order %v, orphan %v", s.order, s.orphan)
		}
	}
	s.broken["transaction 2"], s.broken["transaction 3"] = errGone, errGone // Heard records nothing
	s.broken["transaction 4"] = errGone                                     // nor does the process that dies
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	s.charging = nil
	s.now = s.now.Add(checkout.Lease)
	s.lapsed = []*checkout.Checkout{s.checkout}
	if n, err := reconcile(t, service); n != 1 || err != nil || s.order == nil || s.orphan != nil {
		t.Errorf("%d decided, %v, orphan %+v", n, err, s.orphan)
	}
}

// The answer to a charge that comes when somebody else has given the attempt up is an orphan too.
func TestAnswerOfAnAttemptGivenUp(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.charging = func() {
		s.charging = nil
		s.now = s.now.Add(checkout.Lease) // this replica was stopped; another one resolves the attempt meanwhile
		s.outcome = checkout.NotCharged{}
		s.lapsed = []*checkout.Checkout{s.checkout}
		if n, err := reconcile(t, service); n != 1 || err != nil || s.checkout.Status() != checkout.Ready {
			t.Errorf("%d decided, %v", n, err)
		}
		s.outcome = checkout.Paid{Provider: "ch_1"}
	}
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if s.orphan == nil || s.orphan.Charge != "ch_1" || s.orphaned() != "pending " {
		t.Errorf("orphan %+v, told %q", s.orphan, s.orphaned())
	}
}
