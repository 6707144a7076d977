// Package payload encodes events as their public JSON, as webhooks and the event log show it. It does not send or sign it.
package payload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// EncodeEvent returns the body that a merchant's system receives, byte for byte. subject is the order or checkout that the
// event is about; empty if it concerns no buyer.
func EncodeEvent(e *event.Event) (body, subject string, err error) {
	data, known := payloads[e.Data.Type()]
	if !known {
		return "", "", fmt.Errorf("payload: no encoding for an event of %T", e.Data)
	}
	o := newObject()
	o.text("id", e.ID.String())
	o.text("type", e.Data.Type().String())
	o.time("created_at", e.At)
	o.text("project_id", e.Project.String())
	o.object("data", func() { data(o, e.Data) })
	o.json.WriteByte('}')
	return o.json.String(), o.subject, nil
}

// of adapts a writer of one type of event data to event.Data.
func of[T event.Data](write func(*object, T)) func(*object, event.Data) {
	return func(o *object, d event.Data) { write(o, d.(T)) }
}

// payloads writes the data of each event type. Prices are per unit, amounts have all of the currency's decimals. Every event
// of an order has its sequence: the order's events are numbered from 1, without gaps.
var payloads = map[event.Type]func(*object, event.Data){
	// The protocol does not define this object:
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
	event.OrderCompletedType: of(func(o *object, d event.OrderCompleted) {
		o.orderEvent(d.Order, d.Sequence)
		o.text("confirmation_number", d.Confirmation)
		o.text("checkout_id", d.Checkout.String())
		o.text("negotiation_id", id.NegotiationOf(d.Session).String())
		o.object("payment", func() {
			o.text("id", d.Payment.String())
			o.text("status", "succeeded")
			o.money("amount", d.Total)
			o.text("method", paymentMethods[d.Method])
		})
		o.items(d.Items)
		o.amount("subtotal", d.Subtotal)
		o.amount("shipping", d.Shipping)
		o.amount("tax", d.Tax)
		o.amount("total", d.Total)
		o.amount("savings", d.Savings)
		o.text("currency", d.Total.Currency().Code())
		o.text("buyer_email", d.BuyerEmail)
		o.text("notes", d.Notes)
		o.address("shipping_address", d.Address)
		o.object("fulfillment", func() {
			o.text("shipping_option", d.Option)
			o.text("estimated_ship_date", d.ShipsOn.Format(time.DateOnly))
			o.text("estimated_delivery_from", d.DeliversFrom.Format(time.DateOnly))
			o.text("estimated_delivery_by", d.DeliversBy.Format(time.DateOnly))
		})
		o.time("created_at", d.PlacedAt)
	}),
	// Also of order.updated, which is sent when the tracking changed or the label was voided (empty strings, shipped_at null):
	//
	//	{"order_id": "ord_…", "sequence": 2, "carrier": "DHL", "tracking_number": "123",
	//	 "tracking_url": "https://example.com/123", "shipped_at": "2026-03-05T12:00:00Z"}
	event.OrderShippedType: of(shipped),
	event.OrderUpdatedType: of(func(o *object, d event.OrderUpdated) { shipped(o, event.OrderShipped(d)) }),
	//	{"order_id": "ord_…", "sequence": 3, "delivered_at": "2026-03-08T12:00:00Z"}
	event.OrderDeliveredType: of(func(o *object, d event.OrderDelivered) {
		o.orderEvent(d.Order, d.Sequence)
		o.time("delivered_at", d.DeliveredAt)
	}),
	// refund_id and refund_amount are null if the payment had nothing left to refund:
	//
	//	{"order_id": "ord_…", "sequence": 2, "reason": "The buyer changed their mind", "refund_id": "ref_…",
	//	 "refund_amount": 196.94, "currency": "USD"}
	event.OrderCanceledType: of(func(o *object, d event.OrderCanceled) {
		o.orderEvent(d.Order, d.Sequence)
		o.text("reason", d.Reason)
		o.textOrNull("refund_id", d.Refund.String())
		o.amountOrNull("refund_amount", d.Amount)
		o.textOrNull("currency", d.Amount.Currency().Code())
	}),
	//	{"return_id": "ret_…", "order_id": "ord_…", "sequence": 4, "refund_estimate": 95.00, "currency": "USD"}
	event.ReturnRequestType: of(func(o *object, d event.ReturnRequested) {
		o.text("return_id", d.Return.String())
		o.orderEvent(d.Order, d.Sequence)
		o.money("refund_estimate", d.Estimate)
	}),
	// refund_id and refund_amount are null if nothing is refunded:
	//
	//	{"return_id": "ret_…", "order_id": "ord_…", "sequence": 5, "refund_id": "ref_…", "refund_amount": 95.00,
	//	 "currency": "USD"}
	event.ReturnApprovedType: of(func(o *object, d event.ReturnApproved) {
		o.text("return_id", d.Return.String())
		o.orderEvent(d.Order, d.Sequence)
		o.textOrNull("refund_id", d.Refund.String())
		o.amountOrNull("refund_amount", d.Amount)
		o.textOrNull("currency", d.Amount.Currency().Code())
	}),
	//	{"return_id": "ret_…", "order_id": "ord_…", "sequence": 5, "reason": "The tent was used"}
	event.ReturnRejectedType: of(func(o *object, d event.ReturnRejected) {
		o.text("return_id", d.Return.String())
		o.orderEvent(d.Order, d.Sequence)
		o.text("reason", d.Reason)
	}),
	// refunded_amount is the total refunded of the payment; external is true if the refund was not requested here; return_id
	// is null if it is not for a return:
	//
	//	{"refund_id": "ref_…", "order_id": "ord_…", "sequence": 6, "payment_id": "pay_…", "amount": 95.00,
	//	 "refunded_amount": 95.00, "currency": "USD", "reason": "damaged", "external": false, "return_id": "ret_…"}
	event.OrderRefundedType: of(func(o *object, d event.OrderRefunded) {
		o.text("refund_id", d.Refund.String())
		o.orderEvent(d.Order, d.Sequence)
		o.text("payment_id", d.Payment.String())
		o.amount("amount", d.Amount)
		o.amount("refunded_amount", d.Refunded)
		o.text("currency", d.Amount.Currency().Code())
		o.text("reason", d.Reason)
		o.bool("external", d.External)
		o.textOrNull("return_id", d.Return.String())
	}),
	// The buyer does not get the money. previous_status is succeeded if an order.refunded was sent before; refunded_amount is
	// the total refunded of the payment without this refund:
	//
	//	{"refund_id": "ref_…", "order_id": "ord_…", "sequence": 7, "payment_id": "pay_…", "amount": 95.00,
	//	 "refunded_amount": 0.00, "currency": "USD", "failure_code": "expired_or_canceled_card",
	//	 "previous_status": "succeeded", "return_id": null}
	event.RefundFailedType: of(func(o *object, d event.RefundFailed) {
		previous := "pending"
		if d.Succeeded {
			previous = "succeeded"
		}
		o.text("refund_id", d.Refund.String())
		o.orderEvent(d.Order, d.Sequence)
		o.text("payment_id", d.Payment.String())
		o.amount("amount", d.Amount)
		o.amount("refunded_amount", d.Refunded)
		o.text("currency", d.Amount.Currency().Code())
		o.text("failure_code", d.Failure)
		o.text("previous_status", previous)
		o.textOrNull("return_id", d.Return.String())
	}),
	// Also of dispute.closed. Amounts are totals: withdrawn_amount is what the provider has withdrawn from the merchant's
	// balance, fee_amount is its fee, both in the currency of that balance. status is open, won or lost:
	//
	//	{"dispute_id": "dsp_…", "order_id": "ord_…", "sequence": 8, "payment_id": "pay_…", "provider_id": "du_…",
	//	 "status": "open", "reason": "fraudulent", "amount": 196.94, "currency": "USD",
	//	 "withdrawn_amount": 196.94, "withdrawn_currency": "USD", "fee_amount": 15.00, "fee_currency": "USD"}
	event.DisputeOpenedType: of(func(o *object, d event.DisputeOpened) { disputed(o, d.Dispute) }),
	event.DisputeClosedType: of(func(o *object, d event.DisputeClosed) { disputed(o, d.Dispute) }),
	//	{"quote_id": "quote_…", "negotiation_id": "neg_…", "product_id": "prod_…", "variant_id": "var_…", "quantity": 2,
	//	 "list_price": 100.00, "final_price": 95.00, "currency": "USD"}
	event.QuoteAcceptedType: of(func(o *object, d event.QuoteAccepted) {
		o.text("quote_id", d.Quote.String())
		o.text("negotiation_id", id.NegotiationOf(d.Session).String())
		o.text("product_id", d.Product.String())
		o.text("variant_id", d.Variant.String())
		o.int("quantity", d.Quantity)
		o.amount("list_price", d.List)
		o.money("final_price", d.Price)
	}),
	// best_offer is null if the buyer made no offer, last_counter if the shop made no counteroffer, and reason if the buyer
	// gave none:
	//
	//	{"product_id": "prod_…", "variant_id": "var_…", "quantity": 2, "list_price": 100.00, "best_offer": 80.00,
	//	 "last_counter": 92.00, "currency": "USD", "reason": "shipping_cost"}
	event.NegotiationLostType: of(func(o *object, d event.NegotiationLost) {
		o.text("product_id", d.Product.String())
		o.text("variant_id", d.Variant.String())
		o.int("quantity", d.Quantity)
		o.amount("list_price", d.List)
		o.amountOrNull("best_offer", d.BestOffer)
		o.amountOrNull("last_counter", d.LastCounter)
		o.text("currency", d.List.Currency().Code())
		o.textOrNull("reason", d.Reason)
	}),
	// Items are as in order.completed; buyer_email is empty if the buyer gave none:
	//
	//	{"checkout_id": "chk_…", "phase": "ready", "items": [{"product_id": "prod_…", …}], "total": 196.94,
	//	 "currency": "USD", "buyer_email": "ada@example.com"}
	event.CheckoutAbandonedType: of(func(o *object, d event.CheckoutAbandoned) {
		o.checkout(d.Checkout)
		o.text("phase", d.Phase)
		o.items(d.Items)
		o.money("total", d.Total)
		o.text("buyer_email", d.Email)
	}),
	// The provider is polled until the result of the attempt is known. The event is repeated after an hour and then every day
	// until then; an order.completed may follow:
	//
	//	{"checkout_id": "chk_…", "attempt": 1, "amount": 196.94, "currency": "USD", "method": "psp_spt", "provider": "stripe",
	//	 "since": "2026-03-04T12:00:00Z", "times_asked": 1, "problem": "The provider did not respond in time."}
	event.PaymentUnresolvedType: of(func(o *object, d event.PaymentUnresolved) {
		o.checkout(d.Checkout)
		o.int("attempt", d.Attempt)
		o.money("amount", d.Amount)
		o.text("method", paymentMethods[d.Method])
		o.text("provider", d.Provider)
		o.time("since", d.Since)
		o.int("times_asked", d.Asked)
		o.text("problem", d.Problem)
	}),
	// Sent an hour after the refund was requested, and then every day, as long as the provider does not report its result:
	//
	//
	//	{"refund_id": "ref_…", "order_id": "ord_…", "payment_id": "pay_…", "amount": 95.00, "currency": "USD", "provider": "stripe",
	//	 "since": "2026-03-04T12:00:00Z", "times_asked": 12, "problem": "The provider rejects the credentials."}
	event.RefundUnresolvedType: of(func(o *object, d event.RefundUnresolved) {
		o.text("refund_id", d.Refund.String())
		o.text("order_id", d.Order.String())
		o.text("payment_id", d.Payment.String())
		o.money("amount", d.Amount)
		o.text("provider", d.Provider)
		o.time("since", d.Since)
		o.int("times_asked", d.Asked)
		o.text("problem", d.Problem)
	}),
	// A provider charged for an attempt that has no order. The charge is refunded automatically; refund_status is pending,
	// succeeded or failed:
	//
	//	{"checkout_id": "chk_…", "attempt": 1, "provider": "stripe", "charge_id": "pi_…", "amount": 196.94, "currency": "USD",
	//	 "refund_status": "pending"}
	event.PaymentOrphanedType: of(func(o *object, d event.PaymentOrphaned) {
		o.checkout(d.Checkout)
		o.int("attempt", d.Attempt)
		o.text("provider", d.Provider)
		o.text("charge_id", d.Charge)
		o.money("amount", d.Amount)
		o.text("refund_status", d.Refund)
	}),
	// A payment provider's books differ from ours without an explanation. found is the number of new differences, differences
	// are the first of them; an amount that one side does not have is null:
	//
	//	{"integration_id": "int_…", "provider": "stripe", "found": 1, "differences": [{"kind": "missing_here",
	//	 "type": "sale", "reference": "chk_…-1", "provider_id": "pi_…", "currency": "USD", "ours": null, "theirs": 196.94,
	//	 "at": "2026-03-04T12:00:00Z"}]}
	event.MoneyUnexplainedType: of(func(o *object, d event.MoneyUnexplained) {
		o.text("integration_id", d.Integration.String())
		o.text("provider", d.Provider)
		o.int("found", d.Found)
		o.list("differences", len(d.Differences), func(i int) { difference(o, d.Differences[i]) })
	}),
	// quantity is the stock left in all locations together:
	//
	//	{"product_id": "prod_…", "variant_id": "var_…", "sku": "TENT-2", "quantity": 3}
	event.InventoryLowType: of(func(o *object, d event.InventoryLow) {
		o.text("product_id", d.Product.String())
		o.text("variant_id", d.Variant.String())
		o.text("sku", d.SKU)
		o.int("quantity", d.Left)
	}),
	// resources are the types of records that the run has read:
	//
	//	{"sync_id": "sync_…", "integration_id": "int_…", "full_sync": false,
	//	 "resources": {"products": {"total": 120, "created": 3, "updated": 5, "unchanged": 111, "errors": 1}},
	//	 "started_at": "2026-03-04T12:00:00Z", "completed_at": "2026-03-04T12:00:09.25Z", "duration_ms": 9250}
	event.SyncCompletedType: of(func(o *object, d event.SyncCompleted) {
		o.text("sync_id", d.Run.String())
		o.text("integration_id", d.Integration.String())
		o.bool("full_sync", d.Full)
		resources(o, d.Counts)
		o.time("started_at", d.StartedAt)
		o.time("completed_at", d.EndedAt)
		o.int("duration_ms", int(d.EndedAt.Sub(d.StartedAt).Milliseconds()))
	}),
	// Records that were read before the failure are kept:
	//
	//	{"sync_id": "sync_…", "integration_id": "int_…", "error": "The platform does not answer.",
	//	 "resources": {"products": {"total": 120, "created": 3, "updated": 5, "unchanged": 111, "errors": 1}},
	//	 "started_at": "2026-03-04T12:00:00Z", "failed_at": "2026-03-04T12:21:00Z", "duration_ms": 1260000}
	event.SyncFailedType: of(func(o *object, d event.SyncFailed) {
		o.text("sync_id", d.Run.String())
		o.text("integration_id", d.Integration.String())
		o.text("error", d.Error)
		resources(o, d.Counts)
		o.time("started_at", d.StartedAt)
		o.time("failed_at", d.EndedAt)
		o.int("duration_ms", int(d.EndedAt.Sub(d.StartedAt).Milliseconds()))
	}),
	// The platform refuses the integration's credentials:
	//
	//	{"integration_id": "int_…", "type": "shopify", "name": "Tents & more", "error": "Shopify refuses the access token."}
	event.IntegrationErrorType: of(func(o *object, d event.IntegrationError) {
		o.text("integration_id", d.Integration.String())
		o.text("type", d.Platform)
		o.text("name", d.Name)
		o.text("error", d.Error)
	}),
	// A customer of a platform's shop requests their data. orders, sessions and platform_records are how many are stored:
	//
	//	{"integration_id": "int_…", "type": "shopify", "subject": "buyer_5f…", "platform_customer_id": "207119551",
	//	 "platform_order_ids": ["299938"], "orders": 2, "sessions": 3, "platform_records": 4}
	event.CustomerDataRequestType: of(func(o *object, d event.CustomerDataRequested) {
		o.text("integration_id", d.Integration.String())
		o.text("type", d.Platform)
		o.textOrNull("subject", d.Subject)
		o.textOrNull("platform_customer_id", d.Customer)
		o.texts("platform_order_ids", d.Orders)
		o.int("orders", d.Placed)
		o.int("sessions", d.Sessions)
		o.int("platform_records", d.Records)
	}),
	// reason is gone (the receiver answered 410) or unreachable (an event could not be delivered in a day):
	//
	//	{"subscription_id": "sub_…", "url": "https://example.com/…k3Jd", "reason": "unreachable"}
	event.SubscriptionDisabledType: of(func(o *object, d event.SubscriptionDisabled) {
		o.text("subscription_id", d.Subscription.String())
		o.text("url", d.URL)
		o.text("reason", d.Reason.String())
	}),
	// Sent by the test of a subscription:
	//
	//	{"subscription_id": "sub_…"}
	event.PingType: of(func(o *object, d event.Ping) { o.text("subscription_id", d.Subscription.String()) }),
}

