package ports

import (
	"context"
	"encoding/json"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// BuyerRecords finds and erases the stored data of buyers by e-mail address, whose letters A to Z are in lower case;
// other letters are found as given, all small or all capital. A session belongs together with the checkouts and orders
// that the buyer made in it.
type BuyerRecords interface {
	// Sessions lists the sessions in which a checkout or an order has the e-mail address, by id.
	Sessions(ctx context.Context, project id.Project, email string, page Page) ([]id.Session, error)
	// Session reads one of them. Orders and checkouts with another e-mail address are left out.
	Session(ctx context.Context, project id.Project, of id.Session, email string) (BuyerSession, error)
	// Erase removes the buyer's personal data from a session, its orders, checkouts and events, and from answers that
	// are kept for idempotency keys, unless one of the buyer's orders or payments in it is in progress: then it changes
	// nothing and returns which.
	Erase(ctx context.Context, project id.Project, of id.Session, email string) (ErasedSession, error)
	// Copied reads platforms' records of the buyer: customers and orders, and payloads of webhooks that failed.
	Copied(ctx context.Context, project id.Project, email string) ([]CopiedRecord, error)
	// EraseCopied removes these records, and answers kept for idempotency keys that are about subject. waiting is how
	// many webhooks that name the buyer are still unprocessed, and stay.
	EraseCopied(ctx context.Context, project id.Project, email, subject string) (erased, waiting int, err error)
}

// ImportedPeople erases personal data that was imported through an integration.
type ImportedPeople interface {
	// Erase removes the external records of customers and orders with the platform's ids, or all of them if both are
	// nil, with the payloads of webhooks that failed, and returns how many there were.
	Erase(ctx context.Context, project id.Project, of id.Integration, customers, orders []string) (int, error)
}

// BuyerSession is the stored data of a buyer in a session.
type BuyerSession struct {
	Session   *session.Session
	Entries   []negotiation.Entry
	Checkouts []*checkout.Checkout // those without an order
	Orders    []id.Order           // the oldest first
	Events    []json.RawMessage    // as they were sent, the oldest first
}

// ErasedSession is what Erase did.
type ErasedSession struct {
	Pending   []PendingErasure // why nothing was erased; empty: it was
	Orders    int
	Checkouts int
	Events    int
	Messages  int
	// Kept is how many messages stay, because the chain of decisions has them as content, not as hashes.
	Kept int
}

// PendingErasure is an order, or a checkout without one, that is in progress.
type PendingErasure struct {
	Order    id.Order
	Checkout id.Checkout
	Reasons  []string // not_delivered, refund_pending, dispute_open, return_requested, payment_undecided, orphan_charge_open
}

// CopiedRecord is a platform's record of a buyer.
type CopiedRecord struct {
	Integration id.Integration
	Resource    string // customers, orders or webhooks
	Remote      string // the platform's id
	Content     json.RawMessage
}

// Pseudonyms replaces names of people where they must not be stored.
type Pseudonyms interface {
	// Pseudonym is always the same for a text and a purpose, and reveals neither without the master key.
	Pseudonym(text, purpose string) string
}
