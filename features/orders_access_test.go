package features

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// moneyActions are requests about orders and money, by the steps' words for them, and the code for unknown ids.
var moneyActions = map[string]struct{ request, unknown string }{
	"list the orders":            {"GET /v1/orders", ""},
	"read the order":             {"GET /v1/orders/$order", "order_not_found"},
	"read the notes":             {"GET /v1/orders/$order/notes", "order_not_found"},
	"write a note":               {`POST /v1/orders/$order/notes {"text": "Lost"}`, "order_not_found"},
	"cancel the order":           {"POST /v1/orders/$order/cancel", "order_not_found"},
	"ship the order":             {`POST /v1/orders/$order/fulfillment {"status": "shipped"}`, "order_not_found"},
	"list the returns":           {"GET /v1/returns", ""},
	"read the return":            {"GET /v1/returns/$return", "return_not_found"},
	"approve the return":         {"POST /v1/returns/$return/approve", "return_not_found"},
	"reject the return":          {"POST /v1/returns/$return/reject", "return_not_found"},
	"list the payments":          {"GET /v1/finance/payments", ""},
	"read the payment":           {"GET /v1/finance/payments/$payment", "payment_not_found"},
	"list the payment's refunds": {"GET /v1/finance/payments/$payment/refunds", "payment_not_found"},
	"refund the payment":         {"POST /v1/finance/payments/$payment/refund", "payment_not_found"},
	"read the refund":            {"GET /v1/finance/refunds/$refund", "refund_not_found"},
	"read the wallets":           {"GET /v1/finance/wallets", ""},
	"list the transactions":      {"GET /v1/finance/transactions", ""},
	"read the transaction":       {"GET /v1/finance/transactions/$transaction", "transaction_not_found"},
	"download the payments":      {"GET /v1/finance/payments.csv", ""},
	"download the transactions":  {"GET /v1/finance/transactions.csv", ""},
	"compare the books":          {"GET /v1/finance/reconciliation?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z", ""},
	"ask what shipping costs":    {"POST /v1/orders/$order/rates " + labelBody, ""},
	"buy a label":                {"POST /v1/orders/$order/labels " + labelBody, ""},
	"void a label":               {"POST /v1/orders/$order/labels/lbl_0000000000000000000000000a/void " + labelBody, ""},
	"see the signing keys":       {"GET /v1/signing-keys", ""},
	"replace the signing key":    {"POST /v1/signing-keys/rotate", ""},
	"revoke a signing key":       {"POST /v1/signing-keys/some/revoke", ""},
}

// moneyRequest returns the parts of an action's request.
func moneyRequest(action string) (method, path, body string, err error) {
	known, ok := moneyActions[action]
	if !ok {
		return "", "", "", fmt.Errorf("no request is described as %q", action)
	}
	method, rest, _ := strings.Cut(known.request, " ")
	path, body, _ = strings.Cut(rest, " ")
	return method, path, body, nil
}

// clerkScopes are the scopes of keys, by the steps' words for what the holders may do.
var clerkScopes = map[string]string{
	"edit the catalog":     "catalog:write",
	"see the catalog":      "catalog:read",
	"see the integrations": "integrations:read",
	"see the keys":         "keys:read",
	"see the finances":     "finance:read",
}

// clerkMayNot checks that a new key with one scope does not suffice for an action. Its requests are not the merchant's.
func (c *ordersContext) clerkMayNot(only, action string) error {
	method, path, body, err := moneyRequest(action)
	if err != nil {
		return err
	}
	key, err := c.merchant.CreateKey(c.ctx, merchant.NewKey{
		Name:       "Clerk",
		Scopes:     []string{clerkScopes[only]},
		ProjectIDs: []string{c.shop.ID},
	})
	if err != nil {
		return err
	}
	refusal := c.sendBy(c.merchant.As(key.Secret).In(""), method, c.expand(path), c.expand(body), nil)
	return wantRefusal(refusal, http.StatusForbidden, "insufficient_scope")
}

// otherShopCannot checks that the merchant of another shop gets 404 for an action.
func (c *ordersContext) otherShopCannot(action string) error {
	method, path, body, err := moneyRequest(action)
	if err != nil {
		return err
	}
	if err := c.shops.openOtherShops(1); err != nil {
		return err
	}
	if err := c.sendsToOtherShop(method, c.expand(path), c.expand(body)); err != nil {
		return err
	}
	return c.isRefused(http.StatusNotFound, moneyActions[action].unknown)
}
