package simulator

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// seen is one call that a witness sees: request and response as JSON.
type seen struct{ kind, request, response string }

func parsed[T any](t *testing.T, text string) T {
	t.Helper()
	var out T
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func (s seen) call(t *testing.T) acp.Call {
	t.Helper()
	call := acp.Call{
		Endpoint: s.kind,
		At:       now,
		Raw:      exchange.Response{Value: parsed[any](t, s.response)},
	}
	switch s.kind {
	case "manifest":
		call.Response = parsed[acp.Manifest](t, s.response)
	case "product":
		call.Response = parsed[acp.Product](t, s.response)
	case "quote":
		call.Request, call.Response = parsed[acp.QuoteRequest](t, s.request), parsed[acp.Quote](t, s.response)
	case "session":
		call.Response = parsed[acp.Session](t, s.response)
	case "extend":
		call.Response = parsed[acp.Extended](t, s.response)
	case "init":
		call.Request, call.Response = parsed[acp.InitRequest](t, s.request), parsed[acp.Checkout](t, s.response)
	case "finalize":
		call.Request, call.Response = parsed[acp.FinalizeRequest](t, s.request), parsed[acp.Finalized](t, s.response)
	case "order":
		call.Response = parsed[acp.OrderRecord](t, s.response)
	default:
		t.Fatalf("unknown call %q", s.kind)
	}
	return call
}

// changed returns the call with a part of its response replaced. The part must exist.
func (s seen) changed(t *testing.T, from, to string) seen {
	t.Helper()
	if !strings.Contains(s.response, from) {
		t.Fatalf("%q is not in %s", from, s.response)
	}
	s.response = strings.Replace(s.response, from, to, 1)
	return s
}

// An honest merchant: list 100, at most 20 % off, counter 91, agreed at 91 for two, standard shipping 5, tax 1.
var (
	manifestCall = seen{"manifest", "", `{"acp_version": "1.0", "supported_currencies": ["USD"],
		"policies": {"negotiation_enabled": true, "max_discount_percent": 20}}`}
	productCall = seen{"product", "", `{"product_id": "prod_1", "list_price": 100, "negotiable": true, "attributes": {"target": "x"}}`}
	askCall     = seen{"quote", `{"session_id": "s", "product_id": "prod_1", "variant_id": "v", "quantity": 2, "offer_price": null}`,
		`{"status": "quote", "session_id": "s", "quote_id": "q1", "list_price": 100, "offered_price": 95, "valid_until": "2026-01-02T03:20:00Z"}`}
	rejectCall = seen{"quote", `{"session_id": "s", "product_id": "prod_1", "variant_id": "v", "quantity": 2, "offer_price": 60}`,
		`{"status": "reject", "reason": "low", "floor_hint": "85",
		"offered_price": 95, "valid_until": "2026-01-02T03:20:00Z"}`}
	rejectAgain = seen{"quote", strings.Replace(rejectCall.request, "60", "62", 1), strings.Replace(rejectCall.response, "95", "93", 1)}
	counterCall = seen{"quote", `{"session_id": "s", "quote_id": "q1", "offer_price": 85}`,
		`{"status": "counter_offer", "session_id": "s", "quote_id": "q1", "original_price": 100, "your_offer": 85,
		"counter_price": 91, "discount_applied": "9%", "valid_until": "2026-01-02T03:20:00Z"}`}
	acceptCall = seen{"quote", `{"session_id": "s", "quote_id": "q1", "offer_price": 91}`,
		`{"status": "accept", "session_id": "s", "quote_id": "q1", "final_price": 91, "checkout_token": "ct1", "valid_until": "2026-01-02T03:20:00Z"}`}
	sessionCall = seen{"session", "", `{"session_id": "s", "cart": {"items": [{"product_id": "prod_1", "quantity": 2, "negotiated_price": 91}],
		"subtotal": 182}, "negotiation_history": [{}, {}, {}, {}, {}]}`}
	extendCall = seen{"extend", "", `{"session_id": "s", "new_expires_at": "2026-01-02T03:30:00Z"}`}
	initCall   = seen{"init", `{"session_id": "s", "checkout_token": "ct1", "items": [{"product_id": "prod_1", "variant_id": "v", "quantity": 2, "negotiated_price": 91}]}`,
		`{"checkout_id": "chk_1", "status": "ready", "valid_until": "2026-01-02T03:30:00Z",
		"summary": {"subtotal": 182, "shipping": 5, "tax": 1, "total": 188, "savings": 18, "currency": "USD"},
		"items": [{"product_id": "prod_1", "quantity": 2, "unit_price": 91, "original_price": 100}],
		"shipping_options": [{"id": "standard", "price": 5, "selected": true}, {"id": "express", "price": 9}]}`}
	declineCall = seen{"finalize", `{"checkout_id": "chk_1", "payment": {"method": "psp_spt", "token": "spt_sandbox_decline_insufficient_funds"}}`,
		`{"status": "payment_failed", "checkout_id": "chk_1", "checkout_status": "pending", "retry_allowed": true,
		"error": {"code": "card_declined", "decline_code": "insufficient_funds"}}`}
	finalizeCall = seen{"finalize", `{"checkout_id": "chk_1", "shipping_option": "standard", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok_1"}}`,
		`{"status": "success", "order": {"id": "ord_1"}, "payment": {"status": "succeeded", "amount": 188, "currency": "USD"},
		"summary": {"items": [{"quantity": 2, "price": 91}], "subtotal": 182, "shipping": 5, "tax": 1, "total": 188}}`}
	orderCall = seen{"order", "", `{"order": {"id": "ord_1"}, "summary": {"total": 188}}`}
)

func rulesBroken(t *testing.T, calls ...seen) []string {
	t.Helper()
	w := NewWitness(acp.Manifest{})
	for _, call := range calls {
		w.Saw(call.call(t))
	}
	var rules []string
	for _, breach := range w.Breaches() {
		rules = append(rules, breach.Rule+": "+breach.Detail)
	}
	return rules
}

func TestWitness_Saw_honestMerchant(t *testing.T) {
	t.Parallel()
	broken := rulesBroken(t, manifestCall, productCall, askCall, rejectCall, rejectAgain, counterCall, acceptCall, sessionCall, extendCall,
		initCall, declineCall, finalizeCall, finalizeCall, orderCall)
	if len(broken) > 0 {
		t.Errorf("broken: %q", broken)
	}
}

// firing is calls, one of them wrong, and the rule that the witness should report.
type firing struct {
	rule  string
	calls []seen
}

func eachFires(t *testing.T, cases map[string]firing) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := rulesBroken(t, c.calls...)
			for _, rule := range broken {
				if strings.HasPrefix(rule, c.rule+": ") {
					return
				}
			}
			t.Errorf("broken: %q, want %q", broken, c.rule)
		})
	}
}

