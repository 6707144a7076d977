package payload

import (
	"encoding/json"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/money"
)

// paymentUnresolved is the payload of payment.unresolved. What became of the attempt is asked for until
// it is known, and the event is repeated after an hour and every day until then; an order.completed may follow:
//
//	{"checkout_id": "chk_…", "attempt": 1, "amount": 196.94, "currency": "USD", "method": "psp_spt", "provider": "stripe",
//	 "since": "2026-03-04T12:00:00Z", "times_asked": 1, "problem": "The provider did not answer in time."}
type paymentUnresolved struct {
	CheckoutID string      `json:"checkout_id"`
	Attempt    int         `json:"attempt"`
	Amount     json.Number `json:"amount"`
	Currency   string      `json:"currency"`
	Method     string      `json:"method"`
	Provider   string      `json:"provider"`
	Since      string      `json:"since"`
	TimesAsked int         `json:"times_asked"`
	Problem    string      `json:"problem"`
}

// refundUnresolved is the payload of refund.unresolved: an hour after the refund was requested, and every day from then
// on, while the provider does not tell what became of it:
//
//	{"refund_id": "ref_…", "order_id": "ord_…", "payment_id": "pay_…", "amount": 95.00, "currency": "USD", "provider": "stripe",
//	 "since": "2026-03-04T12:00:00Z", "times_asked": 12, "problem": "The provider refuses the credentials."}
type refundUnresolved struct {
	RefundID   string      `json:"refund_id"`
	OrderID    string      `json:"order_id"`
	PaymentID  string      `json:"payment_id"`
	Amount     json.Number `json:"amount"`
	Currency   string      `json:"currency"`
	Provider   string      `json:"provider"`
	Since      string      `json:"since"`
	TimesAsked int         `json:"times_asked"`
	Problem    string      `json:"problem"`
}

// paymentOrphaned is the payload of payment.orphaned: a provider took money for an attempt that has no order.
// It is refunded by itself; refund_status is pending, succeeded or failed:
//
//	{"checkout_id": "chk_…", "attempt": 1, "provider": "stripe", "charge_id": "pi_…", "amount": 196.94, "currency": "USD",
//	 "refund_status": "pending"}
type paymentOrphaned struct {
	CheckoutID   string      `json:"checkout_id"`
	Attempt      int         `json:"attempt"`
	Provider     string      `json:"provider"`
	ChargeID     string      `json:"charge_id"`
	Amount       json.Number `json:"amount"`
	Currency     string      `json:"currency"`
	RefundStatus string      `json:"refund_status"`
}

// negotiationLost is the payload of negotiation.lost. Prices are per unit; best_offer is null if the buyer
// offered nothing, last_counter if the shop countered nothing:
//
//	{"product_id": "prod_…", "variant_id": "var_…", "quantity": 2, "list_price": 100.00, "best_offer": 80.00,
//	 "last_counter": 92.00, "currency": "USD"}
type negotiationLost struct {
	ProductID   string       `json:"product_id"`
	VariantID   string       `json:"variant_id"`
	Quantity    int          `json:"quantity"`
	ListPrice   json.Number  `json:"list_price"`
	BestOffer   *json.Number `json:"best_offer"`
	LastCounter *json.Number `json:"last_counter"`
	Currency    string       `json:"currency"`
}

// checkoutAbandoned is the payload of checkout.abandoned. Items are as in order.completed; buyer_email is
// empty if the buyer gave none:
//
//	{"checkout_id": "chk_…", "phase": "ready", "items": [{"product_id": "prod_…", …}], "total": 196.94,
//	 "currency": "USD", "buyer_email": "ada@example.com"}
type checkoutAbandoned struct {
	CheckoutID string          `json:"checkout_id"`
	Phase      string          `json:"phase"`
	Items      []completedItem `json:"items"`
	Total      json.Number     `json:"total"`
	Currency   string          `json:"currency"`
	BuyerEmail string          `json:"buyer_email"`
}

// moneyUnexplained is the payload of money.unexplained: a payment provider's books differ from ours and nothing
// explains it. found is how many differences are new, differences are the first of them. Amounts have
// all of the currency's decimals; null is what one side does not have:
//
//	{"integration_id": "int_…", "provider": "stripe", "found": 1, "differences": [{"kind": "missing_here",
//	 "type": "sale", "reference": "chk_…-1", "provider_id": "pi_…", "currency": "USD", "ours": null, "theirs": 196.94,
//	 "at": "2026-03-04T12:00:00Z"}]}
type moneyUnexplained struct {
	IntegrationID string            `json:"integration_id"`
	Provider      string            `json:"provider"`
	Found         int               `json:"found"`
	Differences   []moneyDifference `json:"differences"`
}

