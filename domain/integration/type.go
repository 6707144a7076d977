package integration

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Type is the provider that an integration is with.
type Type struct{ name string }

// Types that can be connected.
var (
	Stripe = Type{"stripe"}
	PayPal = Type{"paypal"}
)

// later are types of the contract whose connectors do not exist yet.
var later = []string{"shopify", "hubspot", "shipstation", "custom"}

// ParseType knows the types that can be connected.
func ParseType(name string) (Type, error) {
	for _, t := range []Type{Stripe, PayPal} {
		if t.name == name {
			return t, nil
		}
	}
	if slices.Contains(later, name) {
		return Type{}, fault.Field("type", "cannot be connected yet: this version connects stripe and paypal")
	}
	return Type{}, fault.Field("type", "must be stripe or paypal")
}

func (t Type) String() string { return t.name }

// Label is the type's name in words.
func (t Type) Label() string {
	return map[Type]string{Stripe: "Stripe", PayPal: "PayPal"}[t]
}

// Methods are the payment methods (spec 2.12) that an account of the type serves.
func (t Type) Methods() []string {
	return map[Type][]string{Stripe: {"psp_spt"}, PayPal: {"wallet_ba"}}[t]
}

// checkCredentials judges what can be judged before anybody is asked. A Stripe key tells its mode, so
// that a key for real money is never sent anywhere from a sandbox.
func (t Type) checkCredentials(c fault.Check, given Credentials, live bool) {
	at := c.In("credentials")
	at.That(given.Key != "", "api_key", "is required")
	at.That(plain(given.Key), "api_key", "must be at most 500 printable characters without spaces")
	at.That(plain(given.Secret) && plain(given.Signing), "api_secret", "must be at most 500 printable characters without spaces")
	if t == PayPal {
		at.That(given.Secret != "", "api_secret", "is required: the client's secret")
		return
	}
	secret := strings.HasPrefix(given.Key, "sk_") || strings.HasPrefix(given.Key, "rk_")
	at.That(secret, "api_key", "must be a secret key (sk_…) or a restricted key (rk_…)")
	for _, mode := range []struct {
		mark string
		live bool
	}{{"k_live_", true}, {"k_test_", false}} {
		if strings.HasPrefix(given.Key[min(1, len(given.Key)):], mode.mark) {
			checkMode(at, mode.live, live)
		}
	}
	at.That(given.Signing == "" || strings.HasPrefix(given.Signing, "whsec_"), "api_secret",
		"must be a webhook's signing secret (whsec_…), or left out")
}

// CheckMode refuses an account whose money is not of the environment: test money in production would give
// goods away, and real money has no place in a sandbox.
func CheckMode(account Config, live bool) error {
	c := fault.NewCheck()
	checkMode(c.In("credentials"), account.Live, live)
	return c.Err()
}

func checkMode(at fault.Check, account, environment bool) {
	at.That(!account || environment, "api_key", "is for real money: the sandbox takes test credentials only")
	at.That(account || !environment, "api_key", "is for test money: production takes live credentials only")
}

func plain(text string) bool {
	return len(text) <= 500 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
