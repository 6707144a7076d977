package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Period is what figures are asked of: the spans from each bound to before the next, of which there are at
// least one. What is not asked for stays out of the figures.
type Period struct {
	Bounds    []time.Time
	Sessions  bool
	Protocols bool // also sessions by protocol
	Products  bool
}

// Span is what happened in one span of a period.
type Span struct {
	analytics.Figures
	Sessions int64 // that began
	// SessionsBy are those by their protocol.
	SessionsBy map[agentid.Protocol]int64
	Refunds    int64 // that succeeded
	Refunded   int64 // by them, in minor units
}

// AgentTraffic is what came by a buyers' agent: sessions that began in a period, deals of negotiations that did, and orders that
// were placed in it. An agent without a profile said nothing.
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
	// Near is how far below the floor, in thousandths of it, the best offer is at most: not more than
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

// Analytics counts what is in the records: decisions, checkouts, orders and refunds. What was stored before
// it is asked is counted, exactly once, whether it is folded yet or not. While too much waits to be folded,
// as after an import, it answers Unavailable.
type Analytics interface {
	Figures(ctx context.Context, project id.Project, p Period) ([]Span, error)
	Lost(ctx context.Context, project id.Project, f LostFilter, page Page) (LostDeals, error)
	// Agents are those through which most was ordered, then agreed, then begun. What is not kept any longer, as sessions that
	// ended without an order, is not counted.
	Agents(ctx context.Context, project id.Project, from, to time.Time, most int) ([]AgentTraffic, error)
	// ProductNames are the names of products, deleted ones too.
	ProductNames(ctx context.Context, project id.Project, products []id.Product) (map[id.Product]string, error)
	// Fold counts some of what is not folded yet, in the order of its sessions, and reports whether there may be
	// more. It changes no answer. Others may fold at the same time.
	Fold(ctx context.Context) (more bool, err error)
}
