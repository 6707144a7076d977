package management

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerAttention() {
	g := h.Group("Projects", "projects", operation.HeaderProject)
	operation.Register(g, "list-attention", "GET /v1/attention", "List items that wait for the merchant, by kind, those with money at stake first", h.listAttention)
	operation.Register(g, "count-attention", "GET /v1/attention/counts", "Count items that wait for the merchant, by kind, up to 99 of each", h.countAttention)
}

// waitingScopes maps kinds to the scope that a caller needs for them, in addition to projects:read.
var waitingScopes = map[ports.WaitingKind]string{
	ports.PaymentUnresolved:    "finance:read",
	ports.RefundUnresolved:     "finance:read",
	ports.DisputeOpen:          "finance:read",
	ports.ReturnRequested:      "finance:read",
	ports.OrderToShip:          "finance:read",
	ports.SyncFailed:           "integrations:read",
	ports.SubscriptionDisabled: "events:read",
	ports.WorkSetAside:         "projects:read",
}

// waitingKinds returns the kinds that a caller may see.
func waitingKinds(rq operation.Request) (kinds []ports.WaitingKind) {
	for _, kind := range ports.WaitingKinds {
		if rq.Caller.Key.Allows(waitingScopes[kind]) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

type waitingView struct {
	Kind     string         `json:"kind" enum:"payment_unresolved,refund_unresolved,dispute_open,return_requested,order_to_ship,sync_failed,subscription_disabled,work_set_aside" doc:"payment_unresolved to order_to_ship require finance:read, sync_failed requires integrations:read, subscription_disabled requires events:read."`
	Count    int            `json:"count"`
	OldestAt wire.Time      `json:"oldest_at"`
	Amount   *wire.Money    `json:"amount" nullable:"true" doc:"The total of the items in the project's currency. Null: there is none."`
	Currency *string        `json:"currency" nullable:"true" example:"USD"`
	DueAt    *wire.Time     `json:"due_at" nullable:"true" doc:"For order_to_ship, the end of the earliest promised ship date, in the project's time zone; for dispute_open, the earliest deadline for a response. Null: no deadline is known."`
	Late     *int           `json:"late,omitempty" doc:"For order_to_ship: the number of orders past their promised ship date."`
	Example  waitingExample `json:"example" doc:"The oldest item."`
}

type waitingExample struct {
	ID    *string `json:"id" nullable:"true" doc:"The id of the checkout, refund, dispute, return, order, integration or subscription. Null: background work has none."`
	Words string  `json:"words" doc:"The order's confirmation number, the integration's type, the reason for disabling the subscription, or the kind of background work."`
}

type attentionOutput struct {
	Body struct {
		Data []waitingView `json:"data" doc:"Kinds without items are omitted."`
	}
}

func (h *handlers) listAttention(ctx context.Context, rq operation.Request, _ *struct{}) (*attentionOutput, error) {
	p := rq.Caller.Project
	zone := p.Settings.Location()
	found, err := rq.Stores.Attention.Waiting(ctx, p.ID, waitingKinds(rq), p.Settings.Currency, h.Clock.Now().In(zone).Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	out := &attentionOutput{}
	out.Body.Data = wire.Each(found, func(w ports.Waiting) waitingView { return toAPIWaiting(w, zone) })
	return out, nil
}

// mostCounted is the largest count of each kind.
const mostCounted = 99

type waitingCountView struct {
	Kind  string `json:"kind" enum:"payment_unresolved,refund_unresolved,dispute_open,return_requested,order_to_ship,sync_failed,subscription_disabled,work_set_aside" doc:"The same scopes are required as in GET /v1/attention."`
	Count int    `json:"count" minimum:"1" maximum:"99"`
	More  bool   `json:"more" doc:"Whether there are more than 99."`
}

type attentionCountsOutput struct {
	Body struct {
		Data []waitingCountView `json:"data" doc:"Kinds without items are omitted."`
	}
}

func (h *handlers) countAttention(ctx context.Context, rq operation.Request, _ *struct{}) (*attentionCountsOutput, error) {
	counts, err := rq.Stores.Attention.Counts(ctx, rq.Caller.Project.ID, waitingKinds(rq), mostCounted+1)
	if err != nil {
		return nil, err
	}
	out := &attentionCountsOutput{}
	out.Body.Data = []waitingCountView{}
	for _, kind := range ports.WaitingKinds {
		if n := counts[kind]; n > 0 {
			out.Body.Data = append(out.Body.Data, waitingCountView{
				Kind:  string(kind),
				Count: min(n, mostCounted),
				More:  n > mostCounted,
			})
		}
	}
	return out, nil
}

func toAPIWaiting(w ports.Waiting, zone *time.Location) waitingView {
	v := waitingView{
		Kind:     string(w.Kind),
		Count:    w.Count,
		OldestAt: wire.ToTime(w.Oldest),
		Amount:   wire.ToOptionalMoney(w.Amount),
		Example: waitingExample{
			ID:    wire.ToOptional(w.Example),
			Words: w.Words,
		},
	}
	if w.Amount != nil {
		v.Currency = new(w.Amount.Currency().Code())
	}
	if day, err := time.Parse(time.DateOnly, w.ShipsOn); err == nil {
		v.DueAt = new(wire.ToTime(analytics.StartOfDay(day.Year(), day.Month(), day.Day()+1, zone)))
	}
	if !w.DueBy.IsZero() {
		v.DueAt = new(wire.ToTime(w.DueBy))
	}
	if w.Kind == ports.OrderToShip {
		v.Late = &w.Late
	}
	return v
}
