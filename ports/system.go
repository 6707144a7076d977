// Package ports is what the application needs from outside, in its own words. Each file is one
// conversation; each interface is a promise that ports/porttest holds its adapters to. Methods answer
// faults: unknown things, and things of another project, are fault.NotFound.
package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Clock tells the time, in UTC and whole milliseconds, for that is what is stored and shown.
type Clock interface{ Now() time.Time }

// Entropy gives unguessable bits.
type Entropy interface {
	Bits128() [16]byte
	// IDBits are the bits of a new id: the time in milliseconds, in 48 bits, and 80 unguessable bits, as in a version 7 UUID
	// (RFC 9562). Ids sort by when they were made, so that rows that are written together lie together in their indexes.
	IDBits() [16]byte
	// Secret is n bytes as lower-case base32 text.
	Secret(n int) string
}

// Addresses tells public URLs from others.
type Addresses interface {
	// LeadsInside reports whether a URL leads into a private network, where only we could reach it. It resolves no names:
	// what they lead to may change, so every connection is checked again. What is no URL of a host leads nowhere.
	LeadsInside(url string) bool
}

// Page is a part of a list. After, Before, Oldest and CountTo are for lists that are paged by key: OrderLists, Payments,
// unresolved payments, transactions and audit events.
type Page struct {
	Limit, Offset int
	// After or Before is a place in the list: the part is what follows or precedes it, without what is there. Such a part
	// is not counted: the number of all is 0.
	After, Before *Place
	// Oldest turns the list round.
	Oldest bool
	// CountTo is up to which number the list must be counted; 0: to its end.
	CountTo int
}

// Place is where something is in a list that is ordered by time, then by id. What was there may be gone.
type Place struct {
	At time.Time
	ID string
}

// Meter counts what happens to the business, for those who run the service.
type Meter interface {
	// Negotiated counts an answer to an offer, by its outcome.
	Negotiated(negotiation.Outcome)
	// QuoteExpired counts an offer on a quote whose time is over.
	QuoteExpired()
	// Paid counts a decided payment attempt: paid, declined, not_charged or unresolved.
	Paid(result string)
	// Sold counts an order, with its total and what its lines cost less than at list price.
	Sold(total, discount money.Amount)
}

// Vault encrypts what must be read again and never be seen: purpose binds a secret to what it is for,
// and opens it for nothing else.
type Vault interface {
	Seal(plain []byte, purpose string) []byte
	Open(sealed []byte, purpose string) ([]byte, error)
}

// Sealed is the secrets of one kind, of the whole installation.
type Sealed[ID any] interface {
	// Reseal stores what seal makes of each secret, or nothing if it fails, and returns how many there were. seal does
	// no I/O and may run more than once.
	Reseal(ctx context.Context, seal func(ID, []byte) ([]byte, error)) (int, error)
}

// DerivedSecrets makes secrets that need not be stored: who has the master key can make them again.
type DerivedSecrets interface {
	// Derive makes a secret of 160 bits from text for each master key, the newest first. purpose keeps apart what
	// secrets are for.
	Derive(text, purpose string) []string
}
