package integrations

import (
	"context"
	"encoding/json"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerDeliveries(tag, subscription string) {
	all, one, log := subscription+"/deliveries", subscription+"/deliveries/{delivery_id}", "/v1/events"
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "list-event-deliveries", Method: "GET", Path: all, Scope: "events:read", On: operation.HeaderProject,
		Summary: "List what became of events on their way to a subscription",
	}, h.listDeliveries)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "get-event-delivery", Method: "GET", Path: one, Scope: "events:read", On: operation.HeaderProject,
		Summary: "Get a delivery and its event",
	}, h.getDelivery)
	operation.Register(h.API, tag, operation.Spec{
		ID: "redeliver-event", Method: "POST", Path: one + "/redeliver", Scope: "events:write", On: operation.HeaderProject,
		Status: 202, Errors: []int{409}, Summary: "Deliver an event again, whatever became of it",
	}, h.redeliver)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "list-events", Method: "GET", Path: log, Scope: "events:read", On: operation.HeaderProject,
		Summary: "List what was announced",
	}, h.listEvents)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "get-event", Method: "GET", Path: log + "/{event_id}", Scope: "events:read", On: operation.HeaderProject,
		Summary: "Get an event",
	}, h.getEvent)
}

// DeliveryView is one event on its way to a subscription.
type DeliveryView struct {
	ID          string     `json:"id"`
	EventID     string     `json:"event_id"`
	Type        string     `json:"type"`
	Status      string     `json:"status" enum:"pending,delivered,failed,canceled"`
	Attempts    int        `json:"attempts"`
	LastCode    *int       `json:"last_status_code" nullable:"true" doc:"HTTP status of the last answer. Null: there was none."`
	LastError   *string    `json:"last_error" nullable:"true"`
	NextAttempt *wire.Time `json:"next_attempt_at" nullable:"true" doc:"Null: none will follow. During an attempt: when the next one begins if this one is never heard of."`
	CreatedAt   wire.Time  `json:"created_at"`
	DeliveredAt *wire.Time `json:"delivered_at" nullable:"true"`
}

// eventView is an event as receivers get it.
type eventView struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt string          `json:"created_at" format:"date-time"`
	ProjectID string          `json:"project_id"`
	Data      json.RawMessage `json:"data" doc:"By type."`
}

type listDeliveriesInput struct {
	OnSubscription
	operation.Paging
	Status string `query:"status" enum:"pending,delivered,failed,canceled"`
}

func (h *handlers) listDeliveries(ctx context.Context, rq operation.Request, in *listDeliveriesInput) (*operation.ListOutput[DeliveryView], error) {
	of, err := in.id()
	if err != nil {
		return nil, err
	}
	project := rq.Caller.Project.ID
	if _, err := h.publishing(rq).Subscriptions.ByID(ctx, project, of); err != nil {
		return nil, err
	}
	status, _ := event.ParseDeliveryStatus(in.Status) // the schema knows no other
	found, total, err := h.publishing(rq).Deliveries.Deliveries(ctx, project, of, status, in.Page())
	if err != nil {
		return nil, err
	}
	return operation.ToAPIList(found, toAPIDelivery, in.Paging, total), nil
}

type OnDelivery struct {
	OnSubscription
	Delivery string `path:"delivery_id"`
}

func (o OnDelivery) ids() (of id.Subscription, wanted id.Delivery, err error) {
	if of, err = o.id(); err == nil {
		wanted, err = wire.ID[id.Delivery](o.Delivery, "delivery")
	}
	return of, wanted, err
}

type deliveryOutput struct{ Body DeliveryView }

type deliveredEventOutput struct{ Body deliveredEvent }

type deliveredEvent struct {
	DeliveryView
	Payload eventView `json:"payload"`
}

func (h *handlers) getDelivery(ctx context.Context, rq operation.Request, in *OnDelivery) (*deliveredEventOutput, error) {
	of, wanted, err := in.ids()
	if err != nil {
		return nil, err
	}
	project := rq.Caller.Project.ID
	if _, err := h.publishing(rq).Subscriptions.ByID(ctx, project, of); err != nil {
		return nil, err
	}
	d, err := h.publishing(rq).Deliveries.Delivery(ctx, project, of, wanted)
	if err != nil {
		return nil, err
	}
	e, err := rq.Stores.EventLog.Event(ctx, project, d.Event)
	if err != nil {
		return nil, err
	}
	return &deliveredEventOutput{deliveredEvent{toAPIDelivery(d), toAPIEvent(e)}}, nil
}

func (h *handlers) redeliver(ctx context.Context, rq operation.Request, in *OnDelivery) (*deliveryOutput, error) {
	of, wanted, err := in.ids()
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Delivery)
	d, err := h.publishing(rq).Deliveries.Redeliver(ctx, rq.Caller.Project.ID, of, wanted)
	if err != nil {
		return nil, err
	}
	return &deliveryOutput{toAPIDelivery(d)}, nil
}

type listEventsInput struct {
	operation.Paging
	Type string `query:"type" maxLength:"100"`
}

func (h *handlers) listEvents(ctx context.Context, rq operation.Request, in *listEventsInput) (*operation.ListOutput[eventView], error) {
	t, known := event.ParseType(in.Type)
	if in.Type != "" && !known && in.Type != event.PingType.String() {
		return nil, fault.New(fault.Malformed, "invalid_request", "The request's parameters are invalid.").With("type", "must be a type of event")
	}
	if in.Type == event.PingType.String() {
		t = event.PingType
	}
	found, total, err := rq.Stores.EventLog.Events(ctx, rq.Caller.Project.ID, t, in.Page())
	if err != nil {
		return nil, err
	}
	return operation.ToAPIList(found, toAPIEvent, in.Paging, total), nil
}

type eventInput struct {
	Event string `path:"event_id"`
}

type eventOutput struct{ Body eventView }

func (h *handlers) getEvent(ctx context.Context, rq operation.Request, in *eventInput) (*eventOutput, error) {
	wanted, err := wire.ID[id.Event](in.Event, "event")
	if err != nil {
		return nil, err
	}
	e, err := rq.Stores.EventLog.Event(ctx, rq.Caller.Project.ID, wanted)
	if err != nil {
		return nil, err
	}
	return &eventOutput{toAPIEvent(e)}, nil
}

func toAPIEvent(e ports.Announced) eventView {
	var v eventView
	_ = json.Unmarshal(e.Body, &v) // the store wrote it
	return v
}

func toAPIDelivery(d *event.Delivery) DeliveryView {
	v := DeliveryView{
		ID: d.ID.String(), EventID: d.Event.String(), Type: d.Type.String(), Status: d.Status.String(), Attempts: d.Attempts,
		NextAttempt: operation.ToOptionalTime(d.DueAt), CreatedAt: wire.ToTime(d.CreatedAt), DeliveredAt: operation.ToOptionalTime(d.DeliveredAt),
	}
	if d.LastCode != 0 {
		v.LastCode = &d.LastCode
	}
	if d.LastError != "" {
		v.LastError = &d.LastError
	}
	return v
}
