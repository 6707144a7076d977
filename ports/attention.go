package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// WaitingKind is a kind of records that wait for a merchant.
type WaitingKind string

// The kinds, those with money at stake first.
const (
	PaymentUnresolved    WaitingKind = "payment_unresolved" // the provider did not report the outcome when asked
	RefundUnresolved     WaitingKind = "refund_unresolved"
	DisputeOpen          WaitingKind = "dispute_open" // its provider waits for the merchant's response
	ReturnRequested      WaitingKind = "return_requested"
	OrderToShip          WaitingKind = "order_to_ship"
	SyncFailed           WaitingKind = "sync_failed"           // an integration's newest run
	SubscriptionDisabled WaitingKind = "subscription_disabled" // by failures, not by the merchant
	WorkSetAside         WaitingKind = "work_set_aside"        // background work that cannot be read, or made the program panic
)

// WaitingKinds are all of them, in their order.
var WaitingKinds = []WaitingKind{
	PaymentUnresolved, RefundUnresolved, DisputeOpen, ReturnRequested, OrderToShip, SyncFailed, SubscriptionDisabled, WorkSetAside,
}

// Waiting sums up the waiting records of a kind.
type Waiting struct {
	Kind    WaitingKind
	Count   int
	Oldest  time.Time
	Amount  *money.Amount // of what is in the asked currency; nil: none is, or the kind has none
	Late    int           // orders past their promised ship date
	ShipsOn string        // of an order to ship, the earliest date promised; "": of none
	DueBy   time.Time     // of a dispute, the earliest deadline; zero: none is known
	Example string        // the id of the oldest; "": it has none to show
	Words   string        // what the oldest is
}

// Attention finds records that wait for a merchant. Records that are done and over do not slow it down.
type Attention interface {
	// Waiting returns those of the kinds that have waiting records, in the order of WaitingKinds. today is a date in
	// the shop's zone.
	Waiting(ctx context.Context, project id.Project, kinds []WaitingKind, in money.Currency, today string) ([]Waiting, error)
	// Counts returns how many records wait of each kind, counting each kind up to most. Kinds without waiting records
	// are left out.
	Counts(ctx context.Context, project id.Project, kinds []WaitingKind, most int) (map[WaitingKind]int, error)
}
