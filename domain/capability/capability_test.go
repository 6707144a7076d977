package capability_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/capability"
)

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2026-08-25":  true,
		"2024-02-29":  true,
		"":            false,
		"draft":       false,
		"2026-8-25":   false,
		"2026-13-01":  false,
		"2026-02-30":  false,
		"2026-08-25 ": false,
		"v2026-08-25": false,
	} {
		v, ok := capability.ParseVersion(text)
		if ok != want || ok && v.String() != text || !ok && v != (capability.Version{}) {
			t.Errorf("%q: %q, %t", text, v, ok)
		}
	}
	if !capability.V20260825.After(capability.V20260408) || capability.V20260408.After(capability.V20260408) {
		t.Error("versions are not ordered by their days")
	}
	other, _ := capability.ParseVersion("2026-01-23")
	if other.Ours() || !capability.V20260408.Ours() || !capability.Current().Ours() {
		t.Error("other releases are taken for ours")
	}
}

func TestParseName(t *testing.T) {
	t.Parallel()
	long := "com." + strings.Repeat("x", capability.MaxName-4)
	for text, want := range map[string]bool{
		"dev.ucp.shopping.checkout":       true,
		"com.example.loyalty_gold":        true,
		"com.example-shop.checkout":       true,
		"com.2example.cart":               true,
		"uk.co.example-shop.checkout":     true,
		"xn--p1ai.example.checkout":       true,
		"dev.ucp.common.identity_linking": true,
		long:                              true,
		long + "x":                        false,
		"":                                false,
		"checkout":                        false,
		"dev.":                            false,
		".ucp":                            false,
		"dev..ucp":                        false,
		"Dev.ucp":                         false,
		"dev.ucp.-x":                      false,
		"dev.ucp.x-":                      false,
		"dev.ucp\n":                       false,
		"dev.ucp.über":                    false,
	} {
		n, ok := capability.ParseName(text)
		if ok != want || ok && n.String() != text || !ok && n != (capability.Name{}) {
			t.Errorf("%q: %q, %t", text, n, ok)
		}
	}
	if n, ok := capability.Negotiation("com.example.shops"); !ok || n.String() != "com.example.shops.negotiation.quote" {
		t.Errorf("our own capability is %s", n)
	}
}

// The table of the overview's "Derivation algorithm", and its rules 2 and 3.
func TestBoundTo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, host string
		want       bool
	}{
		{"dev.ucp.shopping.checkout", "ucp.dev", true},
		{"dev.ucp.shopping.checkout", "shopping.ucp.dev", true},
		{"com.example.payments.installments", "example.com", true},
		{"com.example.pay", "pay.example.com", true},
		{"com.example.pay", "example.com", true},
		{"com.example.pay", "evil.example", false},
		{"dev.ucp.shopping.checkout", "evil.example", false},
		{"com.examplecorp.pay", "example.com", false},
		{"com.example.pay", "cdn.example.com", false},
		{"com.example.pay", "Pay.Example.COM.", true},
		{"dev.ucp.shopping.checkout", "dev", false},
		{"com.10.113.0.203", "203.0.113.10", false},
		{"com.example.pay", "", false},
		{"com.example.pay", ".com", false},
	} {
		n, ok := capability.ParseName(test.name)
		if !ok {
			t.Fatal(test.name)
		}
		if got := n.BoundTo(test.host); got != test.want {
			t.Errorf("%s to %s: %t", test.name, test.host, got)
		}
	}
}