type moneyDifference struct {
	Kind       string       `json:"kind"`
	Type       string       `json:"type"`
	Reference  string       `json:"reference"`
	ProviderID string       `json:"provider_id"`
	Currency   string       `json:"currency"`
	Ours       *json.Number `json:"ours"`
	Theirs     *json.Number `json:"theirs"`
	At         string       `json:"at"`
}

func encodeMoneyUnexplained(d event.MoneyUnexplained) moneyUnexplained {
	e := moneyUnexplained{
		IntegrationID: d.Integration.String(),
		Provider:      d.Provider,
		Found:         d.Found,
		Differences:   make([]moneyDifference, len(d.Differences)),
	}
	for i, m := range d.Differences {
		kind := "sale"
		if m.Refund {
			kind = "refund"
		}
		row := moneyDifference{Kind: m.Kind, Type: kind, Reference: m.Reference, ProviderID: m.Provider, At: timestamp(m.At)}
		for _, side := range []struct {
			amount *money.Amount
			to     **json.Number
		}{{m.Ours, &row.Ours}, {m.Theirs, &row.Theirs}} {
			if side.amount != nil {
				n := number(*side.amount)
				row.Currency, *side.to = side.amount.Currency().Code(), &n
			}
		}
		e.Differences[i] = row
	}
	return e
}

// inventoryLow is the payload of inventory.low. quantity is what is left in all locations:
//
//	{"product_id": "prod_…", "variant_id": "var_…", "sku": "TENT-2", "quantity": 3}
type inventoryLow struct {
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id"`
	SKU       string `json:"sku"`
	Quantity  int    `json:"quantity"`
}

// syncCompleted is the payload of sync.completed. resources are those that the run has read:
//
//	{"sync_id": "sync_…", "integration_id": "int_…", "full_sync": false,
//	 "resources": {"products": {"total": 120, "created": 3, "updated": 5, "unchanged": 111, "errors": 1}},
//	 "started_at": "2026-03-04T12:00:00Z", "completed_at": "2026-03-04T12:00:09.25Z"}
type syncCompleted struct {
	SyncID        string               `json:"sync_id"`
	IntegrationID string               `json:"integration_id"`
	FullSync      bool                 `json:"full_sync"`
	Resources     map[string]syncCount `json:"resources"`
	StartedAt     string               `json:"started_at"`
	CompletedAt   string               `json:"completed_at"`
}

type syncCount struct {
	Total     int `json:"total"`
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Errors    int `json:"errors"`
}

// syncFailed is the payload of sync.failed. What was read before stays:
//
//	{"sync_id": "sync_…", "integration_id": "int_…", "error": "The platform does not answer.",
//	 "started_at": "2026-03-04T12:00:00Z", "failed_at": "2026-03-04T12:21:00Z"}
type syncFailed struct {
	SyncID        string `json:"sync_id"`
	IntegrationID string `json:"integration_id"`
	Error         string `json:"error"`
	StartedAt     string `json:"started_at"`
	FailedAt      string `json:"failed_at"`
}

// integrationError is the payload of integration.error: the platform refuses the integration's
// credentials:
//
//	{"integration_id": "int_…", "type": "shopify", "name": "Tents & more", "error": "Shopify refuses the access token."}
type integrationError struct {
	IntegrationID string `json:"integration_id"`
	Type          string `json:"type"`
	Name          string `json:"name"`
	Error         string `json:"error"`
}

// subscriptionDisabled is the payload of subscription.disabled. reason is gone (the receiver answered
// 410) or unreachable (an event could not be delivered in a day):
//
//	{"subscription_id": "sub_…", "url": "https://example.com/…k3Jd", "reason": "unreachable"}
type subscriptionDisabled struct {
	SubscriptionID string `json:"subscription_id"`
	URL            string `json:"url"`
	Reason         string `json:"reason"`
}

// ping is the payload of ping, which a test sends:
//
//	{"subscription_id": "sub_…"}
type ping struct {
	SubscriptionID string `json:"subscription_id"`
}

func encodeSyncCompleted(d event.SyncCompleted) syncCompleted {
	resources := make(map[string]syncCount, len(d.Counts))
	for resource, n := range d.Counts {
		resources[resource] = syncCount(n)
	}
	return syncCompleted{d.Run.String(), d.Integration.String(), d.Full, resources, timestamp(d.StartedAt), timestamp(d.EndedAt)}
}

// numberOrNull is null for an amount in no currency.
func numberOrNull(a money.Amount) *json.Number {
	if a.Currency().Code() == "" {
		return nil
	}
	n := number(a)
	return &n
}
