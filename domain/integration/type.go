package integration

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Kind is what an outside system is for.
type Kind struct{ name string }

var (
	Payment     = Kind{"payment"}
	ECommerce   = Kind{"ecommerce"}
	CRM         = Kind{"crm"}
	Fulfillment = Kind{"fulfillment"}
	Own         = Kind{"custom"} // the merchant's own system
)

func (k Kind) String() string { return k.name }

// Type is the platform that an integration is with.
type Type struct{ name string }

// Types that can be connected.
var (
	Stripe      = Type{"stripe"}
	PayPal      = Type{"paypal"}
	Shopify     = Type{"shopify"}
	HubSpot     = Type{"hubspot"}
	ShipStation = Type{"shipstation"}
	WooCommerce = Type{"woocommerce"}
	Custom      = Type{"custom"}
)

// Types are all of them.
var Types = []Type{Shopify, HubSpot, Stripe, PayPal, ShipStation, WooCommerce, Custom}

// traits are what is known of a type without asking it.
type traits struct {
	label     string
	kind      Kind
	oauth     bool   // connected by its users' consent, and not by a key
	key       string // what api_key is
	secret    string // what api_secret is; "": it is left out
	needs     string // what api_secret is where it is required; "": it is not
	hosted    bool   // the merchant hosts it and gives its address
	signs     bool   // what it sends a user back with after the consent
	writes    bool   // orders can be written to it
	mirrors   bool   // it is a CRM that shows orders as deals
	methods   []project.PaymentMethod
	resources []syncrun.Resource
	topics    []string // of webhooks
}

var known = map[Type]traits{
	Stripe: {
		label:   "Stripe",
		kind:    Payment,
		methods: []project.PaymentMethod{project.SharedPaymentToken},
		key:     "the secret or restricted key",
		secret:  "the signing secret of a webhook that you registered yourself, else left out",
	},
	PayPal: {
		label:   "PayPal",
		kind:    Payment,
		methods: []project.PaymentMethod{project.BillingAgreement},
		key:     "the client id",
		secret:  "the client's secret",
		needs:   "the client's secret",
	},
	Shopify: {
		label:     "Shopify",
		kind:      ECommerce,
		oauth:     true,
		signs:     true,
		writes:    true,
		resources: []syncrun.Resource{syncrun.Products, syncrun.Inventory, syncrun.Customers, syncrun.Orders},
		topics:    append(slices.Clone(shopTopics), "orders/cancelled", "refunds/create"),
	},
	HubSpot: {
		label:     "HubSpot",
		kind:      CRM,
		oauth:     true,
		mirrors:   true,
		resources: []syncrun.Resource{syncrun.Customers, syncrun.Orders},
	},
	ShipStation: {
		label:     "ShipStation",
		kind:      Fulfillment,
		resources: []syncrun.Resource{syncrun.Orders},
		topics:    []string{"SHIP_NOTIFY"},
		key:       "the API key",
		secret:    "the secret of a key of its API V1; a key of its API V2 has none",
	},
	WooCommerce: {
		label:     "WooCommerce",
		kind:      ECommerce,
		hosted:    true,
		writes:    true,
		key:       "the consumer key",
		secret:    "the consumer secret",
		needs:     "the consumer secret",
		resources: []syncrun.Resource{syncrun.Products, syncrun.Inventory, syncrun.Customers, syncrun.Orders},
		topics: []string{
			"product.created", "product.updated", "product.deleted", "order.created", "order.updated", "order.deleted",
			"customer.created", "customer.updated", "customer.deleted",
		},
	},
	Custom: {
		label:     "Custom",
		kind:      Own,
		hosted:    true,
		writes:    true,
		key:       "what we send as the bearer token",
		resources: []syncrun.Resource{syncrun.Products, syncrun.Inventory, syncrun.Customers, syncrun.Orders},
		topics:    shopTopics,
	},
}

var shopTopics = []string{
	"products/create", "products/update", "products/delete", "inventory_levels/update", "orders/create", "orders/updated",
	"customers/create", "customers/update", "customers/delete",
}

// ParseType knows the types that can be connected.
func ParseType(name string) (Type, error) {
	if t := (Type{name}); slices.Contains(Types, t) {
		return t, nil
	}
	return Type{}, fault.Field("type", "must be one of "+names(Types))
}

