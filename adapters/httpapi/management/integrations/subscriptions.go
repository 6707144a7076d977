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
	const tag, all, one = "Events", "/v1/event-subscriptions", "/v1/event-subscriptions/{subscription_id}"
	operation.Register(h.API, tag, operation.Spec{
		ID: "create-event-subscription", Method: "POST", Path: all, Scope: "events:write", On: operation.HeaderProject,
		Status: 201, Errors: []int{409}, Summary: "Send events to a URL; the secret that signs them is shown once",
	}, h.createSubscription)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "list-event-subscriptions", Method: "GET", Path: all, Scope: "events:read", On: operation.HeaderProject,
		Summary: "List event subscriptions",
	}, h.listSubscriptions)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "get-event-subscription", Method: "GET", Path: one, Scope: "events:read", On: operation.HeaderProject,
		Summary: "Get an event subscription",
	}, h.getSubscription)
	operation.Register(h.API, tag, operation.Spec{
		ID: "update-event-subscription", Method: "PATCH", Path: one, Scope: "events:write", On: operation.HeaderProject,
		Summary: "Change an event subscription",
	}, h.updateSubscription)
	operation.Register(h.API, tag, operation.Spec{
		ID: "delete-event-subscription", Method: "DELETE", Path: one, Scope: "events:write", On: operation.HeaderProject,
		Status: 204, Summary: "Delete an event subscription",
	}, h.deleteSubscription)
	operation.Register(h.API, tag, operation.Spec{
		ID: "rotate-event-secret", Method: "POST", Path: one + "/rotate-secret", Scope: "events:write",
		On: operation.HeaderProject, Summary: "Replace the secret; for 24 hours the one before signs too",
	}, h.rotateSecret)
	operation.Register(h.API, tag, operation.Spec{
		ID: "test-event-subscription", Method: "POST", Path: one + "/test", Scope: "events:write",
		On: operation.HeaderProject, Status: 202, Errors: []int{409}, Summary: "Send an event of type ping",
	}, h.testSubscription)
	h.registerDeliveries(tag, one)
	documentEvents(h.Document())
}

// SubscriptionView is an event subscription. Its secret is shown when it is made.
type SubscriptionView struct {
	ID          string    `json:"id"`
	URL         string    `json:"url"`
	EventTypes  []string  `json:"event_types"`
	Description string    `json:"description"`
	Status      string    `json:"status" enum:"active,disabled"`
	Reason      *string   `json:"disabled_reason" nullable:"true" doc:"merchant: by request. gone: the receiver answered 410. unreachable: an event could not be delivered in 24 hours."`
	CreatedAt   wire.Time `json:"created_at"`
	UpdatedAt   wire.Time `json:"updated_at"`
}

type newSubscription struct {
	URL         string   `json:"url,omitempty" doc:"An https URL of at most 2,048 characters that does not lead to a private address."`
	EventTypes  []string `json:"event_types,omitempty" doc:"Of order.completed, order.shipped, order.updated, order.delivered, order.canceled, order.refunded, return.requested, return.approved, return.rejected, refund.failed, dispute.opened, dispute.closed, quote.accepted, negotiation.lost, checkout.abandoned, payment.unresolved, refund.unresolved, payment.orphaned, money.unexplained, sync.completed, sync.failed, integration.error, inventory.low, subscription.disabled; or \"*\" alone, for all, those of later versions too."`
	Description string   `json:"description,omitempty" doc:"At most 5,000 characters."`
}

func (newSubscription) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "url", "event_types")
}

type createSubscriptionInput struct{ Body newSubscription }

type secretOutput struct{ Body subscriptionSecret }

type subscriptionSecret struct {
	SubscriptionView
	Secret string `json:"secret" doc:"Signs each request by Standard Webhooks. It is shown here and never again."`
}

func (h *handlers) createSubscription(ctx context.Context, rq operation.Request, in *createSubscriptionInput) (*secretOutput, error) {
	s, secret, err := h.publishing(rq).Subscribe(ctx, rq.Caller.Project.ID, event.Draft{
		URL: in.Body.URL, Types: in.Body.EventTypes, Description: in.Body.Description,
	})
	if err != nil {
		return nil, err
	}
	v := toAPISubscription(s)
	operation.NoteTarget(rq, v.ID)
	operation.NoteChange(rq, nil, loggedSubscription(s))
	return &secretOutput{subscriptionSecret{v, secret}}, nil
}

