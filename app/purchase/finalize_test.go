package purchase_test

import (
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// ready returns a shop with a checkout of a tent.
func ready(t *testing.T) (*fixture, *purchase.Service) {
	t.Helper()
	s, service := newFixture()
	s.begin(t, service)
	return s, service
}

// begin opens a checkout of a tent.
func (s *fixture) begin(t *testing.T, service *purchase.Service) {
	t.Helper()
	items := []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}}
	if _, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
		Session: s.session.ID,
		Items:   items,
		Address: home,
	}); err != nil {
		t.Fatal(err)
	}
}

func (s *fixture) pay(t *testing.T, service *purchase.Service) (purchase.Result, error) {
	return service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{
		Checkout: s.checkout.ID(),
		Method:   project.SharedPaymentToken,
		Token:    "tok_secret",
		Email:    "ada@example.com",
		Notes:    "Ring twice",
		Option:   "express",
	})
}

func TestFinalize(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	result, err := s.pay(t, service)
	if err != nil || orderOf(result) == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	o := orderOf(result)
	if !regexp.MustCompile(`^HG-[0-9A-Z]{4}-[0-9A-Z]{4}$`).MatchString(o.Confirmation) {
		t.Errorf("confirmation %s", o.Confirmation)
	}
	if o.Email != "ada@example.com" || o.Notes != "Ring twice" || o.Shipping != usd(14_99) || o.Payment.Provider != "ch_1" {
		t.Errorf("%+v", o)
	}
	if kept := s.checkout.Snapshot().Payment.TokenHash; kept != id.Hash("tok_secret") {
		t.Errorf("of the payment token is kept %q", kept)
	}
}

// A finalize starts over if the project was changed after it was read: it asks the agent again and uses the new payment route.
func TestFinalize_projectChanged(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	old := *s.project
	changed := old
	changed.Version++
	changed.Routes = map[project.PaymentMethod]project.PaymentRoute{project.SharedPaymentToken: {Provider: "stripe"}}
	s.project = &changed
	agreeing := &fakeAgent{}
	service.Agent = agreeing
	request := purchase.FinalizeRequest{
		Checkout: s.checkout.ID(),
		Method:   project.SharedPaymentToken,
		Token:    "tok_secret",
	}
	result, err := service.Finalize(ports.NewOutbound(t.Context()), &old, request)
	if err != nil || orderOf(result) == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	if route := orderOf(result).Payment.Route; s.charges != 1 || route.Provider != "stripe" || agreeing.asked != 2 {
		t.Errorf("%d charges, by %+v, the agent was asked %d times", s.charges, route, agreeing.asked)
	}
	s.begin(t, service)
	changed.Version, changed.Status = changed.Version+1, project.Closing
	request.Checkout = s.checkout.ID()
	_, err = service.Finalize(ports.NewOutbound(t.Context()), &old, request)
	expectFault(t, err, "project_not_found")
	if s.charges != 1 {
		t.Errorf("a closed shop was paid: %d charges", s.charges)
	}
}

func TestFinalize_agentRefuses(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	doubter := &fakeAgent{verdict: agent.Refuse("Not today.")}
	service.Agent = doubter
	_, err := s.pay(t, service)
	expectFault(t, err, "finalize_refused")
	doubter.verdict, doubter.err = agent.Verdict{}, errGone
	if _, err := s.pay(t, service); !errors.Is(err, errGone) {
		t.Errorf("got %v", err)
	}
	if s.charges != 0 || s.checkout.Status() != checkout.Ready {
		t.Errorf("%d charges, the checkout is %s", s.charges, s.checkout.Status())
	}
}

// The agent is not asked about a completed checkout, because it could refuse an order that exists.
func TestFinalize_completedWithoutConsent(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	if _, err := s.pay(t, service); err != nil {
		t.Fatal(err)
	}
	doubter := &fakeAgent{verdict: agent.Refuse("")}
	service.Agent = doubter
	if result, err := s.pay(t, service); err != nil || orderOf(result) == nil || doubter.asked != 0 {
		t.Errorf("%+v, %v, asked %d times", result, err, doubter.asked)
	}
}

// If the outcome of a charge cannot be recorded, the buyer gets payment_unresolved, and the order after a retry.
func TestFinalize_recordFails(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["transaction 2"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if s.checkout.Status() != checkout.Processing || s.order != nil {
		t.Errorf("the checkout is %s", s.checkout.Status())
	}
	s.now = s.now.Add(checkout.Lease)
	if result, err := s.pay(t, service); err != nil || orderOf(result) == nil {
		t.Errorf("%+v, %v", result, err)
	}
}

// If the lease of an unresolved attempt cannot be released, it lapses.
func TestFinalize_releaseFails(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"], s.broken["transaction 2"] = errGone, errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if s.checkout.Lapsed(s.now) || !s.checkout.Lapsed(s.now.Add(checkout.Lease)) {
		t.Errorf("the lease ends at %s", s.checkout.Snapshot().LeaseUntil)
	}
}

func TestFinalize_nilOutcome(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.outcome = nil
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if s.checkout.Status() != checkout.Processing || s.charges != 1 {
		t.Errorf("the checkout is %s after %d charges", s.checkout.Status(), s.charges)
	}
}

// A finalize gives up if the provider reports every attempt as not charged.
func TestFinalize_neverCharged(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	service.Patience = time.Nanosecond
	s.outcome = checkout.NotCharged{}
	_, err := s.pay(t, service)
	expectFault(t, err, "checkout_processing")
	if s.checkout.Status() != checkout.Ready || s.order != nil {
		t.Errorf("the checkout is %s", s.checkout.Status())
	}
}