func TestWitness_Saw_negotiationRules(t *testing.T) {
	t.Parallel()
	again, askedNothing := acceptCall, acceptCall
	again.response, askedNothing.request = counterCall.response, askCall.request
	eachFires(t, map[string]firing{
		"accepted above the offer": {ruleAcceptAtOffer, []seen{askCall, acceptCall.changed(t, "91", "92")}},
		"accepted above list":      {ruleAcceptAtList, []seen{askCall.changed(t, "100", "90"), acceptCall}},
		"list is learned later":    {ruleAcceptAtList, []seen{acceptCall, askCall.changed(t, "100", "90")}},
		"below the limit":          {ruleDiscountLimit, []seen{manifestCall, askCall, acceptCall.changed(t, "91", "79.99")}},
		"below the rounded limit":  {ruleDiscountLimit, []seen{manifestCall, askCall.changed(t, "100", "99.99"), acceptCall.changed(t, "91", "79.99")}},
		"negotiation is off": {ruleDiscountLimit, []seen{manifestCall.changed(t, "true", "false"), askCall.changed(t, "95", "100"),
			acceptCall}},
		"product is list only":      {ruleDiscountLimit, []seen{manifestCall, productCall.changed(t, "true", "false"), initCall}},
		"accepted without an offer": {ruleAcceptNeedsBid, []seen{askedNothing}},
		"no token":                  {ruleTokenOnAccept, []seen{acceptCall.changed(t, "ct1", "")}},
		"counter at the offer":      {ruleCounterAbove, []seen{counterCall.changed(t, "91", "85")}},
		"counter above list":        {ruleCounterAtList, []seen{counterCall.changed(t, "91", "101")}},
		"counter below the limit": {ruleDiscountLimit, []seen{manifestCall.changed(t, "20", "5"),
			counterCall}},
		"rising counter":             {ruleCountersFall, []seen{counterCall, counterCall.changed(t, "91", "92")}},
		"counter not accepted":       {ruleCounterCommits, []seen{counterCall, again}},
		"another offer":              {ruleOfferRepeated, []seen{counterCall.changed(t, `"your_offer": 85`, `"your_offer": 84`)}},
		"hint in words":              {ruleHintText, []seen{rejectCall.changed(t, "85", "more")}},
		"odd hint":                   {ruleHintOnGrid, []seen{askCall, rejectCall.changed(t, "85", "83")}},
		"odd hint, late list":        {ruleHintOnGrid, []seen{rejectCall.changed(t, "85", "83"), askCall}},
		"moving hint":                {ruleHintConstant, []seen{rejectCall, rejectCall.changed(t, "85", "80")}},
		"hint at the offer":          {ruleHintAboveOffer, []seen{rejectCall.changed(t, "85", "60")}},
		"hint above list":            {ruleAcceptAtList, []seen{askCall, rejectCall.changed(t, "85", "105")}},
		"standing at the offer":      {ruleRejectAboveOffer, []seen{askCall, rejectCall.changed(t, "95", "60")}},
		"standing under the limit":   {ruleDiscountLimit, []seen{manifestCall, askCall, rejectCall.changed(t, "95", "79")}},
		"standing above list":        {ruleAcceptAtList, []seen{rejectCall.changed(t, "95", "101"), askCall}},
		"rising after a rejection":   {ruleRejectFalls, []seen{rejectAgain, rejectCall}},
		"counter above what stood":   {ruleCountersFall, []seen{askCall, rejectCall.changed(t, "95", "90"), counterCall}},
		"what stood is not accepted": {ruleCounterCommits, []seen{askCall, rejectCall.changed(t, "95", "85"), counterCall}},
		"rejection of the past":      {ruleValidInFuture, []seen{rejectCall.changed(t, "2026", "2025")}},
		"quote of the past":          {ruleValidInFuture, []seen{askCall.changed(t, "2026", "2025")}},
		"discount in words":          {ruleDiscountText, []seen{counterCall.changed(t, "9%", "9.25%")}},
		"empty cart":                 {ruleQuoteInCart, []seen{askCall, acceptCall, sessionCall.changed(t, `"negotiated_price": 91`, `"negotiated_price": 92`)}},
		"wrong cart sum":             {ruleCartSum, []seen{sessionCall.changed(t, "182", "181")}},
		"short history":              {ruleHistoryComplete, []seen{askCall, sessionCall.changed(t, "[{}, {}, {}, {}, {}]", "[]")}},
		"session not extended":       {"an extended session ends later", []seen{extendCall.changed(t, "2026", "2025")}},
	})
}

