package woocommerce

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// AdminChange is a change of an order that a merchant makes in the shop's admin. Orders are named by id or by the
// reference that they were written with.
type AdminChange struct {
	Order  string `json:"order"`
	Status string `json:"status"` // the new status; "": unchanged
	Refund string `json:"refund"` // an amount
	Reason string `json:"reason"` // of the refund
	// Restock returns all pieces of the order to stock.
	Restock bool `json:"restock"`
}

// AdminSale is a sale in the shop, of an item by its SKU.
type AdminSale struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"` // default 1
}

// AdminChange changes an order.
func (w *Platform) AdminChange(a AdminChange) (err error) {
	w.Write(func(*host.World) {
		p := w.findOrder(a.Order)
		if p == nil {
			err = fmt.Errorf("there is no order %q", a.Order)
			return
		}
		if a.Refund != "" {
			no := false
			asked := refundRequest{
				Amount:  a.Refund,
				Reason:  a.Reason,
				Pay:     &no,
				Restock: &a.Restock,
			}
			for _, l := range p.lines {
				if a.Restock && l.item >= 0 {
					asked.Lines = append(asked.Lines, struct {
						ID       int `json:"id"`
						Quantity int `json:"quantity"`
					}{l.id, l.quantity})
				}
			}
			if _, err = w.refund(p, asked); err != nil {
				return
			}
		}
		if a.Status != "" {
			w.setStatus(p, a.Status)
			w.Announce([]host.Event{{Topic: "orders/updated", Body: w.show(p)}})
		}
	})
	return err
}

func (w *Platform) findOrder(order string) *purchase {
	for n, p := range w.purchases {
		if !p.gone && (strconv.Itoa(firstOrder+n) == order || find(p.meta, "haggle_order_id") == order) {
			return p
		}
	}
	return nil
}

// AdminSell records a sale in the shop.
func (w *Platform) AdminSell(a AdminSale) (err error) {
	w.Write(func(*host.World) {
		n := w.itemOf(0, a.SKU)
		if n < 0 || a.SKU == "" {
			err = errors.New("there is no such SKU")
			return
		}
		w.changeStock(n, -max(1, a.Quantity))
	})
	return err
}