type listSubscriptionsInput struct{ operation.Paging }

func (h *handlers) listSubscriptions(ctx context.Context, rq operation.Request, in *listSubscriptionsInput) (*operation.ListOutput[SubscriptionView], error) {
	found, total, err := h.publishing(rq).Subscriptions.List(ctx, rq.Caller.Project.ID, in.Page())
	if err != nil {
		return nil, err
	}
	return operation.ToAPIList(found, toAPISubscription, in.Paging, total), nil
}

type OnSubscription struct {
	Subscription string `path:"subscription_id"`
}

// id is the subscription in the path.
func (o OnSubscription) id() (id.Subscription, error) {
	return wire.ID[id.Subscription](o.Subscription, "subscription")
}

type subscriptionOutput struct{ Body SubscriptionView }

func (h *handlers) getSubscription(ctx context.Context, rq operation.Request, in *OnSubscription) (*subscriptionOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	s, err := h.publishing(rq).Subscriptions.ByID(ctx, rq.Caller.Project.ID, wanted)
	if err != nil {
		return nil, err
	}
	return &subscriptionOutput{toAPISubscription(s)}, nil
}

type updateSubscriptionInput struct {
	OnSubscription
	Body subscriptionPatch
}

type subscriptionPatch struct {
	URL         wire.Optional[string]   `json:"url,omitzero"`
	EventTypes  wire.Optional[[]string] `json:"event_types,omitzero"`
	Description wire.Optional[string]   `json:"description,omitzero"`
	Status      wire.Optional[string]   `json:"status,omitzero" doc:"active or disabled. What is pending for a subscription that is disabled is canceled."`
}

func (h *handlers) updateSubscription(ctx context.Context, rq operation.Request, in *updateSubscriptionInput) (*subscriptionOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Subscription)
	before, after, err := h.publishing(rq).Change(ctx, rq.Caller.Project.ID, wanted, event.Change{
		URL: in.Body.URL.Field(), Types: in.Body.EventTypes.Field(), Description: in.Body.Description.Field(), Status: in.Body.Status.Field(),
	})
	if err != nil {
		return nil, err
	}
	out := &subscriptionOutput{toAPISubscription(after)}
	operation.NoteChange(rq, loggedSubscription(before), loggedSubscription(after))
	return out, nil
}

func (h *handlers) deleteSubscription(ctx context.Context, rq operation.Request, in *OnSubscription) (*struct{}, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Subscription)
	return nil, h.publishing(rq).Subscriptions.Remove(ctx, rq.Caller.Project.ID, wanted)
}

func (h *handlers) rotateSecret(ctx context.Context, rq operation.Request, in *OnSubscription) (*secretOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Subscription)
	s, secret, err := h.publishing(rq).Rotate(ctx, rq.Caller.Project.ID, wanted)
	if err != nil {
		return nil, err
	}
	return &secretOutput{subscriptionSecret{toAPISubscription(s), secret}}, nil
}

func (h *handlers) testSubscription(ctx context.Context, rq operation.Request, in *OnSubscription) (*deliveryOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Subscription)
	d, err := h.publishing(rq).Test(ctx, rq.Caller.Project.ID, wanted)
	if err != nil {
		return nil, err
	}
	return &deliveryOutput{toAPIDelivery(d)}, nil
}

// loggedSubscription is for the audit log, which keeps no token of the address.
func loggedSubscription(s *event.Subscription) SubscriptionView {
	v := toAPISubscription(s)
	v.URL = event.MaskURL(s.URL)
	return v
}

func toAPISubscription(s *event.Subscription) SubscriptionView {
	v := SubscriptionView{
		ID: s.ID.String(), URL: s.URL, EventTypes: operation.Each(s.Types, event.Type.String), Description: s.Description,
		Status: s.Status.String(), CreatedAt: wire.ToTime(s.CreatedAt), UpdatedAt: wire.ToTime(s.UpdatedAt),
	}
	if s.Reason != (event.Reason{}) {
		reason := s.Reason.String()
		v.Reason = &reason
	}
	return v
}
