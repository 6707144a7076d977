package features

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

// allowLoopback lets the server send events to receivers on this machine.
func allowLoopback(c *boot.Config) { c.AllowLoopback = true }

// eventState holds a scenario's event subscription and what its receiver got.
type eventState struct {
	receiver      *receiver.Receiver
	subscription  merchant.Subscription // the latest, with its first secret
	rotatedSecret string                // the subscription's second secret
	deliveries    []receiver.Request    // the ones that the latest step waited for
}

// deliveryTimeout is longer than the first retry of a delivery takes on a busy machine.
const deliveryTimeout = 30 * time.Second

const subscriptionsPath = "/v1/event-subscriptions"

func (w *world) eventReceiver() (*receiver.Receiver, error) {
	if w.receiver != nil {
		return w.receiver, nil
	}
	var err error
	w.receiver, err = receiver.Start()
	return w.receiver, err
}

func (w *world) subscribes(types string) error {
	r, err := w.eventReceiver()
	if err != nil {
		return err
	}
	return w.attempt(func() error {
		if err := w.send("POST", subscriptionsPath, fmt.Sprintf(`{"url": %q, "event_types": %s}`, r.URL(), types), nil); err != nil {
			return err
		}
		w.subscription = merchant.Subscription{}
		return json.Unmarshal(w.recorder.last().body, &w.subscription)
	})
}

func (w *world) isSubscribed(types string) error {
	if err := w.subscribes(types); err != nil {
		return err
	}
	return w.unexpectedRefusal()
}

func (w *world) hasSubscriptions(n int, types string) error {
	for range n {
		if err := w.isSubscribed(types); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) subscribesConcurrently(n int) {
	w.runConcurrently(n, func(int) error {
		_, err := w.merchant.Subscribe(w.ctx, merchant.NewSubscription{URL: w.receiver.URL(), EventTypes: []string{"*"}})
		return err
	})
}

func (w *world) receiverAnswers(status int) error {
	w.receiver.Answer(status)
	return nil
}

// switchesShop makes a new shop the scenario's current one. The old shop and its subscription stay.
func (w *world) switchesShop() error {
	if err := w.openOtherShops(1); err != nil {
		return err
	}
	w.shop = w.otherShops[0]
	w.merchant = w.merchant.In(w.shop.ID)
	return nil
}

func (w *world) eventsArriveSigned(n int, kind string) error {
	var err error
	if w.deliveries, err = w.receiver.Wait(kind, n, deliveryTimeout); err != nil {
		return err
	}
	if len(w.deliveries) != n {
		return fmt.Errorf("%d arrived", len(w.deliveries))
	}
	for _, delivery := range w.deliveries {
		if err := receiver.Verify(w.subscription.Secret, delivery); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) eventsArriveSignedByBoth(n int, kind string) error {
	if err := w.eventsArriveSigned(n, kind); err != nil {
		return err
	}
	return receiver.Verify(w.rotatedSecret, w.deliveries[0])
}

func (w *world) noEventArrived(kind string) error {
	if deliveries := w.receiver.Requests(kind); len(deliveries) > 0 {
		return fmt.Errorf("%d arrived", len(deliveries))
	}
	return nil
}

func (w *world) allEventsOfShop() error {
	for _, delivery := range w.receiver.Requests("") {
		if delivery.Event.ProjectID != w.shop.ID {
			return fmt.Errorf("an event of %s arrived", delivery.Event.ProjectID)
		}
	}
	return nil
}

func (w *world) sameEvent() error {
	for _, delivery := range w.deliveries {
		if delivery.Event.ID != w.deliveries[0].Event.ID || string(delivery.Body) != string(w.deliveries[0].Body) {
			return fmt.Errorf("%s is not %s", delivery.Body, w.deliveries[0].Body)
		}
	}
	return nil
}

func (w *world) eventNamesOrder() error {
	var data struct {
		OrderID string `json:"order_id"`
	}
	if err := json.Unmarshal(w.deliveries[0].Event.Data, &data); err != nil {
		return err
	}
	if want := w.expand("$order"); data.OrderID != want {
		return fmt.Errorf("it tells of %q, and %s was ordered", data.OrderID, want)
	}
	return nil
}

// eventShows checks the data of the latest event that a step waited for.
func (w *world) eventShows(table *godog.Table) error {
	data, err := decode(string(w.deliveries[len(w.deliveries)-1].Event.Data))
	if err != nil {
		return err
	}
	return w.checkTable(data, table)
}

func (w *world) redelivers() error {
	of := url.PathEscape(w.subscription.ID)
	list, err := w.merchant.Deliveries(w.ctx, w.subscription.ID, "", merchant.Page{})
	if err != nil {
		return err
	}
	return w.merchantSends("POST", subscriptionsPath+"/"+of+"/deliveries/"+list.Data[0].ID+"/redeliver", "")
}

func (w *world) secretIsNew() error {
	var changed merchant.Subscription
	if err := json.Unmarshal(w.recorder.last().body, &changed); err != nil {
		return err
	}
	if changed.Secret == "" || changed.Secret == w.subscription.Secret {
		return fmt.Errorf("the secret is %q", changed.Secret)
	}
	w.rotatedSecret = changed.Secret
	return nil
}

// answerShowsWithin repeats the latest GET request until its answer matches the table.
func (w *world) answerShowsWithin(seconds int, table *godog.Table) error {
	path := w.recorder.last().path
	if query := w.recorder.last().query; query != "" {
		path += "?" + query
	}
	return within(seconds, func() error {
		if w.answerShows(table) == nil {
			return nil
		}
		if err := w.send("GET", path, "", nil); err != nil {
			return err
		}
		return w.answerShows(table)
	})
}

// addEventVars adds the variables $subscription, $hook and $event.
func (w *world) addEventVars(vars map[string]string) {
	vars["subscription"] = w.subscription.ID
	if w.receiver != nil {
		vars["hook"] = w.receiver.URL()
	}
	if len(w.deliveries) > 0 {
		vars["event"] = w.deliveries[0].Event.ID
	}
}

func (w *world) closeReceiver() {
	if w.receiver != nil {
		_ = w.receiver.Close() // the scenario has ended
	}
}
