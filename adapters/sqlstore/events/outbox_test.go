package events_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/delivery/payload"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestEvents_storedWithTheirCause(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		subscribe(t, s, sale.Project(), "*")
		sale.Finalize(sale.Init(sale.Quote()))
		sale.Return()

		rows := storetest.Events(t, s, sale.Project())
		if len(rows) != 3 {
			t.Fatalf("%d events, want 3", len(rows))
		}
		for i, want := range []string{"order.completed", "quote.accepted", "return.requested"} {
			var body struct {
				ID, Type  string
				ProjectID string `json:"project_id"`
			}
			if err := json.Unmarshal([]byte(rows[i].Payload), &body); err != nil {
				t.Fatal(err)
			}
			if rows[i].Type != want || body.Type != want || body.ID != rows[i].ID || body.ProjectID != sale.Project().String() {
				t.Errorf("got %+v, want one of %s", rows[i], want)
			}
			if rows[i].DueAt == nil || *rows[i].DueAt != rows[i].CreatedAt {
				t.Errorf("%s is due at %v, want at once", want, rows[i].DueAt)
			}
		}
	})
}

func TestOutbox_payloads(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	at := time.Date(2026, 3, 4, 13, 0, 0, int(50*time.Millisecond), time.FixedZone("", 3600))
	quote, session, product := id.Stored[id.Quote]("quote_1"), id.Stored[id.Session]("sess_1"), id.Stored[id.Product]("prod_1")
	variant, order := id.Stored[id.Variant]("var_1"), id.Stored[id.Order]("ord_1")
	run, through := id.Stored[id.Sync]("sync_1"), id.Stored[id.Integration]("int_1")
	for _, c := range []struct {
		data event.Data
		want string
	}{
		{
			event.OrderCompleted{
				Order:        order,
				Sequence:     1,
				Checkout:     id.Stored[id.Checkout]("chk_1"),
				Session:      session,
				Confirmation: "HG-1",
				Payment:      id.Stored[id.Payment]("pay_1"),
				Method:       project.SharedPaymentToken,
				Items:        []event.Item{{Product: product, Variant: variant, SKU: "T", Name: "Tent", Quantity: 2, Price: usd(9500), Original: usd(10000)}},
				Subtotal:     usd(19000),
				Shipping:     usd(599),
				Tax:          usd(5),
				Total:        usd(19604),
				Savings:      usd(1000),
				BuyerEmail:   "ada@example.com",
				Notes:        "Ring twice",
				PlacedAt:     at,
				Option:       "standard",
				Address: checkout.Address{
					Name:       "Ada",
					Line1:      "1 Main St",
					City:       "Portland",
					State:      "OR",
					PostalCode: "97205",
					Country:    "US",
				},
				ShipsOn:      at,
				DeliversFrom: at.AddDate(0, 0, 3),
				DeliversBy:   at.AddDate(0, 0, 5),
			},
			`{"order_id":"ord_1","sequence":1,"confirmation_number":"HG-1","checkout_id":"chk_1","negotiation_id":"neg_qcbmygnaqnvt9cq7shxmgpaag8",` +
				`"payment":{"id":"pay_1","status":"succeeded","amount":196.04,"currency":"USD","method":"psp_spt"},` +
				`"items":[{"product_id":"prod_1","variant_id":"var_1","sku":"T","name":"Tent","quantity":2,"price":95.00,"original_price":100.00}],` +
				`"subtotal":190.00,"shipping":5.99,"tax":0.05,"total":196.04,"savings":10.00,"currency":"USD",` +
				`"buyer_email":"ada@example.com","notes":"Ring twice","shipping_address":{"name":"Ada","line1":"1 Main St","line2":"",` +
				`"city":"Portland","state":"OR","postal_code":"97205","country":"US","phone":""},"fulfillment":{"shipping_option":"standard",` +
				`"estimated_ship_date":"2026-03-04","estimated_delivery_from":"2026-03-07","estimated_delivery_by":"2026-03-09"},"created_at":"2026-03-04T12:00:00.05Z"}`,
		},
		{
			event.QuoteAccepted{
				Quote:    quote,
				Session:  session,
				Product:  product,
				Variant:  variant,
				Quantity: 2,
				List:     usd(10000),
				Price:    usd(9500),
			},
			`{"quote_id":"quote_1","negotiation_id":"neg_qcbmygnaqnvt9cq7shxmgpaag8","product_id":"prod_1","variant_id":"var_1","quantity":2,` +
				`"list_price":100.00,"final_price":95.00,"currency":"USD"}`,
		},
		{
			event.ReturnRequested{
				Return:   id.Stored[id.Return]("ret_1"),
				Order:    order,
				Sequence: 4,
				Estimate: usd(9500),
			},
			`{"return_id":"ret_1","order_id":"ord_1","sequence":4,"refund_estimate":95.00,"currency":"USD"}`,
		},
		{
			event.SyncCompleted{
				Run:         run,
				Integration: through,
				Full:        true,
				Counts: map[string]event.SyncCount{
					"products": {Total: 14, Created: 2, Updated: 3, Unchanged: 4, Errors: 5}, "customers": {},
				},
				StartedAt: at,
				EndedAt:   at.Add(time.Second),
			},
			`{"sync_id":"sync_1","integration_id":"int_1","full_sync":true,"resources":{` +
				`"customers":{"total":0,"created":0,"updated":0,"unchanged":0,"errors":0},` +
				`"products":{"total":14,"created":2,"updated":3,"unchanged":4,"errors":5}},` +
				`"started_at":"2026-03-04T12:00:00.05Z","completed_at":"2026-03-04T12:00:01.05Z","duration_ms":1000}`,
		},
		{
			event.SyncFailed{
				Run:         run,
				Integration: through,
				Error:       "No answer.",
				StartedAt:   at,
				EndedAt:     at.Add(time.Minute),
			},
			`{"sync_id":"sync_1","integration_id":"int_1","error":"No answer.",` +
				`"resources":{},"started_at":"2026-03-04T12:00:00.05Z","failed_at":"2026-03-04T12:01:00.05Z","duration_ms":60000}`,
		},
		{
			event.IntegrationError{
				Integration: through,
				Platform:    "shopify",
				Name:        "Tents",
				Error:       "Refused.",
			},
			`{"integration_id":"int_1","type":"shopify","name":"Tents","error":"Refused."}`,
		},
		{
			event.CustomerDataRequested{
				Integration: through,
				Platform:    "shopify",
				Orders:      []string{"7", "8"},
				Placed:      2,
				Sessions:    3,
				Records:     4,
			},
			`{"integration_id":"int_1","type":"shopify","subject":null,"platform_customer_id":null,"platform_order_ids":["7","8"],` +
				`"orders":2,"sessions":3,"platform_records":4}`,
		},
	} {
		e := event.Event{
			ID:      id.Stored[id.Event]("evt_1"),
			Project: id.Stored[id.Project]("proj_1"),
			At:      at,
			Data:    c.data,
		}
		got, _, err := payload.EncodeEvent(&e)
		if err != nil {
			t.Error(err)
		}
		want := `{"id":"evt_1","type":"` + c.data.Type().String() + `","created_at":"2026-03-04T12:00:00.05Z","project_id":"proj_1","data":` + c.want + `}`
		if got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}
