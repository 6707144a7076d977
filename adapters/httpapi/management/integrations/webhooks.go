package integrations

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerWebhooks(tag, integration string) {
	all := integration + "/webhooks"
	log := all + "/logs"
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "list-webhooks", Method: "GET", Path: all, Scope: "integrations:read", On: operation.HeaderProject,
		Summary: "List webhooks that are registered with the platform",
	}, h.listWebhooks)
	operation.RegisterClaimed(h.API, tag, operation.Spec{
		ID: "register-webhook", Method: "POST", Path: all, Scope: "integrations:write", On: operation.HeaderProject,
		Status: 201, Errors: []int{409, 503}, Summary: "Have the platform call us about a topic",
	}, h.registerWebhook)
	operation.RegisterPrepared(h.API, tag, operation.Spec{
		ID: "remove-webhook", Method: "DELETE", Path: all + "/{webhook_id}", Scope: "integrations:write",
		On: operation.HeaderProject, Status: 204, Summary: "Remove a webhook, here and at the platform",
	}, h.removeWebhook)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "list-webhook-logs", Method: "GET", Path: log, Scope: "integrations:read", On: operation.HeaderProject,
		Summary: "List calls of webhooks and what became of them, newest first",
	}, h.listWebhookLog)
	operation.Register(h.API, tag, operation.Spec{
		ID: "retry-webhook-call", Method: "POST", Path: log + "/{log_id}/retry", Scope: "integrations:write",
		On: operation.HeaderProject, Status: 202, Errors: []int{409}, Summary: "Work on a call that failed once more",
	}, h.retryWebhookCall)
}

// WebhookView is a webhook (spec 2.5).
type WebhookView struct {
	ID        string    `json:"id"`
	Topic     string    `json:"topic" example:"products/update"`
	Endpoint  string    `json:"endpoint" format:"uri" doc:"What the platform calls."`
	Status    string    `json:"status" enum:"active,failed"`
	Actions   []string  `json:"actions"`
	CreatedAt wire.Time `json:"created_at"`
}

type listWebhooksInput struct {
	OnIntegration
	operation.Paging
}

func (h *handlers) listWebhooks(ctx context.Context, rq operation.Request, in *listWebhooksInput) (*operation.ListOutput[WebhookView], error) {
	i, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return nil, err
	}
	found, err := rq.Stores.Webhooks.List(ctx, i.Project, i.ID)
	if err != nil {
		return nil, err
	}
	return operation.ToAPIPart(operation.Each(found, h.toAPIWebhook), in.Paging), nil
}

type newWebhook struct {
	Topic   string   `json:"topic,omitempty" example:"products/update" doc:"One of the platform's. Shopify and custom: products/create, products/update, products/delete, inventory_levels/update, orders/create, orders/updated, customers/create, customers/update, customers/delete. ShipStation: SHIP_NOTIFY."`
	Actions []string `json:"actions,omitempty" nullable:"true" doc:"Of sync_products, sync_inventory, sync_orders and sync_customers: what is read from the platform after a call, beside what the call itself tells."`
}

func (newWebhook) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "topic")
}

type newWebhookInput struct {
	OnIntegration
	Body newWebhook
}

type webhookOutput struct{ Body WebhookView }

func (h *handlers) registerWebhook(ctx ports.Outbound, rq operation.Request, in *newWebhookInput) (made operation.Plan[webhookOutput], err error) {
	of, err := in.id()
	if err != nil {
		return made, err
	}
	webhook, discard, err := h.inbox(rq).Register(ctx, rq.Caller.Project.ID, of, in.Body.Topic, in.Body.Actions)
	if err != nil {
		return made, err
	}
	out := &webhookOutput{h.toAPIWebhook(webhook)}
	operation.NoteTarget(rq, out.Body.ID)
	operation.NoteChange(rq, nil, out.Body)
	return operation.Plan[webhookOutput]{
		Commit: func(ctx context.Context, st *ports.Stores) (*webhookOutput, error) {
			return out, st.Webhooks.Add(ctx, webhook)
		},
		Discard: discard,
	}, nil
}

type onWebhookInput struct {
	OnIntegration
	Webhook string `path:"webhook_id"`
}