func TestFinalize_storeFails(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["stock"] = errGone
	if _, err := s.pay(t, service); !errors.Is(err, errGone) || s.charges != 0 {
		t.Errorf("got %v after %d charges", err, s.charges)
	}
	s.checkout = checkout.Rehydrate(checkout.Snapshot{ID: s.checkout.ID(), Status: checkout.Completed})
	if _, err := s.pay(t, service); err == nil {
		t.Error("a completed checkout without its order was answered")
	}
}

// An attempt that cannot be resolved does not keep the job from resolving the others.
func TestReconciliation_continuesAfterError(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	mine := s.checkout.Snapshot()
	closed := mine
	closed.Project = id.New[id.Project]([16]byte{9})
	s.lapsed = []*checkout.Checkout{checkout.Rehydrate(closed), checkout.Rehydrate(mine)}
	decided, err := reconcile(t, service)
	if decided != 1 || s.order == nil {
		t.Errorf("%d decided", decided)
	}
	expectFault(t, err, "project_not_found")
}

func TestReconciliation_fails(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["lapsed"] = errGone
	if _, err := reconcile(t, service); !errors.Is(err, errGone) {
		t.Errorf("got %v", err)
	}
	delete(s.broken, "lapsed")
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	s.lapsed = []*checkout.Checkout{s.checkout}
	s.broken["transaction 3"] = errGone
	decided, err := reconcile(t, service)
	expectFault(t, errors.Unwrap(joined{err}), "payment_unresolved")
	if decided != 0 {
		t.Errorf("%d decided", decided)
	}
}

// joined unwraps to the first of joined errors.
type joined struct{ error }

func (j joined) Unwrap() error { return j.error.(interface{ Unwrap() []error }).Unwrap()[0] }

// An unresolved payment emits one event, even if finalize is repeated.
func TestFinalize_unresolvedEventOnce(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"], s.broken["resolve"] = errGone, errGone
	for range 3 {
		_, err := s.pay(t, service)
		expectFault(t, err, "payment_unresolved")
	}
	if len(s.events) != 1 || s.events[0].Data.Type().String() != "payment.unresolved" {
		t.Errorf("%d events", len(s.events))
	}
}

func TestFinalize_tooManyDeclines(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.declines = checkout.MostDeclined
	_, err := s.pay(t, service)
	expectFault(t, err, "too_many_declines")
	if s.charges != 0 {
		t.Error("it was charged")
	}
}

func TestFinalize_methodNotServed(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	service.Sandbox = false
	_, err := s.pay(t, service)
	expectFault(t, err, "validation_error", "payment.method")
	route := project.PaymentRoute{Provider: "stripe", Integration: id.New[id.Integration]([16]byte{5})}
	s.project.Routes = map[project.PaymentMethod]project.PaymentRoute{project.SharedPaymentToken: route}
	if _, err := s.pay(t, service); err != nil || s.checkout.Charge().Route != route {
		t.Errorf("%+v, %v", s.checkout.Charge(), err)
	}
}

// An outcome that the provider reports by webhook completes the checkout like a response.
func TestRecordFrom_notice(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	for _, key := range []string{"nonsense", checkout.AttemptKey(s.checkout.ID(), 7)} {
		if err := service.RecordOutcome(t.Context(), s.project.ID, key, s.outcome); err != nil || s.order != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	s.now = noon.Add(-time.Second) // as if it were being charged
	if err := service.RecordOutcome(t.Context(), s.project.ID, checkout.AttemptKey(s.checkout.ID(), 1), s.outcome); err != nil || s.order != nil {
		t.Fatalf("in flight: %v", err)
	}
	s.now = noon
	for range 2 {
		if err := service.RecordOutcome(t.Context(), s.project.ID, checkout.AttemptKey(s.checkout.ID(), 1), s.outcome); err != nil || s.order == nil {
			t.Fatalf("%v", err)
		}
	}
}

// If the provider refuses the shop's credentials, nothing is charged: the stock is put back, and the buyer can pay later.
func TestFinalize_credentialsRefused(t *testing.T) {
	t.Parallel()
	for _, refused := range []error{ports.ErrCredentialsRefused, ports.ErrAccountRefused} {
		t.Run(refused.Error(), func(t *testing.T) { testCredentialsRefused(t, refused) })
	}
}

func testCredentialsRefused(t *testing.T, refused error) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = fmt.Errorf("stripe: %w", refused)
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unavailable")
	if s.checkout.Status() != checkout.Ready || s.checkout.Snapshot().Declines != 0 || s.order != nil || len(s.events) != 0 {
		t.Errorf("the checkout is %s", s.checkout.Status())
	}
	delete(s.broken, "charge")
	if result, err := s.pay(t, service); err != nil || orderOf(result) == nil {
		t.Errorf("%+v, %v", result, err)
	}
}

// If the provider refuses the credentials only when an attempt is resolved, the attempt may have been charged before.
func TestFinalize_credentialsRefusedLater(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	s.broken["resolve"] = ports.ErrCredentialsRefused
	_, err = s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if s.checkout.Status() != checkout.Processing || s.checkout.Attempt() != 1 {
		t.Errorf("the checkout is %s in attempt %d", s.checkout.Status(), s.checkout.Attempt())
	}
}
