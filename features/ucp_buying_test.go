package features

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// line is a line of a cart or a checkout.
func (a *protocolAgent) line(quantity int, name string) any {
	return map[string]any{"item": map[string]any{"id": a.scenario.products[name].Variants[0].ID}, "quantity": quantity}
}

// withUCPBuyer adds a buyer and an address in Texas to a checkout. option is "express", or "" for standard delivery.
func withUCPBuyer(body map[string]any, option string) map[string]any {
	method := map[string]any{"type": "shipping", "destinations": []any{map[string]any{
		"first_name": "Ada", "last_name": "Byron", "street_address": "1 Main St", "address_locality": "Austin", "address_region": "TX",
		"postal_code": "78701", "address_country": "US",
	}}}
	if option != "" {
		method["groups"] = []any{map[string]any{"selected_option_id": option}}
	}
	body["buyer"] = map[string]any{"email": "ada@example.com"}
	body["fulfillment"] = map[string]any{"methods": []any{method}}
	return body
}

func (a *protocolAgent) opensCheckout(body map[string]any) error {
	err := a.call(protocolCall{
		method: "POST",
		path:   "/checkout-sessions",
		tool:   "create_checkout",
		member: "checkout",
		fields: body,
	})
	a.checkout = a.answer
	return err
}

func (a *protocolAgent) changesCheckout(body map[string]any) error {
	err := a.call(protocolCall{
		method: "PUT",
		path:   "/checkout-sessions/{id}",
		tool:   "update_checkout",
		id:     a.checkout["id"],
		member: "checkout",
		fields: body,
	})
	a.checkout = a.answer
	return err
}

// opensCheckoutOf opens a checkout that says nothing of the buyer.
func (a *protocolAgent) opensCheckoutOf(quantity int, name string) error {
	return a.opensCheckout(map[string]any{"line_items": []any{a.line(quantity, name)}})
}

// opensCheckoutWithUnknown opens a checkout of a product and of an item that the shop does not sell.
func (a *protocolAgent) opensCheckoutWithUnknown(quantity int, name string) error {
	unknown := map[string]any{"item": map[string]any{"id": "var_unknown"}, "quantity": 1}
	return a.opensCheckout(map[string]any{"line_items": []any{unknown, a.line(quantity, name)}})
}

func (a *protocolAgent) checksOutOf(quantity int, name string) error {
	return a.opensCheckout(withUCPBuyer(map[string]any{"line_items": []any{a.line(quantity, name)}}, ""))
}

func (a *protocolAgent) changesTo(quantity int, name string) error {
	return a.changesCheckout(withUCPBuyer(map[string]any{"line_items": []any{a.line(quantity, name)}}, ""))
}

func (a *protocolAgent) namesBuyer(quantity int, name string) error {
	return a.changesCheckout(withUCPBuyer(map[string]any{"line_items": []any{a.line(quantity, name)}}, "express"))
}

// checksOut checks out the cart of the agent's negotiation.
func (a *protocolAgent) checksOut() error {
	return a.opensCheckout(withUCPBuyer(map[string]any{"cart_id": a.negotiation["cart_id"], "line_items": []any{}}, ""))
}

func (a *protocolAgent) checksOutByCode(quantity int, name string) error {
	return a.checksOutBy(a.code(), quantity, name)
}

// checksOutByBuyersCode uses the code of the deal that a buyer made over ACP.
func (a *protocolAgent) checksOutByBuyersCode(quantity int, name string) error {
	return a.checksOutBy(a.scenario.expand("$token"), quantity, name)
}

func (a *protocolAgent) checksOutBy(code string, quantity int, name string) error {
	return a.opensCheckout(withUCPBuyer(map[string]any{
		"line_items": []any{a.line(quantity, name)},
		"discounts":  map[string]any{"codes": []any{code}},
	}, ""))
}

func (a *protocolAgent) leavesOutCode(quantity int, name string) error {
	return a.changesCheckout(withUCPBuyer(map[string]any{
		"line_items": []any{a.line(quantity, name)},
		"discounts":  map[string]any{"codes": []any{}},
	}, ""))
}

// fillsBuyersCart replaces the lines of the cart that belongs to the buyer's session over ACP.
func (a *protocolAgent) fillsBuyersCart(quantity int, name string, more int, other string) error {
	return a.call(protocolCall{
		method: "PUT",
		path:   "/carts/{id}",
		tool:   "update_cart",
		id:     a.scenario.expand("$session"),
		member: "cart",
		fields: map[string]any{"line_items": []any{a.line(quantity, name), a.line(more, other)}},
	})
}

func (a *protocolAgent) checksOutBuyersCart() error {
	return a.opensCheckout(withUCPBuyer(map[string]any{"cart_id": a.scenario.expand("$session"), "line_items": []any{}}, ""))
}

// checksOutCartAgain checks that a second checkout of the buyer's cart is the first one.
func (a *protocolAgent) checksOutCartAgain() error {
	first := a.checkout["id"]
	if err := a.checksOutBuyersCart(); err != nil {
		return err
	}
	if a.checkout["id"] != first {
		return fmt.Errorf("the checkouts are %v and %v", first, a.checkout["id"])
	}
	return nil
}

func (a *protocolAgent) cancelsCheckout() error {
	return a.call(protocolCall{
		method: "POST",
		path:   "/checkout-sessions/{id}/cancel",
		tool:   "cancel_checkout",
		id:     a.checkout["id"],
	})
}

func (a *protocolAgent) pays() error { return a.paysFor(a.checkout) }