// names are the names of a list, with commas between them.
func names[T fmt.Stringer](list []T) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = one.String()
	}
	return strings.Join(texts, ", ")
}

func (t Type) String() string { return t.name }

// Label is the type's name in words.
func (t Type) Label() string { return known[t].label }

// Kind is what systems of the type are for.
func (t Type) Kind() Kind { return known[t].kind }

// OAuth reports whether the type is connected by its users' consent. The others are by a key.
func (t Type) OAuth() bool { return known[t].oauth }

// SignsCallback reports whether the type signs the query that it sends users back with after their consent.
func (t Type) SignsCallback() bool { return known[t].signs }

// Hosted reports whether the merchant hosts the system and gives its address when connecting it.
func (t Type) Hosted() bool { return known[t].hosted }

// Key and Secret are what api_key and api_secret are for the type, in words; "": it has none.
func (t Type) Key() string    { return known[t].key }
func (t Type) Secret() string { return known[t].secret }

// TellsOffers reports whether the platform tells what it has published, gift cards and products for subscribers apart.
func (t Type) TellsOffers() bool { return t == Shopify }

// WritesOrders reports whether orders can be written to the type.
func (t Type) WritesOrders() bool { return known[t].writes }

// WritesDeals reports whether orders can be mirrored in the type as deals. It holds no stock, and another platform may have the
// same orders.
func (t Type) WritesDeals() bool { return known[t].mirrors }

// writers are the types that orders, or deals of them, can be written to.
func writers() (list []Type) {
	for _, t := range Types {
		if t.WritesOrders() || t.WritesDeals() {
			list = append(list, t)
		}
	}
	return list
}

// Methods are the payment methods that an account of the type serves.
func (t Type) Methods() []project.PaymentMethod { return known[t].methods }

// Resources are what can be synchronised with the type.
func (t Type) Resources() []syncrun.Resource { return known[t].resources }

// Topics are those of the webhooks that can be registered with the type.
func (t Type) Topics() []string { return known[t].topics }

// checkCredentials judges what can be judged before anybody is asked. A Stripe key tells its mode, so
// that a key for real money is never sent anywhere from a sandbox.
func (t Type) checkCredentials(c fault.Check, given Credentials, live bool) {
	at := c.In("credentials")
	at.That(given.Key != "", "api_key", "is required")
	at.That(plain(given.Key), "api_key", "must be at most 500 printable characters without spaces")
	at.That(plain(given.Secret) && plain(given.Signing), "api_secret", "must be at most 500 printable characters without spaces")
	if needs := known[t].needs; needs != "" {
		at.That(given.Secret != "", "api_secret", "is required: "+needs)
	}
	if t == Stripe {
		checkStripe(at, given, live)
	}
}

func checkStripe(at fault.Check, given Credentials, live bool) {
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

// CheckMode refuses a payment account whose money is not of the environment: test money in production would
// give goods away, and real money has no place in a sandbox.
func (t Type) CheckMode(account Config, live bool) error {
	if t.Kind() != Payment {
		return nil
	}
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

// CheckResources are those that a sync is asked for; none asked for: all that the configuration has on.
func (i *Integration) CheckResources(names []string) ([]syncrun.Resource, error) {
	c := fault.NewCheck()
	var list []syncrun.Resource
	for n, name := range names {
		at, field := c.In("resources"), strconv.Itoa(n)
		r, there := syncrun.ParseResource(name)
		there = there && slices.Contains(i.Type.Resources(), r)
		switch {
		case !at.That(there, field, "must be one of "+syncrun.Names(i.Type.Resources())):
		case !at.That(i.Config.Syncs(r), field, "is turned off by the integration's config"):
		case at.That(!slices.Contains(list, r), field, "is given twice"):
			list = append(list, r)
		}
	}
	if len(names) == 0 {
		for _, r := range i.Type.Resources() {
			if i.Config.Syncs(r) {
				list = append(list, r)
			}
		}
		c.That(len(list) > 0, "resources", "has nothing to name: "+i.Type.Label()+" has no data to synchronise, or all is turned off")
	}
	return list, c.Err()
}
