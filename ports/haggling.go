package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// HaggleAsk identifies the subject of an offer. Zero ids were not given; a follow-up has a quote and takes product,
// variant and quantity from it; without a session, that of the quote is meant. Without product, Ref and quote, only the
// session is requested.
type HaggleAsk struct {
	Session id.Session
	Quote   id.Quote
	Product id.Product
	Variant id.Variant
	// Ref names the item in place of Product and Variant: the id of a variant, that of a product, or a SKU that is unique
	// among what is sold.
	Ref      string
	Quantity int
	// Client is a hash of the client. Its sessions are counted from Since on, and those about the product from
	// ProductSince on. If that is zero, or the client is not known, they are not counted.
	Client       string
	Since        time.Time
	ProductSince time.Time
	Sessions     int // the client's newest about the product, that are looked at
}

// Haggle is everything that answering an offer needs. Fields for unknown ids are nil. Quote is only found in Session,
// and Product, Stock and Prior follow from Quote where the ask names one.
type Haggle struct {
	Session *session.Session
	Cart    []session.CartItem
	LastSeq int                // of the session's history
	Quote   *negotiation.Quote // the one asked for
	Prior   *negotiation.Quote // the latest on the same session, product, variant and quantity
	Product *catalog.Product   // nil also when it is not active
	Stock   map[id.Variant]int // total by variant of Product
	Probed  negotiation.Probed // of a client's sessions those in its 2,000 newest decisions
}

// HaggleResult is an answer to be stored: all of it, or nothing.
type HaggleResult struct {
	Session    *session.Session
	NewSession bool
	Touched    session.Touched // of a session that is not new
	Quote      *negotiation.Quote
	NewQuote   bool
	Superseded *negotiation.Quote // nil: none
	Entry      negotiation.Entry
	Version    int64 // of the project that it was made by
	// Cart has the agreed items. Each replaces the earlier agreement about its variant or, if there is none, the
	// variant's first line at list price, and keeps that line's number; otherwise it is a new line.
	Cart  []session.CartItem
	Event *event.Event // nil: none
}

// Haggling is the hot path of a quote: one read and one write, each a single round trip to a remote engine.
type Haggling interface {
	// Load is one consistent read. Without a variant in the ask, Prior is that of the product's only variant, if it has
	// just one. A Ref that names no one product finds none.
	Load(ctx context.Context, project id.Project, ask HaggleAsk) (Haggle, error)
	// Save stores an answer. If another answer was stored in the session since Load (its Seq is taken):
	// Conflict stale, and nothing is stored. If the project has another version: Conflict ProjectChanged, likewise.
	Save(ctx context.Context, r HaggleResult) error
	// Decline stores that a quote, which was open, is declined. If it is not open any more: Conflict stale.
	Decline(ctx context.Context, q *negotiation.Quote) error
	// Basket is one consistent read. Unknown ids are left out.
	Basket(ctx context.Context, project id.Project, ask BasketAsk) (Basket, error)
}

// BasketAsk identifies what a checkout is to be opened with.
type BasketAsk struct {
	Session id.Session // zero: that of the tokens
	Tokens  []string   // hashes of checkout tokens
	// Products that are to be bought. Without any, they are those that the tokens' quotes are about, with their bundles.
	Products []id.Product
	// Refs are products that are to be bought, too, by the ids of their variants, their own, or SKUs.
	Refs []string
}

// Basket is everything that opening a checkout needs.
type Basket struct {
	Session  *session.Session // nil: unknown
	Now      time.Time        // by the database's clock; zero where an unknown session was named
	Quotes   []*negotiation.Quote
	Products []*catalog.Product // active ones
	Stock    map[id.Variant]int // pieces at all locations, by variant of Products; of a variant that is not in it, nothing is known
	// Agreed are the session's prices that can still be redeemed, the newest first, at most MostAgreed.
	Agreed []checkout.Agreement
}

// MostAgreed bounds the agreements that a Basket has.
const MostAgreed = 50
