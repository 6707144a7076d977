package purchase_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// A retry with the same token repeats the identical charge, even if the rest of the request differs. Otherwise the attempt is
// resolved first.
func TestFinalize_repeatsLapsedCharge(t *testing.T) {
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
				Checkout: s.checkout.ID(),
				Method:   project.BillingAgreement,
				Token:    test.token,
				Option:   "overnight",
			})
			if err != nil || orderOf(result) == nil || orderOf(result).Shipping != usd(14_99) {
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

// claimedAtUnknownTime is a claim of a release that did not store its time; its age is measured from the init.
func claimedAtUnknownTime(kept *checkout.Snapshot) {
	validForADay(kept)
	kept.ClaimedAt = time.Time{}
}

// If a repeated charge is unclear, for example because the provider stored an error for the key, the attempt is resolved.
func TestFinalize_repeatUnclear(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	if result, err := s.pay(t, service); err != nil || orderOf(result) == nil || s.charges != 2 || len(s.asked) != 1 {
		t.Errorf("%+v, %v, charged %d times, asked %d times", result, err, s.charges, len(s.asked))
	}
}

// While one replica repeats the charge, no other replica does.
func TestFinalize_repeatHoldsLease(t *testing.T) {
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
	if result, err := s.pay(t, service); err != nil || orderOf(result) == nil || s.charges != 2 {
		t.Errorf("%+v, %v after %d charges", result, err, s.charges)
	}
}

// A declined payment whose response was lost is the result for the same token. Another token makes a new attempt.
func TestFinalize_declineResponseLost(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"tok_secret", "tok_other"} {
		s, service := ready(t)
		s.broken["charge"] = errGone
		_, err := s.pay(t, service)
		expectFault(t, err, "payment_unresolved")
		delete(s.broken, "charge")
		s.outcome = checkout.Declined{Code: "insufficient_funds"}
		result, err := service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{
			Checkout: s.checkout.ID(),
			Method:   project.SharedPaymentToken,
			Token:    token,
		})
		if _, declined := result.(purchase.Declined); err != nil || !declined {
			t.Fatalf("%+v, %v", result, err)
		}
		attempts := map[string]int{"tok_secret": 1, "tok_other": 2}[token]
		if s.checkout.Attempt() != attempts || s.checkout.Snapshot().Declines != attempts {
			t.Errorf("%s: %d attempts, %d declines", token, s.checkout.Attempt(), s.checkout.Snapshot().Declines)
		}
	}
}
