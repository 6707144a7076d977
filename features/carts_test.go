package features

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func (w *world) comesAndPuts(table *godog.Table) error {
	if err := w.arrive(); err != nil {
		return err
	}
	if err := w.puts(table); err != nil {
		return err
	}
	return w.unjudged()
}

// puts writes the cart: a row is an item, with its line, its token or its price where the table has them.
func (w *world) puts(table *godog.Table) error {
	items := []acp.CartItem{}
	for _, row := range rowsOf(table) {
		item, err := w.cartItem(row)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return w.putsItems(items)
}

func (w *world) cartItem(row map[string]string) (item acp.CartItem, err error) {
	product, known := w.products[row["product"]]
	if item.ProductID = product.ID; !known {
		item.ProductID = w.expand(row["product"])
	}
	if item.Quantity, err = strconv.Atoi(row["quantity"]); err != nil {
		return item, err
	}
	item.LineID, item.CheckoutToken = row["line"], w.expand(row["token"])
	for _, v := range product.Variants {
		if row["variant"] != "" && v.Size+"/"+v.Color == row["variant"] {
			item.VariantID = v.ID
		}
	}
	if text := row["price"]; text != "" {
		price, err := decimal.Parse(text)
		item.NegotiatedPrice = &price
		return item, err
	}
	return item, nil
}

func (w *world) putsItems(items []acp.CartItem) error {
	return w.attempt(func() error {
		b, err := w.someone()
		if err != nil {
			return err
		}
		cart, err := b.client.PutCart(w.ctx, acp.CartRequest{SessionID: b.SessionID, Items: items})
		if err == nil {
			b.SessionID = cart.SessionID
		}
		return err
	})
}

func (w *world) putsLines(lines, quantity int, name string) error {
	var item acp.CartItem
	item.ProductID, item.Quantity = w.products[name].ID, quantity
	return w.putsItems(slices.Repeat([]acp.CartItem{item}, lines))
}

func (w *world) readsCart() error {
	return w.attempt(func() error {
		_, err := w.shopper.client.Cart(w.ctx, w.shopper.SessionID)
		return err
	})
}

func (w *world) emptiesCart() error {
	return w.attempt(func() error {
		_, err := w.shopper.client.EmptyCart(w.ctx, w.shopper.SessionID)
		return err
	})
}

func (w *world) checksOutCart(address acp.Address) error {
	w.noteCheckout()
	return w.act(func(b *shopper) { b.InitCheckoutWith(acp.InitRequest{FromCart: true, ShippingAddress: address}) })
}

func (w *world) checksOutCartTo(country, state string) error {
	w.shopper.address.Country, w.shopper.address.State = country, state
	return w.checksOutCart(w.shopper.address)
}

func (w *world) checksOutCartWithoutAddress() error { return w.checksOutCart(acp.Address{}) }

func (w *world) checksOutBesideCart(name string) error {
	w.noteCheckout()
	return w.checksOutLines(1, name)
}

// noteCheckout remembers the checkout that the buyer has, before it opens one again.
func (w *world) noteCheckout() {
	if w.shopper.Checkout.CheckoutID != "" {
		w.orders = []string{w.shopper.Checkout.CheckoutID}
	}
}

func (w *world) checksOutCartAtOnce(times int) {
	found := make([]string, times)
	request := acp.InitRequest{
		SessionID:       w.shopper.SessionID,
		FromCart:        true,
		ShippingAddress: w.shopper.address,
	}
	w.atOnce(times, func(i int) error {
		answer, err := w.shopper.client.InitCheckout(w.ctx, request)
		found[i] = answer.CheckoutID
		return err
	})
	w.orders = found
}

func (w *world) isCheckout(same bool) error {
	if w.refusal != nil {
		return w.refusal
	}
	if id := w.shopper.Checkout.CheckoutID; len(w.orders) != 1 || (w.orders[0] == id) != same {
		return fmt.Errorf("checkout %s after %v", id, w.orders)
	}
	return nil
}

func (w *world) sameCheckoutEverywhere() error {
	if err := errors.Join(w.crowd...); err != nil {
		return err
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(w.orders))); len(distinct) != 1 || distinct[0] == "" {
		return fmt.Errorf("the checkouts are %q", distinct)
	}
	return nil
}
