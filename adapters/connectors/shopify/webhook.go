package shopify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// payloadFields are the fields that News reads, by topic. Register requests only these, because a complete payload can have
// megabytes (https://shopify.dev/docs/apps/build/webhooks/customize/modify-payloads, read 2026-11-28).
var payloadFields = map[string][]string{
	"products/create":         productFields,
	"products/update":         productFields,
	"products/delete":         {"id"},
	"inventory_levels/update": {"inventory_item_id", "location_id", "available", "updated_at"},
	"orders/create":           orderFields,
	"orders/updated":          orderFields,
	"orders/cancelled":        orderFields,
	"refunds/create":          {"id", "order_id"},
	"customers/create":        customerPayloadFields,
	"customers/update":        customerPayloadFields,
	"customers/delete":        {"id"},
}

var (
	productFields = []string{
		"id", "handle", "title", "body_html", "vendor", "product_type", "status", "tags", "published_at", "updated_at", "options", "variants",
		"variant_gids", "images",
	}
	orderFields = []string{
		"id", "name", "email", "total_price", "currency", "financial_status", "fulfillment_status", "cancelled_at", "created_at", "updated_at",
		"line_items.quantity", "source_identifier", "refunds.transactions", "fulfillments.status", "fulfillments.created_at",
		"fulfillments.tracking_company", "fulfillments.tracking_number", "fulfillments.tracking_url", "fulfillments.shipment_status",
	}
	customerPayloadFields = []string{"id", "email", "first_name", "last_name", "orders_count", "tags", "updated_at"}
)

const webhookCreate = `mutation WebhookCreate($topic: WebhookSubscriptionTopic!, $uri: String!, $fields: [String!]) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: {uri: $uri, format: JSON, includeFields: $fields}) {
    webhookSubscription { id }
    userErrors { field message }
  }
}`

const webhookList = `query Webhooks($topics: [WebhookSubscriptionTopic!], $after: String) {
  webhookSubscriptions(first: 100, after: $after, topics: $topics) {
    pageInfo { hasNextPage endCursor }
    nodes { id uri topic includeFields }
  }
}`

const webhookFind = `query Webhook($id: ID!) {
  node(id: $id) { id }
}`

const webhookDelete = `mutation WebhookDelete($id: ID!) {
  webhookSubscriptionDelete(id: $id) {
    deletedWebhookSubscriptionId
    userErrors { field message }
  }
}`

// topicName returns a topic's name in the API: PRODUCTS_UPDATE for products/update.
func topicName(topic string) string { return strings.ToUpper(strings.ReplaceAll(topic, "/", "_")) }

func webhookID(remote string) string { return "gid://shopify/WebhookSubscription/" + remote }

// Register registers a webhook. Shopify signs its calls with the app's secret.
func (c *Connector) Register(ctx ports.Outbound, conn ports.Connection, topic, address string) (remote, signing string, err error) {
	var made struct {
		WebhookSubscriptionCreate struct {
			WebhookSubscription *struct{ ID gid }
			UserErrors          []userError
		}
	}
	err = c.ask(ctx, conn, webhookCreate, map[string]any{
		"topic": topicName(topic), "uri": address, "fields": payloadFields[topic],
	}, &made)
	if err != nil {
		return "", "", err
	}
	answer := made.WebhookSubscriptionCreate
	if w := answer.WebhookSubscription; len(answer.UserErrors) == 0 && w != nil && w.ID != "" {
		return string(w.ID), "", nil
	}
	// An address can have a topic only once. The webhook may exist from an earlier attempt.
	remote, err = c.registered(ctx, conn, topic, address)
	if err == nil && remote == "" {
		err = c.userRefused(conn, append(answer.UserErrors, userError{Message: "it made no webhook"}))
	}
	return remote, "", err
}

// registered returns the id of the webhook with a topic and an address, or "" if there is none.
func (c *Connector) registered(ctx context.Context, conn ports.Connection, topic, address string) (string, error) {
	list, err := c.webhooks(ctx, conn, topicName(topic))
	for _, w := range list {
		if w.Address == address {
			return w.Remote, err
		}
	}
	return "", err
}

// Webhooks returns the app's webhooks in the shop. A webhook with other fields than payloadFields is outdated.
func (c *Connector) Webhooks(ctx ports.Outbound, conn ports.Connection) ([]ports.RemoteWebhook, error) {
	return c.webhooks(ctx, conn)
}

