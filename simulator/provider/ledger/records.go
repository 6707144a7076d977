// Package ledger is the storage of the look-alike payment provider: its records, the state that they make up, and the
// file that every change is appended to. It knows neither provider's API.
package ledger

import (
	"encoding/json"
)

// The records of the ledger as they are in its lines. Amounts are in minor units, times in Unix seconds unless a name
// ends in MS.

// Intent is a Stripe payment intent.
type Intent struct {
	ID           string            `json:"id"`
	Account      string            `json:"account"`
	Live         bool              `json:"live,omitempty"`
	Key          string            `json:"key,omitempty"`
	Amount       int64             `json:"amount"`
	Currency     string            `json:"currency"`
	Status       string            `json:"status"`
	Created      int64             `json:"created"`
	Description  string            `json:"description,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	MethodTypes  []string          `json:"method_types,omitempty"`
	Method       string            `json:"method,omitempty"` // the payment method to charge, pm_…
	Token        string            `json:"token,omitempty"`  // or the granted token
	OffSession   bool              `json:"off_session,omitempty"`
	LatestCharge string            `json:"latest_charge,omitempty"`
	Received     int64             `json:"received,omitempty"`
	LastError    json.RawMessage   `json:"last_error,omitempty"`
	CanceledAt   int64             `json:"canceled_at,omitempty"`
	CancelReason string            `json:"cancel_reason,omitempty"`
	Receipt      string            `json:"receipt,omitempty"`
	Suffix       string            `json:"suffix,omitempty"`
}

// Charge is a successful or failed charge: a Stripe charge or a PayPal capture.
type Charge struct {
	ID          string            `json:"id"`
	Provider    string            `json:"provider"`
	Account     string            `json:"account"`
	Live        bool              `json:"live,omitempty"`
	Key         string            `json:"key,omitempty"`
	Amount      int64             `json:"amount"`
	Currency    string            `json:"currency"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Status      string            `json:"status"`
	Created     int64             `json:"created"`
	Refunded    int64             `json:"refunded,omitempty"`
	Intent      string            `json:"intent,omitempty"`
	Order       string            `json:"order,omitempty"`
	Token       string            `json:"token,omitempty"`
	Method      string            `json:"method,omitempty"`
	Card        *Card             `json:"card,omitempty"`
	Description string            `json:"description,omitempty"`
	InvoiceID   string            `json:"invoice_id,omitempty"`
	CustomID    string            `json:"custom_id,omitempty"`
	Failure     *Decline          `json:"failure,omitempty"`
}

// Refund is a refund of a charge.
type Refund struct {
	ID        string            `json:"id"`
	Provider  string            `json:"provider"`
	Account   string            `json:"account"`
	Key       string            `json:"key,omitempty"`
	Charge    string            `json:"charge"`
	Intent    string            `json:"intent,omitempty"`
	Amount    int64             `json:"amount"`
	Currency  string            `json:"currency"`
	Reason    string            `json:"reason,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	Created   int64             `json:"created"`
	InvoiceID string            `json:"invoice_id,omitempty"`
	CustomID  string            `json:"custom_id,omitempty"`
	Note      string            `json:"note,omitempty"`
	Kind      string            `json:"kind,omitempty"` // reversal: PayPal's, after a lost dispute
	FailedAt  int64             `json:"failed_at,omitempty"`
	Failure   string            `json:"failure,omitempty"`
}

// Dispute is a buyer's dispute with the bank or PayPal.
type Dispute struct {
	ID           string `json:"id"`
	Provider     string `json:"provider"`
	Account      string `json:"account"`
	Live         bool   `json:"live,omitempty"`
	Charge       string `json:"charge"`
	Intent       string `json:"intent,omitempty"`
	Amount       int64  `json:"amount"`
	Currency     string `json:"currency"`
	Reason       string `json:"reason"`
	Status       string `json:"status"`
	Outcome      string `json:"outcome,omitempty"` // PayPal's
	Created      int64  `json:"created"`
	WithdrawnAt  int64  `json:"withdrawn_at,omitempty"`
	ReinstatedAt int64  `json:"reinstated_at,omitempty"`
	ClosedAt     int64  `json:"closed_at,omitempty"`

	DueBy     int64             `json:"due_by,omitempty"`
	UpdatedAt int64             `json:"updated_at,omitempty"`
	Evidence  map[string]string `json:"evidence,omitempty"` // Stripe's fields; for PayPal, notes by type
	Submitted int64             `json:"submitted,omitempty"`
}

// Payout is a transfer to the merchant's bank.
type Payout struct {
	ID       string `json:"id"`
	Provider string `json:"provider"`
	Account  string `json:"account"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Created  int64  `json:"created"`
}

