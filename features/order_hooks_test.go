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

// listening is an agent that hears of its orders.
type listening struct {
	keySet []byte          // the shop's, when the agent read it last
	kids   map[string]bool // of the keys that signed what came
	newest []byte          // of what it heard
}

const keySetPath = "/.well-known/jwks.json"

func (w *world) agentListens() error {
	_, err := w.listener()
	return err
}

func (w *world) agentAnswers(status int, once string) {
	if once != "" {
		w.receiver.Answer(status)
		return
	}
	w.receiver.AnswerAlways(status, 0)
}

// ordersWithHook buys at list price and asks to hear of the order.
func (w *world) ordersWithHook(quantity int, name string) error {
	if err := w.isAtCheckout(quantity, name); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"items": [{"line_id": "li_1", "product_id": %q, "quantity": %d}], "shipping_address": $address, "order_webhook": {"url": "$hook"}}`,
		w.products[name].ID, quantity)
	if err := w.sends("", "buyer", "PUT", "/acp/checkout/$checkout", body); err != nil {
		return err
	}
	if err := w.unjudged(); err != nil {
		return err
	}
	return w.paysWell()
}

// agentBuys names the agent in the request that opens the checkout.
func (w *world) agentBuys(profile string, quantity int, name string) error {
	if err := w.comesFor(quantity, name, ""); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"items": [{"product_id": %q, "quantity": %d}], "shipping_address": $address}`, w.products[name].ID, quantity)
	header := http.Header{"UCP-Agent": {fmt.Sprintf("profile=%q", profile)}}
	if err := w.shopper.send(w, "POST", "/acp/checkout/init", w.expand(body), header); err != nil {
		return err
	}
	if err := json.Unmarshal(w.tape.last().body, &w.shopper.Checkout); err != nil {
		return err
	}
	return w.paysWell()
}

func (w *world) agentHears(times int, kind string) error {
	came, err := w.receiver.Wait("", times, hearingPatience)
	if err != nil {
		return err
	}
	w.arrived = came
	if len(came) != times || w.news().Type != kind {
		return fmt.Errorf("it heard %d times, last %q", len(came), w.news().Type)
	}
	return w.newsAreSigned()
}

// bothHear tells the two apart, who listen at one address, by what they got.
func (w *world) bothHear() error {
	came, err := w.receiver.Wait("order.completed", 2, hearingPatience)
	if err != nil {
		return err
	}
	agents := 0
	for _, one := range came {
		if one.Event.ProjectID != "" {
			err = errors.Join(err, receiver.Verify(w.subscription.Secret, one))
			continue
		}
		agents, w.arrived = agents+1, []receiver.Request{one}
	}
	if agents != 1 || len(came) != 2 {
		err = errors.Join(err, fmt.Errorf("the agent heard %d times of %d", agents, len(came)))
	}
	return errors.Join(err, w.newsAreSigned())
}

// agentHearsNoMore waits for longer than an event takes on its way.
func (w *world) agentHearsNoMore() error {
	heard := len(w.receiver.Requests(""))
	if _, err := w.receiver.Wait("", heard+1, time.Second); err == nil {
		return fmt.Errorf("it heard once more: %s", w.receiver.Requests("")[heard].Body)
	}
	return nil
}

// news is the newest that the agent heard: what arrived later may be older.
func (w *world) news() (newest receiver.News) {
	for _, came := range w.arrived {
		var n receiver.News
		if json.Unmarshal(came.Body, &n) == nil && n.Sequence >= newest.Sequence {
			newest, w.newest = n, came.Body
		}
	}
	return newest
}

// newsAreSigned verifies all that came as an agent does: with the key set that it has, or else with the one that the shop
// publishes now.
func (w *world) newsAreSigned() error {
	w.kids = map[string]bool{}
	for _, came := range w.arrived {
		kid, err := receiver.VerifyMessage(w.keySet, came)
		if err != nil {
			if err := w.readKeySet(); err != nil {
				return err
			}
			if kid, err = receiver.VerifyMessage(w.keySet, came); err != nil {
				return err
			}
		}
		if id := came.Header.Get("Webhook-Id"); id == "" || id != came.Event.ID {
			return fmt.Errorf("webhook-id is %q, and the event's id %q", id, came.Event.ID)
		}
		w.kids[kid] = true
	}
	return nil
}

func (w *world) readKeySet() error {
	if err := w.sends("", "buyer", "GET", keySetPath, ""); err != nil {
		return err
	}
	w.keySet = w.tape.last().body
	return w.unjudged()
}

func (w *world) signedWith(keys int) error {
	if len(w.kids) != keys {
		return fmt.Errorf("it was signed with %v", w.kids)
	}
	return nil
}

func (w *world) newsShow(table *godog.Table) error {
	w.news()
	value, err := decode(string(w.newest))
	if err != nil {
		return err
	}
	return w.judgeTable(value, table)
}

func (w *world) newsAreTheOrder() error {
	if err := w.sends("", "buyer", "GET", "/acp/orders/$order", ""); err != nil {
		return err
	}
	told, err := decode(string(w.news().Order))
	if err != nil {
		return err
	}
	if read := w.tape.last().value(); !reflect.DeepEqual(told, read) {
		return fmt.Errorf("it heard %v, and reads %v", told, read)
	}
	return w.unjudged()
}

// newsTellNobody looks for everything that the buyer said of itself.
func (w *world) newsTellNobody() error {
	for _, came := range w.arrived {
		for _, part := range []string{home.Name, home.Line1, home.City, home.PostalCode, w.shopper.Email} {
			if part != "" && strings.Contains(string(came.Body), part) {
				return fmt.Errorf("%q is told: %s", part, came.Body)
			}
		}
	}
	return nil
}

func (w *world) keysWerePublished(ago string) error {
	age, err := time.ParseDuration(ago)
	if err != nil {
		return err
	}
	for _, db := range []*sql.DB{w.server.database, w.server.besides} {
		n, err := boottest.AgeSigningKeys(db, w.shop.ID, age)
		if n > 0 || err != nil {
			return err
		}
	}
	return errors.New("the shop has no signing keys yet")
}

// nameKeySet adds the kids of the shop's keys, $current_kid and $next_kid, as the merchant sees them.
func (w *world) nameKeySet(known map[string]string, text string) {
	if !strings.Contains(text, "_kid") {
		return
	}
	var list struct {
		Data []struct{ Kid, State string }
	}
	if w.send("GET", "/v1/signing-keys", "", nil) != nil || json.Unmarshal(w.tape.last().body, &list) != nil {
		return
	}
	for _, k := range list.Data {
		if _, named := known[k.State+"_kid"]; !named {
			known[k.State+"_kid"] = k.Kid
		}
	}
}