func TestWitness_Saw_checkoutRules(t *testing.T) {
	t.Parallel()
	secondInit, secondOrder := initCall.changed(t, `"chk_1"`, `"chk_2"`), finalizeCall.changed(t, `"ord_1"`, `"ord_2"`)
	secondOrder.request = strings.Replace(secondOrder.request, "chk_1", "chk_2", 1)
	tokenless, refused, express := initCall, finalizeCall, finalizeCall
	tokenless.request = `{"session_id": "s", "items": [{"product_id": "prod_1", "variant_id": "v", "quantity": 2}]}`
	refused.response = declineCall.response
	express.request = strings.Replace(express.request, "standard", "express", 1)
	eachFires(t, map[string]firing{
		"checkout of the past": {ruleValidInFuture, []seen{initCall.changed(t, "2026", "2025")}},
		"wrong subtotal":       {ruleLineSum, []seen{initCall.changed(t, `"quantity": 2`, `"quantity": 3`)}},
		"wrong total":          {ruleTotalSum, []seen{initCall.changed(t, "188", "187.99")}},
		"wrong savings":        {ruleSavingsSum, []seen{initCall.changed(t, "18,", "19,")}},
		"wrong shipping":       {ruleShippingOption, []seen{initCall.changed(t, `"price": 5`, `"price": 6`)}},
		"wrong currency":       {ruleCurrency, []seen{manifestCall, initCall.changed(t, "USD", "EUR")}},
		"price changes":        {ruleNegotiatedPrice, []seen{initCall.changed(t, `"unit_price": 91`, `"unit_price": 90`)}},
		"discount for nothing": {ruleNegotiatedPrice, []seen{tokenless}},
		"not ready":            {ruleCheckoutReady, []seen{initCall.changed(t, "ready", "pending")}},
		"amount differs":       {ruleOrderAmount, []seen{initCall, finalizeCall.changed(t, `"amount": 188`, `"amount": 189`)}},
		"order subtotal":       {ruleOrderAmount, []seen{initCall, finalizeCall.changed(t, `"subtotal": 182`, `"subtotal": 183`)}},
		"option not used":      {ruleShippingOption, []seen{initCall, express}},
		"order total sum":      {ruleTotalSum, []seen{finalizeCall.changed(t, `"tax": 1`, `"tax": 2`)}},
		"order line sum":       {ruleLineSum, []seen{finalizeCall.changed(t, `"price": 91`, `"price": 90`)}},
		"payment not done":     {rulePaymentState, []seen{finalizeCall.changed(t, "succeeded", "pending")}},
		"two orders":           {ruleOneOrder, []seen{initCall, finalizeCall, finalizeCall.changed(t, "ord_1", "ord_2")}},
		"token twice":          {ruleTokenOnce, []seen{initCall, finalizeCall, secondInit, secondOrder}},
		"no retry":             {ruleDecline, []seen{declineCall.changed(t, "true", "false")}},
		"another reason":       {ruleDeclineReason, []seen{declineCall.changed(t, "insufficient_funds", "expired_card")}},
		"another checkout":     {ruleDeclineReason, []seen{declineCall.changed(t, "chk_1", "chk_2")}},
		"good token declined":  {ruleGoodToken, []seen{refused}},
		"unknown order":        {ruleOrderReadable, []seen{orderCall}},
		"order changed":        {ruleOrderReadable, []seen{finalizeCall, orderCall.changed(t, "188", "1")}},
	})
}

