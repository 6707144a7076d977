package capability_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/capability"
)

func TestInstruments(t *testing.T) {
	t.Parallel()
	name := func(text string) capability.Name {
		n, ok := capability.ParseName(text)
		if !ok {
			t.Fatal(text)
		}
		return n
	}
	takes := func(text string, types ...string) capability.Handler {
		return capability.Handler{Name: name(text), Instruments: types}
	}
	const stripe, other = "com.stripe.payments", "com.example.pay"
	for _, test := range []struct {
		about    string
		business capability.Handler
		platform []capability.Handler
		want     []string
		ok       bool
	}{
		{"both", takes(stripe, "card", "token"), []capability.Handler{takes(stripe, "token", "wallet")}, []string{"token"}, true},
		{"nothing in common", takes(stripe, "card"), []capability.Handler{takes(stripe, "wallet")}, nil, false},
		{"another handler's limit nothing", takes(stripe, "card"), []capability.Handler{takes(other, "wallet")}, []string{"card"}, true},
		{"no platform's", takes(stripe, "card"), nil, []string{"card"}, true},
		{"every type of the platform", takes(stripe, "card"), []capability.Handler{takes(stripe, "wallet"), takes(stripe)}, []string{"card"}, true},
		{"every type of the business", takes(stripe), []capability.Handler{takes(stripe, "wallet"), takes(stripe, "card", "wallet")}, []string{"card", "wallet"}, true},
		{"every type of both", takes(stripe), []capability.Handler{takes(stripe)}, nil, true},
	} {
		got, ok := capability.Instruments(test.business, test.platform)
		if !slices.Equal(got, test.want) || ok != test.ok {
			t.Errorf("%s: %v, %t", test.about, got, ok)
		}
	}
}
