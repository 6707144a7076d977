package features

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

// orderHooksContext checks the order webhooks that agents receive.
type orderHooksContext struct {
	*scenario

	keySet     []byte          // of the shop, as the agent last read it
	kids       map[string]bool // of the keys that signed the deliveries
	latestBody []byte          // body of the latest update
}

const keySetPath = "/.well-known/jwks.json"

func (c *orderHooksContext) agentReceivesWebhooks() error {
	_, err := c.events.eventReceiver()
	return err
}

func (c *orderHooksContext) agentAnswers(status int, once string) {
	if once != "" {
		c.events.receiver.Answer(status)
		return
	}
	c.events.receiver.AnswerAlways(status, 0)
}

// ordersWithWebhook buys at list price and registers an order webhook.
func (c *orderHooksContext) ordersWithWebhook(quantity int, name string) error {
	if err := c.checkouts.isAtCheckout(quantity, name); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"items": [{"line_id": "li_1", "product_id": %q, "quantity": %d}], "shipping_address": $address, "order_webhook": {"url": "$hook"}}`,
		c.products[name].ID, quantity)
	if err := c.sends("", "buyer", "PUT", "/acp/checkout/$checkout", body); err != nil {
		return err
	}
	if err := c.unexpectedRefusal(); err != nil {
		return err
	}
	return c.checkouts.paysSuccessfully()
}

// agentBuys opens the checkout with the agent's profile in UCP-Agent, and pays.
func (c *orderHooksContext) agentBuys(profile string, quantity int, name string) error {
	if err := c.checkouts.arrivesFor(quantity, name, ""); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"items": [{"product_id": %q, "quantity": %d}], "shipping_address": $address}`, c.products[name].ID, quantity)
	header := http.Header{"UCP-Agent": {fmt.Sprintf("profile=%q", profile)}}
	if err := c.shopper.send(c.scenario, "POST", "/acp/checkout/init", c.expand(body), header); err != nil {
		return err
	}
	if err := json.Unmarshal(c.recorder.last().body, &c.shopper.Checkout); err != nil {
		return err
	}
	return c.checkouts.paysSuccessfully()
}

func (c *orderHooksContext) agentReceives(times int, kind string) error {
	deliveries, err := c.events.receiver.Wait("", times, deliveryTimeout)
	if err != nil {
		return err
	}
	c.events.deliveries = deliveries
	if len(deliveries) != times || c.latestUpdate().Type != kind {
		return fmt.Errorf("it heard %d times, last %q", len(deliveries), c.latestUpdate().Type)
	}
	return c.webhooksAreSigned()
}

// agentAndMerchantReceive checks that the shared receiver got one webhook for the agent and one for the merchant. Only the
// merchant's has a project id.
func (c *orderHooksContext) agentAndMerchantReceive() error {
	deliveries, err := c.events.receiver.Wait("order.completed", 2, deliveryTimeout)
	if err != nil {
		return err
	}
	agents := 0
	for _, delivery := range deliveries {
		if delivery.Event.ProjectID != "" {
			err = errors.Join(err, receiver.Verify(c.events.subscription.Secret, delivery))
			continue
		}
		agents, c.events.deliveries = agents+1, []receiver.Request{delivery}
	}
	if agents != 1 || len(deliveries) != 2 {
		err = errors.Join(err, fmt.Errorf("the agent heard %d times of %d", agents, len(deliveries)))
	}
	return errors.Join(err, c.webhooksAreSigned())
}

// agentReceivesNoMore waits a second, which is longer than a delivery takes.
func (c *orderHooksContext) agentReceivesNoMore() error {
	before := len(c.events.receiver.Requests(""))
	if _, err := c.events.receiver.Wait("", before+1, time.Second); err == nil {
		return fmt.Errorf("it heard once more: %s", c.events.receiver.Requests("")[before].Body)
	}
	return nil
}

// latestUpdate returns the delivery with the highest sequence, because deliveries may arrive out of order.
func (c *orderHooksContext) latestUpdate() (newest receiver.News) {
	for _, delivery := range c.events.deliveries {
		var n receiver.News
		if json.Unmarshal(delivery.Body, &n) == nil && n.Sequence >= newest.Sequence {
			newest, c.latestBody = n, delivery.Body
		}
	}
	return newest
}

// webhooksAreSigned verifies all deliveries as an agent does: with the key set that it has read before, or else with the one
// that the shop publishes now.
func (c *orderHooksContext) webhooksAreSigned() error {
	c.kids = map[string]bool{}
	for _, delivery := range c.events.deliveries {
		kid, err := receiver.VerifyMessage(c.keySet, delivery)
		if err != nil {
			if err := c.readKeySet(); err != nil {
				return err
			}
			if kid, err = receiver.VerifyMessage(c.keySet, delivery); err != nil {
				return err
			}
		}
		if id := delivery.Header.Get("Webhook-Id"); id == "" || id != delivery.Event.ID {
			return fmt.Errorf("webhook-id is %q, and the event's id %q", id, delivery.Event.ID)
		}
		c.kids[kid] = true
	}
	return nil
}

