package sqlstore

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestPublishing(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porttest.Publishing(t, func(tb testing.TB) porttest.PublishingStores {
				s := open(tb)
				return porttest.PublishingStores{
					Stores: views(s), Subscriptions: s.Events(), EventLog: s.Events(), Deliveries: s.Events(), Outbox: s.Outbox(),
				}
			})
		})
	}
}

func TestPayloadsOfLaterTypes(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	refund := event.OrderRefunded{
		Refund: id.Stored[id.Refund]("ref_1"), Order: id.Stored[id.Order]("ord_1"), Payment: id.Stored[id.Payment]("pay_1"),
		Amount: usd(9500), Refunded: usd(10000), Reason: "damaged",
	}
	returned := refund
	returned.Return = id.Stored[id.Return]("ret_1")
	for want, data := range map[string]event.Data{
		`{"refund_id":"ref_1","order_id":"ord_1","payment_id":"pay_1","amount":95.00,"refunded_amount":100.00,"currency":"USD","reason":"damaged","return_id":null}`:    refund,
		`{"refund_id":"ref_1","order_id":"ord_1","payment_id":"pay_1","amount":95.00,"refunded_amount":100.00,"currency":"USD","reason":"damaged","return_id":"ret_1"}`: returned,
		`{"checkout_id":"chk_1","attempt":2,"amount":5.00,"currency":"USD","method":"psp_spt","provider":"stripe"}`: event.PaymentUnresolved{
			Checkout: id.Stored[id.Checkout]("chk_1"), Attempt: 2, Amount: usd(500), Method: "psp_spt", Provider: "stripe",
		},
		`{"product_id":"prod_1","variant_id":"var_1","sku":"T","quantity":3}`: event.InventoryLow{
			Product: id.Stored[id.Product]("prod_1"), Variant: id.Stored[id.Variant]("var_1"), SKU: "T", Left: 3,
		},
		`{"subscription_id":"sub_1","url":"https://example.com","reason":"gone"}`: event.SubscriptionDisabled{
			Subscription: id.Stored[id.Subscription]("sub_1"), URL: "https://example.com", Reason: event.Gone,
		},
		`{"subscription_id":"sub_1"}`: event.Ping{Subscription: id.Stored[id.Subscription]("sub_1")},
	} {
		got, err := encodeEvent(&event.Event{Data: data})
		if err != nil || !strings.HasSuffix(got, `"data":`+want+`}`) {
			t.Errorf("%T: %s, want %s (%v)", data, got, want, err)
		}
	}
}
