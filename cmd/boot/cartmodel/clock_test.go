package cartmodel

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// These wrappers set the times of stored objects that are read to the shop's clock, because the engine's clock keeps running.

type clockedCheckouts struct {
	ports.Checkouts
	shop *shop
}

func (c clockedCheckouts) InTx(ctx context.Context, p id.Project, work func(ports.Purchase) error) error {
	return c.Checkouts.InTx(ctx, p, func(tx ports.Purchase) error { return work(clockedTx{tx, c.shop}) })
}

func (c clockedCheckouts) PayAttempts(ctx context.Context, p id.Project, of id.Checkout, client string, window time.Duration) (ports.PayAttempts, error) {
	found, err := c.Checkouts.PayAttempts(ctx, p, of, client, window)
	found.Now = c.shop.now
	return found, err
}

type clockedTx struct {
	ports.Purchase
	shop *shop
}

func (t clockedTx) Lock(ctx context.Context, of id.Checkout) (*checkout.Checkout, time.Time, error) {
	c, _, err := t.Purchase.Lock(ctx, of)
	return c, t.shop.now, err
}

func (t clockedTx) LockWithStock(
	ctx context.Context, of id.Checkout, needs []catalog.Need, payers []string,
) (*checkout.Checkout, []catalog.Level, time.Time, error) {
	c, levels, _, err := t.Purchase.LockWithStock(ctx, of, needs, payers)
	return c, levels, t.shop.now, err
}

type clockedHaggling struct {
	ports.Haggling
	shop *shop
}

func (h clockedHaggling) Basket(ctx context.Context, p id.Project, ask ports.BasketAsk) (ports.Basket, error) {
	found, err := h.Haggling.Basket(ctx, p, ask)
	found.Now = h.shop.now
	return found, err
}

type clockedCarts struct {
	ports.Carts
	shop *shop
}

func (c clockedCarts) Cart(ctx context.Context, p id.Project, ask ports.CartAsk) (ports.Cart, error) {
	found, err := c.Carts.Cart(ctx, p, ask)
	found.Now = c.shop.now
	return found, err
}
