package integration

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Config is what the platform says of the account, and what the merchant wants of it.
type Config struct {
	Account  string // the platform's id of it
	Live     bool   // its money is real
	Store    string // a shop's domain with the platform
	BaseURL  string // of a system of the merchant's own
	Currency string // the platform's prices are in; "": unknown
	Skip     Skips
}

// Skips are what is not synchronised, though it could be.
type Skips struct{ Products, Orders, Customers bool }

// Same reports whether both are one account.
func (c Config) Same(o Config) bool {
	return c.Account == o.Account && c.Live == o.Live && c.Store == o.Store && c.BaseURL == o.BaseURL
}

// Syncs reports whether a resource is to be synchronised. Stock goes with its products.
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
}

// Apply is the configuration after a change.
func (c Config) apply(change Change) Config {
	for _, part := range []struct {
		given patch.Field[bool]
		skip  *bool
	}{{change.SyncProducts, &c.Skip.Products}, {change.SyncOrders, &c.Skip.Orders}, {change.SyncCustomers, &c.Skip.Customers}} {
		wanted := !*part.skip
		part.given.Apply(&wanted, true)
		*part.skip = !wanted
	}
	return c
}

var storeForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

// CheckStore judges a shop's domain as a merchant writes it, and returns it plain.
func CheckStore(t Type, text string) (string, error) {
	domain := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), "https://"), "/")
	switch {
	case domain == "":
		return "", nil
	case t.Kind() != ECommerce:
		return "", fault.Field("store_domain", "is for e-commerce platforms only")
	case !storeForm.MatchString(domain) || len(domain) > 253:
		return "", fault.Field("store_domain", "must be a domain such as my-shop.myshopify.com")
	case t == Shopify && !strings.HasSuffix(domain, ".myshopify.com"):
		return "", fault.Field("store_domain", "must be the shop's domain at Shopify: my-shop.myshopify.com")
	}
	return domain, nil
}

// checkBase judges the address of a merchant's own system. Which networks it may be in is judged when it is
// connected to.
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
