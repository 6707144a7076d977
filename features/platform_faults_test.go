package features

import (
	"fmt"
	"slices"
	"strings"
)

// Alternatives of step expressions; the keys of the maps below.
const (
	faultWords        = `is down|is slow|no longer accepts the key|sends its pages in a circle`
	damageWords       = `products? with a bad price|products? without a name|products? with another's SKU|stock levels? below zero`
	passingFaultWords = `limits the rate|fails|sends garbage|answers late|loses its answer|refuses the cost|has a bad gateway`
)

// faults last until the platforms are well again.
var faults = map[string]string{
	"is down":                     `{"kind": "error", "times": -1}`,
	"is slow":                     `{"kind": "slow", "ms": 5000, "times": -1}`,
	"no longer accepts the key":   `{"kind": "refuse", "times": -1}`,
	"sends its pages in a circle": `{"kind": "circle", "resource": "products", "times": -1}`,
}

// passingFaults happen once, when a platform is asked for a resource.
var passingFaults = map[string]string{
	"limits the rate":   `{"kind": "throttle", "retry_after": 1, "resource": "%s"}`,
	"fails":             `{"kind": "error", "resource": "%s"}`,
	"sends garbage":     `{"kind": "garbage", "resource": "%s"}`,
	"answers late":      `{"kind": "slow", "ms": 300, "resource": "%s"}`,
	"loses its answer":  `{"kind": "lost", "resource": "%s"}`,
	"refuses the cost":  `{"kind": "cost", "resource": "%s"}`,
	"has a bad gateway": `{"kind": "error", "status": 502, "resource": "%s"}`,
}

// changeTopics are the topics of changes at a platform.
var changeTopics = map[string]string{
	"changed products":  "products/update",
	"new products":      "products/create",
	"deleted products":  "products/delete",
	"changed stock":     "inventory_levels/update",
	"changed customers": "customers/update",
	"new orders":        "orders/create",
}

func (c *platformsContext) hasFault(platform, words string) error {
	return c.setsPlatformFault(platform, faults[words])
}

// sendsDamaged has the custom platform send records that cannot be used.
func (c *platformsContext) sendsDamaged(n int, what string) error {
	kind := "negative_stock"
	switch _, damage, _ := strings.Cut(what, " "); damage {
	case "with a bad price":
		kind = "bad_price"
	case "without a name":
		kind = "no_name"
	case "with another's SKU":
		kind = "duplicate_sku"
	}
	return c.setsPlatformFault("custom", fmt.Sprintf(`{"kind": %q, "times": %d}`, kind, n))
}

// failsOnce has the platform's next answer about a resource fail. HubSpot calls customers contacts, and orders deals.
func (c *platformsContext) failsOnce(platform, how, resource string) error {
	if platform == "hubspot" {
		resource = map[string]string{"customers": "contacts", "orders": "deals"}[resource]
	}
	return c.setsPlatformFault(platform, fmt.Sprintf(passingFaults[how], resource))
}

// changesAtPlatform makes n changes of kinds such as "changed products, new products and changed stock".
func (c *platformsContext) changesAtPlatform(n int, platform, kinds string) error {
	var topics []string
	for _, kind := range namesOf(kinds) {
		topics = append(topics, changeTopics[kind])
	}
	if slices.Contains(topics, "") {
		return fmt.Errorf("a kind of %q is unknown", kinds)
	}
	return c.changesPlatform(n, platform, strings.Join(topics, ", "), 0)
}

// changesChosenProduct changes the custom platform's only product. This seed draws changes of every field.
func (c *platformsContext) changesChosenProduct() error {
	const everyField = 4
	return c.changesPlatform(6, "custom", "products/update", everyField)
}

// onlyProducts describes platforms with n products. With this seed, the first can be chosen by choosesProduct.
func onlyProducts(n int) string { return fmt.Sprintf(`{"products": %d, "seed": 2}`, n) }

// namesOf returns the elements of "products, customers and orders".
func namesOf(list string) []string {
	return strings.Split(strings.ReplaceAll(list, " and ", ", "), ", ")
}
