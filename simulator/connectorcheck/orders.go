package connectorcheck

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// goods is an item with stock that can be ordered.
type goods struct {
	sku, item string
	price     string
}

func (g goods) query() string {
	if g.item != "" {
		return "/inventory?limit=100&item_id=" + url.QueryEscape(g.item)
	}
	return "/inventory?limit=100&sku=" + url.QueryEscape(g.sku)
}

// orders checks a system that takes orders. It creates an order of one piece that is marked as a test, and cancels it at
// the end.
func (k *checker) orders(products, levels []record) {
	g, ok := pick(products, levels)
	if !ok {
		k.check("orders goods", "have a product with at least one piece in /inventory, to check orders with", func() error {
			return errors.New("no product has a piece in stock")
		})
		return
	}
	var before int
	if !k.check("inventory of one item", "answer GET /inventory?item_id=… (or sku=…) with the levels of that item and no other", func() (err error) {
		before, err = k.stock(g)
		return err
	}) {
		return
	}
	reference := identifier("ord_")
	var id string
	if !k.check("orders creation", `answer POST /orders with 201 and {"id": …}`, func() (err error) {
		id, err = k.create(g, reference, 1)
		return err
	}) {
		return
	}
	defer k.cancellation(g, id, before)
	k.check("orders repetition", "answer a POST /orders whose Idempotency-Key was used before with the order that it created", func() error {
		again, err := k.create(g, reference, 1)
		if err == nil && again != id {
			_, _ = k.send(http.MethodPost, "/orders/"+url.PathEscape(again)+"/cancel", k.Key, "", object{}) // clean up
			err = fmt.Errorf("it is created as %s, and then as %s", id, again)
		}
		return err
	})
	k.check("orders stock", "take the pieces of an order from the stock once, before POST /orders is answered", func() error {
		return k.wantStock(g, before-1, "after an order of one piece")
	})
	found := k.check("orders look-up", "answer GET /orders?reference=… with the order that has the reference, and no other", func() error {
		if err := k.lookUp(reference, id); err != nil {
			return err
		}
		return k.lookUp(identifier("ord_"), "")
	})
	k.check("orders sold out", `answer POST /orders with 409 or 422 and {"code": "sold_out"} where there is too little stock, and create nothing`, func() error {
		reference := identifier("ord_")
		if err := k.soldOut(g, reference, before+1); err != nil || !found {
			return err
		}
		return k.lookUp(reference, "")
	})
	k.check("orders refunds", `answer POST /orders/{id}/refunds with {"id": …}, the same for the same Idempotency-Key, and show the refund once, with its reference`, func() error {
		return k.refundTwice(g, id)
	})
}

// cancellation cancels the order twice.
func (k *checker) cancellation(g goods, id string, before int) {
	k.check("orders cancellation", "answer POST /orders/{id}/cancel with 2xx, again too; show canceled: true, and put the pieces back once", func() error {
		for range 2 {
			a, err := k.send(http.MethodPost, "/orders/"+url.PathEscape(id)+"/cancel", k.Key, "", object{})
			if err == nil && a.status/100 != 2 {
				err = fmt.Errorf("POST /orders/%s/cancel answers %d", id, a.status)
			}
			if err != nil {
				return err
			}
		}
		var o record
		if err := k.get("/orders/"+url.PathEscape(id), &o); err != nil {
			return err
		}
		if string(o["canceled"]) != "true" {
			return fmt.Errorf("canceled is %s", o["canceled"])
		}
		return k.wantStock(g, before, "after the cancellation")
	})
}

type object = map[string]any

// pick finds a product or variant with a price and at least one piece.
func pick(products, levels []record) (goods, bool) {
	pieces := map[string]int{}
	for _, l := range levels {
		n, _ := strconv.Atoi(word(l["quantity"]))
		for _, name := range []string{"item " + word(l["item_id"]), "sku " + word(l["sku"])} {
			pieces[name] += max(n, 0)
		}
	}
	for _, p := range products {
		if string(p["deleted"]) == "true" || word(p["status"]) == "archived" {
			continue
		}
		sold := []record{p}
		if present(p["variants"]) {
			sold = nil
			_ = json.Unmarshal(p["variants"], &sold) // judge reports it if it is not a list
		}
		for _, one := range sold {
			g := goods{
				sku:   word(one["sku"]),
				item:  word(one["item_id"]),
				price: word(one["price"]),
			}
			if g.price == "" {
				g.price = word(p["price"])
			}
			name := "sku " + g.sku
			if g.item != "" {
				name = "item " + g.item
			}
			if _, ok := new(big.Rat).SetString(g.price); ok && g.sku != "" && pieces[name] > 0 {
				return g, true
			}
		}
	}
	return goods{}, false
}

// word returns a string, or the digits of a number; "" if there is neither.
func word(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if !present(raw) {
		return ""
	}
	return string(raw)
}

func identifier(prefix string) string { return prefix + strings.ToLower(rand.Text()) }

// stock returns how many pieces of an item are in stock.
func (k *checker) stock(g goods) (sum int, err error) {
	var p page
	if err := k.get(g.query(), &p); err != nil {
		return 0, err
	}
	if p.Data == nil || len(*p.Data) == 0 {
		return 0, errors.New("GET " + g.query() + " shows no level")
	}
	for _, l := range *p.Data {
		if item := word(l["item_id"]); g.item != "" && item != "" && item != g.item || g.item == "" && word(l["sku"]) != g.sku {
			return 0, fmt.Errorf("GET %s shows a level of %s %s", g.query(), item, word(l["sku"]))
		}
		n, _ := strconv.Atoi(word(l["quantity"]))
		sum += max(n, 0)
	}
	return sum, nil
}

