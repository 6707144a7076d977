package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// KeyUsage is a request that carries an Idempotency-Key (features/MANAGEMENT.md#idempotency).
type KeyUsage struct {
	Owner       string // the sender: only it may repeat the request
	Route       string // method and path
	Key         string
	Fingerprint [32]byte // of the request: another one under the same key is refused
	At          time.Time
	// Until is the time after which a request under way counts as lost. It identifies a claim; zero: At.
	Until time.Time
}

// KeyLife is how long an answer is kept for its key.
const KeyLife = 24 * time.Hour

// Answer is a response as it was sent.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
	// Subject is what the answer is about: an order, checkout or session, or a buyer's pseudonym. It is written, and
	// not read. It may be empty.
	Subject string
}

// ErrKeyTaken is returned for a second claim of a key.
var ErrKeyTaken = fault.New(fault.Conflict, "idempotency_in_progress",
	"A request with this Idempotency-Key is in progress. Try again.").After(time.Second)

// ErrAnswerErased is returned for a key whose answer had personal data that was erased since.
var ErrAnswerErased = fault.New(fault.Conflict, "answer_erased",
	"The request with this Idempotency-Key took effect. Its response was erased with the buyer's personal data.")

// IdempotencyKeys keeps the answers of requests by their keys, for KeyLife.
type IdempotencyKeys interface {
	// Find is the answer kept for a key: nil for a new one. A key that was used for something else:
	// Invalid idempotency_key_reused. One whose request is under way: ErrKeyTaken. One whose answer was erased:
	// ErrAnswerErased.
	Find(ctx context.Context, use KeyUsage) (*Answer, error)
	// Claim marks the key's request as under way. Only one can: ErrKeyTaken, also when the key has its
	// answer.
	Claim(ctx context.Context, use KeyUsage) error
	// Release undoes the use's claim, if it still holds it, after its request has failed.
	Release(ctx context.Context, use KeyUsage) error
	// Amend replaces the answer that the use itself has recorded. If there is none it does nothing.
	Amend(ctx context.Context, use KeyUsage, a Answer) error
	// Purge deletes a bounded number of expired answers, and returns how many.
	Purge(ctx context.Context, now time.Time) (int, error)
}

// Record is stored for a request together with its effect. Nil parts are not stored.
type Record struct {
	Use    *KeyUsage
	Answer Answer // for Use
	Event  *audit.Event
}

// Records stores records. Within a request's transaction a record is stored together with the effect, or neither is.
type Records interface {
	// Record stores the answer of a key that is unclaimed or claimed by the use itself. A key that has an answer, or
	// that another request has claimed, is left as it is.
	Record(ctx context.Context, r Record) error
}

// AuditFilter narrows the list of audit events. Zero fields narrow nothing.
type AuditFilter struct {
	Projects []id.Project // any of them
	Key      id.APIKey
	Member   id.Member
	Action   string
	From, To time.Time // from, and before
}

// AuditLog reads what Records wrote. Nothing changes or removes an event, even when its project is deleted.
type AuditLog interface {
	// Events lists newest first.
	Events(ctx context.Context, account id.Account, f AuditFilter, page Page) ([]audit.Event, int, error)
}
