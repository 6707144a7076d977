package features

import (
	"fmt"
	"strings"
	"testing"
)

// FUL-004: Shipping is the only method.
func TestUCPFulfillment_onlyShipping(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, kind := range []string{"pickup", "digital"} {
			a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"), `"fulfillment": {"methods": [{"type": "`+kind+`"}]}`)
			a.shows(
				"status", `"incomplete"`,
				"fulfillment.methods.*.type", `["shipping"]`,
				"messages.*.code", `contains "unsupported"`,
				"messages.0.path", `"$.fulfillment.methods"`,
			)
			a.remembers("id")

			a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("1 Trail Tent"), ucpBuyerAndDelivery)
			a.shows(
				"status", `"ready_for_complete"`,
				"fulfillment.methods.*.type", `["shipping"]`,
				"messages", "absent",
			)

			a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
			a.shows("status", `"completed"`, "fulfillment.methods.*.type", `["shipping"]`)
		}
	})
}

// FUL-026: All lines are in one group of one method.
func TestUCPFulfillment_oneGroup(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		const selected = `{"id": "shipping", "selected_destination_id": "dest_1", `
		for _, methods := range []string{
			selected + `"groups": [{"id": "grp_1", "line_item_ids": ["li_1"], "selected_option_id": "express"}, ` +
				`{"id": "grp_2", "line_item_ids": ["li_2"], "selected_option_id": "standard"}]}`,
			selected + `"line_item_ids": ["li_1"]}, {"type": "shipping", "line_item_ids": ["li_2"]}`,
			selected + `"groups": [{"id": "grp_1", "line_item_ids": ["li_1"]}, {"id": "grp_2", "line_item_ids": ["li_2"]}]}`,
			selected + `"line_item_ids": ["li_1"]}, {"type": "pickup", "line_item_ids": ["li_2"]}`,
		} {
			a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 Trail Tent", "2 Camp Stove"), ucpBuyerAndDelivery)
			a.shows(
				"status", `"ready_for_complete"`,
				"fulfillment.methods.*.line_item_ids", `[["li_1", "li_2"]]`,
				"fulfillment.methods.0.groups.*.line_item_ids", `[["li_1", "li_2"]]`,
			)
			a.remembers("id")

			a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
				`"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 1}, {"id": "li_2", "item": {"id": "${Camp Stove}"}, "quantity": 2}]`,
				`"buyer": {"email": "ada@example.com"}`,
				`"fulfillment": {"methods": [`+methods+"]}",
			)
			a.shows(
				"line_items.*.id", `["li_1", "li_2"]`,
				"fulfillment.methods.*.line_item_ids", `[["li_1", "li_2"]]`,
				"fulfillment.methods.0.groups.*.line_item_ids", `[["li_1", "li_2"]]`,
				"status", `"incomplete"`,
				"messages.*.code", `["unsupported"]`,
				"messages.*.severity", `["recoverable"]`,
			)

			a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
			a.shows("status", `"incomplete"`, "messages.*.code", `["unsupported"]`)

			a.asAgent("GET /ucp/checkout-sessions/$remembered_id")
			a.shows(
				"status", `"incomplete"`,
				"fulfillment.methods.*.line_item_ids", `[["li_1", "li_2"]]`,
				"fulfillment.methods.0.groups.*.line_item_ids", `[["li_1", "li_2"]]`,
			)
		}
	})
}

// Goods go to the selected destination, by the agent's ids.
func TestUCPFulfillment_selectedDestination(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		both := `"destinations": [` + ucpDestination("12 Harbor Street", "OR", "US", `"id": "home"`) +
			", " + ucpDestination("9 Office Road", "OR", "US", `"id": "office"`) + "]"
		a.asAgent("POST /ucp/checkout-sessions",
			ucpLines("1 Trail Tent"),
			ucpShipping(both, `"selected_destination_id": "office"`),
		)
		a.shows(
			"status", `"ready_for_complete"`,
			"fulfillment.methods.0.selected_destination_id", `"office"`,
			"fulfillment.methods.0.destinations.*.id", `["office"]`,
			"fulfillment.methods.0.destinations.0.street_address", `"9 Office Road"`,
		)
		a.remembers("id")

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			ucpLines("1 Trail Tent"),
			ucpShipping(`"line_item_ids": ["li_1"]`, `"selected_destination_id": "office"`),
		)
		a.shows(
			"status", `"ready_for_complete"`,
			"fulfillment.methods.0.destinations.*.id", `["office"]`,
			"fulfillment.methods.0.destinations.0.street_address", `"9 Office Road"`,
		)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			ucpLines("1 Trail Tent"),
			ucpShipping(`"line_item_ids": ["li_1"]`, both, `"selected_destination_id": "home"`),
		)
		a.shows(
			"fulfillment.methods.0.selected_destination_id", `"home"`,
			"fulfillment.methods.0.destinations.*.id", `["home"]`,
			"fulfillment.methods.0.destinations.0.street_address", `"12 Harbor Street"`,
		)
	})
}