func (a *protocolAgent) paysFor(checkout map[string]any) error {
	instrument := map[string]any{
		"id":         "pi_1",
		"handler_id": "psp_spt",
		"type":       "token",
		"credential": map[string]any{"type": "token", "token": "spt_sandbox_ok"},
	}
	return a.call(protocolCall{
		method: "POST",
		path:   "/checkout-sessions/{id}/complete",
		tool:   "complete_checkout",
		id:     checkout["id"],
		member: "checkout",
		fields: map[string]any{"payment": map[string]any{"instruments": []any{instrument}}},
	})
}

// buys checks out and pays.
func (a *protocolAgent) buys(quantity int, name string) error {
	if err := a.checksOutOf(quantity, name); err != nil {
		return err
	}
	if err := a.pays(); err != nil {
		return err
	}
	return a.hasOrder()
}

func (a *protocolAgent) hasOrder() error {
	id, _ := valueAt(a.answer, "order.id")
	a.orderID, _ = id.(string)
	return a.shows("status", `"completed"`, "order.id", "matches ^ord_")
}

// canPay checks that the latest checkout is ready, for a total in US dollars.
func (a *protocolAgent) canPay(amount string) error {
	if err := a.shows("status", `"ready_for_complete"`); err != nil {
		return err
	}
	return a.totalIs(amount)
}

func (a *protocolAgent) totalIs(amount string) error {
	n, err := minorUnits(amount)
	if err != nil {
		return err
	}
	totals, _ := a.answer["totals"].([]any)
	if len(totals) == 0 {
		return errors.New("the answer has no totals")
	}
	last := fmt.Sprintf("totals.%d.", len(totals)-1)
	return a.shows(last+"type", `"total"`, last+"amount", strconv.FormatInt(n, 10), "currency", `"USD"`)
}

// ucpHindrances are reasons why a checkout cannot be paid, in a step's words.
var ucpHindrances = map[string][]string{
	"it lacks a buyer and an address": {
		"status", `"incomplete"`,
		"messages.*.path", `["$.buyer.email", "$.fulfillment.methods[0].selected_destination_id"]`,
	},
	"the deal is for another quantity":        {"status", `"incomplete"`, "messages.*.code", `contains "deal_not_applicable"`},
	"another order has redeemed the deal":     {"status", `"incomplete"`, "messages.*.code", `contains "deal_redeemed"`},
	"the product is sold out":                 {"messages.*.code", `["out_of_stock"]`, "order", "absent"},
	"the shop does not sell it any more":      {"status", `"incomplete"`, "messages.*.code", `["item_unavailable"]`},
	"the checkout is canceled":                {"status", `"canceled"`, "messages.*.code", `["checkout_canceled"]`},
	"the shop does not sell one of its items": {"line_items.#", "1", "messages.*.code", `contains "item_unavailable"`},
}

func (a *protocolAgent) cannotPay(why string) error {
	fields, known := ucpHindrances[why]
	if !known {
		return fmt.Errorf("no hindrance is %q", why)
	}
	return a.shows(fields...)
}

func (a *protocolAgent) searches(words string) error { return a.search(map[string]any{"query": words}) }

func (a *protocolAgent) searchesUpTo(amount string) error {
	n, err := minorUnits(amount)
	if err != nil {
		return err
	}
	return a.search(map[string]any{"filters": map[string]any{"price": map[string]any{"max": n}}})
}

func (a *protocolAgent) search(body map[string]any) error {
	return a.call(protocolCall{
		method: "POST",
		path:   "/catalog/search",
		tool:   "search_catalog",
		member: "catalog",
		fields: body,
	})
}

// finds checks the first product of a search.
func (a *protocolAgent) finds(name, amount, stock string) error {
	n, err := minorUnits(amount)
	if err != nil {
		return err
	}
	return a.shows(
		"products.0.title", strconv.Quote(name),
		"products.0.price_range.min", fmt.Sprintf(`{"amount": %d, "currency": "USD"}`, n),
		"products.0.variants.0.availability.available", strconv.FormatBool(stock == "available"),
	)
}

// looksUpWithUnknown looks up a product and an id that nothing has.
func (a *protocolAgent) looksUpWithUnknown(name string) error {
	return a.call(protocolCall{
		method: "POST",
		path:   "/catalog/lookup",
		tool:   "lookup_catalog",
		member: "catalog",
		fields: map[string]any{"ids": []any{a.scenario.products[name].ID, "prod_unknown"}},
	})
}

func (a *protocolAgent) findsOnly(name string) error {
	return a.shows("products.*.title", `["`+name+`"]`, "messages.*.code", `["not_found"]`)
}

func (a *protocolAgent) readsOrder() error {
	return a.call(protocolCall{
		method: "GET",
		path:   "/orders/{id}",
		tool:   "get_order",
		id:     a.orderID,
	})
}

// seesOrdered checks the only line of the order, and that the order has no more of the address than country and region.
func (a *protocolAgent) seesOrdered(quantity int, name, status string) error {
	return a.shows(
		"line_items.*.item.title", `["`+name+`"]`,
		"line_items.*.quantity.total", fmt.Sprintf("[%d]", quantity),
		"line_items.*.status", `["`+status+`"]`,
		"fulfillment.expectations.0.destination", `{"address_country": "US", "address_region": "TX"}`,
	)
}

func (a *protocolAgent) mustSign() error {
	if a.status != 401 || !strings.Contains(encode(a.answer), `"signature_missing"`) {
		return fmt.Errorf("the answer is %d %s", a.status, encode(a.answer))
	}
	return nil
}
