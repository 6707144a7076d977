package provider

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

func grantToken(c *change, call *call) answer {
	form := call.form
	if refused, bad := unknownParam(form, "payment_method", "usage_limits", "seller_details", "customer", "shared_metadata"); bad {
		return refused
	}
	for _, required := range []string{"payment_method", "usage_limits[currency]", "usage_limits[max_amount]", "usage_limits[expires_at]"} {
		if form.Get(required) == "" {
			return missingParam(required)
		}
	}
	if _, _, known := ledger.CardOf(form.Get("payment_method")); !known {
		return unknownID("PaymentMethod", form.Get("payment_method"), "payment_method")
	}
	limit, refused, ok := positive(form, "usage_limits[max_amount]")
	if !ok {
		return refused
	}
	expires, err := strconv.ParseInt(form.Get("usage_limits[expires_at]"), 10, 64)
	if err != nil || expires <= c.seconds() {
		return invalid(http.StatusBadRequest, "", "usage_limits[expires_at]", "The expiration must be in the future.")
	}
	seller := call.account
	if network := form.Get("seller_details[network_id]"); strings.HasPrefix(network, "acct_") {
		seller = network
	}
	granted := ledger.Token{
		ID:        newID("spt_1", 23),
		Kind:      "stripe",
		Seller:    seller,
		Live:      call.live,
		Method:    form.Get("payment_method"),
		Currency:  strings.ToLower(form.Get("usage_limits[currency]")),
		MaxAmount: limit,
		ExpiresAt: expires,
		Uses:      1,
		Created:   c.seconds(),
	}
	c.entry.Tokens = append(c.entry.Tokens, granted)
	return answer{status: http.StatusOK, body: c.showToken(granted)}.began()
}

func revokeToken(c *change, call *call) answer {
	known, ok := c.Tokens.Get(call.request.PathValue("id"))
	if !ok || known.Kind != "stripe" {
		return unknownID("shared_payment_granted_token", call.request.PathValue("id"), "")
	}
	known.Revoked = cmp.Or(known.Revoked, c.seconds())
	c.entry.Tokens = append(c.entry.Tokens, known)
	return answer{status: http.StatusOK, body: c.showToken(known)}.began()
}

func readToken(c *change, call *call) answer {
	known, ok := c.Tokens.Get(call.request.PathValue("id"))
	if !ok || known.Kind != "stripe" || known.Seller != "" && known.Seller != call.account {
		return unknownID("shared_payment_granted_token", call.request.PathValue("id"), "")
	}
	return answer{status: http.StatusOK, body: c.showToken(known)}
}

func (c *change) showToken(t ledger.Token) map[string]any {
	shown, _, _ := ledger.CardOf(t.Method)
	at, reason := t.Ended(c.seconds())
	var captured any
	if t.Used > 0 {
		captured = map[string]any{"currency": strings.ToLower(t.Currency), "value": t.Taken}
	}
	return map[string]any{
		"id": t.ID, "object": "shared_payment.granted_token", "agent_details": nil, "created": t.Created,
		"deactivated_at": number(at), "deactivated_reason": text(reason), "livemode": t.Live,
		"payment_method_details": map[string]any{"type": "card", "card": showCard(&shown)}, "risk_details": nil,
		"shared_metadata": map[string]any{}, "usage_details": map[string]any{"amount_captured": captured},
		"usage_limits": map[string]any{"currency": strings.ToLower(t.Currency), "max_amount": number(t.MaxAmount), "expires_at": number(t.ExpiresAt)},
	}
}