// A checkout whose update selects an unknown destination cannot be paid.
func TestUCPFulfillment_unknownDestination(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			ucpLines("1 Camp Stove"),
			ucpShipping(`"line_item_ids": ["li_1"]`, `"selected_destination_id": "elsewhere"`),
		)
		a.answers(200)
		a.shows(
			"status", `"incomplete"`,
			"line_items.*.quantity", "[2]",
			"fulfillment.methods.0.selected_destination_id", `"dest_1"`,
			"fulfillment.methods.0.destinations.0.street_address", `"12 Harbor Street"`,
			"messages.*.code", `["destination_unknown"]`,
			"messages.*.severity", `["recoverable"]`,
			"messages.*.path", `["$.fulfillment.methods[0].selected_destination_id"]`,
		)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.shows("status", `"incomplete"`, "messages.*.code", `["destination_unknown"]`)
		a.hasOrders(0)

		a.asAgent("POST /ucp/checkout-sessions",
			ucpLines("1 Trail Tent"),
			ucpShipping(`"selected_destination_id": "elsewhere"`),
		)
		a.shows(
			"status", `"incomplete"`,
			"fulfillment.methods.0.selected_destination_id", "null",
			"messages.*.code", `contains "destination_unknown"`,
		)
	})
}

// The shop does not reuse the id of a destination for another address.
func TestUCPFulfillment_destinationIDs(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("1 Trail Tent"), ucpBuyerAndDelivery)
		a.shows("fulfillment.methods.0.destinations.*.id", `["dest_1"]`)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			ucpLines("1 Trail Tent"),
			ucpShipping(`"line_item_ids": ["li_1"]`, `"destinations": [`+ucpDestination("9 Office Road", "OR", "US")+"]"),
		)
		a.shows("status", `"ready_for_complete"`, "fulfillment.methods.0.destinations.*.id", `["dest_3"]`)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			ucpLines("1 Trail Tent"),
			ucpShipping(`"line_item_ids": ["li_1"]`, `"selected_destination_id": "dest_1"`),
		)
		a.shows(
			"status", `"incomplete"`,
			"fulfillment.methods.0.destinations.0.street_address", `"9 Office Road"`,
			"messages.*.code", `["destination_unknown"]`,
		)
	})
}

// A country may be a code or a name.
func TestUCPFulfillment_countryNames(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, country := range []string{"United States", "USA", "us", "U.S.A.", "United States of America"} {
			a.asAgent("POST /ucp/checkout-sessions",
				ucpLines("1 Trail Tent"),
				ucpShipping(`"destinations": [`+ucpDestination("12 Harbor Street", "Oregon", country)+"]"),
			)
			a.shows(
				"status", `"ready_for_complete"`,
				"fulfillment.methods.0.destinations.0.address_country", `"US"`,
				"fulfillment.methods.0.destinations.0.address_region", `"OR"`,
			)
		}
	})
}

// A destination in an unknown country is incomplete.
func TestUCPFulfillment_unknownCountry(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/checkout-sessions",
			ucpLines("1 Trail Tent"),
			ucpShipping(`"destinations": [`+ucpDestination("12 Harbor Street", "OR", "Untied States")+"]"),
		)
		a.shows(
			"status", `"incomplete"`,
			"messages.*.code", `["missing"]`,
			"messages.*.path", `["$.fulfillment.methods[0].destinations[0].address_country"]`,
			"messages.0.content", `contains "ISO 3166-1 alpha-2"`,
		)
	})
}

// A destination to which the shop does not ship keeps a checkout incomplete.
func TestUCPFulfillment_undeliverable(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.asAgent("POST /ucp/checkout-sessions",
		ucpLines("1 Camp Stove"),
		`"buyer": {"email": "ada@example.com"}`,
		`"fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "1 Rue", "address_locality": "Paris", `+
			`"postal_code": "75001", "address_country": "FR", "first_name": "Ada", "last_name": "Buyer"}]}]}`,
	)
	a.shows(
		"status", `"incomplete"`,
		"messages.0.code", `"address_undeliverable"`,
		"messages.0.path", `"$.fulfillment.methods[0].destinations[0]"`,
	)
}

// ucpShipping is the buyer, and a fulfillment with one method, shipping, that has more members.
func ucpShipping(members ...string) string {
	return `"buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", ` + strings.Join(members, ", ") + `}]}`
}

// ucpDestination is an address in Portland with more members.
func ucpDestination(street, region, country string, members ...string) string {
	members = append(members, fmt.Sprintf(`"first_name": "Ada", "last_name": "Byron", "street_address": %q, "address_locality": "Portland", `+
		`"address_region": %q, "postal_code": "97205", "address_country": %q`, street, region, country))
	return "{" + strings.Join(members, ", ") + "}"
}