// webhooks returns the webhooks of topics, which are names in the API, or of all topics if there are none.
func (c *Connector) webhooks(ctx context.Context, conn ports.Connection, topics ...string) (list []ports.RemoteWebhook, err error) {
	variables := map[string]any{"topics": topics, "after": nil}
	for range 100 {
		var found struct {
			WebhookSubscriptions page[struct {
				ID            gid
				URI, Topic    string
				IncludeFields []string
			}]
		}
		if err := c.ask(ctx, conn, webhookList, variables, &found); err != nil {
			return nil, err
		}
		for _, w := range found.WebhookSubscriptions.Nodes {
			topic := topicOf(w.Topic)
			list = append(list, ports.RemoteWebhook{
				Remote:   string(w.ID),
				Topic:    topic,
				Address:  w.URI,
				Outdated: !sameSet(w.IncludeFields, payloadFields[topic]),
			})
		}
		if !found.WebhookSubscriptions.PageInfo.HasNextPage {
			break
		}
		variables["after"] = found.WebhookSubscriptions.PageInfo.EndCursor
	}
	return list, nil
}

// topicOf returns the topic with a name in the API: products/update for PRODUCTS_UPDATE. It returns the name itself if it is
// none of our topics.
func topicOf(name string) string {
	for _, topic := range integration.Shopify.Topics() {
		if topicName(topic) == name {
			return topic
		}
	}
	return name
}

// sameSet reports whether two lists contain the same strings in any order.
func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Unregister deletes a webhook.
func (c *Connector) Unregister(ctx ports.Outbound, conn ports.Connection, remote string) error {
	var deleted struct {
		WebhookSubscriptionDelete struct{ UserErrors []userError }
	}
	id := map[string]any{"id": webhookID(remote)}
	err := c.ask(ctx, conn, webhookDelete, id, &deleted)
	if err == nil {
		err = c.userRefused(conn, deleted.WebhookSubscriptionDelete.UserErrors)
	}
	if !refused(err) {
		return err
	}
	var found struct {
		Node *struct{ ID gid }
	}
	if c.ask(ctx, conn, webhookFind, id, &found) == nil && found.Node == nil {
		return nil // there was no such webhook
	}
	return err
}

const signatureHeader = "X-Shopify-Hmac-Sha256"

// SignatureHeader returns the name of the header that has a call's signature.
func (*Connector) SignatureHeader() string { return signatureHeader }

// Verify checks that the payload is signed with the app's secret, and that the call has a topic and a shop.
// "Every delivery includes" X-Shopify-Topic, X-Shopify-Shop-Domain, X-Shopify-Webhook-Id and X-Shopify-Triggered-At
// (https://shopify.dev/docs/apps/build/webhooks/delivery-structure, read on 2026-11-23). None of them is signed, and one
// secret signs the calls of all shops.
func (c *Connector) Verify(call ports.Call, _ string) (ports.CallStamp, error) {
	given, err := base64.StdEncoding.DecodeString(call.Header(signatureHeader))
	if err != nil || !c.signedByApp(call.Payload, given) {
		return ports.CallStamp{}, fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing or wrong.")
	}
	stamp := ports.CallStamp{
		Delivery: deliveryOf(call),
		Topic:    call.Header("X-Shopify-Topic"),
		Store:    strings.ToLower(call.Header("X-Shopify-Shop-Domain")),
		At:       connectors.Moment(call.Header("X-Shopify-Triggered-At")),
	}
	if !slices.Contains(integration.Shopify.Topics(), stamp.Topic) || stamp.Store == "" {
		return ports.CallStamp{}, fault.New(fault.Unauthenticated, "invalid_signature", "The headers of the topic and the shop are missing or wrong.")
	}
	return stamp, nil
}

// deliveryOf identifies an event: by X-Shopify-Event-Id, which Shopify recommends, or else by
// X-Shopify-Webhook-Id (https://shopify.dev/docs/apps/build/webhooks/ignore-duplicates, read 2026-11-28). Neither header is
// signed, so the identifier includes the payload: a forged call with the id of another one cannot suppress that one, and a
// captured call with another id is a new delivery, which does not change newer records.
func deliveryOf(call ports.Call) string {
	event := cmp.Or(call.Header("X-Shopify-Event-Id"), call.Header("X-Shopify-Webhook-Id"), call.Header("X-Shopify-Triggered-At"))
	sum := sha256.New()
	sum.Write([]byte(event + "\n"))
	sum.Write(call.Payload)
	return hex.EncodeToString(sum.Sum(nil))
}
