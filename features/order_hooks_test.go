package features

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

// orderWebhookState is what an agent knows that receives webhooks about its orders.
type orderWebhookState struct {
	keySet     []byte          // of the shop, as the agent last read it
	kids       map[string]bool // of the keys that signed the deliveries
	latestBody []byte          // body of the latest update
}

const keySetPath = "/.well-known/jwks.json"

func (w *world) agentReceivesWebhooks() error {
	_, err := w.eventReceiver()
	return err
}

func (w *world) agentAnswers(status int, once string) {
	if once != "" {
		w.receiver.Answer(status)
		return
	}
	w.receiver.AnswerAlways(status, 0)
}

// ordersWithWebhook buys at list price and registers an order webhook.
func (w *world) ordersWithWebhook(quantity int, name string) error {
	if err := w.isAtCheckout(quantity, name); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"items": [{"line_id": "li_1", "product_id": %q, "quantity": %d}], "shipping_address": $address, "order_webhook": {"url": "$hook"}}`,
		w.products[name].ID, quantity)
	if err := w.sends("", "buyer", "PUT", "/acp/checkout/$checkout", body); err != nil {
		return err
	}
	if err := w.unexpectedRefusal(); err != nil {
		return err
	}
	return w.paysSuccessfully()
}

// agentBuys opens the checkout with the agent's profile in UCP-Agent, and pays.
func (w *world) agentBuys(profile string, quantity int, name string) error {
	if err := w.arrivesFor(quantity, name, ""); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"items": [{"product_id": %q, "quantity": %d}], "shipping_address": $address}`, w.products[name].ID, quantity)
	header := http.Header{"UCP-Agent": {fmt.Sprintf("profile=%q", profile)}}
	if err := w.shopper.send(w, "POST", "/acp/checkout/init", w.expand(body), header); err != nil {
		return err
	}
	if err := json.Unmarshal(w.recorder.last().body, &w.shopper.Checkout); err != nil {
		return err
	}
	return w.paysSuccessfully()
}

func (w *world) agentReceives(times int, kind string) error {
	deliveries, err := w.receiver.Wait("", times, deliveryTimeout)
	if err != nil {
		return err
	}
	w.deliveries = deliveries
	if len(deliveries) != times || w.latestUpdate().Type != kind {
		return fmt.Errorf("it heard %d times, last %q", len(deliveries), w.latestUpdate().Type)
	}
	return w.webhooksAreSigned()
}

// agentAndMerchantReceive checks that the shared receiver got one webhook for the agent and one for the merchant. Only the
// merchant's has a project id.
func (w *world) agentAndMerchantReceive() error {
	deliveries, err := w.receiver.Wait("order.completed", 2, deliveryTimeout)
	if err != nil {
		return err
	}
	agents := 0
	for _, delivery := range deliveries {
		if delivery.Event.ProjectID != "" {
			err = errors.Join(err, receiver.Verify(w.subscription.Secret, delivery))
			continue
		}
		agents, w.deliveries = agents+1, []receiver.Request{delivery}
	}
	if agents != 1 || len(deliveries) != 2 {
		err = errors.Join(err, fmt.Errorf("the agent heard %d times of %d", agents, len(deliveries)))
	}
	return errors.Join(err, w.webhooksAreSigned())
}

// agentReceivesNoMore waits a second, which is longer than a delivery takes.
func (w *world) agentReceivesNoMore() error {
	before := len(w.receiver.Requests(""))
	if _, err := w.receiver.Wait("", before+1, time.Second); err == nil {
		return fmt.Errorf("it heard once more: %s", w.receiver.Requests("")[before].Body)
	}
	return nil
}

// latestUpdate returns the delivery with the highest sequence, because deliveries may arrive out of order.
func (w *world) latestUpdate() (newest receiver.News) {
	for _, delivery := range w.deliveries {
		var n receiver.News
		if json.Unmarshal(delivery.Body, &n) == nil && n.Sequence >= newest.Sequence {
			newest, w.latestBody = n, delivery.Body
		}
	}
	return newest
}

// webhooksAreSigned verifies all deliveries as an agent does: with the key set that it has read before, or else with the one
// that the shop publishes now.
func (w *world) webhooksAreSigned() error {
	w.kids = map[string]bool{}
	for _, delivery := range w.deliveries {
		kid, err := receiver.VerifyMessage(w.keySet, delivery)
		if err != nil {
			if err := w.readKeySet(); err != nil {
				return err
			}
			if kid, err = receiver.VerifyMessage(w.keySet, delivery); err != nil {
				return err
			}
		}
		if id := delivery.Header.Get("Webhook-Id"); id == "" || id != delivery.Event.ID {
			return fmt.Errorf("webhook-id is %q, and the event's id %q", id, delivery.Event.ID)
		}
		w.kids[kid] = true
	}
	return nil
}

func (w *world) readKeySet() error {
	if err := w.sends("", "buyer", "GET", keySetPath, ""); err != nil {
		return err
	}
	w.keySet = w.recorder.last().body
	return w.unexpectedRefusal()
}

func (w *world) signedWithKeys(keys int) error {
	if len(w.kids) != keys {
		return fmt.Errorf("it was signed with %v", w.kids)
	}
	return nil
}

func (w *world) latestWebhookShows(table *godog.Table) error {
	w.latestUpdate()
	value, err := decode(string(w.latestBody))
	if err != nil {
		return err
	}
	return w.checkTable(value, table)
}

func (w *world) webhookMatchesOrder() error {
	if err := w.sends("", "buyer", "GET", "/acp/orders/$order", ""); err != nil {
		return err
	}
	sent, err := decode(string(w.latestUpdate().Order))
	if err != nil {
		return err
	}
	if read := w.recorder.last().value(); !reflect.DeepEqual(sent, read) {
		return fmt.Errorf("it heard %v, and reads %v", sent, read)
	}
	return w.unexpectedRefusal()
}

// webhooksHaveNoPersonalData searches the deliveries for the buyer's name, address and e-mail.
func (w *world) webhooksHaveNoPersonalData() error {
	for _, delivery := range w.deliveries {
		for _, part := range []string{defaultAddress.Name, defaultAddress.Line1, defaultAddress.City, defaultAddress.PostalCode, w.shopper.Email} {
			if part != "" && strings.Contains(string(delivery.Body), part) {
				return fmt.Errorf("%q is told: %s", part, delivery.Body)
			}
		}
	}
	return nil
}

func (w *world) agesSigningKeys(ago string) error {
	age, err := time.ParseDuration(ago)
	if err != nil {
		return err
	}
	for _, db := range []*sql.DB{w.server.database, w.server.loopbackDB} {
		n, err := boottest.AgeSigningKeys(db, w.shop.ID, age)
		if n > 0 || err != nil {
			return err
		}
	}
	return errors.New("the shop has no signing keys yet")
}

// addSigningKeyVars adds the ids of the shop's signing keys, $current_kid and $next_kid, from the Management API.
func (w *world) addSigningKeyVars(vars map[string]string, text string) {
	if !strings.Contains(text, "_kid") {
		return
	}
	var list struct {
		Data []struct{ Kid, State string }
	}
	if w.send("GET", "/v1/signing-keys", "", nil) != nil || json.Unmarshal(w.recorder.last().body, &list) != nil {
		return
	}
	for _, k := range list.Data {
		if _, named := vars[k.State+"_kid"]; !named {
			vars[k.State+"_kid"] = k.Kid
		}
	}
}
