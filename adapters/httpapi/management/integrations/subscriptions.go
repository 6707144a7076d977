package integrations

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
)

func (h *handlers) registerSubscriptions() {
	const all, one = "/v1/event-subscriptions", "/v1/event-subscriptions/{subscription_id}"
	g := h.Group("Events", "events", operation.HeaderProject)
	operation.Register(g, "create-event-subscription", "POST "+all, "Create an event subscription; the secret that signs its events is shown once", h.createSubscription,
		operation.Created, operation.Errors(409))
	operation.Register(g, "list-event-subscriptions", "GET "+all, "List event subscriptions",
		operation.HandleList(h.listSubscriptions, toAPISubscription))
	operation.Register(g, "get-event-subscription", "GET "+one, "Get an event subscription",
		wire.HandleOne(h.getSubscription, toAPISubscription))
	operation.Register(g, "update-event-subscription", "PATCH "+one, "Change an event subscription", h.updateSubscription)
	operation.Register(g, "delete-event-subscription", "DELETE "+one, "Delete an event subscription", h.deleteSubscription)
	operation.Register(g, "rotate-event-secret", "POST "+one+"/rotate-secret", "Rotate the secret; for 24 hours the previous one signs too", h.rotateSecret)
	operation.Register(g, "test-event-subscription", "POST "+one+"/test", "Send an event of type ping",
		wire.HandleOne(h.testSubscription, toAPIDelivery), operation.Accepted, operation.Errors(409))
	h.registerDeliveries(g, one)
	documentEvents(h.Document())
}

// SubscriptionView is an event subscription. Its secret is shown once, when it is created.
type SubscriptionView struct {
	ID          string    `json:"id"`
	URL         string    `json:"url"`
	EventTypes  []string  `json:"event_types"`
	Description string    `json:"description"`
	Status      string    `json:"status" enum:"active,disabled"`
	Reason      *string   `json:"disabled_reason" nullable:"true" doc:"merchant: by request. gone: the receiver responded 410. unreachable: an event could not be delivered within 24 hours."`
	CreatedAt   wire.Time `json:"created_at"`
	UpdatedAt   wire.Time `json:"updated_at"`
}

type newSubscription struct {
	URL         string   `json:"url,omitempty" doc:"An https URL of at most 2,048 characters that does not lead to a private address."`
	EventTypes  []string `json:"event_types,omitempty" doc:"Any of order.completed, order.shipped, order.updated, order.delivered, order.canceled, order.refunded, return.requested, return.approved, return.rejected, refund.failed, dispute.opened, dispute.closed, quote.accepted, negotiation.lost, checkout.abandoned, payment.unresolved, refund.unresolved, payment.orphaned, money.unexplained, sync.completed, sync.failed, integration.error, customer.data_requested, inventory.low, subscription.disabled; or only \"*\" for all, including those of later versions."`
	Description string   `json:"description,omitempty" doc:"At most 5,000 characters."`
}

func (newSubscription) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "url", "event_types")
}

type secretOutput = wire.Output[subscriptionSecret]

type subscriptionSecret struct {
	SubscriptionView
	Secret string `json:"secret" doc:"Signs each request by Standard Webhooks. Shown only in this response."`
}

func (h *handlers) createSubscription(ctx context.Context, rq operation.Request, in *wire.Input[newSubscription]) (*secretOutput, error) {
	s, secret, err := h.Publishing.In(rq.Stores).Subscribe(ctx, rq.Caller.Project.ID, event.Draft{
		URL:         in.Body.URL,
		Types:       in.Body.EventTypes,
		Description: in.Body.Description,
	})
	if err != nil {
		return nil, err
	}
	v := toAPISubscription(s)
	operation.NoteCreated(rq, v.ID, loggedSubscription(s))
	return &secretOutput{Body: subscriptionSecret{v, secret}}, nil
}

func (h *handlers) listSubscriptions(ctx context.Context, rq operation.Request, in *operation.Paging) ([]*event.Subscription, int, error) {
	return rq.Stores.Subscriptions.List(ctx, rq.Caller.Project.ID, in.Page())
}

type OnSubscription struct {
	Subscription wire.Ref[id.Subscription] `path:"subscription_id"`
}

func (h *handlers) getSubscription(ctx context.Context, rq operation.Request, in *OnSubscription) (*event.Subscription, error) {
	return rq.Stores.Subscriptions.ByID(ctx, rq.Caller.Project.ID, in.Subscription.ID)
}

type updateSubscriptionInput struct {
	OnSubscription
	Body subscriptionPatch
}

type subscriptionPatch struct {
	URL         wire.Optional[string]   `json:"url,omitzero"`
	EventTypes  wire.Optional[[]string] `json:"event_types,omitzero"`
	Description wire.Optional[string]   `json:"description,omitzero"`
	Status      wire.Optional[string]   `json:"status,omitzero" doc:"active or disabled. Disabling a subscription cancels its pending deliveries."`
}

func (h *handlers) updateSubscription(ctx context.Context, rq operation.Request, in *updateSubscriptionInput) (*wire.Output[SubscriptionView], error) {
	before, after, err := h.Publishing.In(rq.Stores).Change(ctx, rq.Caller.Project.ID, in.Subscription.ID, event.Change{
		URL:         in.Body.URL.Field(),
		Types:       in.Body.EventTypes.Field(),
		Description: in.Body.Description.Field(),
		Status:      in.Body.Status.Field(),
	})
	if err != nil {
		return nil, err
	}
	operation.NoteChange(rq, loggedSubscription(before), loggedSubscription(after))
	return &wire.Output[SubscriptionView]{Body: toAPISubscription(after)}, nil
}

func (h *handlers) deleteSubscription(ctx context.Context, rq operation.Request, in *OnSubscription) (*struct{}, error) {
	return nil, rq.Stores.Subscriptions.Remove(ctx, rq.Caller.Project.ID, in.Subscription.ID)
}

func (h *handlers) rotateSecret(ctx context.Context, rq operation.Request, in *OnSubscription) (*secretOutput, error) {
	s, secret, err := h.Publishing.In(rq.Stores).Rotate(ctx, rq.Caller.Project.ID, in.Subscription.ID)
	if err != nil {
		return nil, err
	}
	return &secretOutput{Body: subscriptionSecret{toAPISubscription(s), secret}}, nil
}

func (h *handlers) testSubscription(ctx context.Context, rq operation.Request, in *OnSubscription) (*event.Delivery, error) {
	return h.Publishing.In(rq.Stores).Test(ctx, rq.Caller.Project.ID, in.Subscription.ID)
}

// loggedSubscription is a subscription as the audit log records it, without the tokens in its URL.
func loggedSubscription(s *event.Subscription) SubscriptionView {
	v := toAPISubscription(s)
	v.URL = event.MaskURL(s.URL)
	return v
}

func toAPISubscription(s *event.Subscription) SubscriptionView {
	return SubscriptionView{
		ID:          s.ID.String(),
		URL:         s.URL,
		EventTypes:  wire.Each(s.Types, event.Type.String),
		Description: s.Description,
		Status:      s.Status.String(),
		Reason:      wire.ToOptional(s.Reason.String()),
		CreatedAt:   wire.ToTime(s.CreatedAt),
		UpdatedAt:   wire.ToTime(s.UpdatedAt),
	}
}
