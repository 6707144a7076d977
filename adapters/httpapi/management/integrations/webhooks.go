package integrations

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerWebhooks(g operation.Group, integration string) {
	all := integration + "/webhooks"
	log := all + "/logs"
	operation.Register(g, "list-webhooks", "GET "+all, "List webhooks registered with the platform",
		operation.HandleList(h.listWebhooks, h.toAPIWebhook))
	operation.RegisterClaimed(g, "register-webhook", "POST "+all, "Register a webhook for a topic with the platform", h.registerWebhook,
		operation.Created, operation.Errors(409, 503))
	operation.RegisterPrepared(g, "remove-webhook", "DELETE "+all+"/{webhook_id}", "Remove a webhook, here and at the platform", h.removeWebhook)
	operation.Register(g, "list-webhook-logs", "GET "+log, "List webhook calls and their results, newest first",
		operation.HandleList(h.listWebhookLog, toAPIWebhookCall))
	operation.Register(g, "retry-webhook-call", "POST "+log+"/{log_id}/retry", "Process a failed webhook call again",
		wire.HandleOne(h.retryWebhookCall, toAPIWebhookCall), operation.Accepted, operation.Errors(409))
}

// WebhookView is a webhook (features/MANAGEMENT.md#platform-webhooks).
type WebhookView struct {
	ID        string    `json:"id"`
	Topic     string    `json:"topic" example:"products/update"`
	Endpoint  string    `json:"endpoint" format:"uri" doc:"The address that the platform calls."`
	Status    string    `json:"status" enum:"active,failed" doc:"failed: the platform does not call it; problem has the reason."`
	Actions   []string  `json:"actions"`
	CreatedAt wire.Time `json:"created_at"`

	Problem    *string    `json:"problem" nullable:"true" doc:"The reason of the failure."`
	CheckedAt  *wire.Time `json:"checked_at" nullable:"true" doc:"When the platform was last asked whether it still has the webhook, which happens every six hours. Systems of the type custom are not asked."`
	RestoredAt *wire.Time `json:"restored_at" nullable:"true" doc:"When it was last registered again because the platform had deleted or disabled it. The data of its topic is then read, because calls may be lost."`
}

type listWebhooksInput struct {
	OnIntegration
	operation.Paging
}

func (h *handlers) listWebhooks(ctx context.Context, rq operation.Request, in *listWebhooksInput) ([]*integration.Webhook, int, error) {
	i, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return nil, 0, err
	}
	found, err := rq.Stores.Webhooks.List(ctx, i.Project, i.ID)
	return operation.Part(found, in.Paging), len(found), err
}

type newWebhook struct {
	Topic   string   `json:"topic,omitempty" example:"products/update"`
	Actions []string `json:"actions,omitempty" nullable:"true" doc:"Any of sync_products, sync_inventory, sync_orders and sync_customers: the data to read from the platform after a call, in addition to the call's own data."`
}

func (newWebhook) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["topic"].Description = topicsByType()
	return operation.DocumentRequired(s, "topic")
}

type newWebhookInput struct {
	OnIntegration
	Body newWebhook
}

type webhookOutput = wire.Output[WebhookView]

func (h *handlers) registerWebhook(ctx ports.Outbound, rq operation.Request, in *newWebhookInput) (made operation.Plan[webhookOutput], err error) {
	webhook, discard, err := h.Inbox.In(rq.Stores).Register(ctx, rq.Caller.Project.ID, in.Integration.ID, in.Body.Topic, in.Body.Actions)
	if err != nil {
		return made, err
	}
	out := &webhookOutput{Body: h.toAPIWebhook(webhook)}
	operation.NoteCreated(rq, out.Body.ID, out.Body)
	return operation.Plan[webhookOutput]{
		Commit: func(ctx context.Context, st *ports.Stores) (*webhookOutput, error) {
			return out, st.Webhooks.Add(ctx, webhook)
		},
		Discard: discard,
	}, nil
}

