package acp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/internal/shoptest"
	"github.com/haggle-commerce/haggle/simulator/openapi"
)

// dial opens a client at a shop that may tamper with its answers.
func dial(t *testing.T, tamper func(string, shoptest.Answer), observers ...func(acp.Call)) (*acp.Client, *openapi.Validator) {
	t.Helper()
	validator := openapi.NewValidator()
	connection := exchange.NewClient(exchange.Config{URL: shoptest.New(t, tamper).URL, Validator: validator})
	return acp.New(connection, "demo", observers...), validator
}

func TestClient_everyEndpoint(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	seen := map[string]bool{}
	client, validator := dial(t, nil, func(call acp.Call) { seen[call.Endpoint] = call.Err == nil && call.Response != nil })
	offer := decimal.FromInt(95)
	found, searchErr := client.Search(ctx, acp.SearchRequest{Query: "hammer"})
	_, manifestErr := client.Manifest(ctx)
	product, productErr := client.Product(ctx, acp.ProductRequest{
		ProductID:    "prod_1",
		SessionID:    found.SessionID,
		BuyerContext: &acp.BuyerContext{LoyaltyTier: "gold"},
	})
	_, availabilityErr := client.Availability(ctx, acp.AvailabilityRequest{Items: []acp.AvailabilityItem{{ProductID: "prod_1", VariantID: "var_prod_1", Quantity: 1}}})
	quote, quoteErr := client.Quote(ctx, acp.QuoteRequest{
		SessionID:  found.SessionID,
		ProductID:  "prod_1",
		VariantID:  product.Variants[0].ID,
		Quantity:   2,
		OfferPrice: &offer,
	}, acp.IdempotencyKey("k"))
	checkout, initErr := client.InitCheckout(ctx, acp.InitRequest{
		SessionID: found.SessionID, CheckoutToken: quote.CheckoutToken,
		Items: []acp.CheckoutItem{{ProductID: "prod_1", Quantity: 2, NegotiatedPrice: &quote.FinalPrice}},
	})
	done, finalizeErr := client.Finalize(ctx, acp.FinalizeRequest{
		CheckoutID: checkout.CheckoutID, Payment: acp.Payment{Method: acp.PSPToken, Token: "spt_sandbox_ok"},
	})
	_, sessionErr := client.Session(ctx, found.SessionID)
	_, extendErr := client.ExtendSession(ctx, acp.Extension{SessionID: found.SessionID, DurationMinutes: 10})
	order, orderErr := client.Order(ctx, done.Order.ID)
	back, returnErr := client.CreateReturn(ctx, acp.ReturnRequest{OrderID: done.Order.ID})
	_, readErr := client.Return(ctx, back.ReturnID)
	err := errors.Join(searchErr, manifestErr, productErr, availabilityErr, quoteErr, initErr, finalizeErr, sessionErr,
		extendErr, orderErr, returnErr, readErr)
	if err != nil {
		t.Fatal(err)
	}
	if order.Summary.Total != decimal.FromInt(196) || quote.Status != acp.Accept || done.Status != acp.Success {
		t.Errorf("order %+v, quote %+v", order, quote)
	}
	if len(seen) != 12 || validator.Checked() != 12 {
		t.Errorf("observed %v, checked %d", seen, validator.Checked())
	}
	if found := validator.Violations(); len(found) > 0 {
		t.Errorf("violations %v", found)
	}
	if text := client.Transcript().String(); strings.Contains(text, "spt_sandbox") || !strings.Contains(text, "buyer_context=") {
		t.Errorf("transcript:\n%s", text)
	}
}

// A refusal is an *Error and no violation of the contract.
func TestClient_Product_notFound(t *testing.T) {
	t.Parallel()
	client, validator := dial(t, nil)
	_, err := client.Product(context.Background(), acp.ProductRequest{ProductID: "nothing"})
	var problem *acp.Error
	if !errors.As(err, &problem) || problem.HTTPStatus != 404 || problem.RequestID == "" || acp.CodeOf(err) != "product_not_found" {
		t.Errorf("%v", err)
	}
	if validator.Count() != 0 {
		t.Errorf("violations %v", validator.Violations())
	}
}

// Missing, unknown and unreadable fields of an answer are violations.
func TestClient_Search_violations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tamper func(answer shoptest.Answer)
		reason string
	}{
		"a misnamed field":       {func(a shoptest.Answer) { a["SESSION_ID"] = a["session_id"]; delete(a, "session_id") }, "no session_id"},
		"a strange next action":  {func(a shoptest.Answer) { a["next_actions"] = []string{"search", "dance"} }, "unknown word dance"},
		"a null":                 {func(a shoptest.Answer) { a["total_count"] = nil }, "no total_count"},
		"a gap in a list":        {func(a shoptest.Answer) { delete(a["results"].([]shoptest.Answer)[1], "negotiable") }, "no results[].negotiable"},
		"a price in a string":    {func(a shoptest.Answer) { a["results"].([]shoptest.Answer)[0]["list_price"] = "9" }, "cannot be read"},
		"a price with fractions": {func(a shoptest.Answer) { a["results"].([]shoptest.Answer)[0]["list_price"] = 9.123456 }, "cannot be read"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, validator := dial(t, func(_ string, answer shoptest.Answer) { c.tamper(answer) })
			_, _ = client.Search(context.Background(), acp.SearchRequest{Query: "x"})
			found := validator.Violations()
			if len(found) != 1 || !strings.Contains(found[0].Reason, c.reason) {
				t.Errorf("violations %v, want %q", found, c.reason)
			}
		})
	}
}

func TestClient_Quote_unknownStatus(t *testing.T) {
	t.Parallel()
	client, validator := dial(t, func(_ string, answer shoptest.Answer) { answer["status"] = "maybe" })
	if _, err := client.Quote(context.Background(), acp.QuoteRequest{SessionID: "s"}); err != nil {
		t.Fatal(err)
	}
	if found := validator.Violations(); len(found) != 1 || !strings.Contains(found[0].Reason, "maybe") {
		t.Errorf("violations %v", found)
	}
}

func TestClient_Do_raw(t *testing.T) {
	t.Parallel()
	client, _ := dial(t, nil)
	header := http.Header{"Content-Type": {"text/plain"}}
	got, err := client.Do(context.Background(), "GET", "/acp/orders/none", header, []byte(`{"token": "spt_secret"`))
	if err != nil || got.Status != 404 || acp.ErrorOf(got).Code != "order_not_found" {
		t.Errorf("%+v, %v", got, err)
	}
	if strings.Contains(client.Transcript().String(), "spt_secret") {
		t.Error("the token is in the transcript")
	}
}
