package acp

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// These are the words of next_actions. A word is an operation or a way to use one.
const (
	actSearch            = "search"
	actReadOn            = "read_on"
	actReadProduct       = "read_product"
	actCheckAvailability = "check_availability"
	actAskPrice          = "ask_price"
	actMakeOffer         = "make_offer"
	actAccept            = "accept"
	actCounter           = "counter"
	actDecline           = "decline"
	actAddBundle         = "add_bundle"
	actReadCart          = "read_cart"
	actPutCart           = "put_cart"
	actInitCheckout      = "init_checkout"
	actReadCheckout      = "read_checkout"
	actReviseCheckout    = "revise_checkout"
	actCancelCheckout    = "cancel_checkout"
	actFinalize          = "finalize"
	actReadSession       = "read_session"
	actNewSession        = "new_session"
	actReadOrder         = "read_order"
	actCancelOrder       = "cancel_order"
	actRequestReturn     = "request_return"
	actReadReturn        = "read_return"
	actReadManifest      = "read_manifest"
	actCorrect           = "correct_request"
	actRetryLater        = "retry_later"
)

// actions lists all words of next_actions with their meanings. Operations have the names of the manifest's urls.
var actions = []struct{ word, meaning string }{
	{actSearch, "POST search: find products and their ids."},
	{actReadOn, "POST search again with next_cursor as cursor, and the same query, filters and sort."},
	{actReadProduct, "GET product: read its variants, stock and prices."},
	{actCheckAvailability, "POST availability: read the stock and shipping of items."},
	{actAskPrice, "POST quote with product_id, variant_id and quantity, without quote_id and offer_price."},
	{actMakeOffer, "POST quote with product_id, variant_id, quantity and offer_price, without quote_id."},
	{actAccept, "POST quote with session_id, quote_id and the current price (counter_price or offered_price) as offer_price."},
	{actCounter, "POST quote with session_id, quote_id and an offer_price that is higher by at least 1 % of the list price; a " +
		"smaller step earns no concession."},
	{actDecline, "Send nothing more on this quote."},
	{actAddBundle, "POST quote with session_id, quote_id and add_bundle: true. It accepts the current price and the bundle."},
	{actReadCart, "GET cart with session_id."},
	{actPutCart, "PUT cart with session_id and all of its items."},
	{actInitCheckout, "POST checkout with items (each with the checkout_token of its accepted quote, if there is one) and shipping_address; or with session_id and from_cart: true to buy the cart at its agreed prices."},
	{actReadCheckout, "GET checkout_read."},
	{actReviseCheckout, "PUT checkout_revise with all items (with their line_id), shipping_address, shipping_option and buyer; omitted values are removed."},
	{actCancelCheckout, "POST checkout_cancel with checkout_id."},
	{actFinalize, "POST finalize with checkout_id, the revision that you read, and payment {method, token}. After payment_failed, use another token."},
	{actReadSession, "GET session: read its cart, and every offer with its answer."},
	{actNewSession, "Send the request again without session_id and quote_id to open a new session."},
	{actReadOrder, "GET orders: read the state of payment, shipping, returns and refunds."},
	{actCancelOrder, "POST order_cancel with the order's manage_token."},
	{actRequestReturn, "POST returns with order_id and items. Only the merchant can close a return, and an order with an open return cannot be canceled."},
	{actReadReturn, "GET return_read."},
	{actReadManifest, "GET manifest: read the addresses of all operations."},
	{actCorrect, "Correct the fields that message and details name, and send the request again with a new Idempotency-Key."},
	{actRetryLater, "Wait retry_after seconds, and send the same request again with the same Idempotency-Key."},
}

// meanings are the meanings of the words, by word.
func meanings() map[string]string {
	by := make(map[string]string, len(actions))
	for _, a := range actions {
		by[a.word] = a.meaning
	}
	return by
}

// nextActions lists the useful actions of a buyer's agent after an answer. It leaves out actions that are allowed but make no
// sense.
type nextActions []string

// Schema returns the list of words. The document explains their meanings once.
func (nextActions) Schema(r huma.Registry) *huma.Schema {
	const name = "ACPNextAction"
	if r.Map()[name] == nil {
		word := &huma.Schema{Type: huma.TypeString, Description: "Actions that can follow a response:\n"}
		for _, a := range actions {
			word.Enum = append(word.Enum, a.word)
			word.Description += "\n- `" + a.word + "`: " + a.meaning
		}
		r.Map()[name] = word
	}
	return &huma.Schema{
		Type:  huma.TypeArray,
		Items: &huma.Schema{Ref: "#/components/schemas/" + name},
	}
}

// afterErrors has the actions after errors, by code. Other codes have the actions of their kind.
var afterErrors = map[string]nextActions{
	"route_not_found":      {actReadManifest},
	"method_not_allowed":   {actReadManifest},
	"product_not_found":    {actSearch},
	"variant_not_found":    {actReadProduct, actSearch},
	"session_not_found":    {actNewSession},
	"session_expired":      {actNewSession},
	"session_exhausted":    {actNewSession},
	"quote_not_found":      {actAskPrice, actMakeOffer, actReadSession},
	"quote_closed":         {actAskPrice, actMakeOffer, actReadSession},
	"quote_accepted":       {actInitCheckout, actReadSession},
	"token_expired":        {actAskPrice, actMakeOffer},
	"token_redeemed":       {actReadSession, actMakeOffer},
	"checkout_not_found":   {actInitCheckout},
	"checkout_expired":     {actInitCheckout},
	"checkout_canceled":    {actInitCheckout},
	"checkout_incomplete":  {actReviseCheckout, actReadCheckout},
	"checkout_changed":     {actReadCheckout},
	"checkout_completed":   {actReadCheckout, actReadOrder, actCancelOrder},
	"checkout_not_payable": {actReadCheckout},
	"checkout_refused":     {actSearch},
	"finalize_refused":     {actReadCheckout, actCancelCheckout},
	"out_of_stock":         {actReviseCheckout, actCheckAvailability, actSearch},
	"order_not_found":      {actCorrect},
	"order_shipped":        {actRequestReturn, actReadOrder},
	"order_delivered":      {actRequestReturn, actReadOrder},
	"order_canceled":       {actReadOrder},
	"order_token_required": {actCorrect},
	"return_not_found":     {actReadOrder},
	"return_open":          {actReadReturn, actReadOrder},
	"receipt_not_found":    {actReadOrder},
	"project_not_found":    {actCorrect},
	"idempotency_key_used": {actCorrect},
	"limit_reached":        {actCancelCheckout, actFinalize},
	"answer_erased":        {actCorrect},
}

// afterError is what can follow an error.
func afterError(e *fault.Error) nextActions {
	if known, ok := afterErrors[e.Code]; ok {
		return slices.Clone(known)
	}
	switch {
	case e.RetryAfter > 0, e.Kind == fault.Limited, e.Kind == fault.Unavailable, e.Kind == fault.Internal:
		return nextActions{actRetryLater}
	case e.Kind == fault.Malformed, e.Kind == fault.Invalid, e.Kind == fault.TooLarge, e.Kind == fault.Unsupported:
		return nextActions{actCorrect}
	case e.Kind == fault.NotFound:
		return nextActions{actReadManifest}
	}
	return nil
}
