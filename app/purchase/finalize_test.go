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

// ready opens the shop with a checkout of a tent.
func ready(t *testing.T) (*till, *purchase.Service) {
	t.Helper()
	s, service := open()
	s.begin(t, service)
	return s, service
}

// begin opens a checkout of a tent.
func (s *till) begin(t *testing.T, service *purchase.Service) {
	t.Helper()
	items := []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}}
	if _, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{Session: s.visit.ID, Items: items, Address: home}); err != nil {
		t.Fatal(err)
	}
}

func (s *till) pay(t *testing.T, service *purchase.Service) (purchase.Result, error) {
	return service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{
		Checkout: s.checkout.ID(), Method: project.SharedPaymentToken, Token: "tok_secret", Email: "ada@example.com", Notes: "Ring twice", Option: "express",
	})
}

func TestFinalize(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	result, err := s.pay(t, service)
	if err != nil || placed(result) == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	o := placed(result)
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

// A finalize by a project that another replica has changed since begins anew: the agent is asked again, and the money goes
// the way that the shop has chosen.
func TestFinalize_projectChanged(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	old := *s.project
	changed := old
	changed.Version++
	changed.Routes = map[project.PaymentMethod]project.PaymentRoute{project.SharedPaymentToken: {Provider: "stripe"}}
	s.project = &changed
	agreeing := &guard{}
	service.Agent = agreeing
	request := purchase.FinalizeRequest{Checkout: s.checkout.ID(), Method: project.SharedPaymentToken, Token: "tok_secret"}
	result, err := service.Finalize(ports.NewOutbound(t.Context()), &old, request)
	if err != nil || placed(result) == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	if route := placed(result).Payment.Route; s.charges != 1 || route.Provider != "stripe" || agreeing.asked != 2 {
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

func TestAgentRefusesToFinalize(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	doubter := &guard{verdict: agent.Refuse("Not today.")}
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

// What is decided, the agent is not asked about: it might say no to an order that exists.
func TestAgentIsNotAskedAboutWhatIsDecided(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	if _, err := s.pay(t, service); err != nil {
		t.Fatal(err)
	}
	doubter := &guard{verdict: agent.Refuse("")}
	service.Agent = doubter
	if result, err := s.pay(t, service); err != nil || placed(result) == nil || doubter.asked != 0 {
		t.Errorf("%+v, %v, asked %d times", result, err, doubter.asked)
	}
}

// The money was taken and the database does not answer: the buyer hears that nobody knows, and gets the
// order when it answers again.
func TestOutcomeThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["transaction 2"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if s.checkout.Status() != checkout.Processing || s.order != nil {
		t.Errorf("the checkout is %s", s.checkout.Status())
	}
	s.now = s.now.Add(checkout.Lease)
	if result, err := s.pay(t, service); err != nil || placed(result) == nil {
		t.Errorf("%+v, %v", result, err)
	}
}

// Nor can it be noted that nobody looks after the attempt: its lease lapses by itself.
func TestLeaseThatCannotBeReleased(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"], s.broken["transaction 2"] = errGone, errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if s.checkout.Lapsed(s.now) || !s.checkout.Lapsed(s.now.Add(checkout.Lease)) {
		t.Errorf("the lease ends at %s", s.checkout.Snapshot().LeaseUntil)
	}
}

func TestProviderThatSaysNothing(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.outcome = nil
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if s.checkout.Status() != checkout.Processing || s.charges != 1 {
		t.Errorf("the checkout is %s after %d charges", s.checkout.Status(), s.charges)
	}
}

// A provider that refuses every key is not asked for ever.
func TestProviderThatNeverCharges(t *testing.T) {
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

func TestFinalizeFails(t *testing.T) {
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

// One attempt that cannot be decided keeps nobody from deciding the others.
func TestReconcileGoesOn(t *testing.T) {
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

func TestReconcileFails(t *testing.T) {
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

// joined is the first of joined errors.
type joined struct{ error }

func (j joined) Unwrap() error { return j.error.(interface{ Unwrap() []error }).Unwrap()[0] }

// The merchant hears once that nobody knows, however often it is asked.
func TestUnresolvedIsToldOnce(t *testing.T) {
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

func TestTooManyDeclines(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.declines = checkout.MostDeclined
	_, err := s.pay(t, service)
	expectFault(t, err, "too_many_declines")
	if s.charges != 0 {
		t.Error("it was charged")
	}
}

func TestMethodThatNobodyServes(t *testing.T) {
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

// What the provider tells by itself leads where its answer would have led.
func TestHeard(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	for _, key := range []string{"nonsense", checkout.AttemptKey(s.checkout.ID(), 7)} {
		if err := service.Heard(t.Context(), s.project.ID, key, s.outcome); err != nil || s.order != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	s.now = noon.Add(-time.Second) // as if it were being charged
	if err := service.Heard(t.Context(), s.project.ID, checkout.AttemptKey(s.checkout.ID(), 1), s.outcome); err != nil || s.order != nil {
		t.Fatalf("in flight: %v", err)
	}
	s.now = noon
	for range 2 {
		if err := service.Heard(t.Context(), s.project.ID, checkout.AttemptKey(s.checkout.ID(), 1), s.outcome); err != nil || s.order == nil {
			t.Fatalf("%v", err)
		}
	}
}

// Credentials that the provider refuses charge nobody: the stock is back, and the buyer may pay later.
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	for _, refused := range []error{ports.ErrCredentialsRefused, ports.ErrAccountRefused} {
		t.Run(refused.Error(), func(t *testing.T) { refusedBy(t, refused) })
	}
}

func refusedBy(t *testing.T, refused error) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = fmt.Errorf("stripe: %w", refused)
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unavailable")
	if s.checkout.Status() != checkout.Ready || s.checkout.Snapshot().Declines != 0 || s.order != nil || len(s.events) != 0 {
		t.Errorf("the checkout is %s", s.checkout.Status())
	}
	delete(s.broken, "charge")
	if result, err := s.pay(t, service); err != nil || placed(result) == nil {
		t.Errorf("%+v, %v", result, err)
	}
}

// But an attempt that was asked for before may have been charged then.
func TestCredentialsRefusedLater(t *testing.T) {
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

// A buyer who sends the same token again has the identical charge repeated, whatever the rest of the request
// says by then. Everything else is only asked about.
func TestLapsedChargeIsRepeated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		token   string
		after   time.Duration
		kept    func(*checkout.Snapshot) // by the store meanwhile
		repeats bool
	}{
		"the same token":          {"tok_secret", time.Minute, unchanged, true},
		"another token":           {"tok_other", time.Minute, unchanged, false},
		"a checkout that expired": {"tok_secret", checkout.Validity, unchanged, false},
		"a key of nearly 5 h":     {"tok_secret", checkout.KeyAge - time.Second, validForADay, true},
		"a key that is too old":   {"tok_secret", checkout.KeyAge, validForADay, false},
		"a key of unknown age":    {"tok_secret", checkout.KeyAge, claimedAtUnknownTime, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := ready(t)
			s.broken["charge"] = errGone
			_, err := s.pay(t, service)
			expectFault(t, err, "payment_unresolved")
			delete(s.broken, "charge")
			kept := s.checkout.Snapshot()
			test.kept(&kept)
			s.checkout = checkout.Rehydrate(kept)
			s.now = noon.Add(test.after)
			result, err := service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{
				Checkout: s.checkout.ID(), Method: project.BillingAgreement, Token: test.token, Option: "overnight",
			})
			if err != nil || placed(result) == nil || placed(result).Shipping != usd(14_99) {
				t.Fatalf("%+v, %v", result, err)
			}
			switch repeated := s.charges == 2; {
			case repeated != test.repeats || repeated == (len(s.asked) == 1):
				t.Errorf("charged %d times, asked %d times", s.charges, len(s.asked))
			case repeated:
				first, again := s.charged[0], s.charged[1]
				if first.Again = true; first != again {
					t.Errorf("repeated as %+v, was %+v", again, first)
				}
			}
		})
	}
}

func unchanged(*checkout.Snapshot) {}

func validForADay(kept *checkout.Snapshot) { kept.ValidUntil = noon.Add(24 * time.Hour) }

// claimedAtUnknownTime is a claim by a program that did not store its time, so that it counts from the init.
func claimedAtUnknownTime(kept *checkout.Snapshot) {
	validForADay(kept)
	kept.ClaimedAt = time.Time{}
}

// A repeated charge that is unclear, as when the provider kept an error for it, is resolved.
func TestUnclearRepetitionIsResolved(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if result, err := s.pay(t, service); err != nil || placed(result) == nil || s.charges != 2 || len(s.asked) != 1 {
		t.Errorf("%+v, %v, charged %d times, asked %d times", result, err, s.charges, len(s.asked))
	}
}

// While one replica repeats the charge, no other one does.
func TestRepetitionHoldsTheLease(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	delete(s.broken, "charge")
	other := *service
	other.Patience = time.Nanosecond
	s.charging = func() {
		s.charging = nil
		if _, err := s.pay(t, &other); err != checkout.ErrProcessing {
			t.Errorf("meanwhile: %v", err)
		}
	}
	if result, err := s.pay(t, service); err != nil || placed(result) == nil || s.charges != 2 {
		t.Errorf("%+v, %v after %d charges", result, err, s.charges)
	}
}

// A declined payment whose answer was lost is the answer to the same token, and no charge for another.
func TestLostDecline(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"tok_secret", "tok_other"} {
		s, service := ready(t)
		s.broken["charge"] = errGone
		_, err := s.pay(t, service)
		expectFault(t, err, "payment_unresolved")
		delete(s.broken, "charge")
		s.outcome = checkout.Declined{Code: "insufficient_funds"}
		result, err := service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{Checkout: s.checkout.ID(), Method: project.SharedPaymentToken, Token: token})
		if _, declined := result.(purchase.Declined); err != nil || !declined {
			t.Fatalf("%+v, %v", result, err)
		}
		attempts := map[string]int{"tok_secret": 1, "tok_other": 2}[token]
		if s.checkout.Attempt() != attempts || s.checkout.Snapshot().Declines != attempts {
			t.Errorf("%s: %d attempts, %d declines", token, s.checkout.Attempt(), s.checkout.Snapshot().Declines)
		}
	}
}
