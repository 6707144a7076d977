// Package buyer is a buyer agent: it remembers what it saw, and its verbs read like a shopping trip. After the first
// failure later verbs do nothing, and Err tells what failed. It judges prices only for itself; whether the merchant
// keeps its promises is the simulator's business.
package buyer

import (
	"context"
	"errors"
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// ErrNothingToDo marks a verb that has nothing to work on: an offer before a product was seen, a payment before a checkout.
var ErrNothingToDo = errors.New("nothing to do this with")

// Buyer is one shopper. Its fields are what it knows; read them freely, set only Claims, Email and Notes.
// A Buyer is for one goroutine.
type Buyer struct {
	Claims *acp.BuyerContext // sent along with searches and quotes
	Email  string
	Notes  string

	Manifest     acp.Manifest
	SessionID    string
	Found        acp.SearchResponse
	Product      acp.Product
	Variant      acp.Variant // of Product
	Quantity     int
	Quote        acp.Quote // the latest answer
	Rounds       int       // offers made for this product
	Agreement    *Agreement
	Checkout     acp.Checkout
	Finalized    acp.Finalized // the latest answer to finalize
	Order        acp.OrderRecord
	Availability acp.Availability
	Session      acp.Session
	Extended     acp.Extended
	Return       acp.Return

	ctx       context.Context
	client    Shop
	err       error
	openQuote string           // what a follow-up refers to
	list      *decimal.Decimal // list price of the variant, once the merchant named it
	finalize  acp.FinalizeRequest
}

// Agreement is an accepted quote.
type Agreement struct {
	ProductID, VariantID string
	Quantity             int
	UnitPrice            decimal.Decimal
	Token                string
	Bundle               *acp.BundleSuggestion // nil unless taken
}

// New makes a buyer who shops through client until ctx ends.
func New(ctx context.Context, client Shop) *Buyer {
	return &Buyer{
		ctx:      ctx,
		client:   client,
		Email:    "buyer@example.com",
		Quantity: 1,
	}
}

// Err is the first failure, or nil.
func (b *Buyer) Err() error { return b.err }

// TakeErr returns the first failure and forgets it, so that the buyer goes on.
func (b *Buyer) TakeErr() error {
	err := b.err
	b.err = nil
	return err
}

// Client is the client the buyer shops through.
func (b *Buyer) Client() Shop { return b.client }

// full is the client, if its protocol can do what not every one can.
func (b *Buyer) full() (FullShop, error) {
	shop, can := b.client.(FullShop)
	if !can {
		return nil, errors.ErrUnsupported
	}
	return shop, nil
}

// do runs a verb unless an earlier one failed.
func (b *Buyer) do(verb string, action func() error) *Buyer {
	if b.err == nil {
		if err := action(); err != nil {
			b.err = fmt.Errorf("%s: %w", verb, err)
		}
	}
	return b
}

// Saw reports, as an error, anything but a latest quote answer of the status.
func (b *Buyer) Saw(status string) error {
	switch {
	case b.err != nil:
		return fmt.Errorf("wanted %s: %w\n%s", status, b.err, b.client.Transcript())
	case b.Quote.Status != status:
		return fmt.Errorf("wanted %s, the merchant answered %q\n%s", status, b.Quote.Status, b.client.Transcript())
	}
	return nil
}

// Places is the number of decimals of the merchant's currency; two before the manifest is read.
func (b *Buyer) Places() int { return decimal.Places(b.Manifest.Currency()) }

// ListPrice is the price to haggle from: the variant's if the merchant named it, else the product's.
func (b *Buyer) ListPrice() decimal.Decimal {
	if b.list != nil {
		return *b.list
	}
	return b.Product.ListPrice
}
