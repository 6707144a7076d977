// Package buyer is a buyer agent. It remembers what it saw, and its methods read like the steps of a shopping trip. After
// the first error the methods do nothing, and Err returns the error. It judges prices for its own decisions only; package
// simulator checks whether the merchant keeps the rules.
package buyer

import (
	"context"
	"errors"
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// ErrNothingToDo is returned by a method that needs the result of an earlier one: an offer needs a product, a payment a
// checkout.
var ErrNothingToDo = errors.New("nothing to do this with")

// Buyer is one shopper. Its fields are what it knows. Callers may read them all but set only Claims, Email and Notes. A
// Buyer is not safe for concurrent use.
type Buyer struct {
	Claims *acp.BuyerContext // sent with searches and quotes
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
	openQuote string           // the quote that a follow-up refers to
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

// New returns a buyer that shops through client until ctx ends.
func New(ctx context.Context, client Shop) *Buyer {
	return &Buyer{
		ctx:      ctx,
		client:   client,
		Email:    "buyer@example.com",
		Quantity: 1,
	}
}

// Err returns the first error, or nil.
func (b *Buyer) Err() error { return b.err }

// TakeErr returns the first error and clears it, so that the buyer goes on.
func (b *Buyer) TakeErr() error {
	err := b.err
	b.err = nil
	return err
}

// Client returns the client that the buyer shops through.
func (b *Buyer) Client() Shop { return b.client }

// full returns the client as a FullShop, or errors.ErrUnsupported.
func (b *Buyer) full() (FullShop, error) {
	shop, can := b.client.(FullShop)
	if !can {
		return nil, errors.ErrUnsupported
	}
	return shop, nil
}

// do runs a step unless an earlier one failed.
func (b *Buyer) do(verb string, action func() error) *Buyer {
	if b.err == nil {
		if err := action(); err != nil {
			b.err = fmt.Errorf("%s: %w", verb, err)
		}
	}
	return b
}

// Saw returns an error unless the latest quote answer has the status.
func (b *Buyer) Saw(status string) error {
	switch {
	case b.err != nil:
		return fmt.Errorf("wanted %s: %w\n%s", status, b.err, b.client.Transcript())
	case b.Quote.Status != status:
		return fmt.Errorf("wanted %s, the merchant answered %q\n%s", status, b.Quote.Status, b.client.Transcript())
	}
	return nil
}

// Places returns the number of decimals of the merchant's currency; two before the manifest is read.
func (b *Buyer) Places() int { return decimal.Places(b.Manifest.Currency()) }

// ListPrice returns the price to negotiate from: the variant's if the merchant named it, else the product's.
func (b *Buyer) ListPrice() decimal.Decimal {
	if b.list != nil {
		return *b.list
	}
	return b.Product.ListPrice
}
