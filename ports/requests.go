package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// KeyUse is a request that carries an Idempotency-Key (decisions 6).
type KeyUse struct {
	Owner       string // who sends it: only the same may repeat it
	Route       string // method and path
	Key         string
	Fingerprint [32]byte // of what is asked: another one under the same key is refused
	At          time.Time
	// Until is when a request under way is given up for lost. A claim is known by it; zero: At.
	Until time.Time
}

// KeyLife is how long an answer is kept for its key.
const KeyLife = 24 * time.Hour

// Answer is a response as it was sent.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
	// Subject is whom the answer is about: an order, checkout or session, or a buyer's pseudonym. It is written, and
	// not read. Empty: nobody.
	Subject string
}

// ErrKeyTaken is the answer to a claim that came second.
var ErrKeyTaken = fault.New(fault.Conflict, "idempotency_in_progress",
	"A request with this Idempotency-Key is under way.").After(time.Second)

// ErrAnswerErased is the answer to a key whose answer had personal data that was erased since.
var ErrAnswerErased = fault.New(fault.Conflict, "answer_erased",
	"The request with this Idempotency-Key took effect. Its answer was erased with the buyer's personal data.")

// IdempotencyKeys keeps the answers of requests by their keys, for KeyLife.
type IdempotencyKeys interface {
	// Find is the answer kept for a key: nil for a new one. A key that was used for something else:
	// Invalid idempotency_key_reused. One whose request is under way: ErrKeyTaken. One whose answer was erased:
	// ErrAnswerErased.
	Find(ctx context.Context, use KeyUse) (*Answer, error)
	// Claim marks the key's request as under way. Only one can: ErrKeyTaken, also when the key has its
	// answer.
	Claim(ctx context.Context, use KeyUse) error
	// Release undoes the use's claim, if it is still its own: its request came to nothing.
	Release(ctx context.Context, use KeyUse) error
	// Amend replaces the answer that the use itself has recorded. Where there is none it does nothing.
	Amend(ctx context.Context, use KeyUse, a Answer) error
	// Purge forgets a bounded number of answers whose time is over, and tells how many.
	Purge(ctx context.Context, now time.Time) (int, error)
}

// Record is what is kept of a request beside its effect. Nil parts are not kept.
type Record struct {
	Use    *KeyUse
	Answer Answer // for Use
	Event  *audit.Event
}

// Records keeps records. Within a request's transaction a record is kept together with the effect, or
// neither is.
type Records interface {
	// Record replaces the use's own claim of the key, or none, by the answer. A key that has its answer,
	// or that another request has claimed, keeps what it has.
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

// AuditLog reads what Records wrote. Nothing changes or removes an event, also not when its project is
// deleted.
type AuditLog interface {
	// Events lists newest first.
	Events(ctx context.Context, account id.Account, f AuditFilter, page Page) ([]audit.Event, int, error)
}