// paymentMethods maps payment methods to their names in events.
var paymentMethods = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "psp_spt",
	project.BillingAgreement:   "wallet_ba",
}

func shipped(o *object, d event.OrderShipped) {
	o.orderEvent(d.Order, d.Sequence)
	o.text("carrier", d.Tracking.Carrier)
	o.text("tracking_number", d.Tracking.Number)
	o.text("tracking_url", d.Tracking.URL)
	o.timeOrNull("shipped_at", d.Tracking.ShippedAt)
}

func disputed(o *object, d event.Dispute) {
	o.text("dispute_id", d.Dispute.String())
	o.orderEvent(d.Order, d.Sequence)
	o.text("payment_id", d.Payment.String())
	o.text("provider_id", d.Provider)
	o.text("status", d.Status)
	o.text("reason", d.Reason)
	o.money("amount", d.Amount)
	o.amount("withdrawn_amount", d.Withdrawn)
	o.text("withdrawn_currency", d.Withdrawn.Currency().Code())
	o.amount("fee_amount", d.Fee)
	o.text("fee_currency", d.Fee.Currency().Code())
}

func difference(o *object, d event.MoneyDifference) {
	kind := "sale"
	if d.Refund {
		kind = "refund"
	}
	var none money.Amount
	ours, theirs := *cmp.Or(d.Ours, &none), *cmp.Or(d.Theirs, &none)
	o.text("kind", d.Kind)
	o.text("type", kind)
	o.text("reference", d.Reference)
	o.text("provider_id", d.Provider)
	o.text("currency", cmp.Or(theirs.Currency(), ours.Currency()).Code())
	o.amountOrNull("ours", ours)
	o.amountOrNull("theirs", theirs)
	o.time("at", d.At)
}

// resources writes the counts of each type of record.
func resources(o *object, counts map[string]event.SyncCount) {
	o.object("resources", func() {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			o.object(name, func() { records(o, counts[name]) })
		}
	})
}

func records(o *object, n event.SyncCount) {
	o.int("total", n.Total)
	o.int("created", n.Created)
	o.int("updated", n.Updated)
	o.int("unchanged", n.Unchanged)
	o.int("errors", n.Errors)
}
