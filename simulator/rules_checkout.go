package simulator

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// The rules of checkout, orders and secrets, as far as a buyer can check them (features/PROTOCOL.md#negotiation and
// features/PROTOCOL.md#sandbox-tokens).
const (
	ruleLineSum         = "the subtotal is the sum of quantity × unit price"
	ruleTotalSum        = "the total is subtotal + shipping + tax"
	ruleSavingsSum      = "the savings are the sum of (original − unit price) × quantity"
	ruleShippingOption  = "the shipping is the price of the chosen option"
	ruleCurrency        = "every price is in the project's currency"
	ruleNegotiatedPrice = "an item sells at the price agreed, or at list"
	ruleCheckoutReady   = "a new checkout is ready"
	ruleRevision        = "a revised checkout has a later revision"
	ruleOrderAmount     = "the order's amount is the checkout's total"
	rulePaymentState    = "a successful payment succeeded"
	ruleOneOrder        = "a checkout makes one order"
	ruleTokenOnce       = "a checkout token makes one order"
	ruleDecline         = "a declined payment may be tried again"
	ruleDeclineReason   = "a decline says why"
	ruleGoodToken       = "a good payment token is not declined"
	ruleOrderReadable   = "an order reads back as it was made"
	ruleSecrets         = "no answer shows floor, target, cost or margin"
)

// maxDeclines is the number of declines that ends a checkout (features/PROTOCOL.md#payment).
const maxDeclines = 5

func (w *Witness) checkInit(request acp.InitRequest, answer acp.Checkout, at time.Time) {
	opened := &checkout{request: request, answer: answer}
	if before := w.checkouts[answer.CheckoutID]; request.FromCart && before != nil { // a cart has one checkout at a time
		opened.order, opened.declines = before.order, before.declines
	} else {
		w.require(answer.Status == "ready", ruleCheckoutReady, "its status is %q", answer.Status)
	}
	w.checkouts[answer.CheckoutID] = opened
	w.checkCart(answer, at)
	w.checkLines(request, answer)
}

// checkRevised replaces the checkout's cart by the new one. Lines that stay keep their tokens.
func (w *Witness) checkRevised(request acp.ReviseRequest, answer acp.Checkout, at time.Time) {
	opened := w.checkouts[answer.CheckoutID]
	if opened == nil {
		opened = &checkout{}
		w.checkouts[answer.CheckoutID] = opened
	}
	before := opened.answer.Revision
	w.require(before == 0 || answer.Revision > before, ruleRevision, "%d after %d", answer.Revision, before)
	cart := acp.InitRequest{SessionID: opened.request.SessionID, CheckoutToken: request.CheckoutToken}
	for _, item := range request.Items {
		cart.Items = append(cart.Items, item.CheckoutItem)
	}
	if slices.ContainsFunc(request.Items, func(item acp.RevisedItem) bool { return item.LineID != "" }) {
		cart.Items = append(cart.Items, opened.request.Items...)
		cart.CheckoutToken = cmp.Or(cart.CheckoutToken, opened.request.CheckoutToken)
	}
	opened.request, opened.answer = cart, answer
	w.checkCart(answer, at)
}

// checkCart checks the sums of a checkout.
func (w *Witness) checkCart(answer acp.Checkout, at time.Time) {
	w.require(answer.ValidUntil.After(at), ruleValidInFuture, "the checkout is valid until %s", answer.ValidUntil)
	w.require(w.currency == "" || answer.Summary.Currency == w.currency, ruleCurrency, "%q", answer.Summary.Currency)
	var subtotal, savings decimal.Decimal
	for _, item := range answer.Items {
		count := int64(item.Quantity)
		subtotal = subtotal.Plus(item.UnitPrice.Times(count))
		savings = savings.Plus(item.OriginalPrice.Minus(item.UnitPrice).Times(count))
	}
	sum := answer.Summary
	w.require(subtotal == sum.Subtotal, ruleLineSum, "%s, subtotal %s", subtotal, sum.Subtotal)
	w.require(savings == sum.Savings, ruleSavingsSum, "%s, savings %s", savings, sum.Savings)
	total := sum.Subtotal.Plus(sum.Shipping).Plus(sum.Tax)
	w.require(total == sum.Total, ruleTotalSum, "%s, total %s", total, sum.Total)
	for _, option := range answer.ShippingOptions {
		w.require(!option.Selected || option.Price == sum.Shipping, ruleShippingOption,
			"%s costs %s, shipping is %s", option.ID, option.Price, sum.Shipping)
	}
}

