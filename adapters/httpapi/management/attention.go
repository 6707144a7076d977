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
	operation.Register(g, "list-attention", "GET /v1/attention", "List what waits for the merchant, by kind, money at stake first", h.listAttention)
	operation.Register(g, "count-attention", "GET /v1/attention/counts", "Count what waits for the merchant, by kind, up to 99 of each", h.countAttention)
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
	Kind     string         `json:"kind" enum:"payment_unresolved,refund_unresolved,dispute_open,return_requested,order_to_ship,sync_failed,subscription_disabled,work_set_aside" doc:"payment_unresolved to order_to_ship are shown to finance:read, sync_failed to integrations:read, subscription_disabled to events:read."`
	Count    int            `json:"count"`
	OldestAt wire.Time      `json:"oldest_at"`
	Amount   *wire.Money    `json:"amount" nullable:"true" doc:"Of those in the project's currency. Null: there is none."`
	Currency *string        `json:"currency" nullable:"true" example:"USD"`
	DueAt    *wire.Time     `json:"due_at" nullable:"true" doc:"Of order_to_ship, the end of the earliest promised ship date, in the project's time zone; of dispute_open, until when the provider takes a response to the first. Null: no deadline is known."`
	Late     *int           `json:"late,omitempty" doc:"Of order_to_ship: how many are past their promised ship date."`
	Example  waitingExample `json:"example" doc:"The oldest."`
}

type waitingExample struct {
	ID    *string `json:"id" nullable:"true" doc:"Of the checkout, refund, dispute, return, order, integration or subscription. Null: work has none to show."`
	Words string  `json:"words" doc:"The order's confirmation number, the integration's type, why the subscription was disabled, or the kind of work."`
}

type attentionOutput struct {
	Body struct {
		Data []waitingView `json:"data" doc:"Kinds with nothing waiting are left out."`
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
	Kind  string `json:"kind" enum:"payment_unresolved,refund_unresolved,dispute_open,return_requested,order_to_ship,sync_failed,subscription_disabled,work_set_aside" doc:"Shown to whom GET /v1/attention shows it."`
	Count int    `json:"count" minimum:"1" maximum:"99"`
	More  bool   `json:"more" doc:"There are more than 99."`
}

type attentionCountsOutput struct {
	Body struct {
		Data []waitingCountView `json:"data" doc:"Kinds with nothing waiting are left out."`
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
