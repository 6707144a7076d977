package integrations

import (
	"context"
	"encoding/json"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerDeliveries(g operation.Group, subscription string) {
	all, one, log := subscription+"/deliveries", subscription+"/deliveries/{delivery_id}", "/v1/events"
	operation.Register(g, "list-event-deliveries", "GET "+all, "List the deliveries of a subscription",
		operation.HandleList(h.listDeliveries, toAPIDelivery))
	operation.Register(g, "get-event-delivery", "GET "+one, "Get a delivery and its event", wire.HandleOne(h.getDelivery, wire.Identity))
	operation.Register(g, "redeliver-event", "POST "+one+"/redeliver", "Redeliver an event, whatever its status", wire.HandleOne(h.redeliver, toAPIDelivery),
		operation.Accepted, operation.Errors(409))
	operation.Register(g, "redeliver-failed-events", "POST "+subscription+"/redeliver-failed", "Redeliver all events that have not arrived", h.redeliverFailed,
		operation.Errors(409))
	operation.Register(g, "list-order-webhook-deliveries", "GET /v1/orders/{order_id}/webhook-deliveries",
		"List the deliveries of an order's webhook", operation.HandleList(h.listHookDeliveries, toAPIDelivery))
	operation.Register(g, "list-events", "GET "+log, "List events", operation.HandleList(h.listEvents, toAPIEvent))
	operation.Register(g, "get-event", "GET "+log+"/{event_id}", "Get an event", wire.HandleOne(h.getEvent, toAPIEvent))
}

// DeliveryView is one event on its way to a subscription.
type DeliveryView struct {
	ID          string     `json:"id"`
	EventID     string     `json:"event_id"`
	Type        string     `json:"type"`
	Status      string     `json:"status" enum:"pending,delivered,failed,canceled"`
	Attempts    int        `json:"attempts"`
	LastCode    *int       `json:"last_status_code" nullable:"true" doc:"The HTTP status of the last response. Null: none."`
	LastError   *string    `json:"last_error" nullable:"true"`
	NextAttempt *wire.Time `json:"next_attempt_at" nullable:"true" doc:"Null: no further attempt. During an attempt: the start of the next one if this one does not finish."`
	CreatedAt   wire.Time  `json:"created_at"`
	DeliveredAt *wire.Time `json:"delivered_at" nullable:"true"`
}

// eventView is an event as receivers get it.
type eventView struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt string          `json:"created_at" format:"date-time"`
	ProjectID string          `json:"project_id"`
	Data      json.RawMessage `json:"data" doc:"Depends on type."`
}

type listDeliveriesInput struct {
	OnSubscription
	operation.Paging
	Status string `query:"status" enum:"pending,delivered,failed,canceled"`
}

func (h *handlers) listDeliveries(ctx context.Context, rq operation.Request, in *listDeliveriesInput) ([]*event.Delivery, int, error) {
	of, err := h.getSubscription(ctx, rq, &in.OnSubscription)
	if err != nil {
		return nil, 0, err
	}
	status := event.DeliveryStatuses[in.Status] // the schema allows no other status
	return rq.Stores.Deliveries.Deliveries(ctx, rq.Caller.Project.ID, of.ID, status, in.Page())
}

type listHookDeliveriesInput struct {
	operation.Paging
	Order wire.Ref[id.Order] `path:"order_id"`
}

func (h *handlers) listHookDeliveries(ctx context.Context, rq operation.Request, in *listHookDeliveriesInput) ([]*event.Delivery, int, error) {
	of, err := rq.Stores.Orders.ByID(ctx, rq.Caller.Project.ID, in.Order.ID)
	if err != nil {
		return nil, 0, err
	}
	return rq.Stores.Deliveries.ToHook(ctx, rq.Caller.Project.ID, of.ID, in.Page())
}

type OnDelivery struct {
	OnSubscription
	Delivery wire.Ref[id.Delivery] `path:"delivery_id"`
}

