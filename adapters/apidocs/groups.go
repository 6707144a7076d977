package apidocs

import (
	"slices"
	"strings"
)

// place is the section and group that show the operations of a tag. Groups are named after tasks.
type place struct {
	section, slug, title string
}

type placed struct {
	tag string
	place
}

// order is the order of sections and groups. Tags that it lacks come last, under their own names.
var order = []placed{
	{"Projects", place{"Set up a shop", "projects", "Open and change shops"}},
	{"Storefront", place{"Set up a shop", "storefront", "Shipping, tax, returns"}},
	{"Settings", place{"Set up a shop", "settings", "Settings"}},
	{"Catalog", place{"Fill the shelves", "catalog", "Products and search"}},
	{"Inventory", place{"Fill the shelves", "inventory", "Stock"}},
	{"Integrations", place{"Fill the shelves", "integrations", "Connect a platform"}},
	{"Agents", place{"Haggle", "agents", "Agents and their policies"}},
	{"Negotiations", place{"Haggle", "negotiations", "Read negotiations"}},
	{"Analytics", place{"Haggle", "analytics", "Analytics"}},
	{"Orders", place{"Serve buyers", "orders", "Orders"}},
	{"Shipping", place{"Serve buyers", "shipping", "Rates and labels"}},
	{"Returns", place{"Serve buyers", "returns", "Returns"}},
	{"Disputes", place{"Serve buyers", "disputes", "Disputes"}},
	{"Finance", place{"Serve buyers", "finance", "Payments, refunds, books"}},
	{"Buyers", place{"Serve buyers", "buyers", "Vouch for and erase buyers"}},
	{"Events", place{"Hear what happens", "events", "Subscribe to events"}},
	{eventTag, place{"Hear what happens", "event-types", "Every event and its body"}},
	{"Account", place{"Decide who may do what", "account", "Account and audit log"}},
	{"Members", place{"Decide who may do what", "members", "People and roles"}},
	{"API keys", place{"Decide who may do what", "api-keys", "API keys"}},
	{"Agent keys", place{"Decide who may do what", "agent-keys", "Keys for buyers' agents"}},
	{"Signing keys", place{"Decide who may do what", "signing-keys", "Signing keys"}},
	{"ACP discovery", place{"Shop for a buyer", "discovery", "Find and choose"}},
	{"ACP commerce", place{"Shop for a buyer", "commerce", "Haggle and pay"}},
	{"ACP orders and returns", place{"Shop for a buyer", "orders", "Orders and returns"}},
	{offerTag, place{"Shop for a buyer", "negotiation", "Haggle over UCP"}},
	{toolTag, place{"Shop for a buyer", "tools", "Tools of MCP"}},
}

// eventTag is the tag of events that the server sends.
const eventTag = "event types"

// toolTag and offerTag are the tags of operations that agents use through other protocols.
const (
	toolTag  = "MCP tools"
	offerTag = "UCP negotiation"
)

// tagOf returns the tag that decides an operation's place.
func tagOf(op *operation) string {
	switch {
	case op.Method == eventMethod:
		return eventTag
	case len(op.Tags) == 0:
		return offerTag
	}
	return op.Tags[0]
}

// placeOf returns a tag's place and its rank.
func placeOf(tag string) (place, int) {
	i := slices.IndexFunc(order, func(o placed) bool { return o.tag == tag })
	if i >= 0 {
		return order[i].place, i
	}
	return place{"More", strings.ReplaceAll(strings.ToLower(tag), " ", "-"), tag}, len(order)
}

// early are operations that come first in their groups, in the order in which they are used.
var early = []string{
	"list-projects", "create-project", "list-agents", "get-agent", "update-agent", "dry-run-agent-policy", "simulate-agent", "replay-agent",
	"acp-manifest", "acp-search", "acp-product", "acp-availability", "acp-quote", "acp-cart-put", "acp-checkout-init", "acp-checkout-finalize",
	"start_negotiation", "make_offer", "accept_offer", "tool-search_catalog", "tool-lookup_catalog", "tool-start_negotiation", "tool-make_offer",
	"tool-accept_offer", "tool-create_checkout", "tool-complete_checkout",
}

// earliness returns an operation's rank in its group.
func earliness(op *operation) int {
	if i := slices.Index(early, op.ID); i >= 0 {
		return i
	}
	return len(early)
}