// Order is a PayPal order with its one purchase unit.
type Order struct {
	ID          string `json:"id"`
	Account     string `json:"account"`
	Key         string `json:"key,omitempty"`
	Intent      string `json:"intent"`
	Status      string `json:"status"`
	Created     int64  `json:"created"`
	Updated     int64  `json:"updated"`
	Reference   string `json:"reference"`
	CustomID    string `json:"custom_id,omitempty"`
	InvoiceID   string `json:"invoice_id,omitempty"`
	Description string `json:"description,omitempty"`
	Currency    string `json:"currency"`
	Amount      int64  `json:"amount"`
	Capture     string `json:"capture,omitempty"`
}

// Token is a Stripe granted token or a PayPal billing agreement: permission to charge within limits.
type Token struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Seller    string `json:"seller,omitempty"` // the account that may charge; empty: any account
	Live      bool   `json:"live,omitempty"`
	Method    string `json:"method,omitempty"`
	Currency  string `json:"currency,omitempty"`
	MaxAmount int64  `json:"max_amount,omitempty"` // total of all charges; 0: no limit
	ExpiresAt int64  `json:"expires_at,omitempty"`
	Uses      int    `json:"uses,omitempty"` // successful charges; 0: no limit
	Script    string `json:"script,omitempty"`
	Created   int64  `json:"created"`

	Used     int   `json:"used,omitempty"`
	Taken    int64 `json:"taken,omitempty"`
	LastUse  int64 `json:"last_use,omitempty"`
	Revoked  int64 `json:"revoked,omitempty"`
	StepUses []int `json:"step_uses,omitempty"` // how often each step of the script applied
}

// KeptAnswer is an answer that is kept under an idempotency key.
type KeptAnswer struct {
	Scope  string          `json:"scope"`
	Print  string          `json:"print"` // of the request
	Path   string          `json:"path"`
	AtMS   int64           `json:"at_ms"`
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body,omitempty"`
	Order  string          `json:"order,omitempty"`  // PayPal: the order that a repeat shows instead of Body
	Refund string          `json:"refund,omitempty"` // likewise
}

// Endpoint is a Stripe webhook endpoint or a PayPal webhook.
type Endpoint struct {
	ID          string            `json:"id"`
	Account     string            `json:"account"`
	Live        bool              `json:"live,omitempty"`
	URL         string            `json:"url"`
	Secret      string            `json:"secret"`
	Events      []string          `json:"events"`
	Version     string            `json:"version,omitempty"`
	Description string            `json:"description,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Created     int64             `json:"created"`
	Deleted     bool              `json:"deleted,omitempty"`
	PayPal      bool              `json:"paypal,omitempty"`
}

// Event is an event for webhooks. Body is the whole body that is sent.
type Event struct {
	ID      string          `json:"id"`
	Account string          `json:"account"`
	Type    string          `json:"type"`
	Created int64           `json:"created"`
	Body    json.RawMessage `json:"body"`
}

// Delivery is the delivery of one event to one endpoint.
type Delivery struct {
	ID       string `json:"id"`
	Event    string `json:"event"`
	Endpoint string `json:"endpoint"`
	State    string `json:"state"` // held, pending, delivered, failed or dropped
	Place    int64  `json:"place"` // lower is sent first
	SinceMS  int64  `json:"since_ms"`
	DueMS    int64  `json:"due_ms"`
	Attempts int    `json:"attempts,omitempty"`
	Tampered bool   `json:"tampered,omitempty"`
}

// ScheduledFault is a fault for the next requests of an operation, with any token.
type ScheduledFault struct {
	ID        string `json:"id"`
	Fault     string `json:"fault"`
	Operation string `json:"operation,omitempty"`
	Left      int    `json:"left"`
}

// WebhookFaults are the faults of webhook deliveries.
type WebhookFaults struct {
	Seed       uint64  `json:"seed"`
	Duplicates int     `json:"duplicates"`
	Shuffle    int     `json:"shuffle"`
	Early      bool    `json:"early"`
	DelayMS    int64   `json:"delay_ms"`
	Drop       float64 `json:"drop"`
	Tamper     int     `json:"tamper"`
}

// Ended returns when and why the token can no longer be charged.
func (t Token) Ended(now int64) (at int64, reason string) {
	switch {
	case t.Revoked > 0:
		return t.Revoked, "revoked"
	case t.Uses > 0 && t.Used >= t.Uses:
		return t.LastUse, "consumed"
	case t.ExpiresAt > 0 && now >= t.ExpiresAt:
		return t.ExpiresAt, "expired"
	}
	return 0, ""
}