func TestWitness_CheckSecrets(t *testing.T) {
	t.Parallel()
	eachFires(t, map[string]firing{
		"a floor is shown":  {ruleSecrets, []seen{productCall.changed(t, `"negotiable"`, `"floor_price": 1, "negotiable"`)}},
		"a margin is shown": {ruleSecrets, []seen{sessionCall.changed(t, `{}`, `{"Margin": 1}`)}},
		"a cost is shown":   {ruleSecrets, []seen{productCall.changed(t, `"negotiable"`, `"variants": [{"cost": 1}], "negotiable"`)}},
	})
}

func TestWitness_CheckSecrets_inErrors(t *testing.T) {
	t.Parallel()
	w := NewWitness(acp.Manifest{})
	w.Saw(acp.Call{
		Endpoint: "POST /acp/quote", Err: &acp.Error{HTTPStatus: 500},
		Raw: exchange.Response{Value: map[string]any{"error": "x", "target": json.Number("9")}},
	})
	if broken := w.Breaches(); len(broken) != 1 || broken[0].Rule != ruleSecrets {
		t.Errorf("broken: %v", broken)
	}
}

func TestSecretsIn_shippingCost(t *testing.T) {
	t.Parallel()
	value := parsed[any](t, `{"shipping_options": [{"cost": 5}], "items": [{"shipping_estimate": {"cost": 1}}], "floor_hint": "75",
		"attributes": {"cost": "none"}, "total_shipping": 2}`)
	if found := secretsIn(value, false); len(found) > 0 {
		t.Errorf("secrets %v", found)
	}
}

// The fifth decline of a checkout may end it, and so may the first decline of a stolen card.
func TestWitness_CheckDecline_final(t *testing.T) {
	t.Parallel()
	last := declineCall.changed(t, "true", "false")
	if broken := rulesBroken(t, declineCall, declineCall, declineCall, declineCall, last); len(broken) > 0 {
		t.Errorf("broken: %q", broken)
	}
	stolen := seen{"finalize", strings.ReplaceAll(last.request, "insufficient_funds", "stolen_card"),
		strings.ReplaceAll(last.response, "insufficient_funds", "stolen_card")}
	if broken := rulesBroken(t, stolen); len(broken) > 0 {
		t.Errorf("broken: %q", broken)
	}
}

// The lowest price that the discount limit allows is rounded up to a minor unit of the currency.
func TestWitness_Lowest_roundedUp(t *testing.T) {
	t.Parallel()
	w := NewWitness(parsed[acp.Manifest](t, strings.Replace(manifestCall.response, "USD", "JPY", 1)))
	if lowest := w.lowest("p", decimal.FromInt(999)); lowest != decimal.FromInt(800) { // 799.2
		t.Errorf("lowest %s", lowest)
	}
}
