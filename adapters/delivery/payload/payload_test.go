package payload_test

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/delivery/payload"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

func TestEncodeEvent_otherTypes(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	eur, err := money.ParseCurrency("EUR")
	if err != nil {
		t.Fatal(err)
	}
	of, paid, back := id.Stored[id.Order]("ord_1"), id.Stored[id.Payment]("pay_1"), id.Stored[id.Refund]("ref_1")
	sent, shipped := id.Stored[id.Return]("ret_1"), time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	product, variant := id.Stored[id.Product]("prod_1"), id.Stored[id.Variant]("var_1")
	tracking := event.Tracking{
		Carrier:   "DHL",
		Number:    "123",
		URL:       "https://example.com/123",
		ShippedAt: shipped,
	}
	refund := event.OrderRefunded{
		Refund:   back,
		Order:    of,
		Sequence: 6,
		Payment:  paid,
		Amount:   usd(9500),
		Refunded: usd(10000),
		Reason:   "damaged",
		External: true,
	}
	dispute := event.Dispute{
		Dispute:   id.Stored[id.Dispute]("dsp_1"),
		Order:     of,
		Sequence:  8,
		Payment:   paid,
		Provider:  "du_1",
		Status:    "lost",
		Reason:    "fraudulent",
		Amount:    usd(9500),
		Withdrawn: usd(9400),
		Fee:       money.Of(1500, eur),
	}
	returned := refund
	returned.Return = sent
	for want, data := range map[string]event.Data{
		`{"refund_id":"ref_1","order_id":"ord_1","sequence":6,"payment_id":"pay_1","amount":95.00,"refunded_amount":100.00,"currency":"USD","reason":"damaged","external":true,"return_id":null}`:    refund,
		`{"refund_id":"ref_1","order_id":"ord_1","sequence":6,"payment_id":"pay_1","amount":95.00,"refunded_amount":100.00,"currency":"USD","reason":"damaged","external":true,"return_id":"ret_1"}`: returned,
		`{"order_id":"ord_1","sequence":2,"carrier":"DHL","tracking_number":"123","tracking_url":"https://example.com/123","shipped_at":"2026-03-05T12:00:00Z"}`: event.OrderShipped{
			Order:    of,
			Sequence: 2,
			Tracking: tracking,
		},
		`{"order_id":"ord_1","sequence":3,"carrier":"DHL","tracking_number":"123","tracking_url":"https://example.com/123","shipped_at":"2026-03-05T12:00:00Z"}`: event.OrderUpdated{
			Order:    of,
			Sequence: 3,
			Tracking: tracking,
		},
		`{"order_id":"ord_1","sequence":4,"delivered_at":"2026-03-05T12:00:00Z"}`: event.OrderDelivered{
			Order:       of,
			Sequence:    4,
			DeliveredAt: shipped,
		},
		`{"order_id":"ord_1","sequence":2,"reason":"Changed my mind","refund_id":"ref_1","refund_amount":95.00,"currency":"USD"}`: event.OrderCanceled{
			Order:    of,
			Sequence: 2,
			Reason:   "Changed my mind",
			Refund:   back,
			Amount:   usd(9500),
		},
		`{"order_id":"ord_1","sequence":2,"reason":"","refund_id":null,"refund_amount":null,"currency":null}`: event.OrderCanceled{Order: of, Sequence: 2},
		`{"return_id":"ret_1","order_id":"ord_1","sequence":5,"refund_id":"ref_1","refund_amount":95.00,"currency":"USD"}`: event.ReturnApproved{
			Return:   sent,
			Order:    of,
			Sequence: 5,
			Refund:   back,
			Amount:   usd(9500),
		},
		`{"return_id":"ret_1","order_id":"ord_1","sequence":5,"reason":"Used"}`: event.ReturnRejected{
			Return:   sent,
			Order:    of,
			Sequence: 5,
			Reason:   "Used",
		},
		`{"refund_id":"ref_1","order_id":"ord_1","sequence":7,"payment_id":"pay_1","amount":95.00,"refunded_amount":0.00,"currency":"USD","failure_code":"lost_or_stolen_card","previous_status":"succeeded","return_id":"ret_1"}`: event.RefundFailed{
			Refund:    back,
			Order:     of,
			Sequence:  7,
			Payment:   paid,
			Amount:    usd(9500),
			Refunded:  usd(0),
			Failure:   "lost_or_stolen_card",
			Succeeded: true,
			Return:    sent,
		},
		`{"dispute_id":"dsp_1","order_id":"ord_1","sequence":8,"payment_id":"pay_1","provider_id":"du_1","status":"lost","reason":"fraudulent","amount":95.00,"currency":"USD","withdrawn_amount":94.00,"withdrawn_currency":"USD","fee_amount":15.00,"fee_currency":"EUR"}`: event.DisputeClosed{
			Dispute: dispute,
		},
		`{"checkout_id":"chk_1","attempt":2,"provider":"stripe","charge_id":"pi_1","amount":5.00,"currency":"USD","refund_status":"pending"}`: event.PaymentOrphaned{
			Checkout: id.Stored[id.Checkout]("chk_1"),
			Attempt:  2,
			Provider: "stripe",
			Charge:   "pi_1",
			Amount:   usd(500),
			Refund:   "pending",
		},
		`{"product_id":"prod_1","variant_id":"var_1","quantity":2,"list_price":100.00,"best_offer":80.00,"last_counter":null,"currency":"USD","reason":null}`: event.NegotiationLost{
			Product:   product,
			Variant:   variant,
			Quantity:  2,
			List:      usd(10000),
			BestOffer: usd(8000),
		},
		`{"product_id":"prod_1","variant_id":"var_1","quantity":2,"list_price":100.00,"best_offer":80.00,"last_counter":92.00,"currency":"USD","reason":"shipping_cost"}`: event.NegotiationLost{
			Product:     product,
			Variant:     variant,
			Quantity:    2,
			List:        usd(10000),
			BestOffer:   usd(8000),
			LastCounter: usd(9200),
			Reason:      "shipping_cost",
		},
		`{"checkout_id":"chk_1","phase":"ready","items":[{"product_id":"prod_1","variant_id":"var_1","sku":"T","name":"Tent","quantity":2,"price":95.00,"original_price":100.00}],"total":190.00,"currency":"USD","buyer_email":""}`: event.CheckoutAbandoned{
			Checkout: id.Stored[id.Checkout]("chk_1"),
			Phase:    "ready",
			Total:    usd(19000),
			Items:    []event.Item{{Product: product, Variant: variant, SKU: "T", Name: "Tent", Quantity: 2, Price: usd(9500), Original: usd(10000)}},
		},
		`{"checkout_id":"chk_1","attempt":2,"amount":5.00,"currency":"USD","method":"psp_spt","provider":"stripe","since":"2026-03-05T12:00:00Z","times_asked":3,"problem":"No answer."}`: event.PaymentUnresolved{
			Checkout: id.Stored[id.Checkout]("chk_1"),
			Attempt:  2,
			Amount:   usd(500),
			Method:   project.SharedPaymentToken,
			Provider: "stripe",
			Since:    shipped,
			Asked:    3,
			Problem:  "No answer.",
		},
		`{"refund_id":"ref_1","order_id":"ord_1","payment_id":"pay_1","amount":5.00,"currency":"USD","provider":"stripe","since":"2026-03-05T12:00:00Z","times_asked":3,"problem":"No answer."}`: event.RefundUnresolved{
			Refund:   id.Stored[id.Refund]("ref_1"),
			Order:    id.Stored[id.Order]("ord_1"),
			Payment:  id.Stored[id.Payment]("pay_1"),
			Amount:   usd(500),
			Provider: "stripe",
			Since:    shipped,
			Asked:    3,
			Problem:  "No answer.",
		},
		`{"product_id":"prod_1","variant_id":"var_1","sku":"T","quantity":3}`: event.InventoryLow{
			Product: id.Stored[id.Product]("prod_1"),
			Variant: id.Stored[id.Variant]("var_1"),
			SKU:     "T",
			Left:    3,
		},
		`{"subscription_id":"sub_1","url":"https://example.com","reason":"gone"}`: event.SubscriptionDisabled{
			Subscription: id.Stored[id.Subscription]("sub_1"),
			URL:          "https://example.com",
			Reason:       event.Gone,
		},
		`{"subscription_id":"sub_1"}`: event.Ping{Subscription: id.Stored[id.Subscription]("sub_1")},
	} {
		got, subject, err := payload.EncodeEvent(&event.Event{Data: data})
		about := ""
		switch {
		case strings.Contains(want, `"order_id":"ord_1","sequence"`):
			about = "ord_1"
		case strings.HasPrefix(want, `{"checkout_id":"chk_1"`):
			about = "chk_1"
		}
		if subject != about {
			t.Errorf("%T is about %q, want %q", data, subject, about)
		}
		if err != nil || !strings.HasSuffix(got, `"data":`+want+`}`) {
			t.Errorf("%T: %s, want %s (%v)", data, got, want, err)
		}
	}
}

