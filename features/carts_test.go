package features

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// cartsContext fills carts and checks them out.
type cartsContext struct{ *scenario }

func (c *cartsContext) arrivesAndPutsCart(table *godog.Table) error {
	if err := c.startBuyer(); err != nil {
		return err
	}
	if err := c.putsCart(table); err != nil {
		return err
	}
	return c.unexpectedRefusal()
}

// putsCart replaces the cart's items. A row is an item; its line, variant and agreement are optional.
func (c *cartsContext) putsCart(table *godog.Table) error {
	items := []acp.CartItem{}
	for _, row := range rowsOf(table) {
		item, err := c.cartItem(row)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return c.putsCartItems(items)
}

func (c *cartsContext) cartItem(row map[string]string) (item acp.CartItem, err error) {
	product, known := c.products[row["product"]]
	if item.ProductID = product.ID; !known {
		return item, fmt.Errorf("the shop sells no %q", row["product"])
	}
	if item.Quantity, err = strconv.Atoi(row["quantity"]); err != nil {
		return item, err
	}
	item.LineID = row["line"]
	switch row["agreement"] {
	case "its own":
		item.CheckoutToken = c.shopper.token()
	case "the first buyer's":
		item.CheckoutToken = c.previousShopper.token()
	}
	for _, v := range product.Variants {
		if row["variant"] != "" && v.Size+"/"+v.Color == row["variant"] {
			item.VariantID = v.ID
		}
	}
	return item, nil
}

func (c *cartsContext) putsCartItems(items []acp.CartItem) error {
	return c.attempt(func() error {
		b, err := c.currentBuyer()
		if err != nil {
			return err
		}
		cart, err := b.client.PutCart(c.ctx, acp.CartRequest{SessionID: b.SessionID, Items: items})
		if err == nil {
			b.SessionID = cart.SessionID
		}
		return err
	})
}

func (c *cartsContext) putsCartLines(lines, quantity int, name string) error {
	var item acp.CartItem
	item.ProductID, item.Quantity = c.products[name].ID, quantity
	return c.putsCartItems(slices.Repeat([]acp.CartItem{item}, lines))
}

func (c *cartsContext) readsCart() error {
	return c.attempt(func() error {
		_, err := c.shopper.client.Cart(c.ctx, c.shopper.SessionID)
		return err
	})
}

func (c *cartsContext) emptiesCart() error {
	return c.attempt(func() error {
		_, err := c.shopper.client.EmptyCart(c.ctx, c.shopper.SessionID)
		return err
	})
}

func (c *cartsContext) checksOutCart(address acp.Address) error {
	c.recordCheckout()
	return c.act(func(b *shopper) { b.InitCheckoutWith(acp.InitRequest{FromCart: true, ShippingAddress: address}) })
}

func (c *cartsContext) checksOutCartTo(country, state string) error {
	c.shopper.address.Country, c.shopper.address.State = country, state
	return c.checksOutCart(c.shopper.address)
}

func (c *cartsContext) checksOutCartWithoutAddress() error { return c.checksOutCart(acp.Address{}) }

func (c *cartsContext) checksOutWithoutCart(name string) error {
	c.recordCheckout()
	return c.checkouts.checksOutLines(1, name)
}

// recordCheckout records the buyer's current checkout before it opens another one.
func (c *cartsContext) recordCheckout() {
	if c.shopper.Checkout.CheckoutID != "" {
		c.recordedIDs = []string{c.shopper.Checkout.CheckoutID}
	}
}

func (c *cartsContext) checksOutCartConcurrently(times int) {
	found := make([]string, times)
	request := acp.InitRequest{
		SessionID:       c.shopper.SessionID,
		FromCart:        true,
		ShippingAddress: c.shopper.address,
	}
	c.runConcurrently(times, func(i int) error {
		answer, err := c.shopper.client.InitCheckout(c.ctx, request)
		found[i] = answer.CheckoutID
		return err
	})
	c.recordedIDs = found
}

func (c *cartsContext) sameCheckout(same bool) error {
	if c.refusal != nil {
		return c.refusal
	}
	if id := c.shopper.Checkout.CheckoutID; len(c.recordedIDs) != 1 || (c.recordedIDs[0] == id) != same {
		return fmt.Errorf("checkout %s after %v", id, c.recordedIDs)
	}
	return nil
}

func (c *cartsContext) allSameCheckout() error {
	if err := errors.Join(c.concurrentErrs...); err != nil {
		return err
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(c.recordedIDs))); len(distinct) != 1 || distinct[0] == "" {
		return fmt.Errorf("the checkouts are %q", distinct)
	}
	return nil
}

// takesOffSale deletes a product.
func (c *cartsContext) takesOffSale(name string) error {
	return c.merchantSends("DELETE", productsPath+"/"+c.products[name].ID, "")
}

// costs checks the subtotal of the cart in the latest answer and, unless it is empty, the savings.
func (c *cartsContext) costs(subtotal, savings string) error {
	if savings == "" {
		return c.answerShows("subtotal", subtotal)
	}
	return c.answerShows("subtotal", subtotal, "savings", savings)
}

// sessionHolds reads the session and checks the cart in it.
func (c *cartsContext) sessionHolds(subtotal string, table *godog.Table) error {
	if _, err := c.haggling.readSession(); err != nil {
		return err
	}
	rows := rowsOf(table)
	pairs := []string{"cart.subtotal", subtotal, "cart.items.#", strconv.Itoa(len(rows))}
	for i, row := range rows {
		item := fmt.Sprintf("cart.items.%d.", i)
		pairs = append(pairs,
			item+"name", strconv.Quote(row["product"]),
			item+"quantity", row["quantity"],
			item+"negotiated_price", row["price"],
		)
		switch row["at list price"] {
		case "yes":
			pairs = append(pairs, item+"at_list_price", "true")
		case "no":
			pairs = append(pairs, item+"at_list_price", "absent")
		}
	}
	return c.answerShows(pairs...)
}

// revisionIs reads the buyer's current checkout and checks its revision.
func (c *cartsContext) revisionIs(revision string) error {
	if err := c.buyerSends("GET", "/acp/checkout/$checkout", ""); err != nil {
		return err
	}
	return c.answerShows("revision", revision)
}
