package custom

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// purchase is an order that was written through the contract. The shop's lock protects it.
type purchase struct {
	n         int // position among the shop's orders
	asked     orderRequest
	lines     []*line
	cents     int64
	refunds   []*refund
	placed    int64
	updated   int64
	canceled  bool
	fulfilled bool
}

// line is an order line with one of the system's items.
type line struct {
	item, quantity int
	taken          [2]int // stock taken from each location
}

type refund struct {
	number    int
	reference string
	cents     int64
}

// orderRequest is the body of POST /orders in the contract.
type orderRequest struct {
	Reference string `json:"reference"`
	Number    string `json:"number"`
	Test      bool   `json:"test"`
	Currency  string `json:"currency"`
	Email     string `json:"email"`
	Lines     []struct {
		Item     string          `json:"item_id"`
		SKU      string          `json:"sku"`
		Name     string          `json:"name"`
		Quantity int             `json:"quantity"`
		Unit     json.RawMessage `json:"unit_price"`
	} `json:"lines"`
	Subtotal json.RawMessage `json:"subtotal"`
	Shipping json.RawMessage `json:"shipping"`
	Tax      json.RawMessage `json:"tax"`
	Total    json.RawMessage `json:"total"`
	Address  map[string]any  `json:"address"`
	Payment  struct {
		Provider  string          `json:"provider"`
		Reference string          `json:"reference"`
		Amount    json.RawMessage `json:"amount"`
	} `json:"payment"`
}

func (c *Platform) routeOrders() {
	if c.Host.Config.CustomReadOnly {
		return
	}
	c.Route("POST", "/orders", "order_create", c.keyed(c.createOrder))
	c.Route("GET", "/orders/{id}", "order_read", c.withOrder(func(_ *host.Call, p *purchase) host.Answer { return host.OK(c.order(p.n)) }))
	c.Route("POST", "/orders/{id}/cancel", "order_cancel", c.withOrder(c.cancelOrder))
	c.Route("POST", "/orders/{id}/refunds", "refund_create", c.withOrder(c.createRefund))
	c.Route("POST", "/orders/{id}/fulfillment", "fulfillment_create", c.withOrder(c.fulfill))
}

// refuseBecause returns a refusal with a code and a message.
func (c *Platform) refuseBecause(status int, code, message string) host.Answer {
	return host.Answer{Status: status, Body: map[string]any{"code": code, "message": message}}
}

// withOrder runs work with the order of the path, under the write lock.
func (c *Platform) withOrder(work func(*host.Call, *purchase) host.Answer) func(*host.Call) host.Answer {
	return c.keyed(func(call *host.Call) (a host.Answer) {
		c.Write(func(*host.World) {
			a = c.Refuse(http.StatusNotFound, "there is no such order")
			if p := c.findOrder(call.PathValue("id")); p != nil {
				a = work(call, p)
			}
		})
		return a
	})
}

// findOrder returns an order by its id or reference.
func (c *Platform) findOrder(order string) *purchase {
	for n, p := range c.purchases {
		if customID("o", n) == order || p.asked.Reference == order {
			return p
		}
	}
	return nil
}

// createOrder creates an order once for each Idempotency-Key. It takes the items from stock or refuses the order.
func (c *Platform) createOrder(call *host.Call) (a host.Answer) {
	c.Write(func(*host.World) {
		key := call.Header.Get("Idempotency-Key")
		if p := c.findOrder(key); p != nil {
			a = host.OK(c.order(p.n))
			return
		}
		p, problem := c.readOrder(call.Content, key)
		if problem != "" {
			a = c.refuseBecause(http.StatusUnprocessableEntity, "invalid", problem)
			return
		}
		if !c.take(p) {
			a = c.refuseBecause(http.StatusConflict, "sold_out", "there is too little stock")
			return
		}
		var items, quantities []int
		for _, l := range p.lines {
			items, quantities = append(items, l.item), append(quantities, l.quantity)
		}
		p.placed = c.Tick(c.Host.Config.Now(), 0)
		p.updated = p.placed
		p.n = c.AddWritten(c.summary(p), items, quantities)
		c.purchases[p.n] = p
		c.announce("orders/create", p)
		a = host.Answer{Status: http.StatusCreated, Body: c.order(p.n)}
	})
	return a
}

