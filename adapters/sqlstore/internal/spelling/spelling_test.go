package spelling_test

import (
	"maps"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	if want := map[negotiation.Outcome]string{
		negotiation.OutcomeQuoted:    "quote",
		negotiation.OutcomeAccepted:  "accept",
		negotiation.OutcomeCountered: "counter_offer",
		negotiation.OutcomeRejected:  "reject",
	}; !maps.Equal(spelling.Outcomes, want) {
		t.Errorf("stored as %v", spelling.Outcomes)
	}
	for _, o := range negotiation.Outcomes() {
		for _, r := range negotiation.Rules() {
			if read, by, err := spelling.Verdict(spelling.Outcomes[o], r.String()); err != nil || read != o || by != r {
				t.Errorf("%s by %s is read as %s by %s, %v", o, r, read, by, err)
			}
		}
	}
}

func TestVerdict_unknown(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"", "at_ask"}, {"accepted", "at_ask"}, {"Accept", "at_ask"}, {"accept", ""}, {"accept", "luck"}} {
		if o, r, err := spelling.Verdict(c[0], c[1]); err == nil {
			t.Errorf("%v is read as %s by %s", c, o, r)
		}
	}
}

func TestMethod(t *testing.T) {
	t.Parallel()
	want := map[project.PaymentMethod]string{project.SharedPaymentToken: "psp_spt", project.BillingAgreement: "wallet_ba"}
	if !maps.Equal(spelling.Methods, want) {
		t.Errorf("stored as %v", spelling.Methods)
	}
	for _, m := range project.PaymentMethods {
		if got, err := spelling.Method(spelling.Methods[m]); err != nil || got != m {
			t.Errorf("%s is read as %s, %v", m, got, err)
		}
	}
	for _, unknown := range []string{"", "card", "PSP_SPT", "shared_payment_token"} {
		if got, err := spelling.Method(unknown); err == nil {
			t.Errorf("%q is read as %s", unknown, got)
		}
		if got, err := spelling.OptionalMethod(unknown); (err == nil) != (unknown == "") || !got.IsZero() {
			t.Errorf("%q is read as %s, %v", unknown, got, err)
		}
	}
}
