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

	"github.com/cucumber/godog"

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
func (c *platformsContext) callsShopifyWebhook(name, secret string, body *godog.DocString, without ...string) error {
	content := c.expand(body.Content)
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