type deliveredEvent struct {
	DeliveryView
	Payload eventView `json:"payload"`
}

func (h *handlers) getDelivery(ctx context.Context, rq operation.Request, in *OnDelivery) (v deliveredEvent, err error) {
	of, err := h.getSubscription(ctx, rq, &in.OnSubscription)
	if err != nil {
		return v, err
	}
	d, err := rq.Stores.Deliveries.Delivery(ctx, rq.Caller.Project.ID, of.ID, in.Delivery.ID)
	if err != nil {
		return v, err
	}
	e, err := rq.Stores.EventLog.Event(ctx, rq.Caller.Project.ID, d.Event)
	if err != nil {
		return v, err
	}
	return deliveredEvent{toAPIDelivery(d), toAPIEvent(e)}, nil
}

func (h *handlers) redeliver(ctx context.Context, rq operation.Request, in *OnDelivery) (*event.Delivery, error) {
	return rq.Stores.Deliveries.Redeliver(ctx, rq.Caller.Project.ID, in.Subscription.ID, in.Delivery.ID)
}

// mostRedelivered is the largest number of deliveries that one request sends again.
const mostRedelivered = 1000

type redeliverFailedInput struct {
	OnSubscription
	Body *struct {
		Since *time.Time `json:"since,omitempty" doc:"Only events that occurred at or after this time. Default: all that are kept."`
	}
}

type redeliverFailedOutput struct {
	Body redelivered
}

type redelivered struct {
	Count int  `json:"redelivered" doc:"The number of deliveries that are sent again, oldest first: at most 1,000."`
	More  bool `json:"more" doc:"Whether there are more: repeat the request."`
}

func (h *handlers) redeliverFailed(ctx context.Context, rq operation.Request, in *redeliverFailedInput) (*redeliverFailedOutput, error) {
	var since time.Time
	if in.Body != nil && in.Body.Since != nil {
		since = *in.Body.Since
	}
	n, more, err := rq.Stores.Deliveries.RedeliverFailed(ctx, rq.Caller.Project.ID, in.Subscription.ID, since, mostRedelivered)
	if err != nil {
		return nil, err
	}
	return &redeliverFailedOutput{Body: redelivered{n, more}}, nil
}

type listEventsInput struct {
	operation.Paging
	Type string `query:"type" maxLength:"100"`
}

func (h *handlers) listEvents(ctx context.Context, rq operation.Request, in *listEventsInput) ([]ports.Announced, int, error) {
	t, known := event.ParseType(in.Type)
	if in.Type == event.PingType.String() {
		t, known = event.PingType, true
	}
	if in.Type != "" && !known {
		return nil, 0, wire.BadParameter("type", "must be "+event.KnownTypes()+" or "+event.PingType.String())
	}
	return rq.Stores.EventLog.Events(ctx, rq.Caller.Project.ID, t, in.Page())
}

type eventInput struct {
	Event wire.Ref[id.Event] `path:"event_id"`
}

func (h *handlers) getEvent(ctx context.Context, rq operation.Request, in *eventInput) (ports.Announced, error) {
	return rq.Stores.EventLog.Event(ctx, rq.Caller.Project.ID, in.Event.ID)
}

func toAPIEvent(e ports.Announced) eventView {
	var v eventView
	_ = json.Unmarshal(e.Body, &v) // the store wrote it
	return v
}

func toAPIDelivery(d *event.Delivery) DeliveryView {
	return DeliveryView{
		ID:          d.ID.String(),
		EventID:     d.Event.String(),
		Type:        d.Type.String(),
		Status:      d.Status.String(),
		Attempts:    d.Attempts,
		LastCode:    wire.ToOptional(d.LastCode),
		LastError:   wire.ToOptional(d.LastError),
		NextAttempt: wire.ToOptionalTime(d.DueAt),
		CreatedAt:   wire.ToTime(d.CreatedAt),
		DeliveredAt: wire.ToOptionalTime(d.DeliveredAt),
	}
}
