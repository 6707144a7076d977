package shopify

import (
	"context"
	"crypto/hmac"
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

const webhookCreate = `mutation WebhookCreate($topic: WebhookSubscriptionTopic!, $uri: String!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: {uri: $uri, format: JSON}) {
    webhookSubscription { id }
    userErrors { field message }
  }
}`

const webhookList = `query Webhooks($topics: [WebhookSubscriptionTopic!], $after: String) {
  webhookSubscriptions(first: 100, after: $after, topics: $topics) {
    pageInfo { hasNextPage endCursor }
    nodes { id uri }
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

// topicName is a topic's name in the API: of products/update, PRODUCTS_UPDATE.
func topicName(topic string) string { return strings.ToUpper(strings.ReplaceAll(topic, "/", "_")) }

func webhookID(remote string) string { return "gid://shopify/WebhookSubscription/" + remote }

// Register has Shopify call an address. Its calls are signed with the app's secret.
func (c *Connector) Register(ctx ports.Outbound, conn ports.Connection, topic, address string) (remote, signing string, err error) {
	var made struct {
		WebhookSubscriptionCreate struct {
			WebhookSubscription *struct{ ID gid }
			UserErrors          []userError
		}
	}
	err = c.ask(ctx, conn, webhookCreate, map[string]any{"topic": topicName(topic), "uri": address}, &made)
	if err != nil {
		return "", "", err
	}
	answer := made.WebhookSubscriptionCreate
	if w := answer.WebhookSubscription; len(answer.UserErrors) == 0 && w != nil && w.ID != "" {
		return string(w.ID), "", nil
	}
	// An address can have a topic but once: it may be there from an earlier try.
	remote, err = c.registered(ctx, conn, topic, address)
	if err == nil && remote == "" {
		err = c.userRefused(conn, append(answer.UserErrors, userError{Message: "it made no webhook"}))
	}
	return remote, "", err
}

// registered finds the webhook of a topic at an address; "" if there is none.
func (c *Connector) registered(ctx context.Context, conn ports.Connection, topic, address string) (string, error) {
	variables := map[string]any{"topics": []string{topicName(topic)}, "after": nil}
	for range 100 {
		var found struct {
			WebhookSubscriptions page[struct {
				ID  gid
				URI string
			}]
		}
		if err := c.ask(ctx, conn, webhookList, variables, &found); err != nil {
			return "", err
		}
		for _, w := range found.WebhookSubscriptions.Nodes {
			if w.URI == address {
				return string(w.ID), nil
			}
		}
		if !found.WebhookSubscriptions.PageInfo.HasNextPage {
			return "", nil
		}
		variables["after"] = found.WebhookSubscriptions.PageInfo.EndCursor
	}
	return "", nil
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
		return nil // it was gone
	}
	return err
}

// Verify checks that the app's secret has signed the payload, and that the call says of what and which shop it is.
// "Every delivery includes" X-Shopify-Topic, X-Shopify-Shop-Domain, X-Shopify-Webhook-Id and X-Shopify-Triggered-At
// (https://shopify.dev/docs/apps/build/webhooks/delivery-structure, read on 2026-11-23). None of them is signed, and one
// secret signs the calls of all shops.
func (c *Connector) Verify(call ports.Call, _ string) (ports.CallStamp, error) {
	given, err := base64.StdEncoding.DecodeString(call.Header("X-Shopify-Hmac-Sha256"))
	if err != nil || c.ClientSecret == "" || !hmac.Equal(given, c.sign(call.Payload)) {
		return ports.CallStamp{}, fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing or wrong.")
	}
	triggered := call.Header("X-Shopify-Triggered-At")
	stamp := ports.CallStamp{
		Delivery: deliveryOf(call.Payload, triggered),
		Topic:    call.Header("X-Shopify-Topic"),
		Store:    strings.ToLower(call.Header("X-Shopify-Shop-Domain")),
		At:       connectors.Moment(triggered),
	}
	if !slices.Contains(integration.Shopify.Topics(), stamp.Topic) || stamp.Store == "" {
		return ports.CallStamp{}, fault.New(fault.Unauthenticated, "invalid_signature", "The headers of the topic and the shop are missing or wrong.")
	}
	return stamp, nil
}

// deliveryOf tells deliveries apart by the signed payload and the time of the event, which a repeated delivery has
// in common. By X-Shopify-Webhook-Id, a captured call that is sent with another one would be new. One that is sent
// with another time still is: then the times within the payload decide, and it changes nothing that is newer.
func deliveryOf(payload []byte, triggered string) string {
	sum := sha256.New()
	sum.Write([]byte(triggered + "\n"))
	sum.Write(payload)
	return hex.EncodeToString(sum.Sum(nil))
}
