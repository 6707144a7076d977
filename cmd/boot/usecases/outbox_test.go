package usecases

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// completedOrders returns the payloads of order.completed events in the outbox, by order.
func (m *shopFixture) completedOrders() map[string]map[string]any {
	m.t.Helper()
	rows, err := m.inspector.Query("SELECT payload FROM outbox WHERE type = 'order.completed'")
	m.must(err)
	defer rows.Close()
	found := map[string]map[string]any{}
	for rows.Next() {
		var payload string
		m.must(rows.Scan(&payload))
		decoder := json.NewDecoder(strings.NewReader(payload))
		decoder.UseNumber()
		var body map[string]any
		m.must(decoder.Decode(&body))
		of := body["data"].(map[string]any)["order_id"].(string)
		if found[of] != nil {
			m.t.Errorf("order %s is announced twice", of)
		}
		found[of] = body
	}
	m.must(rows.Err())
	return found
}

// Each order is announced once, whether its payment was declined first, its answer was lost, it was resolved, or repeated.
func TestFinalize_orderAnnouncedOnce(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(100_00, 9)
		declined, lost, late := m.checkout(p), m.checkout(p), m.checkout(p)
		m.provider.script(chargeStep{outcome: insufficientFunds}, chargeStep{}, chargeStep{lostAnswer: true}, chargeStep{}, chargeStep{lostAnswer: true})
		_, err := m.pay(declined)
		m.must(err)
		if found := m.completedOrders(); len(found) != 0 {
			m.t.Errorf("announced without an order: %v", found)
		}
		want := []string{m.mustPay(declined).String()}
		_, err = m.pay(lost)
		m.refused(err, "payment_unresolved")
		want = append(want, m.mustPay(lost).String())
		_, err = m.pay(late)
		m.refused(err, "payment_unresolved")
		m.reconcile()
		want = append(want, m.mustPay(late).String())
		m.mustPay(declined)
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(m.completedOrders())); !slices.Equal(got, want) {
			m.t.Errorf("announced %v, want %v", got, want)
		}
	})
}

// The event order.completed has the documented payload.
func TestFinalize_orderCompletedPayload(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		answer, price := m.counter(m.product(1000_00, 60), 880_00)
		agreed, err := m.offer(followUp(answer), price)
		m.must(err)
		result, err := m.pay(m.open(deal{agreed.Session, agreed.Token}))
		m.must(err)
		o := orderOf(result)
		if o == nil {
			m.t.Fatalf("%+v", result)
		}
		body := m.completedOrders()[o.ID.String()]
		want := map[string]any{
			"id": body["id"], "type": "order.completed", "created_at": o.CreatedAt.Format(time.RFC3339), "project_id": m.project.ID.String(),
			"data": orderPayload(o),
		}
		if prefix, _ := body["id"].(string); !strings.HasPrefix(prefix, "evt_") {
			m.t.Errorf("the event's id is %v", body["id"])
		}
		if got, want := indented(m.t, body), indented(m.t, want); got != want {
			m.t.Errorf("announced %s\nwant %s", got, want)
		}
	})
}

// orderPayload returns the documented payload of an order with one line.
func orderPayload(o *order.Order) map[string]any {
	line := o.Lines[0]
	number := func(a interface{ String() string }) json.Number { return json.Number(a.String()) }
	return map[string]any{
		"order_id": o.ID.String(), "sequence": json.Number("1"), "confirmation_number": o.Confirmation, "checkout_id": o.Checkout.String(), "negotiation_id": id.NegotiationOf(o.Session).String(),
		"payment": map[string]any{
			"id": o.Payment.ID.String(), "status": "succeeded", "amount": number(o.Total), "currency": "USD", "method": "psp_spt",
		},
		"items": []any{map[string]any{
			"product_id": line.Product.String(), "variant_id": line.Variant.String(), "sku": line.SKU, "name": line.Name,
			"quantity": 1, "price": number(line.Unit), "original_price": json.Number("1000.00"),
		}},
		"subtotal": number(o.Subtotal), "shipping": number(o.Shipping), "tax": number(o.Tax), "total": number(o.Total),
		"savings": number(o.Savings), "currency": "USD", "buyer_email": "ada@example.com", "notes": o.Notes,
		"shipping_address": map[string]any{
			"name": shippingAddress.Name, "line1": shippingAddress.Line1, "line2": shippingAddress.Line2, "city": shippingAddress.City, "state": shippingAddress.State,
			"postal_code": shippingAddress.PostalCode, "country": shippingAddress.Country, "phone": shippingAddress.Phone,
		},
		"fulfillment": map[string]any{
			"shipping_option": o.Fulfillment.ShippingOption, "estimated_ship_date": o.Fulfillment.ShipsOn.Format(time.DateOnly),
			"estimated_delivery_from": o.Fulfillment.DeliversFrom.Format(time.DateOnly),
			"estimated_delivery_by":   o.Fulfillment.DeliversBy.Format(time.DateOnly),
		},
		"created_at": o.CreatedAt.Format(time.RFC3339),
	}
}

func indented(t *testing.T, body any) string {
	t.Helper()
	text, err := json.MarshalIndent(body, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