func (c *orderHooksContext) readKeySet() error {
	if err := c.sends("", "buyer", "GET", keySetPath, ""); err != nil {
		return err
	}
	c.keySet = c.recorder.last().body
	return c.unexpectedRefusal()
}

func (c *orderHooksContext) signedWithKeys(keys int) error {
	if len(c.kids) != keys {
		return fmt.Errorf("it was signed with %v", c.kids)
	}
	return nil
}

// latestWebhookShows checks fields of the latest webhook's body.
func (c *orderHooksContext) latestWebhookShows(pairs ...string) error {
	c.latestUpdate()
	value, err := decode(string(c.latestBody))
	if err != nil {
		return err
	}
	return c.checkFields(value, pairs)
}

func (c *orderHooksContext) webhookShowsNewOrder() error {
	return c.latestWebhookShows(
		"id", "matches ^evt_",
		"created_at", "matches Z$",
		"sequence", "1",
		"project_id", "absent",
		"order.order.id", `"$order"`,
		"order.order.manage_token", "absent",
		"order.receipt_url", "absent",
		"order.fulfillment.status", `"processing"`,
		"order.summary.items.0.name", `"Trail Tent"`,
	)
}

// deliveryIsListed waits until the order's only webhook was delivered in so many attempts.
func (c *orderHooksContext) deliveryIsListed(seconds, attempts int) error {
	return within(seconds, func() error {
		return c.orders.resourceShows(ordersPath+"/$order/webhook-deliveries",
			"data.#", "1",
			"data.0.type", `"order.completed"`,
			"data.0.status", `"delivered"`,
			"data.0.attempts", strconv.Itoa(attempts),
			"data.0.last_status_code", "204",
		)
	})
}

func (c *orderHooksContext) webhookHasEnded(seconds int) error {
	return within(seconds, func() error {
		return c.orders.resourceShows(ordersPath+"/$order", "order_webhook.status", `"ended"`, "order_webhook.ended_at", "matches Z$")
	})
}

// publishesKeys checks that the shop has exactly one key in each state, in this order, and publishes them.
func (c *orderHooksContext) publishesKeys(states ...string) error {
	quoted, kids := `"`+strings.Join(states, `", "`)+`"`, `"$`+strings.Join(states, `_kid", "$`)+`_kid"`
	if err := c.orders.resourceShows("/v1/signing-keys", "data.*.state", "["+quoted+"]"); err != nil {
		return err
	}
	return errors.Join(c.readKeySet(), c.answerShows("keys.*.kid", "["+kids+"]"))
}

func (c *orderHooksContext) webhookMatchesOrder() error {
	if err := c.sends("", "buyer", "GET", "/acp/orders/$order", ""); err != nil {
		return err
	}
	sent, err := decode(string(c.latestUpdate().Order))
	if err != nil {
		return err
	}
	if read := c.recorder.last().value(); !reflect.DeepEqual(sent, read) {
		return fmt.Errorf("it heard %v, and reads %v", sent, read)
	}
	return c.unexpectedRefusal()
}

// webhooksHaveNoPersonalData searches the deliveries for the buyer's name, address and e-mail.
func (c *orderHooksContext) webhooksHaveNoPersonalData() error {
	for _, delivery := range c.events.deliveries {
		for _, part := range []string{defaultAddress.Name, defaultAddress.Line1, defaultAddress.City, defaultAddress.PostalCode, c.shopper.Email} {
			if part != "" && strings.Contains(string(delivery.Body), part) {
				return fmt.Errorf("%q is told: %s", part, delivery.Body)
			}
		}
	}
	return nil
}

func (c *orderHooksContext) agesSigningKeys(ago string) error {
	age, err := time.ParseDuration(ago)
	if err != nil {
		return err
	}
	for _, db := range []*sql.DB{c.server.database, c.server.loopbackDB} {
		n, err := boottest.AgeSigningKeys(db, c.shop.ID, age)
		if n > 0 || err != nil {
			return err
		}
	}
	return errors.New("the shop has no signing keys yet")
}

// addSigningKeyVars adds the ids of the shop's signing keys, $current_kid and $next_kid, from the Management API.
func (c *orderHooksContext) addSigningKeyVars(vars map[string]string, text string) {
	if !strings.Contains(text, "_kid") {
		return
	}
	var list struct {
		Data []struct{ Kid, State string }
	}
	if c.send("GET", "/v1/signing-keys", "", nil) != nil || json.Unmarshal(c.recorder.last().body, &list) != nil {
		return
	}
	for _, k := range list.Data {
		if _, named := vars[k.State+"_kid"]; !named {
			vars[k.State+"_kid"] = k.Kid
		}
	}
}