// checkLines compares the answer's lines with the requested ones, if they correspond one to one.
func (w *Witness) checkLines(request acp.InitRequest, answer acp.Checkout) {
	for i, item := range answer.Items {
		key := lineKey{request.SessionID, item.ProductID, "", item.Quantity}
		if len(request.Items) == len(answer.Items) && request.Items[i].ProductID == item.ProductID {
			asked := request.Items[i]
			key.variant = asked.VariantID
			tokenless := request.CheckoutToken == "" && asked.CheckoutToken == ""
			w.require(!tokenless || item.UnitPrice == item.OriginalPrice, ruleNegotiatedPrice,
				"no token, unit price %s, list %s", item.UnitPrice, item.OriginalPrice)
			w.require(asked.NegotiatedPrice == nil || *asked.NegotiatedPrice == item.UnitPrice, ruleNegotiatedPrice,
				"agreed %s, unit price %s", asked.NegotiatedPrice, item.UnitPrice)
		}
		l := w.line(key)
		l.learnList(item.OriginalPrice)
		w.checkPrice(l, item.UnitPrice)
	}
}

func (w *Witness) checkFinalize(request acp.FinalizeRequest, answer acp.Finalized) {
	opened := w.checkouts[request.CheckoutID]
	if opened == nil {
		opened = &checkout{}
		w.checkouts[request.CheckoutID] = opened
	}
	if answer.Status == acp.PaymentFailed {
		w.checkDecline(request, answer, opened)
		return
	}
	id, sum := answer.Order.ID, answer.Summary
	w.require(opened.order == "" || opened.order == id, ruleOneOrder, "order %s after %s", id, opened.order)
	opened.order = id
	w.orders[id] = sum.Total
	w.checkRedeemed(opened, id)
	w.require(answer.Payment.Status == "succeeded", rulePaymentState, "its status is %q", answer.Payment.Status)
	w.require(answer.Payment.Amount == sum.Total, ruleOrderAmount, "%s was paid for a total of %s", answer.Payment.Amount, sum.Total)
	w.require(w.currency == "" || answer.Payment.Currency == w.currency, ruleCurrency, "paid in %q", answer.Payment.Currency)
	total := sum.Subtotal.Plus(sum.Shipping).Plus(sum.Tax)
	w.require(total == sum.Total, ruleTotalSum, "%s, order total %s", total, sum.Total)
	lines := decimal.Decimal{}
	for _, item := range sum.Items {
		lines = lines.Plus(item.Price.Times(int64(item.Quantity)))
	}
	w.require(lines == sum.Subtotal, ruleLineSum, "%s, order subtotal %s", lines, sum.Subtotal)
	w.checkChosen(request.ShippingOption, answer, opened)
}

// checkChosen compares the order with the totals that init showed for the chosen shipping option.
func (w *Witness) checkChosen(chosen string, answer acp.Finalized, opened *checkout) {
	if opened.answer.CheckoutID == "" {
		return // another client opened it
	}
	promised, sum := opened.answer.Summary, answer.Summary
	w.require(sum.Subtotal == promised.Subtotal, ruleOrderAmount, "order subtotal %s, checkout %s", sum.Subtotal, promised.Subtotal)
	for _, option := range opened.answer.ShippingOptions {
		if option.ID != chosen && (chosen != "" || !option.Selected) {
			continue
		}
		w.require(option.Price == sum.Shipping, ruleShippingOption, "%s costs %s, shipping is %s", option.ID, option.Price, sum.Shipping)
		w.require(!option.Selected || sum.Total == promised.Total, ruleOrderAmount, "order %s, checkout %s", sum.Total, promised.Total)
	}
}