func (h *handlers) removeWebhook(ctx ports.Outbound, rq operation.Request, in *onWebhookInput) (made operation.Plan[struct{}], err error) {
	of, err := in.id()
	if err != nil {
		return made, err
	}
	wanted, err := wire.ID[id.Webhook](in.Webhook, "webhook")
	if err != nil {
		return made, err
	}
	if err := h.inbox(rq).Unregister(ctx, rq.Caller.Project.ID, of, wanted); err != nil {
		return made, err
	}
	operation.NoteTarget(rq, in.Webhook)
	made.Commit = func(ctx context.Context, st *ports.Stores) (*struct{}, error) {
		return nil, st.Webhooks.Remove(ctx, rq.Caller.Project.ID, of, wanted)
	}
	return made, nil
}

func (h *handlers) toAPIWebhook(w *integration.Webhook) WebhookView {
	return WebhookView{
		ID: w.ID.String(), Topic: w.Topic, Endpoint: h.HookAddress(w.ID), Status: w.Status.String(),
		Actions: operation.Each(w.Actions, integration.Action.String), CreatedAt: wire.ToTime(w.CreatedAt),
	}
}

type webhookLogInput struct {
	OnIntegration
	operation.Paging
	Since  string `query:"since" example:"1h" maxLength:"20" doc:"How far back: minutes, hours or days, as in 30m, 1h or 7d, at most 30d. Left out: all that is kept."`
	Status string `query:"status" enum:"received,processed,failed,rejected,duplicate"`
}

// WebhookCallView is a call of a webhook (spec 2.6).
type WebhookCallView struct {
	ID         string    `json:"id"`
	WebhookID  string    `json:"webhook_id"`
	Topic      string    `json:"topic"`
	Status     string    `json:"status" enum:"received,processed,failed,rejected,duplicate" doc:"received: to be worked on. rejected: its signature was wrong. Of the rejected calls of a webhook five a minute are listed; one more row's error says how many others there were."`
	Error      *string   `json:"error" nullable:"true"`
	Retries    int       `json:"retry_count"`
	Size       int       `json:"payload_size" doc:"In bytes."`
	ReceivedAt wire.Time `json:"received_at"`
}

func (h *handlers) listWebhookLog(ctx context.Context, rq operation.Request, in *webhookLogInput) (*operation.ListOutput[WebhookCallView], error) {
	filter := ports.LogFilter{Status: integration.LogStatuses[in.Status]} // the schema knows no other
	if in.Since != "" {
		back, known := fromAPIDuration(in.Since)
		if !known {
			return nil, fault.New(fault.Malformed, "invalid_request", "The request's parameters are invalid.").
				With("since", "must be a time such as 30m, 1h or 7d, at most 30d")
		}
		filter.Since = h.Clock.Now().Add(-back)
	}
	i, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return nil, err
	}
	found, total, err := rq.Stores.Inbox.Log(ctx, i.Project, i.ID, filter, in.Page())
	if err != nil {
		return nil, err
	}
	return operation.ToAPIList(found, toAPIWebhookCall, in.Paging, total), nil
}

// longestAgo is more than the log keeps.
const longestAgo = 30 * 24 * time.Hour

var durationUnits = map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}

// fromAPIDuration reads a time of up to 30 days in minutes, hours or days.
func fromAPIDuration(text string) (time.Duration, bool) {
	if text == "" {
		return 0, false
	}
	unit, known := durationUnits[text[len(text)-1]]
	digits := text[:len(text)-1]
	n, err := strconv.ParseUint(digits, 10, 16)
	d := time.Duration(n) * unit
	return d, known && err == nil && !strings.HasPrefix(digits, "0") && d <= longestAgo
}

type onWebhookCallInput struct {
	OnIntegration
	Call string `path:"log_id"`
}

type webhookCallOutput struct{ Body WebhookCallView }

func (h *handlers) retryWebhookCall(ctx context.Context, rq operation.Request, in *onWebhookCallInput) (*webhookCallOutput, error) {
	of, err := in.id()
	if err != nil {
		return nil, err
	}
	wanted, err := wire.ID[id.WebhookLog](in.Call, "delivery")
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Call)
	d, err := h.inbox(rq).Retry(ctx, rq.Caller.Project.ID, of, wanted)
	if err != nil {
		return nil, err
	}
	return &webhookCallOutput{toAPIWebhookCall(d)}, nil
}

func toAPIWebhookCall(d *integration.Delivery) WebhookCallView {
	return WebhookCallView{
		ID: d.ID.String(), WebhookID: d.Webhook.String(), Topic: d.Topic, Status: d.Status.String(), Error: operation.ToOptionalText(d.Error),
		Retries: d.Retries, Size: d.Size, ReceivedAt: wire.ToTime(d.ReceivedAt),
	}
}