func (k *checker) wantStock(g goods, want int, when string) error {
	have, err := k.stock(g)
	if err == nil && have != want {
		err = fmt.Errorf("there are %d pieces %s, and not %d", have, when, want)
	}
	return err
}

// order returns the body of POST /orders.
func (k *checker) order(g goods, reference string, pieces int) object {
	price, _ := new(big.Rat).SetString(g.price)
	_, fraction, _ := strings.Cut(g.price, ".")
	total := new(big.Rat).Mul(price, big.NewRat(int64(pieces), 1)).FloatString(len(fraction))
	zero := new(big.Rat).FloatString(len(fraction))
	line := object{
		"variant_id": identifier("var_"), "sku": g.sku, "name": "Check " + g.sku, "quantity": pieces,
		"unit_price": price.FloatString(len(fraction)), "list_price": price.FloatString(len(fraction)), "requires_shipping": true,
	}
	if g.item != "" {
		line["item_id"] = g.item
	}
	return object{
		"reference": reference, "number": "HG-TEST", "test": true, "placed_at": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"currency": k.currency(), "email": "connector-check@example.com", "lines": []object{line},
		"subtotal": total, "shipping": zero, "tax": zero, "total": total, "shipping_method": "standard",
		"address": object{"name": "Connector Check", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"},
		"payment": object{"id": identifier("pay_"), "provider": "sandbox", "reference": "connector-check", "amount": total},
	}
}

func (k *checker) currency() string {
	if code := word(k.about["currency"]); code != "" {
		return strings.ToUpper(code)
	}
	return "USD"
}

// create creates an order, or finds the one with the same reference, and returns its id.
func (k *checker) create(g goods, reference string, pieces int) (string, error) {
	a, err := k.send(http.MethodPost, "/orders", k.Key, reference, k.order(g, reference, pieces))
	if err == nil && a.status != http.StatusOK && a.status != http.StatusCreated {
		err = fmt.Errorf("POST /orders answers %d: %.200s", a.status, a.body)
	}
	if err != nil {
		return "", err
	}
	return idIn(a, "POST /orders")
}

func idIn(a answer, asked string) (string, error) {
	var made record
	if json.Unmarshal(a.body, &made) != nil {
		return "", errors.New(asked + " answers with what cannot be read")
	}
	id, ok := idOf(made["id"])
	if !ok {
		return "", errors.New(asked + " answers without an id")
	}
	return id, nil
}

// lookUp checks that the order with a reference has an id. An empty id means that there must be no order.
func (k *checker) lookUp(reference, id string) error {
	var p page
	if err := k.get("/orders?limit=100&reference="+url.QueryEscape(reference), &p); err != nil {
		return err
	}
	switch {
	case p.Data == nil:
		return errors.New("GET /orders?reference=… answers without data")
	case id == "" && len(*p.Data) > 0:
		return errors.New("GET /orders?reference=… shows an order although none has the reference")
	case id == "":
		return nil
	case len(*p.Data) != 1:
		return fmt.Errorf("GET /orders?reference=… shows %d orders, and not one", len(*p.Data))
	}
	one := (*p.Data)[0]
	if found, _ := idOf(one["id"]); found != id || word(one["reference"]) != reference {
		return fmt.Errorf("GET /orders?reference=%s shows order %s with the reference %q", reference, found, word(one["reference"]))
	}
	return nil
}

// soldOut orders more pieces than are in stock.
func (k *checker) soldOut(g goods, reference string, pieces int) error {
	a, err := k.send(http.MethodPost, "/orders", k.Key, reference, k.order(g, reference, pieces))
	if err != nil {
		return err
	}
	if a.status/100 == 2 {
		if id, err := idIn(a, "POST /orders"); err == nil {
			_, _ = k.send(http.MethodPost, "/orders/"+url.PathEscape(id)+"/cancel", k.Key, "", object{}) // clean up
		}
		return fmt.Errorf("an order of %d pieces is taken", pieces)
	}
	var refusal record
	_ = json.Unmarshal(a.body, &refusal)
	if a.status != http.StatusConflict && a.status != http.StatusUnprocessableEntity || word(refusal["code"]) != "sold_out" {
		return fmt.Errorf("an order of %d pieces is answered with %d and the code %q", pieces, a.status, word(refusal["code"]))
	}
	return nil
}

// refundTwice refunds the whole order and repeats the request.
func (k *checker) refundTwice(g goods, id string) error {
	reference := identifier("ref_")
	body := object{"reference": reference, "amount": k.order(g, "", 1)["total"], "currency": k.currency(), "reason": "Connector check"}
	var ids [2]string
	for n := range ids {
		a, err := k.send(http.MethodPost, "/orders/"+url.PathEscape(id)+"/refunds", k.Key, reference, body)
		if err == nil && a.status != http.StatusOK && a.status != http.StatusCreated {
			err = fmt.Errorf("POST /orders/%s/refunds answers %d: %.200s", id, a.status, a.body)
		}
		if err == nil {
			ids[n], err = idIn(a, "POST /orders/{id}/refunds")
		}
		if err != nil {
			return err
		}
	}
	if ids[0] != ids[1] {
		return fmt.Errorf("a refund is recorded as %s, and then as %s", ids[0], ids[1])
	}
	var o struct{ Refunds []record }
	if err := k.get("/orders/"+url.PathEscape(id), &o); err != nil {
		return err
	}
	if len(o.Refunds) != 1 || word(o.Refunds[0]["reference"]) != reference || !number(o.Refunds[0]["amount"]) {
		return fmt.Errorf("the order shows %d refunds, and not one with an amount and the reference %s", len(o.Refunds), reference)
	}
	return nil
}