// Every event type has documentation and an encoding.
func TestEncodeEvent_everyType(t *testing.T) {
	t.Parallel()
	encoded := make(map[event.Type]bool)
	for _, data := range []event.Data{
		event.OrderCompleted{}, event.OrderShipped{}, event.OrderUpdated{}, event.OrderDelivered{}, event.OrderCanceled{},
		event.OrderRefunded{}, event.ReturnRequested{}, event.ReturnApproved{}, event.ReturnRejected{}, event.RefundFailed{},
		event.DisputeOpened{}, event.DisputeClosed{}, event.QuoteAccepted{}, event.NegotiationLost{}, event.CheckoutAbandoned{},
		event.PaymentUnresolved{}, event.RefundUnresolved{}, event.PaymentOrphaned{}, event.MoneyUnexplained{}, event.SyncCompleted{}, event.SyncFailed{}, event.IntegrationError{},
		event.CustomerDataRequested{},
		event.InventoryLow{}, event.SubscriptionDisabled{},
	} {
		if _, _, err := payload.EncodeEvent(&event.Event{Data: data}); err != nil {
			t.Error(err)
		}
		encoded[data.Type()] = true
	}
	for _, kind := range event.Types {
		if !encoded[kind] {
			t.Errorf("no payload of %s is encoded", kind)
		}
	}
}
