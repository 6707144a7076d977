package member_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/member"
)

func TestIdentity_Valid(t *testing.T) {
	t.Parallel()
	const issuer = "https://id.example"
	for name, c := range map[string]struct {
		identity member.Identity
		want     bool
	}{
		"a number":            {member.Identity{Issuer: issuer, Subject: "24400320"}, true},
		"the longest":         {member.Identity{Issuer: issuer, Subject: strings.Repeat("x", 255)}, true},
		"longer":              {member.Identity{Issuer: issuer, Subject: strings.Repeat("x", 256)}, false},
		"no subject":          {member.Identity{Issuer: issuer}, false},
		"no issuer":           {member.Identity{Subject: "1"}, false},
		"not ASCII":           {member.Identity{Issuer: issuer, Subject: "zoë"}, false},
		"a control character": {member.Identity{Issuer: issuer, Subject: "a\x00"}, false},
	} {
		if got := c.identity.Valid(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestVouched_Address(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said member.Vouched
		want string
		ok   bool
	}{
		"verified":   {member.Vouched{Email: "Ada@Example.com", EmailVerified: true}, "ada@example.com", true},
		"unverified": {member.Vouched{Email: "ada@example.com"}, "ada@example.com", false},
		"none":       {member.Vouched{EmailVerified: true}, "", false},
		"no address": {member.Vouched{Email: "ada", EmailVerified: true}, "ada", false},
	} {
		if got, ok := c.said.Address(); got != c.want || ok != c.ok {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

func TestVouched_Called(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{" Ada Lovelace ": "Ada Lovelace", "": "ada", "a\nb": "ada", strings.Repeat("x", 101): "ada"} {
		if got := (member.Vouched{Name: name, Email: "ada@example.com"}).Called(); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
