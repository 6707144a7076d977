// Package payload is the public JSON of events, as webhooks and the event log show it.
package payload

import (
	"encoding/json"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Envelope is the body that a merchant's system receives (decisions 13).
type Envelope struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	CreatedAt string `json:"created_at"`
	ProjectID string `json:"project_id"`
	Data      any    `json:"data"`
}

// orderCompleted is the payload of order.completed, whose shape spec 6.1 leaves open:
//
//	{"order_id": "ord_…", "sequence": 1, "confirmation_number": "HG-7K2M-9QXA", "checkout_id": "chk_…", "negotiation_id": "neg_…",
//	 "payment": {"id": "pay_…", "status": "succeeded", "amount": 196.94, "currency": "USD", "method": "psp_spt"},
//	 "items": [{"product_id": "prod_…", "variant_id": "var_…", "sku": "TENT-2", "name": "Tent",
//	            "quantity": 2, "price": 95.00, "original_price": 100.00}],
//	 "subtotal": 190.00, "shipping": 5.99, "tax": 0.95, "total": 196.94, "savings": 10.00, "currency": "USD",
//	 "buyer_email": "ada@example.com", "notes": "Ring twice",
//	 "shipping_address": {"name": "Ada", "line1": "1 Main St", "line2": "", "city": "Portland", "state": "OR",
//	                      "postal_code": "97205", "country": "US", "phone": ""},
//	 "fulfillment": {"shipping_option": "standard", "estimated_ship_date": "2026-03-05",
//	                 "estimated_delivery_from": "2026-03-10", "estimated_delivery_by": "2026-03-12"},
//	 "created_at": "2026-03-04T12:00:00Z"}
//
// Prices are per unit. Amounts have all of the currency's decimals.
type orderCompleted struct {
	OrderID      string           `json:"order_id"`
	Sequence     int              `json:"sequence"`
	Confirmation string           `json:"confirmation_number"`
	CheckoutID   string           `json:"checkout_id"`
	Negotiation  string           `json:"negotiation_id"`
	Payment      completedPayment `json:"payment"`
	Items        []completedItem  `json:"items"`
	Subtotal     json.Number      `json:"subtotal"`
	Shipping     json.Number      `json:"shipping"`
	Tax          json.Number      `json:"tax"`
	Total        json.Number      `json:"total"`
	Savings      json.Number      `json:"savings"`
	Currency     string           `json:"currency"`
	BuyerEmail   string           `json:"buyer_email"`
	Notes        string           `json:"notes"`
	Address      addressJSON      `json:"shipping_address"`
	Fulfillment  completedPromise `json:"fulfillment"`
	CreatedAt    string           `json:"created_at"`
}

type completedPromise struct {
	Option       string `json:"shipping_option"`
	ShipsOn      string `json:"estimated_ship_date"`
	DeliversFrom string `json:"estimated_delivery_from"`
	DeliversBy   string `json:"estimated_delivery_by"`
}

type completedPayment struct {
	ID       string      `json:"id"`
	Status   string      `json:"status"`
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
	Method   string      `json:"method"`
}

type completedItem struct {
	ProductID string      `json:"product_id"`
	VariantID string      `json:"variant_id"`
	SKU       string      `json:"sku"`
	Name      string      `json:"name"`
	Quantity  int         `json:"quantity"`
	Price     json.Number `json:"price"`
	Original  json.Number `json:"original_price"`
}

// quoteAccepted is the payload of quote.accepted. Prices are per unit:
//
//	{"quote_id": "quote_…", "negotiation_id": "neg_…", "product_id": "prod_…", "variant_id": "var_…", "quantity": 2,
//	 "list_price": 100.00, "final_price": 95.00, "currency": "USD"}
type quoteAccepted struct {
	QuoteID     string      `json:"quote_id"`
	Negotiation string      `json:"negotiation_id"`
	ProductID   string      `json:"product_id"`
	VariantID   string      `json:"variant_id"`
	Quantity    int         `json:"quantity"`
	ListPrice   json.Number `json:"list_price"`
	FinalPrice  json.Number `json:"final_price"`
	Currency    string      `json:"currency"`
}

// EncodeEvent writes the event as it will be delivered, byte for byte.
func EncodeEvent(e *event.Event) (string, error) {
	data, err := encodeData(e.Data)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(Envelope{
		ID: e.ID.String(), Type: e.Data.Type().String(), CreatedAt: timestamp(e.At), ProjectID: e.Project.String(), Data: data,
	})
	return string(body), err
}

