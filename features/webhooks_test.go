package features

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func (c *platformsContext) hasWebhook(topic, actions string) error {
	return errors.Join(c.registersWebhook(topic, actions), c.unexpectedRefusal())
}

func (c *platformsContext) registersWebhook(topic, actions string) error {
	body := fmt.Sprintf(`{"topic": %q, "actions": %s}`, topic, cmp.Or(actions, "[]"))
	return c.attempt(func() error {
		if err := c.send("POST", c.integrationPath("/webhooks"), body, nil); err != nil {
			return err
		}
		c.webhook = merchant.Webhook{}
		return json.Unmarshal(c.recorder.last().body, &c.webhook)
	})
}

// platformSendsWebhooks makes a platform change records and send webhooks about them.
func (c *platformsContext) platformSendsWebhooks(platform string, n int, more string) error {
	request := platforms.Webhooks{
		Platform: platform,
		Count:    n,
		Seed:     3,
	}
	if more != "" {
		if err := json.Unmarshal([]byte(more), &request); err != nil {
			return err
		}
	}
	var err error
	c.sent, err = c.platforms.Webhooks(c.ctx, request)
	return err
}

func (c *platformsContext) webhookCallsAnswered(kind string, n, status int) error {
	answers := c.sent.Answers
	if kind == "forged" {
		answers = c.sent.TamperedAnswers
	}
	total := 0
	for _, times := range answers {
		total += times
	}
	if answers[status] != n || total != n {
		return fmt.Errorf("they were answered %v", answers)
	}
	return nil
}

// callsShopifyWebhook sends a webhook call in Shopify's form, signed with secret.
func (c *platformsContext) callsShopifyWebhook(name, secret, body string, without ...string) error {
	content := c.expand(body)
	request, err := http.NewRequestWithContext(c.ctx, "POST", c.webhook.Endpoint, strings.NewReader(content))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(content))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	request.Header.Set("X-Shopify-Webhook-Id", name)
	request.Header.Set("X-Shopify-Topic", c.webhook.Topic)
	request.Header.Set("X-Shopify-Shop-Domain", "trailhead-outfitters.myshopify.com")
	for _, name := range without {
		request.Header.Del(name)
	}
	response, err := c.recorder.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func (c *platformsContext) platformWebhooksAre(platform string, n int) error {
	hooks, _ := json.Marshal(c.platforms.Hooks()[platform])
	var list []any
	if err := json.Unmarshal(hooks, &list); err != nil {
		return err
	}
	if len(list) != n {
		return fmt.Errorf("it has %s", hooks)
	}
	return nil
}

func (c *platformsContext) removesWebhook() error {
	return c.merchantSends("DELETE", integrationsPath+"/$integration/webhooks/$wh", "")
}

// Shopify's ids of the fake platform's two locations and of its first item.
const (
	firstLocation  = 61000001
	secondLocation = 61000002
	firstItem      = "44000000001"
)

// reportsStock sends a call of Shopify about an item's stock at a location, as of a time.
func (c *platformsContext) reportsStock(call, item string, location, quantity int, at string) error {
	return c.callsShopifyWebhook(call, appSecret, fmt.Sprintf(
		`{"inventory_item_id": %s, "location_id": %d, "available": %d, "updated_at": "2025-06-01T%sZ"}`, item, location, quantity, at))
}

// reportsShopifyStock reports the stock of the first item at the first location, in a named call.
func (c *platformsContext) reportsShopifyStock(quantity int, at, call string) error {
	return c.reportsStock(call, firstItem, firstLocation, quantity, at+":00")
}

// reportsStockLeft reports the stock of the chosen product at a location. Each report is a second later than the one before.
func (c *platformsContext) reportsStockLeft(quantity int, place string) error {
	location := firstLocation
	if place == "second" {
		location = secondLocation
	}
	c.reports++
	return c.reportsStock(fmt.Sprintf("report %d", c.reports), "$item", location, quantity, fmt.Sprintf("00:00:%02d", c.reports))
}

// stockIsKnown checks that the shop has a stock level of one quantity, and none of the other.
func (c *platformsContext) stockIsKnown(want, unwanted int) error {
	if err := c.send("GET", inventoryPath+"?limit=100", "", nil); err != nil {
		return err
	}
	return c.answerShows("data.*.quantity", fmt.Sprint("contains ", want), "data.*.quantity", fmt.Sprint("without ", unwanted))
}

// webhookLogShows reads the log of calls until fields of the answer are as wanted, for at most 20 seconds.
func (c *platformsContext) webhookLogShows(query string, pairs ...string) error {
	return c.webhookLogShowsWithin(20, query, pairs...)
}

func (c *platformsContext) webhookLogShowsWithin(seconds int, query string, pairs ...string) error {
	return within(seconds, func() error {
		if err := c.send("GET", c.integrationPath("/webhooks/logs?"+query), "", nil); err != nil {
			return err
		}
		return c.answerShows(pairs...)
	})
}

// callsBecome waits until so many calls have a status: "12" or "at least 5". A call that waits is received and not processed.
func (c *platformsContext) callsBecome(seconds int, want, status string) error {
	if status == "waiting" {
		status = "received"
	}
	return c.webhookLogShowsWithin(seconds, "status="+status, "meta.total", want)
}

// inventorySyncCompletes waits for a second sync, and checks that it has read only what changed of the stock.
func (c *platformsContext) inventorySyncCompletes() error {
	if err := c.syncsComplete(2); err != nil {
		return err
	}
	return c.answerShows(
		"data.0.full_sync", "false",
		"data.0.resources.inventory", "present",
		"data.0.resources.products", "absent",
	)
}
