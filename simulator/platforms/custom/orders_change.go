package custom

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

var amountForm = regexp.MustCompile(`^\d+(\.\d{1,2})?$`)

// cancelOrder cancels an order and returns its pieces to stock. Repeating it changes nothing.
func (c *Platform) cancelOrder(_ *host.Call, p *purchase) host.Answer {
	if c.shipped(p) && !p.canceled {
		return c.refuseBecause(http.StatusConflict, "shipped", "the order is on its way")
	}
	c.cancel(p)
	return host.OK(c.order(p.n))
}

func (c *Platform) shipped(p *purchase) bool { return p.fulfilled || c.Orders[p.n].Shipped > 0 }

func (c *Platform) cancel(p *purchase) {
	if p.canceled {
		return
	}
	p.canceled = true
	for _, l := range p.lines {
		c.restock(l, l.taken[0]+l.taken[1])
	}
	c.changed(p)
}

// createRefund records a refund once for each Idempotency-Key, and restocks the requested pieces.
func (c *Platform) createRefund(call *host.Call, p *purchase) host.Answer {
	var asked struct {
		Reference string          `json:"reference"`
		Amount    json.RawMessage `json:"amount"`
		Currency  string          `json:"currency"`
		Restock   []struct {
			Item     string `json:"item_id"`
			SKU      string `json:"sku"`
			Quantity int    `json:"quantity"`
		} `json:"restock"`
	}
	amount, good := int64(0), host.ReadJSON(call.Content, &asked)
	if good {
		amount, good = cents(asked.Amount)
	}
	if !good || asked.Reference == "" || asked.Reference != call.Header.Get("Idempotency-Key") || asked.Currency != "USD" {
		return c.refuseBecause(http.StatusUnprocessableEntity, "invalid", "reference, the Idempotency-Key that equals it, an amount and USD are needed")
	}
	for _, r := range p.refunds {
		if r.reference == asked.Reference {
			return host.OK(showRefund(r))
		}
	}
	r, err := c.refund(p, amount, asked.Reference)
	if err != nil {
		return c.refuseBecause(http.StatusUnprocessableEntity, "too_much", err.Error())
	}
	for _, back := range asked.Restock {
		pieces := back.Quantity
		for _, l := range p.lines {
			if l.item == c.itemOf(back.Item, back.SKU) {
				n := min(pieces, l.taken[0]+l.taken[1])
				c.restock(l, n)
				pieces -= n
			}
		}
	}
	return host.Answer{Status: http.StatusCreated, Body: showRefund(r)}
}

func (c *Platform) refund(p *purchase, amount int64, reference string) (*refund, error) {
	if amount < 0 || amount > p.cents-p.refunded() {
		return nil, errors.New("more than is left of the order cannot be refunded")
	}
	c.numbers++
	r := &refund{
		number:    c.numbers,
		reference: reference,
		cents:     amount,
	}
	p.refunds = append(p.refunds, r)
	c.changed(p)
	return r, nil
}

func (p *purchase) refunded() (sum int64) {
	for _, r := range p.refunds {
		sum += r.cents
	}
	return sum
}

func showRefund(r *refund) map[string]any {
	shown := map[string]any{"id": "rf-" + strconv.Itoa(r.number), "amount": host.Dollars(r.cents)}
	if r.reference != "" {
		shown["reference"] = r.reference
	}
	return shown
}

// fulfill marks an order as shipped, or corrects its tracking.
func (c *Platform) fulfill(call *host.Call, p *purchase) host.Answer {
	var asked struct {
		Carrier  string `json:"carrier"`
		Tracking string `json:"tracking_number"`
		URL      string `json:"tracking_url"`
	}
	switch {
	case !host.ReadJSON(call.Content, &asked):
		return c.refuseBecause(http.StatusUnprocessableEntity, "invalid", "the body cannot be read")
	case p.canceled:
		return c.refuseBecause(http.StatusConflict, "canceled", "the order is canceled")
	}
	c.ship(p, asked.Carrier, asked.Tracking)
	return host.OK(c.order(p.n))
}

func (c *Platform) ship(p *purchase, carrier, tracking string) {
	o := &c.Orders[p.n]
	p.fulfilled = true
	o.Carrier, o.Tracking = carrier, tracking
	if o.Shipped == 0 {
		o.Shipped = c.Tick(c.Host.Config.Now(), 0)
	}
	c.changed(p)
}

// AdminChange is a change of an order that the merchant makes in the system. Orders are named by id or by reference.
type AdminChange struct {
	Order    string `json:"order"`
	Cancel   bool   `json:"cancel"`
	Refund   string `json:"refund"`   // an amount
	Tracking string `json:"tracking"` // of the parcel; "": it is not shipped
}

// AdminSale is a sale in the system, of an item by its SKU.
type AdminSale struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"` // default 1
}

// AdminChange changes an order.
func (c *Platform) AdminChange(a AdminChange) (err error) {
	c.Write(func(*host.World) {
		p := c.findOrder(a.Order)
		if p == nil {
			err = fmt.Errorf("there is no order %q", a.Order)
			return
		}
		if a.Refund != "" {
			amount, good := cents([]byte(a.Refund))
			if !good {
				err = errors.New("refund must be an amount")
				return
			}
			if _, err = c.refund(p, amount, ""); err != nil {
				return
			}
		}
		if a.Tracking != "" {
			c.ship(p, "UPS", a.Tracking)
		}
		if a.Cancel {
			c.cancel(p)
		}
	})
	return err
}

// AdminSell records a sale.
func (c *Platform) AdminSell(a AdminSale) (err error) {
	c.Write(func(*host.World) {
		item, pieces := c.itemOf("", a.SKU), max(1, a.Quantity)
		if item < 0 || a.SKU == "" || c.left(item, 0)+c.left(item, 1) < pieces {
			err = errors.New("there is too little of this SKU")
			return
		}
		c.take(&purchase{lines: []*line{{item: item, quantity: pieces}}})
	})
	return err
}

// Written returns the orders that were written through the contract.
func (c *Platform) Written() (list []any) {
	list = []any{}
	c.Read(func(*host.World) {
		for n := range c.Orders {
			p := c.purchases[n]
			if p == nil {
				continue
			}
			shown := c.order(n)
			shown["refunded"], shown["haggle_number"], shown["test"] = host.Dollars(p.refunded()), p.asked.Number, p.asked.Test
			shown["payment"], shown["address"] = p.asked.Payment.Reference, p.asked.Address
			shown["lines"] = p.asked.Lines
			list = append(list, shown)
		}
	})
	return list
}
