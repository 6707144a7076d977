package payload

import (
	"encoding/json"
	"fmt"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
)

// The payload of every event of an order has its sequence: the order's events are numbered from 1, without
// gaps.

// orderShipped is the payload of order.shipped, and of order.updated when the tracking changed:
//
//	{"order_id": "ord_…", "sequence": 2, "carrier": "DHL", "tracking_number": "123",
//	 "tracking_url": "https://example.com/123", "shipped_at": "2026-03-05T12:00:00Z"}
type orderShipped struct {
	OrderID     string `json:"order_id"`
	Sequence    int    `json:"sequence"`
	Carrier     string `json:"carrier"`
	Number      string `json:"tracking_number"`
	TrackingURL string `json:"tracking_url"`
	ShippedAt   string `json:"shipped_at"`
}

// orderDelivered is the payload of order.delivered:
//
//	{"order_id": "ord_…", "sequence": 3, "delivered_at": "2026-03-08T12:00:00Z"}
type orderDelivered struct {
	OrderID     string `json:"order_id"`
	Sequence    int    `json:"sequence"`
	DeliveredAt string `json:"delivered_at"`
}

// orderCanceled is the payload of order.canceled. refund_id and refund_amount are null if nothing of the
// payment was left to refund:
//
//	{"order_id": "ord_…", "sequence": 2, "reason": "The buyer changed their mind", "refund_id": "ref_…",
//	 "refund_amount": 196.94, "currency": "USD"}
type orderCanceled struct {
	OrderID      string       `json:"order_id"`
	Sequence     int          `json:"sequence"`
	Reason       string       `json:"reason"`
	RefundID     *string      `json:"refund_id"`
	RefundAmount *json.Number `json:"refund_amount"`
	Currency     *string      `json:"currency"`
}

// returnRequested is the payload of return.requested:
//
//	{"return_id": "ret_…", "order_id": "ord_…", "sequence": 4, "refund_estimate": 95.00, "currency": "USD"}
type returnRequested struct {
	ReturnID string      `json:"return_id"`
	OrderID  string      `json:"order_id"`
	Sequence int         `json:"sequence"`
	Estimate json.Number `json:"refund_estimate"`
	Currency string      `json:"currency"`
}

// returnApproved is the payload of return.approved. refund_id and refund_amount are null if nothing is
// refunded:
//
//	{"return_id": "ret_…", "order_id": "ord_…", "sequence": 5, "refund_id": "ref_…", "refund_amount": 95.00,
//	 "currency": "USD"}
type returnApproved struct {
	ReturnID     string       `json:"return_id"`
	OrderID      string       `json:"order_id"`
	Sequence     int          `json:"sequence"`
	RefundID     *string      `json:"refund_id"`
	RefundAmount *json.Number `json:"refund_amount"`
	Currency     *string      `json:"currency"`
}

// returnRejected is the payload of return.rejected:
//
//	{"return_id": "ret_…", "order_id": "ord_…", "sequence": 5, "reason": "The tent was used"}
type returnRejected struct {
	ReturnID string `json:"return_id"`
	OrderID  string `json:"order_id"`
	Sequence int    `json:"sequence"`
	Reason   string `json:"reason"`
}

// orderRefunded is the payload of order.refunded. refunded_amount is what the payment has given back in
// all; external is true if the refund was not requested here; return_id is null if it is not for a return:
//
//	{"refund_id": "ref_…", "order_id": "ord_…", "sequence": 6, "payment_id": "pay_…", "amount": 95.00,
//	 "refunded_amount": 95.00, "currency": "USD", "reason": "damaged", "external": false, "return_id": "ret_…"}
type orderRefunded struct {
	RefundID  string      `json:"refund_id"`
	OrderID   string      `json:"order_id"`
	Sequence  int         `json:"sequence"`
	PaymentID string      `json:"payment_id"`
	Amount    json.Number `json:"amount"`
	Refunded  json.Number `json:"refunded_amount"`
	Currency  string      `json:"currency"`
	Reason    string      `json:"reason"`
	External  bool        `json:"external"`
	ReturnID  *string     `json:"return_id"`
}

// refundFailed is the payload of refund.failed: the buyer does not get the money. previous_status is
// succeeded if an order.refunded had announced it; refunded_amount is what the payment has given back
// without it:
//
//	{"refund_id": "ref_…", "order_id": "ord_…", "sequence": 7, "payment_id": "pay_…", "amount": 95.00,
//	 "refunded_amount": 0.00, "currency": "USD", "failure_code": "expired_or_canceled_card",
//	 "previous_status": "succeeded", "return_id": null}
type refundFailed struct {
	RefundID  string      `json:"refund_id"`
	OrderID   string      `json:"order_id"`
	Sequence  int         `json:"sequence"`
	PaymentID string      `json:"payment_id"`
	Amount    json.Number `json:"amount"`
	Refunded  json.Number `json:"refunded_amount"`
	Currency  string      `json:"currency"`
	Failure   string      `json:"failure_code"`
	Previous  string      `json:"previous_status"`
	ReturnID  *string     `json:"return_id"`
}