func encodeData(data event.Data) (any, error) {
	switch d := data.(type) {
	case event.OrderCompleted:
		return encodeOrderCompleted(d), nil
	case event.QuoteAccepted:
		return quoteAccepted{
			QuoteID: d.Quote.String(), Negotiation: id.NegotiationOf(d.Session).String(),
			ProductID: d.Product.String(), VariantID: d.Variant.String(), Quantity: d.Quantity,
			ListPrice: number(d.List), FinalPrice: number(d.Price), Currency: d.Price.Currency().Code(),
		}, nil
	case event.PaymentUnresolved:
		return paymentUnresolved{
			CheckoutID: d.Checkout.String(), Attempt: d.Attempt, Amount: number(d.Amount), Currency: d.Amount.Currency().Code(),
			Method: paymentMethods[d.Method], Provider: d.Provider, Since: timestamp(d.Since), TimesAsked: d.Asked, Problem: d.Problem,
		}, nil
	case event.RefundUnresolved:
		return refundUnresolved{
			RefundID: d.Refund.String(), OrderID: d.Order.String(), PaymentID: d.Payment.String(), Amount: number(d.Amount),
			Currency: d.Amount.Currency().Code(), Provider: d.Provider, Since: timestamp(d.Since), TimesAsked: d.Asked, Problem: d.Problem,
		}, nil
	case event.PaymentOrphaned:
		return paymentOrphaned{
			CheckoutID: d.Checkout.String(), Attempt: d.Attempt, Provider: d.Provider, ChargeID: d.Charge,
			Amount: number(d.Amount), Currency: d.Amount.Currency().Code(), RefundStatus: d.Refund,
		}, nil
	case event.NegotiationLost:
		return negotiationLost{
			ProductID: d.Product.String(), VariantID: d.Variant.String(), Quantity: d.Quantity, ListPrice: number(d.List),
			BestOffer: numberOrNull(d.BestOffer), LastCounter: numberOrNull(d.LastCounter), Currency: d.List.Currency().Code(),
		}, nil
	case event.CheckoutAbandoned:
		return checkoutAbandoned{
			CheckoutID: d.Checkout.String(), Phase: d.Phase, Items: encodeItems(d.Items), Total: number(d.Total),
			Currency: d.Total.Currency().Code(), BuyerEmail: d.Email,
		}, nil
	case event.MoneyUnexplained:
		return encodeMoneyUnexplained(d), nil
	case event.InventoryLow:
		return inventoryLow{d.Product.String(), d.Variant.String(), d.SKU, d.Left}, nil
	case event.SyncCompleted:
		return encodeSyncCompleted(d), nil
	case event.SyncFailed:
		return syncFailed{d.Run.String(), d.Integration.String(), d.Error, timestamp(d.StartedAt), timestamp(d.EndedAt)}, nil
	case event.IntegrationError:
		return integrationError{d.Integration.String(), d.Platform, d.Name, d.Error}, nil
	case event.SubscriptionDisabled:
		return subscriptionDisabled{d.Subscription.String(), d.URL, d.Reason.String()}, nil
	case event.Ping:
		return ping{d.Subscription.String()}, nil
	}
	return encodeOrderEvent(data)
}

// paymentMethods are the payment methods as events name them.
var paymentMethods = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "psp_spt",
	project.BillingAgreement:   "wallet_ba",
}

func encodeOrderCompleted(d event.OrderCompleted) orderCompleted {
	currency := d.Total.Currency().Code()
	return orderCompleted{
		OrderID: d.Order.String(), Sequence: d.Sequence, Confirmation: d.Confirmation,
		CheckoutID: d.Checkout.String(), Negotiation: id.NegotiationOf(d.Session).String(),
		Payment: completedPayment{d.Payment.String(), "succeeded", number(d.Total), currency, paymentMethods[d.Method]},
		Items:   encodeItems(d.Items), Subtotal: number(d.Subtotal), Shipping: number(d.Shipping), Tax: number(d.Tax),
		Total: number(d.Total), Savings: number(d.Savings), Currency: currency,
		BuyerEmail: d.BuyerEmail, Notes: d.Notes, Address: addressJSON(d.Address),
		Fulfillment: completedPromise{
			d.Option, d.ShipsOn.Format(time.DateOnly), d.DeliversFrom.Format(time.DateOnly), d.DeliversBy.Format(time.DateOnly),
		},
		CreatedAt: timestamp(d.PlacedAt),
	}
}

func encodeItems(list []event.Item) []completedItem {
	items := make([]completedItem, len(list))
	for i, l := range list {
		items[i] = completedItem{
			ProductID: l.Product.String(), VariantID: l.Variant.String(), SKU: l.SKU, Name: l.Name,
			Quantity: l.Quantity, Price: number(l.Price), Original: number(l.Original),
		}
	}
	return items
}

func number(a money.Amount) json.Number { return json.Number(a.String()) }

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }
