package merchant_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func TestClient_financeRequests(t *testing.T) {
	t.Parallel()
	ctx, five := t.Context(), decimal.FromInt(5)
	query := merchant.FinanceQuery{
		Status: "refunded",
		Method: "psp_spt",
		Order:  "ord_1",
		From:   "2030-01-31T12:00:00Z",
		Page:   merchant.Page{Limit: 5},
	}
	eachSends(t, map[string]sent{
		"list payments": {func(c *merchant.Client) error { _, err := c.Payments(ctx, query); return err },
			"GET /v1/finance/payments?from=2030-01-31T12%3A00%3A00Z&limit=5&method=psp_spt&order_id=ord_1&status=refunded", ""},
		"read a payment": {func(c *merchant.Client) error { _, err := c.Payment(ctx, "pay_1"); return err },
			"GET /v1/finance/payments/pay_1", ""},
		"refund a part": {func(c *merchant.Client) error {
			_, err := c.Refund(ctx, "pay_1", merchant.NewRefund{Amount: &five, Reason: "A scratch"})
			return err
		}, "POST /v1/finance/payments/pay_1/refund", `{"amount":5,"reason":"A scratch"}`},
		"refund the rest": {func(c *merchant.Client) error { _, err := c.Refund(ctx, "pay_1", merchant.NewRefund{}); return err },
			"POST /v1/finance/payments/pay_1/refund", `{}`},
		"list refunds": {func(c *merchant.Client) error { _, err := c.Refunds(ctx, "pay_1"); return err },
			"GET /v1/finance/payments/pay_1/refunds", ""},
		"read a refund": {func(c *merchant.Client) error { _, err := c.RefundByID(ctx, "ref_1"); return err },
			"GET /v1/finance/refunds/ref_1", ""},
		"list wallets": {func(c *merchant.Client) error { _, err := c.Wallets(ctx); return err }, "GET /v1/finance/wallets", ""},
		"list transactions": {func(c *merchant.Client) error {
			_, err := c.Transactions(ctx, merchant.FinanceQuery{Type: "sale", To: "2030-01-31T12:00:00Z"})
			return err
		}, "GET /v1/finance/transactions?to=2030-01-31T12%3A00%3A00Z&type=sale", ""},
		"read a transaction": {func(c *merchant.Client) error { _, err := c.Transaction(ctx, "txn_1"); return err },
			"GET /v1/finance/transactions/txn_1", ""},
		"reconcile": {func(c *merchant.Client) error {
			_, err := c.Reconciliation(ctx, "2030-01-30T12:00:00Z", "2030-01-31T12:00:00Z")
			return err
		}, "GET /v1/finance/reconciliation?from=2030-01-30T12%3A00%3A00Z&to=2030-01-31T12%3A00%3A00Z", ""},
	})
}

func TestClient_orderRequests(t *testing.T) {
	t.Parallel()
	ctx, five, no := t.Context(), decimal.FromInt(5), false
	eachSends(t, map[string]sent{
		"list orders": {func(c *merchant.Client) error {
			_, err := c.Orders(ctx, merchant.OrderQuery{
				Status:      "confirmed",
				Fulfillment: "shipped",
				Text:        "a@example.com",
				Page:        merchant.Page{Offset: 3},
			})
			return err
		}, "GET /v1/orders?fulfillment=shipped&offset=3&q=a%40example.com&status=confirmed", ""},
		"read an order": {func(c *merchant.Client) error { _, err := c.Order(ctx, "ord_1"); return err }, "GET /v1/orders/ord_1", ""},
		"cancel an order": {func(c *merchant.Client) error { _, err := c.CancelOrder(ctx, "ord_1", "Lost"); return err },
			"POST /v1/orders/ord_1/cancel", `{"reason":"Lost"}`},
		"ship an order": {func(c *merchant.Client) error {
			_, err := c.Fulfill(ctx, "ord_1", merchant.Shipping{
				Status:         "shipped",
				Carrier:        "UPS",
				TrackingNumber: "1Z",
				TrackingURL:    "https://ups.example.com/1Z",
			})
			return err
		}, "POST /v1/orders/ord_1/fulfillment",
			`{"status":"shipped","carrier":"UPS","tracking_number":"1Z","tracking_url":"https://ups.example.com/1Z"}`},
		"list returns": {func(c *merchant.Client) error {
			_, err := c.Returns(ctx, "requested", merchant.Page{Limit: 2})
			return err
		},
			"GET /v1/returns?limit=2&status=requested", ""},
		"read a return": {func(c *merchant.Client) error { _, err := c.Return(ctx, "ret_1"); return err }, "GET /v1/returns/ret_1", ""},
		"approve a return": {func(c *merchant.Client) error {
			_, err := c.ApproveReturn(ctx, "ret_1", merchant.Approval{Amount: &five, Restock: &no})
			return err
		}, "POST /v1/returns/ret_1/approve", `{"amount":5,"restock":false}`},
		"reject a return": {func(c *merchant.Client) error { _, err := c.RejectReturn(ctx, "ret_1", "Burnt"); return err },
			"POST /v1/returns/ret_1/reject", `{"reason":"Burnt"}`},
	})
}

func TestExport(t *testing.T) {
	t.Parallel()
	const table, kind = "id\r\npay_1\r\n", "text/csv; charset=utf-8; header=present"
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RequestURI()
		w.Header().Set("Content-Type", r.Header.Get("X-Kind"))
		_, _ = w.Write([]byte(table))
	}))
	t.Cleanup(server.Close)
	client := merchant.New(exchange.NewClient(exchange.Config{URL: server.URL}), "hk_test_1", "proj_1")
	got, err := client.Export(t.Context(), "payments", "2030-01-31T12:00:00Z", "", merchant.Header("X-Kind", kind))
	if err != nil || got != table || asked != "/v1/finance/payments.csv?from=2030-01-31T12%3A00%3A00Z" {
		t.Errorf("%q from %s, %v", got, asked, err)
	}
	if _, err := client.Export(t.Context(), "payments", "", "", merchant.Header("X-Kind", "text/html")); err == nil {
		t.Error("a page passes for a table")
	}
}
