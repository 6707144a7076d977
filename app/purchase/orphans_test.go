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

// givenUp returns a shop whose first attempt was given up, and whose second one was paid with standard shipping.
func givenUp(t *testing.T) (*fixture, *purchase.Service) {
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
	if err != nil || orderOf(result) == nil || s.checkout.Attempt() != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	return s, service
}

// sendNotice reports a charge by webhook, twice.
func (s *fixture) sendNotice(t *testing.T, service *purchase.Service, attempt int, charge string) {
	t.Helper()
	for range 2 {
		if err := service.RecordOutcome(t.Context(), s.project.ID, checkout.AttemptKey(s.checkout.ID(), attempt), checkout.Paid{Provider: charge}); err != nil {
			t.Fatal(err)
		}
	}
}

// orphanRefunds returns the refund states of the payment.orphaned events.
func (s *fixture) orphanRefunds() (states string) {
	for _, e := range s.events {
		if o, ok := e.Data.(event.PaymentOrphaned); ok {
			states += o.Refund + " "
		}
	}
	return states
}

// Repeated notices of a charge for an attempt that was given up make one orphan charge, with the amount of that attempt. It is
// refunded.
func TestOrphanRefunds_noticeOfGivenUpAttempt(t *testing.T) {
	t.Parallel()
	s, service := givenUp(t)
	s.sendNotice(t, service, 1, "ch_1")
	if s.orphan == nil || s.orphanRefunds() != "pending " {
		t.Fatalf("orphan %+v, told %q", s.orphan, s.orphanRefunds())
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
	if s.orphanRefunds() != "pending succeeded " {
		t.Errorf("told %q", s.orphanRefunds())
	}
	for _, r := range s.refunds {
		if r.Key != s.orphan.ID || r.Charge != "ch_1" || r.Amount != usd(100_00+14_99) || r.Route.Provider != "sandbox" {
			t.Errorf("asked for %+v", r)
		}
	}
	s.sendNotice(t, service, 1, "ch_1")
	if n, err := refundOrphans(t, service); n != 0 || err != nil || len(s.refunds) != 2 || s.order == nil {
		t.Errorf("heard again: %d decided, %v, asked %d times", n, err, len(s.refunds))
	}
}

// If the provider refuses the refund, the orphan charge is failed and left to a person.
func TestOrphanRefunds_providerRefuses(t *testing.T) {
	t.Parallel()
	s, service := givenUp(t)
	s.sendNotice(t, service, 1, "ch_1")
	s.refunded = order.RefundFailed{Code: "charge_disputed"}
	if n, err := refundOrphans(t, service); n != 1 || err != nil || s.orphan.State != checkout.OrphanFailed || s.orphan.Failure != "charge_disputed" {
		t.Errorf("%d decided, %v: %+v", n, err, s.orphan)
	}
	if s.orphanRefunds() != "pending failed " {
		t.Errorf("told %q", s.orphanRefunds())
	}
}

// Notices of the order's own payment and of attempts that do not exist make no orphan charge.
func TestStoreOrphan_notices(t *testing.T) {
	t.Parallel()
	s, service := givenUp(t)
	s.sendNotice(t, service, 2, "ch_2")
	s.sendNotice(t, service, 3, "ch_3")
	if s.orphan != nil || len(s.events) != 1 {
		t.Errorf("orphan %+v, %d events", s.orphan, len(s.events))
	}
	s.sendNotice(t, service, 2, "ch_other")
	if s.orphan == nil || s.orphan.State != checkout.OrphanFailed || s.orphan.Failure != checkout.ErrSecondCharge {
		t.Errorf("a second charge of the attempt that was paid: %+v", s.orphan)
	}
}

// A notice for an attempt that is being charged is ignored, because the process that charges it records the response. If that
// process dies, the attempt is resolved.
func TestRecordFrom_noticeWhileCharging(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.charging = func() {
		s.sendNotice(t, service, 1, "ch_1")
		if s.order != nil || s.orphan != nil || s.checkout.Status() != checkout.Processing {
			t.Errorf("order %v, orphan %v", s.order, s.orphan)
		}
	}
	s.broken["transaction 2"], s.broken["transaction 3"] = errGone, errGone // the notices record nothing
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

// The response to a charge whose attempt another replica has given up meanwhile makes an orphan charge, too.
func TestStoreOrphan_responseForGivenUpAttempt(t *testing.T) {
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
	if s.orphan == nil || s.orphan.Charge != "ch_1" || s.orphanRefunds() != "pending " {
		t.Errorf("orphan %+v, told %q", s.orphan, s.orphanRefunds())
	}
}