// disputed is the payload of dispute.opened and dispute.closed. Amounts are totals: withdrawn_amount is what
// the provider has taken out of the merchant's balance for it, fee_amount what it charges, both in the
// currency of that balance. status is open, won or lost:
//
//	{"dispute_id": "dsp_…", "order_id": "ord_…", "sequence": 8, "payment_id": "pay_…", "provider_id": "du_…",
//	 "status": "open", "reason": "fraudulent", "amount": 196.94, "currency": "USD",
//	 "withdrawn_amount": 196.94, "withdrawn_currency": "USD", "fee_amount": 15.00, "fee_currency": "USD"}
type disputed struct {
	DisputeID         string      `json:"dispute_id"`
	OrderID           string      `json:"order_id"`
	Sequence          int         `json:"sequence"`
	PaymentID         string      `json:"payment_id"`
	ProviderID        string      `json:"provider_id"`
	Status            string      `json:"status"`
	Reason            string      `json:"reason"`
	Amount            json.Number `json:"amount"`
	Currency          string      `json:"currency"`
	Withdrawn         json.Number `json:"withdrawn_amount"`
	WithdrawnCurrency string      `json:"withdrawn_currency"`
	Fee               json.Number `json:"fee_amount"`
	FeeCurrency       string      `json:"fee_currency"`
}

// encodeOrderEvent is encodeData for the events of an order.
func encodeOrderEvent(data event.Data) (any, error) {
	switch d := data.(type) {
	case event.OrderShipped:
		return encodeTracking(d.Order, d.Sequence, d.Tracking), nil
	case event.OrderUpdated:
		return encodeTracking(d.Order, d.Sequence, d.Tracking), nil
	case event.OrderDelivered:
		return orderDelivered{d.Order.String(), d.Sequence, timestamp(d.DeliveredAt)}, nil
	case event.OrderCanceled:
		return orderCanceled{
			OrderID: d.Order.String(), Sequence: d.Sequence, Reason: d.Reason, RefundID: textOrNull(d.Refund.String()),
			RefundAmount: numberOrNull(d.Amount), Currency: textOrNull(d.Amount.Currency().Code()),
		}, nil
	case event.ReturnRequested:
		return returnRequested{
			ReturnID: d.Return.String(), OrderID: d.Order.String(), Sequence: d.Sequence,
			Estimate: number(d.Estimate), Currency: d.Estimate.Currency().Code(),
		}, nil
	case event.ReturnApproved:
		return returnApproved{
			ReturnID: d.Return.String(), OrderID: d.Order.String(), Sequence: d.Sequence, RefundID: textOrNull(d.Refund.String()),
			RefundAmount: numberOrNull(d.Amount), Currency: textOrNull(d.Amount.Currency().Code()),
		}, nil
	case event.ReturnRejected:
		return returnRejected{d.Return.String(), d.Order.String(), d.Sequence, d.Reason}, nil
	case event.OrderRefunded:
		return orderRefunded{
			RefundID: d.Refund.String(), OrderID: d.Order.String(), Sequence: d.Sequence, PaymentID: d.Payment.String(),
			Amount: number(d.Amount), Refunded: number(d.Refunded), Currency: d.Amount.Currency().Code(), Reason: d.Reason,
			External: d.External, ReturnID: textOrNull(d.Return.String()),
		}, nil
	case event.RefundFailed:
		return encodeRefundFailed(d), nil
	case event.DisputeOpened:
		return encodeDispute(d.Dispute), nil
	case event.DisputeClosed:
		return encodeDispute(d.Dispute), nil
	}
	return nil, fmt.Errorf("sqlstore: no encoding for an event of %T", data)
}

func encodeTracking(of id.Order, sequence int, t event.Tracking) orderShipped {
	return orderShipped{
		OrderID: of.String(), Sequence: sequence, Carrier: t.Carrier, Number: t.Number, TrackingURL: t.URL,
		ShippedAt: timestamp(t.ShippedAt),
	}
}

func encodeRefundFailed(d event.RefundFailed) refundFailed {
	f := refundFailed{
		RefundID: d.Refund.String(), OrderID: d.Order.String(), Sequence: d.Sequence, PaymentID: d.Payment.String(),
		Amount: number(d.Amount), Refunded: number(d.Refunded), Currency: d.Amount.Currency().Code(), Failure: d.Failure,
		Previous: "pending", ReturnID: textOrNull(d.Return.String()),
	}
	if d.Succeeded {
		f.Previous = "succeeded"
	}
	return f
}

func encodeDispute(d event.Dispute) disputed {
	return disputed{
		DisputeID: d.Dispute.String(), OrderID: d.Order.String(), Sequence: d.Sequence, PaymentID: d.Payment.String(),
		ProviderID: d.Provider, Status: d.Status, Reason: d.Reason,
		Amount: number(d.Amount), Currency: d.Amount.Currency().Code(),
		Withdrawn: number(d.Withdrawn), WithdrawnCurrency: d.Withdrawn.Currency().Code(),
		Fee: number(d.Fee), FeeCurrency: d.Fee.Currency().Code(),
	}
}

// textOrNull is null for empty text.
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
