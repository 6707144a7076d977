package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Period is the time that figures are requested for: one or more spans, each from a bound to before the next. Figures
// leave out whatever is not requested.
type Period struct {
	Bounds    []time.Time
	Sessions  bool
	Protocols bool // also sessions by protocol
	Products  bool
}

// Span has the figures of one span of a period.
type Span struct {
	analytics.Figures
	Sessions int64 // that began
	// SessionsBy are those by their protocol.
	SessionsBy map[agentid.Protocol]int64
	Refunds    int64 // that succeeded
	Refunded   int64 // by them, in minor units
}

// AgentTraffic counts the sessions that a buyers' agent began in a period, the deals of negotiations that began in it,
// and the orders that were placed in it. An agent without a profile did not identify itself.
type AgentTraffic struct {
	Profile  string
	Verified bool
	Sessions int64
	Deals    int64
	Orders   int64
	Gross    int64 // paid for the orders, in minor units
}

// LostFilter narrows lost deals.
type LostFilter struct {
	From, To time.Time // when they began: from, and before
	Currency string
	// Near is the maximum distance of the best offer below the floor, in thousandths of the floor: not more than
	// analytics.KeptWithin percent.
	Near int64
}

// LostDeals sums up lost deals and shows some. Sums are of all pieces, in minor units.
type LostDeals struct {
	Count      int64
	AboveFloor int64 // of them, those with an offer at or above the floor
	Offered    int64 // what the best offers come to
	List       int64
	Examples   []analytics.Lost // newest first
}

// Analytics counts records: decisions, checkouts, orders and refunds. Records stored before the call are counted,
// exactly once, whether they are folded yet or not. While too much waits to be folded, as after an import, it returns
// Unavailable.
type Analytics interface {
	Figures(ctx context.Context, project id.Project, p Period) ([]Span, error)
	Lost(ctx context.Context, project id.Project, f LostFilter, page Page) (LostDeals, error)
	// Agents returns the agents with the most orders, then deals, then sessions. Records that are no longer kept, as
	// sessions that ended without an order, are not counted.
	Agents(ctx context.Context, project id.Project, from, to time.Time, most int) ([]AgentTraffic, error)
	// ProductNames are the names of products, deleted ones too.
	ProductNames(ctx context.Context, project id.Project, products []id.Product) (map[id.Product]string, error)
	// Fold counts some records that are not folded yet, in the order of their sessions, and reports whether there may
	// be more. It does not change what other methods return. Several processes may fold at the same time.
	Fold(ctx context.Context) (more bool, err error)
}
