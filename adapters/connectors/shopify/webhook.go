package shopify

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
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
func (c *Connector) Register(ctx context.Context, conn ports.Connection, topic, address string) (remote, signing string, err error) {
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
			WebhookSubscriptions struct {
				PageInfo struct {
					HasNextPage bool
					EndCursor   string
				}
				Nodes []struct {
					ID  gid
					URI string
				}
			}
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
func (c *Connector) Unregister(ctx context.Context, conn ports.Connection, remote string) error {
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

// Verify checks that the app's secret has signed the payload.
func (c *Connector) Verify(call ports.Call, _ string) (ports.CallStamp, error) {
	given, err := base64.StdEncoding.DecodeString(call.Header("X-Shopify-Hmac-Sha256"))
	if err != nil || c.ClientSecret == "" || !hmac.Equal(given, c.sign(call.Payload)) {
		return ports.CallStamp{}, fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing or wrong.")
	}
	stamp := ports.CallStamp{
		Delivery: call.Header("X-Shopify-Webhook-Id"), Topic: call.Header("X-Shopify-Topic"),
		Store: strings.ToLower(call.Header("X-Shopify-Shop-Domain")),
	}
	if at, err := time.Parse(time.RFC3339, call.Header("X-Shopify-Triggered-At")); err == nil {
		stamp.At = at.UTC().Truncate(time.Millisecond)
	}
	return stamp, nil
}
