package integration

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Config has the platform's data of the account, and the merchant's settings.
type Config struct {
	Account  string // the platform's id of it
	Live     bool   // payments are real
	Store    string // the shop's domain at the platform
	BaseURL  string // of the merchant's own system
	Currency string // of the platform's prices; "": unknown
	// MayWriteOrders means that the account's credentials allow us to create orders at the platform.
	MayWriteOrders bool
	// MayWriteDeals means that they allow us to create deals in the CRM. It is separate from MayWriteOrders, which
	// identifies the platform of an order's products.
	MayWriteDeals bool
	Refused       RefusedOrders
	Skip          Skips
	Offer         Offers
	// Schedule is the cron expression of scheduled syncs; "": syncs run only on request.
	Schedule string
}

// Offers are products that a merchant sells here although they are not for general sale in the platform's own shop.
type Offers struct {
	Unpublished      bool // products that are not published to the shop's sales channel
	GiftCards        bool
	SubscriptionOnly bool // products that the platform sells only by subscription; here they are single purchases
}

// Skips are the resources that are not synchronised, though they could be. Writing is writing our orders to the
// platform.
type Skips struct{ Products, Orders, Customers, Writing bool }

// RefusedOrders is what happens to a paid order that the platform has no stock for.
type RefusedOrders struct{ name string }

var (
	KeepRefused   = RefusedOrders{}         // it is kept, and the merchant is alerted
	RefundRefused = RefusedOrders{"refund"} // it is canceled and refunded
)

func (r RefusedOrders) String() string { return cmp.Or(r.name, "keep") }

// RefusedOrdersByName are all values by name.
var RefusedOrdersByName = map[string]RefusedOrders{"keep": KeepRefused, "refund": RefundRefused}

// MayWrite reports whether the account's credentials allow us to write orders or deals.
func (c Config) MayWrite() bool { return c.MayWriteOrders || c.MayWriteDeals }

// WritesOrders reports whether the project's orders are written to the platform, as orders or deals.
func (c Config) WritesOrders() bool { return c.MayWrite() && !c.Skip.Writing }

// Same reports whether both are the same account.
func (c Config) Same(o Config) bool {
	return c.Account == o.Account && c.Live == o.Live && c.Store == o.Store && c.BaseURL == o.BaseURL
}

// Syncs reports whether a resource is synchronised. Inventory follows the setting of products.
func (c Config) Syncs(r syncrun.Resource) bool {
	switch r {
	case syncrun.Products, syncrun.Inventory:
		return !c.Skip.Products
	case syncrun.Orders:
		return !c.Skip.Orders
	case syncrun.Customers:
		return !c.Skip.Customers
	}
	return false
}

// Change is a partial change of an integration. Null restores the default.
type Change struct {
	Name          patch.Field[string]
	SyncProducts  patch.Field[bool]
	SyncOrders    patch.Field[bool]
	SyncCustomers patch.Field[bool]
	WriteOrders   patch.Field[bool]
	RefusedOrders patch.Field[string]
	SyncSchedule  patch.Field[string]
	// ScheduleProblem is what is wrong with SyncSchedule; "": it is valid.
	ScheduleProblem string

	OfferUnpublished      patch.Field[bool]
	OfferGiftCards        patch.Field[bool]
	OfferSubscriptionOnly patch.Field[bool]
}

// Settings returns the settings of a new connection: those of the previous connection, with a change applied.
func (c Config) Settings(before Config, change Change) Config {
	c.Skip, c.Refused, c.Offer, c.Schedule = before.Skip, before.Refused, before.Offer, before.Schedule
	return c.apply(change)
}

// apply returns the configuration after a change.
func (c Config) apply(change Change) Config {
	for _, part := range []struct {
		given patch.Field[bool]
		skip  *bool
	}{{change.SyncProducts, &c.Skip.Products}, {change.SyncOrders, &c.Skip.Orders}, {change.SyncCustomers, &c.Skip.Customers}} {
		wanted := !*part.skip
		part.given.Apply(&wanted, true)
		*part.skip = !wanted
	}
	writes := !c.Skip.Writing
	change.WriteOrders.Apply(&writes, true)
	c.Skip.Writing = !writes
	change.OfferUnpublished.Apply(&c.Offer.Unpublished, false)
	change.OfferGiftCards.Apply(&c.Offer.GiftCards, false)
	change.OfferSubscriptionOnly.Apply(&c.Offer.SubscriptionOnly, false)
	refused := c.Refused.String()
	change.RefusedOrders.Apply(&refused, KeepRefused.String())
	c.Refused = RefusedOrdersByName[refused]
	change.SyncSchedule.Apply(&c.Schedule, "")
	return c
}

// checkWriting checks a change of how orders are written.
func (c Config) checkWriting(t Type, change Change, check fault.Check) {
	at := check.In("config")
	if wanted, given := change.WriteOrders.Value(); given && wanted {
		writes := t.WritesOrders() || t.WritesDeals()
		at.That(writes, "write_orders", "is only for platforms that accept orders: "+names(writers()))
		at.That(!writes || c.MayWrite(), "write_orders", "requires a permission that the account has not granted: connect it again, or use a key with write access")
	}
	if name, given := change.RefusedOrders.Value(); given {
		_, known := RefusedOrdersByName[name]
		at.That(known, "refused_orders", "must be keep or refund")
		at.That(!t.WritesDeals(), "refused_orders", "must be omitted: a CRM has no stock")
	}
}

// checkOffers checks a change of Offers.
func (c Config) checkOffers(t Type, change Change, check fault.Check) {
	at := check.In("config")
	for field, given := range map[string]patch.Field[bool]{
		"offer_unpublished": change.OfferUnpublished, "offer_gift_cards": change.OfferGiftCards, "offer_subscription_only": change.OfferSubscriptionOnly,
	} {
		wanted, is := given.Value()
		at.That(!is || !wanted || t.ReportsOffers(), field, "is only for shopify")
	}
}

var storeForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

// CheckStore checks a shop's domain as a merchant writes it, and returns it normalized.
func CheckStore(t Type, text string) (string, error) {
	domain := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), "https://"), "/")
	switch {
	case domain == "":
		return "", nil
	case t.Kind() != ECommerce:
		return "", fault.Field("store_domain", "is only for e-commerce platforms")
	case !storeForm.MatchString(domain) || len(domain) > 253:
		return "", fault.Field("store_domain", "must be a domain such as my-shop.myshopify.com")
	case t == Shopify && !strings.HasSuffix(domain, ".myshopify.com"):
		return "", fault.Field("store_domain", "must be the shop's domain at Shopify: my-shop.myshopify.com")
	}
	return domain, nil
}

// checkBase checks the URL of a merchant's own system. The networks that it may be in are checked when connecting.
func checkBase(c fault.Check, address string, loopback bool) {
	u, err := url.Parse(address)
	at := c.In("config")
	switch {
	case !at.That(address != "", "base_url", "is required"):
	case !at.That(err == nil && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" && len(address) <= 2000, "base_url",
		"must be an https URL without user, query and fragment"):
	default:
		at.That(u.Scheme == "https" || loopback && u.Scheme == "http", "base_url", "must be an https URL")
	}
}
