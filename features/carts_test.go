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

func (w *world) arrivesAndPutsCart(table *godog.Table) error {
	if err := w.startBuyer(); err != nil {
		return err
	}
	if err := w.putsCart(table); err != nil {
		return err
	}
	return w.unexpectedRefusal()
}

// putsCart replaces the cart's items. A row is an item; its line, token and price are optional.
func (w *world) putsCart(table *godog.Table) error {
	items := []acp.CartItem{}
	for _, row := range rowsOf(table) {
		item, err := w.cartItem(row)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return w.putsCartItems(items)
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

func (w *world) putsCartItems(items []acp.CartItem) error {
	return w.attempt(func() error {
		b, err := w.currentBuyer()
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

func (w *world) putsCartLines(lines, quantity int, name string) error {
	var item acp.CartItem
	item.ProductID, item.Quantity = w.products[name].ID, quantity
	return w.putsCartItems(slices.Repeat([]acp.CartItem{item}, lines))
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
	w.recordCheckout()
	return w.act(func(b *shopper) { b.InitCheckoutWith(acp.InitRequest{FromCart: true, ShippingAddress: address}) })
}

func (w *world) checksOutCartTo(country, state string) error {
	w.shopper.address.Country, w.shopper.address.State = country, state
	return w.checksOutCart(w.shopper.address)
}

func (w *world) checksOutCartWithoutAddress() error { return w.checksOutCart(acp.Address{}) }

func (w *world) checksOutWithoutCart(name string) error {
	w.recordCheckout()
	return w.checksOutLines(1, name)
}

// recordCheckout records the buyer's current checkout before it opens another one.
func (w *world) recordCheckout() {
	if w.shopper.Checkout.CheckoutID != "" {
		w.recordedIDs = []string{w.shopper.Checkout.CheckoutID}
	}
}

func (w *world) checksOutCartConcurrently(times int) {
	found := make([]string, times)
	request := acp.InitRequest{
		SessionID:       w.shopper.SessionID,
		FromCart:        true,
		ShippingAddress: w.shopper.address,
	}
	w.runConcurrently(times, func(i int) error {
		answer, err := w.shopper.client.InitCheckout(w.ctx, request)
		found[i] = answer.CheckoutID
		return err
	})
	w.recordedIDs = found
}

func (w *world) sameCheckout(same bool) error {
	if w.refusal != nil {
		return w.refusal
	}
	if id := w.shopper.Checkout.CheckoutID; len(w.recordedIDs) != 1 || (w.recordedIDs[0] == id) != same {
		return fmt.Errorf("checkout %s after %v", id, w.recordedIDs)
	}
	return nil
}

func (w *world) allSameCheckout() error {
	if err := errors.Join(w.concurrentErrs...); err != nil {
		return err
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(w.recordedIDs))); len(distinct) != 1 || distinct[0] == "" {
		return fmt.Errorf("the checkouts are %q", distinct)
	}
	return nil
}
