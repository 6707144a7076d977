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

// besides lets events go to receivers on this machine.
func besides(c *boot.Config) { c.AllowLoopback = true }

// hearing is who hears of a scenario's events.
type hearing struct {
	receiver     *receiver.Receiver
	subscription merchant.Subscription // the latest, with its first secret
	rotated      string                // its second one
	arrived      []receiver.Request    // those that a step waited for
}

// hearingPatience is longer than the first retry takes, on a busy machine.
const hearingPatience = 30 * time.Second

const subscriptionsPath = "/v1/event-subscriptions"

func (w *world) listener() (*receiver.Receiver, error) {
	if w.receiver != nil {
		return w.receiver, nil
	}
	var err error
	w.receiver, err = receiver.Start()
	return w.receiver, err
}

func (w *world) subscribes(types string) error {
	r, err := w.listener()
	if err != nil {
		return err
	}
	return w.attempt(func() error {
		if err := w.send("POST", subscriptionsPath, fmt.Sprintf(`{"url": %q, "event_types": %s}`, r.URL(), types), nil); err != nil {
			return err
		}
		w.subscription = merchant.Subscription{}
		return json.Unmarshal(w.tape.last().body, &w.subscription)
	})
}

func (w *world) isSubscribed(types string) error {
	if err := w.subscribes(types); err != nil {
		return err
	}
	return w.unjudged()
}

func (w *world) hasSubscriptions(n int, types string) error {
	for range n {
		if err := w.isSubscribed(types); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) subscribesAtOnce(n int) {
	w.atOnce(n, func(int) error {
		_, err := w.merchant.Subscribe(w.ctx, merchant.NewSubscription{URL: w.receiver.URL(), EventTypes: []string{"*"}})
		return err
	})
}

func (w *world) receiverAnswers(status int) error {
	w.receiver.Answer(status)
	return nil
}

// turnsToAnother leaves the subscription and the shop as they are.
func (w *world) turnsToAnother() error {
	if err := w.openOthers(1); err != nil {
		return err
	}
	w.shop = w.others[0]
	w.merchant = w.merchant.In(w.shop.ID)
	return nil
}

func (w *world) arriveSigned(n int, kind string) error {
	var err error
	if w.arrived, err = w.receiver.Wait(kind, n, hearingPatience); err != nil {
		return err
	}
	if len(w.arrived) != n {
		return fmt.Errorf("%d arrived", len(w.arrived))
	}
	for _, came := range w.arrived {
		if err := receiver.Verify(w.subscription.Secret, came); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) arriveSignedTwice(n int, kind string) error {
	if err := w.arriveSigned(n, kind); err != nil {
		return err
	}
	return receiver.Verify(w.rotated, w.arrived[0])
}

func (w *world) noneArrived(kind string) error {
	if came := w.receiver.Requests(kind); len(came) > 0 {
		return fmt.Errorf("%d arrived", len(came))
	}
	return nil
}

func (w *world) arrivedForShop() error {
	for _, came := range w.receiver.Requests("") {
		if came.Event.ProjectID != w.shop.ID {
			return fmt.Errorf("an event of %s arrived", came.Event.ProjectID)
		}
	}
	return nil
}

func (w *world) sameEvent() error {
	for _, came := range w.arrived {
		if came.Event.ID != w.arrived[0].Event.ID || string(came.Body) != string(w.arrived[0].Body) {
			return fmt.Errorf("%s is not %s", came.Body, w.arrived[0].Body)
		}
	}
	return nil
}

func (w *world) tellsOrder() error {
	var data struct {
		OrderID string `json:"order_id"`
	}
	if err := json.Unmarshal(w.arrived[0].Event.Data, &data); err != nil {
		return err
	}
	if want := w.expand("$order"); data.OrderID != want {
		return fmt.Errorf("it tells of %q, and %s was ordered", data.OrderID, want)
	}
	return nil
}

// eventShows looks at the data of the latest event that a step waited for.
func (w *world) eventShows(table *godog.Table) error {
	data, err := decode(string(w.arrived[len(w.arrived)-1].Event.Data))
	if err != nil {
		return err
	}
	return w.judgeTable(data, table)
}

func (w *world) asksAgain() error {
	of := url.PathEscape(w.subscription.ID)
	list, err := w.merchant.Deliveries(w.ctx, w.subscription.ID, "", merchant.Page{})
	if err != nil {
		return err
	}
	return w.merchantSends("POST", subscriptionsPath+"/"+of+"/deliveries/"+list.Data[0].ID+"/redeliver", "")
}

func (w *world) secretIsNew() error {
	var changed merchant.Subscription
	if err := json.Unmarshal(w.tape.last().body, &changed); err != nil {
		return err
	}
	if changed.Secret == "" || changed.Secret == w.subscription.Secret {
		return fmt.Errorf("the secret is %q", changed.Secret)
	}
	w.rotated = changed.Secret
	return nil
}

// answerShowsWithin asks again what was asked last, until the answer is as wanted.
func (w *world) answerShowsWithin(seconds int, table *godog.Table) error {
	asked := w.tape.last().path
	if query := w.tape.last().query; query != "" {
		asked += "?" + query
	}
	return within(seconds, func() error {
		if w.answerShows(table) == nil {
			return nil
		}
		if err := w.send("GET", asked, "", nil); err != nil {
			return err
		}
		return w.answerShows(table)
	})
}

// nameHearing adds what steps may call by $name.
func (w *world) nameHearing(known map[string]string) {
	known["subscription"] = w.subscription.ID
	if w.receiver != nil {
		known["hook"] = w.receiver.URL()
	}
	if len(w.arrived) > 0 {
		known["event"] = w.arrived[0].Event.ID
	}
}

func (w *world) stopHearing() {
	if w.receiver != nil {
		_ = w.receiver.Close() // nobody hears of it
	}
}
