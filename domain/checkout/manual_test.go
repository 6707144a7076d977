package checkout_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// A decision needs a reason, and an ID of the provider only if money moved.
func TestCheckDecision(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		moved             bool
		reference, reason string
		fields            []string
	}{
		{true, "pi_1", "Seen there", nil},
		{true, "", "Seen there", nil}, // what the provider needs is checked with it
		{false, "", "Not there", nil},
		{false, "", "", []string{"reason"}},
		{false, "", strings.Repeat("é", 2000), nil},
		{false, "", strings.Repeat("é", 2001), []string{"reason"}},
		{false, "pi_1", "Not there", []string{"reference"}},
		{true, strings.Repeat("p", 255), "Seen there", nil},
		{true, strings.Repeat("p", 256), "", []string{"reason", "reference"}},
	} {
		var fields []string
		if refusal, ok := errors.AsType[*fault.Error](checkout.CheckDecision(test.moved, test.reference, "reference", test.reason)); ok {
			for _, d := range refusal.Details {
				fields = append(fields, d.Field)
			}
		}
		if !slices.Equal(fields, test.fields) {
			t.Errorf("%+v: refused for %v", test, fields)
		}
	}
}
