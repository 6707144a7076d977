package shopify

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

type fixedClock time.Time

func (s fixedClock) Now() time.Time { return time.Time(s) }

// draft is an order of one line of the shop's goods, at an agreed price, and one line of other goods.
func draft(placed time.Time) ports.OrderDraft {
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	return ports.OrderDraft{
		Order: &order.Order{
			ID:           id.New[id.Order]([16]byte{1}),
			Confirmation: "HG-7K2M-9QXA",
			Email:        "ada@example.com",
			Notes:        "Ring twice.",
			CreatedAt:    placed,
			Lines: []checkout.Line{
				{SKU: "T-1", Name: "Tent", Quantity: 2, Unit: usd(90_00), Original: usd(100_00)},
				{SKU: "MUG", Name: "Mug", Quantity: 1, Unit: usd(8_00), Original: usd(8_00), Digital: true},
			},
			Address: checkout.Address{
				Name:       "Ada Buyer",
				Line1:      "1 Main St",
				City:       "Springfield",
				State:      "CA",
				PostalCode: "90001",
				Country:    "US",
			},
			Subtotal:    usd(188_00),
			Shipping:    usd(5_99),
			Tax:         usd(15_51),
			Total:       usd(209_50),
			Payment:     order.Payment{Amount: usd(209_50), Provider: "ch_1"},
			Fulfillment: order.Fulfillment{ShippingOption: "standard"},
		},
		Items: []string{"44", ""},
	}
}

func inputOf(t *testing.T, d ports.OrderDraft, now time.Time) map[string]any {
	t.Helper()
	c := New(Config{Clock: fixedClock(now)})
	text, err := json.Marshal(c.orderInput(d, map[string]string{"44": "gid://shopify/ProductVariant/42"}))
	if err != nil {
		t.Fatal(err)
	}
	var input map[string]any
	if err := json.Unmarshal(text, &input); err != nil {
		t.Fatal(err)
	}
	return input
}

func at(input any, path string) any {
	for _, step := range strings.Split(path, ".") {
		switch v := input.(type) {
		case map[string]any:
			input = v[step]
		case []any:
			input = v[step[0]-'0']
		}
	}
	return input
}

func TestOrderInput(t *testing.T) {
	placed := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	input := inputOf(t, draft(placed), placed.Add(time.Hour))
	for path, want := range map[string]any{
		"lineItems.0.variantId":                           "gid://shopify/ProductVariant/42",
		"lineItems.0.priceSet.shopMoney.amount":           "90.00",
		"lineItems.0.properties.0.value":                  "100.00 USD",
		"lineItems.0.quantity":                            2.,
		"lineItems.0.requiresShipping":                    true,
		"lineItems.1.requiresShipping":                    false,
		"lineItems.1.variantId":                           nil,
		"lineItems.1.title":                               "Mug",
		"lineItems.1.properties":                          nil,
		"shippingLines.0.priceSet.shopMoney.amount":       "5.99",
		"taxLines.0.priceSet.shopMoney.amount":            "15.51",
		"transactions.0.amountSet.shopMoney.amount":       "209.50",
		"transactions.0.kind":                             "SALE",
		"transactions.0.test":                             true,
		"transactions.0.authorizationCode":                "ch_1",
		"sourceIdentifier":                                id.New[id.Order]([16]byte{1}).String(),
		"metafields.0.value":                              id.New[id.Order]([16]byte{1}).String(),
		"metafields.0.type":                               "id",
		"shippingAddress.lastName":                        "Buyer",
		"shippingAddress.provinceCode":                    "CA",
		"shippingAddress.address2":                        nil,
		"customer.toUpsert.email":                         "ada@example.com",
		"processedAt":                                     "2026-11-28T12:00:00Z",
		"taxesIncluded":                                   false,
		"currency":                                        "USD",
		"note":                                            "Ring twice.",
		"transactions.0.amountSet.shopMoney.currencyCode": "USD",
	} {
		if got := at(input, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// A recent order is sent without its time, because Shopify's clock may be behind. A region without a code is sent by name.
func TestOrderInput_variants(t *testing.T) {
	placed := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	d := draft(placed)
	d.Live, d.Order.Address.State, d.Order.Tax, d.Order.Email, d.Order.Fulfillment.ShippingOption = true, "Bavaria", money.Zero(money.USD), "", ""
	input := inputOf(t, d, placed.Add(time.Minute))
	for path, want := range map[string]any{
		"processedAt": nil, "transactions.0.test": false, "test": false, "shippingAddress.province": "Bavaria", "shippingAddress.provinceCode": nil,
		"taxLines": nil, "customer": nil, "shippingLines": nil,
	} {
		if got := at(input, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// An order of digital items has no address and no shipping option.
func TestOrderInput_digital(t *testing.T) {
	placed := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	d := draft(placed)
	for i := range d.Order.Lines {
		d.Order.Lines[i].Digital = true
	}
	d.Order.Address, d.Order.Fulfillment.ShippingOption = checkout.Address{Country: "US"}, ""
	input := inputOf(t, d, placed.Add(time.Minute))
	for path, want := range map[string]any{
		"lineItems.0.requiresShipping": false, "lineItems.1.requiresShipping": false, "shippingAddress": nil, "shippingLines": nil,
	} {
		if got := at(input, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}