type onWebhookInput struct {
	OnIntegration
	Webhook wire.Ref[id.Webhook] `path:"webhook_id"`
}

func (h *handlers) removeWebhook(ctx ports.Outbound, rq operation.Request, in *onWebhookInput) (made operation.Plan[struct{}], err error) {
	if err := h.Inbox.In(rq.Stores).Unregister(ctx, rq.Caller.Project.ID, in.Integration.ID, in.Webhook.ID); err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*struct{}, error) {
		return nil, st.Webhooks.Remove(ctx, rq.Caller.Project.ID, in.Integration.ID, in.Webhook.ID)
	}
	return made, nil
}

func (h *handlers) toAPIWebhook(w *integration.Webhook) WebhookView {
	return WebhookView{
		ID:         w.ID.String(),
		Topic:      w.Topic,
		Endpoint:   h.HookAddress(w.ID),
		Status:     w.Status.String(),
		Actions:    wire.Each(w.Actions, integration.Action.String),
		CreatedAt:  wire.ToTime(w.CreatedAt),
		Problem:    wire.ToOptional(w.Problem),
		CheckedAt:  wire.ToKnownTime(w.CheckedAt),
		RestoredAt: wire.ToKnownTime(w.RestoredAt),
	}
}

type webhookLogInput struct {
	OnIntegration
	operation.Paging
	Since  string `query:"since" example:"1h" maxLength:"20" doc:"The age limit: minutes, hours or days, as in 30m, 1h or 7d, at most 30d. Default: all that are kept."`
	Status string `query:"status" enum:"received,processed,failed,rejected,duplicate"`
}

// WebhookCallView is a call of a webhook (features/MANAGEMENT.md#platform-webhooks).
type WebhookCallView struct {
	ID         string    `json:"id"`
	WebhookID  string    `json:"webhook_id"`
	Topic      string    `json:"topic"`
	Status     string    `json:"status" enum:"received,processed,failed,rejected,duplicate" doc:"received: to be processed. rejected: its signature was wrong. Of a webhook's rejected calls five a minute are listed; the error of one more row has the number of the others."`
	Error      *string   `json:"error" nullable:"true"`
	Retries    int       `json:"retry_count"`
	Size       int       `json:"payload_size" doc:"In bytes."`
	ReceivedAt wire.Time `json:"received_at"`
}

func (h *handlers) listWebhookLog(ctx context.Context, rq operation.Request, in *webhookLogInput) ([]*integration.Delivery, int, error) {
	filter := ports.LogFilter{Status: integration.LogStatuses[in.Status]} // the schema allows no other status
	if in.Since != "" {
		back, known := fromAPIDuration(in.Since)
		if !known {
			return nil, 0, wire.BadParameter("since", "must be a time such as 30m, 1h or 7d, at most 30d")
		}
		filter.Since = h.Clock.Now().Add(-back)
	}
	i, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return nil, 0, err
	}
	return rq.Stores.Inbox.Log(ctx, i.Project, i.ID, filter, in.Page())
}

// longestAgo is more than the log keeps.
const longestAgo = 30 * 24 * time.Hour

var durationUnits = map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}

// fromAPIDuration parses a duration of up to 30 days in minutes, hours or days.
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
	Call wire.Ref[id.WebhookLog] `path:"log_id" thing:"delivery"`
}

func (h *handlers) retryWebhookCall(ctx context.Context, rq operation.Request, in *onWebhookCallInput) (*integration.Delivery, error) {
	return h.Inbox.In(rq.Stores).Retry(ctx, rq.Caller.Project.ID, in.Integration.ID, in.Call.ID)
}

func toAPIWebhookCall(d *integration.Delivery) WebhookCallView {
	return WebhookCallView{
		ID:         d.ID.String(),
		WebhookID:  d.Webhook.String(),
		Topic:      d.Topic,
		Status:     d.Status.String(),
		Error:      wire.ToOptional(d.Error),
		Retries:    d.Retries,
		Size:       d.Size,
		ReceivedAt: wire.ToTime(d.ReceivedAt),
	}
}
