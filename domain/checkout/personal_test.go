package checkout_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/personalization"
)

// The text is that of the address, or else that of the region where the price was agreed, and only with prices that signals moved.
func TestDisclose(t *testing.T) {
	t.Parallel()
	rules := personalization.DefaultRules()
	_, newYork := rules.In("US-NY")
	_, europe := rules.In("DE")
	moved := checkout.Line{
		Name:       "Tent",
		Personal:   personalization.Use{Signals: personalization.ClaimedLoyalty, Region: "DE"},
		Disclosure: "An earlier one.",
	}
	for want, to := range map[string]checkout.Address{
		newYork: {Country: "US", State: "NY"},
		europe:  {},
	} {
		before := []checkout.Line{{Name: "Stove"}, moved}
		lines := checkout.Disclose(before, rules, to)
		if lines[1].Disclosure != want || lines[0].Disclosure != "" || before[1].Disclosure != "An earlier one." {
			t.Errorf("to %+v: %q and %q, want %q", to, lines[0].Disclosure, lines[1].Disclosure, want)
		}
		if lines[0].Notice() != nil || *lines[1].Notice() != (personalization.Notice{Signals: personalization.ClaimedLoyalty, Disclosure: want}) {
			t.Errorf("to %+v: notices %+v and %+v", to, lines[0].Notice(), lines[1].Notice())
		}
	}
}

// Anybody who knows the ID of a checkout may read it, so one that has ended names no signals, but to its payer and a verified agent.
func TestCheckout_Notices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status   checkout.Status
		verified bool
		want     bool
	}{
		{checkout.Ready, false, true},
		{checkout.Processing, false, true},
		{checkout.Completed, false, false},
		{checkout.Canceled, false, false},
		{checkout.Expired, false, false},
		{checkout.Completed, true, true},
	} {
		s := checkout.Snapshot{Status: c.status, Lines: []checkout.Line{{Personal: personalization.Use{Signals: personalization.ClaimedLoyalty}}}}
		s.Agent.Verified = c.verified
		if got := checkout.Rehydrate(s).Notices(false); len(got) != 1 || (got[0] != nil) != c.want {
			t.Errorf("%s, verified %t: %v", c.status, c.verified, got)
		}
		if got := checkout.Rehydrate(s).Notices(true); got[0] == nil {
			t.Errorf("%s: the payer gets none", c.status)
		}
	}
}
