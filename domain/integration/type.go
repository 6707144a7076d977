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

// Kind is the purpose of an external system.
type Kind struct{ name string }

var (
	Payment     = Kind{"payment"}
	ECommerce   = Kind{"ecommerce"}
	CRM         = Kind{"crm"}
	Fulfillment = Kind{"fulfillment"}
	Own         = Kind{"custom"} // the merchant's own system
)

func (k Kind) String() string { return k.name }

// Type is the platform of an integration.
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

// Types are all types.
var Types = []Type{Shopify, HubSpot, Stripe, PayPal, ShipStation, WooCommerce, Custom}

// traits are the fixed properties of a type.
type traits struct {
	label     string
	kind      Kind
	oauth     bool   // connected by its users' consent instead of a key
	key       string // what api_key is
	secret    string // what api_secret is; "": it is left out
	needs     string // what api_secret is if it is required; "": it is optional
	hosted    bool   // the merchant hosts it and gives its address
	signs     bool   // it signs the query of the redirect after the consent
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
		secret:  "the signing secret of a webhook that you registered yourself; otherwise omit it",
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
		secret:    "the secret of a key of its API V1; omit it for a key of its API V2",
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
		key:       "the bearer token that we send",
		resources: []syncrun.Resource{syncrun.Products, syncrun.Inventory, syncrun.Customers, syncrun.Orders},
		topics:    shopTopics,
	},
}

var shopTopics = []string{
	"products/create", "products/update", "products/delete", "inventory_levels/update", "orders/create", "orders/updated",
	"customers/create", "customers/update", "customers/delete",
}

// ParseType reads the name of a type that can be connected.
func ParseType(name string) (Type, error) {
	if t := (Type{name}); slices.Contains(Types, t) {
		return t, nil
	}
	return Type{}, fault.Field("type", "must be one of "+names(Types))
}

// names returns the names of a list, separated by commas.
func names[T fmt.Stringer](list []T) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = one.String()
	}
	return strings.Join(texts, ", ")
}

func (t Type) String() string { return t.name }

// Label returns the type's display name.
func (t Type) Label() string { return known[t].label }

// Kind returns the purpose of systems of the type.
func (t Type) Kind() Kind { return known[t].kind }

// OAuth reports whether accounts of the type are connected by their users' consent. Others are connected by a key.
func (t Type) OAuth() bool { return known[t].oauth }

// SignsCallback reports whether the platform signs the query of its redirect after the consent.
func (t Type) SignsCallback() bool { return known[t].signs }

// Hosted reports whether the merchant hosts the system and gives its address to connect it.
func (t Type) Hosted() bool { return known[t].hosted }

// Key and Secret describe api_key and api_secret of the type; "": it has none.
func (t Type) Key() string    { return known[t].key }
func (t Type) Secret() string { return known[t].secret }

// ReportsOffers reports whether the platform reports separately which products are published, gift cards or for
// subscribers.
func (t Type) ReportsOffers() bool { return t == Shopify }

// WritesOrders reports whether orders can be written to the platform.
func (t Type) WritesOrders() bool { return known[t].writes }

// WritesDeals reports whether orders can be written to the platform as deals. Such a platform holds no stock, and
// another platform may have the same orders.
func (t Type) WritesDeals() bool { return known[t].mirrors }

// writers returns the types that orders can be written to, as orders or as deals.
func writers() (list []Type) {
	for _, t := range Types {
		if t.WritesOrders() || t.WritesDeals() {
			list = append(list, t)
		}
	}
	return list
}

// Methods returns the payment methods that an account of the type serves.
func (t Type) Methods() []project.PaymentMethod { return known[t].methods }

// Resources returns the resources that can be synchronised with the type.
func (t Type) Resources() []syncrun.Resource { return known[t].resources }

// Topics returns the topics of the webhooks that can be registered with the type.
func (t Type) Topics() []string { return known[t].topics }

// checkCredentials checks the credentials without a request. A Stripe key names its mode, so that a sandbox never sends
// a live key anywhere.
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
		"must be a webhook's signing secret (whsec_…), or omitted")
}

// CheckMode refuses a payment account whose mode does not match the environment: test payments in production would give
// goods away, and a sandbox must not take real payments.
func (t Type) CheckMode(account Config, live bool) error {
	if t.Kind() != Payment {
		return nil
	}
	c := fault.NewCheck()
	checkMode(c.In("credentials"), account.Live, live)
	return c.Err()
}

func checkMode(at fault.Check, account, environment bool) {
	at.That(!account || environment, "api_key", "is for live payments: the sandbox accepts only test credentials")
	at.That(account || !environment, "api_key", "is for test payments: production accepts only live credentials")
}

func plain(text string) bool {
	return len(text) <= 500 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// CheckResources parses the resources that a sync is requested for. Without names it returns all that the configuration
// has turned on.
func (i *Integration) CheckResources(names []string) ([]syncrun.Resource, error) {
	c := fault.NewCheck()
	var list []syncrun.Resource
	for n, name := range names {
		at, field := c.In("resources"), strconv.Itoa(n)
		r, there := syncrun.ParseResource(name)
		there = there && slices.Contains(i.Type.Resources(), r)
		switch {
		case !at.That(there, field, "must be one of "+syncrun.Names(i.Type.Resources())):
		case !at.That(i.Config.Syncs(r), field, "is turned off in the integration's config"):
		case at.That(!slices.Contains(list, r), field, "must not be repeated"):
			list = append(list, r)
		}
	}
	if len(names) == 0 {
		for _, r := range i.Type.Resources() {
			if i.Config.Syncs(r) {
				list = append(list, r)
			}
		}
		c.That(len(list) > 0, "resources", "must be omitted: "+i.Type.Label()+" has no data to sync, or all of it is turned off")
	}
	return list, c.Err()
}
