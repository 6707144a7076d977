package platforms_test

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// wooShop is a client of the WooCommerce look-alike.
type wooShop struct {
	*testing.T
	s *platforms.Server
}

func (w wooShop) ask(want int, method, path string, body any) object {
	w.Helper()
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("ck_woocommerce:cs_woocommerce"))
	r := do(w.T, method, w.s.URL+"/woocommerce/wp-json/wc/v3"+path, body, "Authorization", basic)
	is(w.T, method+" "+path, r.StatusCode, want)
	return r.object(w.T)
}

// stock returns the stock of a simple product with managed stock and without backorders.
func (w wooShop) stock(product int) string {
	w.Helper()
	return fmt.Sprint(w.ask(200, "GET", fmt.Sprint("/products/", product), nil)["stock_quantity"])
}

func (w wooShop) simple() (product, stock int) {
	w.Helper()
	for n := range 100 {
		p := w.ask(200, "GET", fmt.Sprint("/products/", 1000+n), nil)
		if quantity, _ := p["stock_quantity"].(float64); p["type"] == "simple" && p["manage_stock"] == true && p["backorders"] == "no" && quantity > 5 {
			return 1000 + n, int(quantity)
		}
	}
	w.Fatal("no such product")
	return 0, 0
}

func draftOf(product int, more object) object {
	draft := object{
		"line_items":     []any{object{"product_id": product, "quantity": 2, "subtotal": "10.00", "total": "10.00"}},
		"shipping_lines": []any{object{"method_id": "haggle", "method_title": "Standard", "total": "5.00"}},
		"billing":        object{"email": "ada@example.com"},
		"meta_data":      []any{object{"key": "haggle_order_id", "value": "ord_1"}},
	}
	for name, value := range more {
		draft[name] = value
	}
	return draft
}

// An unpaid order does not reduce stock. Paying it does, once, and cancelling it restores the stock.
func TestWooCommerceOrders_stock(t *testing.T) {
	w := wooShop{t, start(t, platforms.Config{WooCommerceTax: 10})}
	product, stock := w.simple()
	o := w.ask(201, "POST", "/orders", draftOf(product, nil))
	is(t, "status", o["status"], any("pending"))
	is(t, "total", o["total"], any("16.50"))
	is(t, "stock", w.stock(product), fmt.Sprint(stock))

	path := fmt.Sprintf("/orders/%.0f", o["id"])
	o = w.ask(200, "PUT", path, object{
		"meta_data": []any{object{"key": "is_vat_exempt", "value": "yes"}},
		"fee_lines": []any{object{"name": "Tax", "total": "0.83", "tax_status": "none"}},
	})
	is(t, "total", o["total"], any("15.83"))
	for range 2 {
		o = w.ask(200, "PUT", path, object{"set_paid": true, "transaction_id": "t1"})
		is(t, "status", o["status"], any("processing"))
		is(t, "stock", w.stock(product), fmt.Sprint(stock-2))
	}
	is(t, "taken", at(t, o, "line_items", 0, "meta_data", 0, "value"), any("2"))

	w.ask(500, "POST", path+"/refunds", object{"amount": "15.84", "api_refund": false})
	r := w.ask(201, "POST", path+"/refunds", object{"amount": "1.00", "reason": "r", "api_refund": false, "api_restock": true,
		"line_items": []any{object{"id": at(t, o, "line_items", 0, "id"), "quantity": 1, "refund_total": 0}}})
	is(t, "amount", r["amount"], any("1.00"))
	is(t, "stock", w.stock(product), fmt.Sprint(stock-1))
	w.ask(200, "PUT", path, object{"status": "cancelled"})
	is(t, "stock", w.stock(product), fmt.Sprint(stock))
}

// An order stays unpaid if the server dies before the payment is complete.
func TestWooCommerceOrders_unpaid(t *testing.T) {
	w := wooShop{t, start(t, platforms.Config{})}
	product, stock := w.simple()
	order(t, w.s, platforms.Fault{
		Platform: platforms.WooCommerce,
		Kind:     "unpaid",
		Resource: "order_create",
	})
	w.ask(500, "POST", "/orders", draftOf(product, object{"set_paid": true}))
	list := w.s.State()["woocommerce_orders"].([]any)
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	is(t, "status", list[0].(map[string]any)["status"], any("pending"))
	is(t, "stock", w.stock(product), fmt.Sprint(stock))
}

func TestWooCommerceOrders_refused(t *testing.T) {
	w := wooShop{t, start(t, platforms.Config{})}
	product, _ := w.simple()
	for name, draft := range map[string]object{
		"an amount that is a number": draftOf(product, object{"fee_lines": []any{object{"name": "x", "total": 1}}}),
		"no product":                 draftOf(product, object{"line_items": []any{object{"name": "Mug", "total": "1.00"}}}),
		"an unknown status":          draftOf(product, object{"status": "paid"}),
		"no currency":                draftOf(product, object{"currency": "dollars"}),
	} {
		t.Run(name, func(*testing.T) { w.ask(400, "POST", "/orders", draft) })
	}
	w.ask(400, "PUT", "/orders/99", object{})
	w.ask(404, "GET", "/orders/99", nil)
	w.ask(200, "POST", "/orders/batch", object{})

	reader := wooShop{t, start(t, platforms.Config{WooCommerceRead: true})}
	is(t, "code", reader.ask(401, "POST", "/orders/batch", object{})["code"], any("woocommerce_rest_authentication_error"))
}
