package merchant

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// NewSubscription is the request to create an event subscription (features/MANAGEMENT.md#events).
type NewSubscription struct {
	URL         string   `json:"url"`
	EventTypes  []string `json:"event_types"`
	Description string   `json:"description,omitempty"`
}

// Subscription is an event subscription. Secret is set only in the answer to its creation.
type Subscription struct {
	ID             string    `json:"id"`
	URL            string    `json:"url"`
	EventTypes     []string  `json:"event_types"`
	Description    string    `json:"description"`
	Status         string    `json:"status"`
	DisabledReason *string   `json:"disabled_reason"`
	Secret         string    `json:"secret"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
}

// Delivery is the delivery of one event to a subscription. Payload is set only when a single delivery is read.
type Delivery struct {
	ID             string          `json:"id"`
	EventID        string          `json:"event_id"`
	Type           string          `json:"type"`
	Status         string          `json:"status"`
	Attempts       int             `json:"attempts"`
	LastStatusCode *int            `json:"last_status_code"`
	LastError      *string         `json:"last_error"`
	NextAttemptAt  *time.Time      `json:"next_attempt_at"`
	CreatedAt      time.Time       `json:"created_at"`
	DeliveredAt    *time.Time      `json:"delivered_at"`
	Payload        json.RawMessage `json:"payload"`
}

// Event is an event of the shop.
type Event struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt time.Time       `json:"created_at"`
	ProjectID string          `json:"project_id"`
	Data      json.RawMessage `json:"data"`
}

const subscriptionsPath = "/v1/event-subscriptions"

// Subscribe creates an event subscription.
func (c *Client) Subscribe(ctx context.Context, s NewSubscription, options ...Option) (Subscription, error) {
	return call[Subscription](ctx, c, "POST", subscriptionsPath, s, options)
}

// Subscriptions lists event subscriptions.
func (c *Client) Subscriptions(ctx context.Context, page Page, options ...Option) (List[Subscription], error) {
	return call[List[Subscription]](ctx, c, "GET", subscriptionsPath+page.query(nil), nil, options)
}

// Subscription reads an event subscription.
func (c *Client) Subscription(ctx context.Context, id string, options ...Option) (Subscription, error) {
	return call[Subscription](ctx, c, "GET", subscriptionPath(id), nil, options)
}

// PatchSubscription changes an event subscription.
func (c *Client) PatchSubscription(ctx context.Context, id string, patch Patch, options ...Option) (Subscription, error) {
	return call[Subscription](ctx, c, "PATCH", subscriptionPath(id), patch, options)
}

// Unsubscribe deletes an event subscription.
func (c *Client) Unsubscribe(ctx context.Context, id string, options ...Option) error {
	_, err := call[nothing](ctx, c, "DELETE", subscriptionPath(id), nil, options)
	return err
}

// RotateEventSecret replaces the secret of an event subscription.
func (c *Client) RotateEventSecret(ctx context.Context, id string, options ...Option) (Subscription, error) {
	return call[Subscription](ctx, c, "POST", subscriptionPath(id)+"/rotate-secret", nil, options)
}

// TestSubscription sends a test event.
func (c *Client) TestSubscription(ctx context.Context, id string, options ...Option) (Delivery, error) {
	return call[Delivery](ctx, c, "POST", subscriptionPath(id)+"/test", nil, options)
}

// Deliveries lists the deliveries of a subscription with a status, or all if status is empty.
func (c *Client) Deliveries(ctx context.Context, id, status string, page Page, options ...Option) (List[Delivery], error) {
	parameters := url.Values{}
	if status != "" {
		parameters.Set("status", status)
	}
	return call[List[Delivery]](ctx, c, "GET", subscriptionPath(id)+"/deliveries"+page.query(parameters), nil, options)
}

// Delivery reads a delivery with its event.
func (c *Client) Delivery(ctx context.Context, id, delivery string, options ...Option) (Delivery, error) {
	return call[Delivery](ctx, c, "GET", deliveryPath(id, delivery), nil, options)
}

// Redeliver delivers an event again.
func (c *Client) Redeliver(ctx context.Context, id, delivery string, options ...Option) (Delivery, error) {
	return call[Delivery](ctx, c, "POST", deliveryPath(id, delivery)+"/redeliver", nil, options)
}

// Events lists events of a type, or all if kind is empty.
func (c *Client) Events(ctx context.Context, kind string, page Page, options ...Option) (List[Event], error) {
	parameters := url.Values{}
	if kind != "" {
		parameters.Set("type", kind)
	}
	return call[List[Event]](ctx, c, "GET", "/v1/events"+page.query(parameters), nil, options)
}

// Event reads an event.
func (c *Client) Event(ctx context.Context, id string, options ...Option) (Event, error) {
	return call[Event](ctx, c, "GET", "/v1/events/"+url.PathEscape(id), nil, options)
}

func subscriptionPath(id string) string { return subscriptionsPath + "/" + url.PathEscape(id) }

func deliveryPath(id, delivery string) string {
	return subscriptionPath(id) + "/deliveries/" + url.PathEscape(delivery)
}