// checkRedeemed checks that no token pays for two orders. The cart need not show the items that were bought.
func (w *Witness) checkRedeemed(opened *checkout, order string) {
	tokens := []string{opened.request.CheckoutToken}
	for _, item := range opened.request.Items {
		tokens = append(tokens, item.CheckoutToken)
	}
	for _, token := range tokens {
		if token == "" {
			continue
		}
		earlier, used := w.redeemed[token]
		w.require(!used || earlier == order, ruleTokenOnce, "orders %s and %s", earlier, order)
		w.redeemed[token] = order
	}
	for _, a := range w.agreements {
		a.bought = a.bought || slices.Contains(tokens, a.token)
	}
	if opened.request.FromCart {
		w.soldCart(opened.request.SessionID)
	}
}

// checkDecline compares declines with what the sandbox tokens are defined to cause (features/PROTOCOL.md#sandbox-tokens).
func (w *Witness) checkDecline(request acp.FinalizeRequest, answer acp.Finalized, opened *checkout) {
	opened.declines++
	token := request.Payment.Token
	w.require(answer.CheckoutID == request.CheckoutID, ruleDeclineReason, "it is about checkout %s", answer.CheckoutID)
	good := request.Payment.Method == acp.PSPToken && strings.HasPrefix(token, "spt_sandbox_ok") ||
		request.Payment.Method == acp.WalletBA && strings.HasPrefix(token, "ba_sandbox_ok")
	w.require(!good, ruleGoodToken, "%s %s", answer.Error.Code, answer.Error.DeclineCode)
	_, code, scripted := strings.Cut(token, "_sandbox_decline_")
	if !scripted {
		return
	}
	w.require(answer.Error.Code == "card_declined" && answer.Error.DeclineCode == code, ruleDeclineReason,
		"%s was asked for, it says %s %s", code, answer.Error.Code, answer.Error.DeclineCode)
	final := code == "stolen_card" || code == "fraudulent" || opened.declines >= maxDeclines
	pending := answer.RetryAllowed && answer.CheckoutStatus == "pending"
	w.require(final || pending, ruleDecline, "retry_allowed %v, checkout %s", answer.RetryAllowed, answer.CheckoutStatus)
}

func (w *Witness) checkOrder(record acp.OrderRecord) {
	total, known := w.orders[record.Order.ID]
	w.require(known, ruleOrderReadable, "order %q is not one of this buyer's", record.Order.ID)
	w.require(!known || total == record.Summary.Total, ruleOrderReadable, "total %s, it was %s", record.Summary.Total, total)
}

// checkSecrets checks every name in an answer or an error. It skips attributes, which are the merchant's own words, and
// shipping costs, which are public.
func (w *Witness) checkSecrets(call acp.Call) {
	for _, name := range secretsIn(call.Raw.Value, false) {
		w.require(false, ruleSecrets, "%s answers with %q", call.Endpoint, name)
	}
}

func secretsIn(value any, shipping bool) []string {
	var found []string
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			found = append(found, secretsIn(item, shipping)...)
		}
	case map[string]any:
		for name, child := range value {
			if name == "attributes" {
				continue
			}
			aboutShipping := shipping || strings.Contains(name, "shipping")
			if isSecret(name) && !(aboutShipping && strings.Contains(name, "cost")) {
				found = append(found, name)
			}
			found = append(found, secretsIn(child, aboutShipping)...)
		}
	}
	return found
}

func isSecret(name string) bool {
	for word := range strings.SplitSeq(strings.ToLower(name), "_") {
		switch word {
		case "floor", "target", "cost", "margin":
			return name != "floor_hint"
		}
	}
	return false
}
