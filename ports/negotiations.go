package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Limits on how much is read of one negotiation.
const (
	MostDecisions = 200 // of a session
	MostThreads   = 100 // items of a session
	MostPath      = 24  // steps of a short path
	MostOrders    = 20  // of a session
)

// Thread is the negotiation about an item in a session, summed up. Prices are of a piece.
type Thread struct {
	Item    negotiation.Item // with its session
	Product string           // the name as the catalogue has it, or had it last; "": the product is gone
	Variant string           // in words; "": the only one, or gone
	State   negotiation.ThreadState
	Steps   int
	Path    []ThreadStep // the first step and the latest ones, MostPath at most
	Offer   *money.Amount
	Price   money.Amount  // what the shop named last
	Deal    *money.Amount // what was agreed last
	List    money.Amount  // as of the last step, as Floor
	Floor   money.Amount
	// Protocol is the one that opened the session; nil: the session is no longer kept.
	Protocol *agentid.Protocol
	Began    time.Time
	Last     time.Time
}

// ThreadStep is an offer and the shop's price. A request for the price has no offer.
type ThreadStep struct{ Offer, Price *money.Amount }

// ThreadFilter narrows a list of threads. Zero fields narrow nothing.
type ThreadFilter struct {
	State    negotiation.ThreadState
	Product  id.Product
	Protocol *agentid.Protocol
	From, To time.Time        // the last step: from, and before
	Named    []id.Negotiation // only these
}

// ThreadPlace is where a list goes on: after a decision, which does not reveal the session's id.
type ThreadPlace struct {
	At          time.Time
	Negotiation id.Negotiation
	Seq         int
}

// SessionThreads are all negotiations of a session.
type SessionThreads struct {
	// Agent is the buyer's agent that opened the session; nil: the session is no longer kept.
	Agent     *agentid.Agent
	Threads   []Thread           // in the order in which they began, MostThreads at most
	Decisions []negotiation.Link // oldest first, MostDecisions at most
	Total     int                // of decisions
	Orders    []OrderName        // oldest first, MostOrders at most
}

// OrderName is an order in short.
type OrderName struct {
	ID           id.Order
	Confirmation string
}

// Negotiations reads negotiations for merchants. They are kept as long as their decisions.
type Negotiations interface {
	// Session finds the negotiations of a session by its name. Without any: fault.NotFound negotiation_not_found.
	Session(ctx context.Context, project id.Project, of id.Negotiation) (*SessionThreads, error)
	// Newest are negotiations after a place (nil: from the newest on), those with the newest last step first, up to a
	// limit, and where to go on; nil: nowhere. How many decisions are looked at is bounded: there may be fewer than the
	// limit, or none, and more to come.
	Newest(ctx context.Context, project id.Project, f ThreadFilter, after *ThreadPlace, limit int) ([]Thread, *ThreadPlace, error)
}