// readOrder decodes an order and returns a problem if it is invalid.
func (c *Platform) readOrder(body []byte, key string) (p *purchase, problem string) {
	p = &purchase{}
	if !host.ReadJSON(body, &p.asked) {
		return nil, "the body cannot be read"
	}
	o := p.asked
	if o.Reference == "" || key != o.Reference || len(o.Lines) == 0 || o.Currency != "USD" || o.Payment.Provider == "" {
		return nil, "reference, the Idempotency-Key that equals it, lines, USD and a payment are needed"
	}
	var sum, goods int64
	amounts := map[string]int64{}
	for name, raw := range map[string]json.RawMessage{
		"subtotal": o.Subtotal, "shipping": o.Shipping, "tax": o.Tax, "total": o.Total, "payment": o.Payment.Amount,
	} {
		n, good := cents(raw)
		if !good {
			return nil, name + " is no amount"
		}
		amounts[name] = n
	}
	for _, l := range o.Lines {
		unit, good := cents(l.Unit)
		if !good || l.Quantity < 1 || l.Name == "" {
			return nil, "a line has no name, quantity or unit_price"
		}
		goods += unit * int64(l.Quantity)
		if l.Item == "" && l.SKU == "" {
			continue // not one of the system's items
		}
		item := c.itemOf(l.Item, l.SKU)
		if item < 0 {
			return nil, "there is no item " + l.Item + " " + l.SKU
		}
		p.lines = append(p.lines, &line{item: item, quantity: l.Quantity})
	}
	sum = amounts["subtotal"] + amounts["shipping"] + amounts["tax"]
	if goods != amounts["subtotal"] || sum != amounts["total"] || amounts["payment"] != amounts["total"] {
		return nil, "the amounts do not add up"
	}
	p.cents = sum
	return p, ""
}

// itemOf returns the position of an item by its id, or else by its SKU, or a negative number if there is none.
func (c *Platform) itemOf(id, sku string) int {
	for n, i := range c.Items {
		if id != "" && customID("i", n) == id || id == "" && i.SKU == sku {
			return n
		}
	}
	return -1
}

// take takes all lines from stock, or none.
func (c *Platform) take(p *purchase) bool {
	wanted := map[int]int{}
	for _, l := range p.lines {
		wanted[l.item] += l.quantity
	}
	for item, n := range wanted {
		if c.left(item, 0)+c.left(item, 1) < n {
			return false
		}
	}
	for _, l := range p.lines {
		first := min(l.quantity, c.left(l.item, 0))
		l.taken = [2]int{first, l.quantity - first}
		c.changeStock(l.item, [2]int{-l.taken[0], -l.taken[1]})
	}
	return true
}

func (c *Platform) left(item, place int) int { return max(0, c.Items[item].Levels[place].Quantity) }

// changeStock changes an item's stock at each location and announces the change.
func (c *Platform) changeStock(item int, by [2]int) {
	for place, n := range by {
		if n != 0 {
			c.Stock(item, place, n, c.Host.Config.Now())
			c.say("inventory_levels/update", c.level(item, place))
		}
	}
}

// restock returns pieces of a line to the stock of the locations that they came from.
func (c *Platform) restock(l *line, pieces int) {
	for place := range l.taken {
		n := min(pieces, l.taken[place])
		l.taken[place] -= n
		pieces -= n
		by := [2]int{}
		by[place] = n
		c.changeStock(l.item, by)
	}
}

func (c *Platform) say(topic string, record map[string]any) {
	c.Announce([]host.Event{{Topic: topic, Body: map[string]any{
		"type": topic, "timestamp": c.Host.Config.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "data": record,
	}}})
}

func (c *Platform) announce(topic string, p *purchase) { c.say(topic, c.order(p.n)) }

// changed announces a change of an order.
func (c *Platform) changed(p *purchase) {
	p.updated = c.Tick(c.Host.Config.Now(), max(p.updated, c.Orders[p.n].Updated))
	c.SetWritten(p.n, c.summary(p))
	c.announce("orders/updated", p)
}

func (c *Platform) summary(p *purchase) host.Written {
	status := "paid"
	switch {
	case p.canceled:
		status = "canceled"
	case p.fulfilled:
		status = "fulfilled"
	}
	return host.Written{
		Customer:  -1,
		Email:     p.asked.Email,
		Cents:     p.cents,
		Status:    status,
		Reference: p.asked.Reference,
		Placed:    p.placed,
		Updated:   p.updated,
	}
}

// cents parses an amount, a number or a string, with at most two decimals.
func cents(raw json.RawMessage) (int64, bool) {
	text := string(raw)
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) != nil {
		return 0, false
	}
	if !amountForm.MatchString(text) {
		return 0, false
	}
	whole, fraction := text, ""
	for k := range text {
		if text[k] == '.' {
			whole, fraction = text[:k], text[k+1:]
		}
	}
	n, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	return n, err == nil
}
