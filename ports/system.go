// Package ports declares the interfaces through which the application uses storage, payment providers, platforms and
// other systems. It imports the domain and no technology. The suites in ports/porttest test adapters against the
// promises in the comments here. Methods return faults: unknown records, and records of another project, are
// fault.NotFound.
package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Clock returns the time in UTC and whole milliseconds, the precision that is stored and shown.
type Clock interface{ Now() time.Time }

// Entropy generates random bits that cannot be guessed.
type Entropy interface {
	Bits128() [16]byte
	// IDBits are the bits of a new id: the time in milliseconds, in 48 bits, and 80 unguessable bits, as in a version 7
	// UUID (RFC 9562). Ids sort by the time when they were made, so that rows that are written together are next to
	// each other in their indexes.
	IDBits() [16]byte
	// Secret is n bytes as lower-case base32 text.
	Secret(n int) string
}

// Addresses distinguishes public URLs from private ones.
type Addresses interface {
	// LeadsInside reports whether a URL leads into a private network, where only we could reach it. It resolves no
	// names: what they lead to may change, so every connection is checked again. It is false for a text that is no URL
	// of a host.
	LeadsInside(url string) bool
}

// Page selects a part of a list. After, Before, Oldest and CountTo are for lists with keyset pagination: OrderLists,
// Payments, unresolved payments, transactions and audit events.
type Page struct {
	Limit, Offset int
	// After or Before is a place in the list: the part follows or precedes it, without the item at the place. The list
	// is then not counted: the number of all is 0.
	After, Before *Place
	// Oldest reverses the order of the list.
	Oldest bool
	// CountTo is the number up to which the list must be counted; 0: to its end.
	CountTo int
}

// Place is where something is in a list that is ordered by time, then by id. The item that was there may be gone.
type Place struct {
	At time.Time
	ID string
}

// Meter counts business events for the operators of the service.
type Meter interface {
	// Negotiated counts an answer to an offer, by its outcome.
	Negotiated(negotiation.Outcome)
	// QuoteExpired counts an offer on an expired quote.
	QuoteExpired()
	// Paid counts a decided payment attempt: paid, declined, not_charged or unresolved.
	Paid(result string)
	// Sold counts an order, with its total and what its lines cost less than at list price.
	Sold(total, discount money.Amount)
}

// Vault encrypts secrets that must be readable again. purpose binds a secret to its use: it can only be opened for the
// same purpose.
type Vault interface {
	Seal(plain []byte, purpose string) []byte
	Open(sealed []byte, purpose string) ([]byte, error)
}

// Sealed holds the encrypted secrets of one kind, of the whole installation.
type Sealed[ID any] interface {
	// Reseal replaces each secret by the result of seal, or changes nothing if seal fails, and returns how many there
	// were. seal does no I/O and may run more than once.
	Reseal(ctx context.Context, seal func(ID, []byte) ([]byte, error)) (int, error)
}

// DerivedSecrets derives secrets that need not be stored, because the master key can derive them again.
type DerivedSecrets interface {
	// Derive derives a secret of 160 bits from text for each master key, the newest first. Different purposes have
	// different secrets.
	Derive(text, purpose string) []string
}
