package features

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

// allowLoopback lets the server send events to receivers on this machine.
func allowLoopback(c *boot.Config) { c.AllowLoopback = true }

// eventsContext subscribes to events and checks deliveries.
type eventsContext struct {
	*scenario

	receiver      *receiver.Receiver
	subscription  merchant.Subscription // the latest, with its first secret
	rotatedSecret string                // the subscription's second secret
	deliveries    []receiver.Request    // the ones that the latest step waited for
}

// deliveryTimeout is longer than the first retry of a delivery takes on a busy machine.
const deliveryTimeout = 30 * time.Second

const subscriptionsPath = "/v1/event-subscriptions"

func (c *eventsContext) eventReceiver() (*receiver.Receiver, error) {
	if c.receiver != nil {
		return c.receiver, nil
	}
	var err error
	c.receiver, err = receiver.Start()
	return c.receiver, err
}

func (c *eventsContext) subscribes(types string) error {
	r, err := c.eventReceiver()
	if err != nil {
		return err
	}
	return c.attempt(func() error {
		if err := c.send("POST", subscriptionsPath, fmt.Sprintf(`{"url": %q, "event_types": %s}`, r.URL(), types), nil); err != nil {
			return err
		}
		c.subscription = merchant.Subscription{}
		return json.Unmarshal(c.recorder.last().body, &c.subscription)
	})
}

func (c *eventsContext) isSubscribed(types string) error {
	if err := c.subscribes(types); err != nil {
		return err
	}
	return c.unexpectedRefusal()
}

func (c *eventsContext) hasSubscriptions(n int) error {
	for range n {
		if err := c.isSubscribed(`["*"]`); err != nil {
			return err
		}
	}
	return nil
}

func (c *eventsContext) subscribesConcurrently(n int) {
	c.runConcurrently(n, func(int) error {
		_, err := c.merchant.Subscribe(c.ctx, merchant.NewSubscription{URL: c.receiver.URL(), EventTypes: []string{"*"}})
		return err
	})
}

func (c *eventsContext) receiverAnswers(status int) error {
	c.receiver.Answer(status)
	return nil
}

// switchesShop makes a new shop the scenario's current one. The old shop and its subscription stay.
func (c *eventsContext) switchesShop() error {
	if err := c.shops.openOtherShops(1); err != nil {
		return err
	}
	c.shop = c.otherShops[0]
	c.merchant = c.merchant.In(c.shop.ID)
	return nil
}

func (c *eventsContext) eventsArriveSigned(n int, kind string) error {
	var err error
	if c.deliveries, err = c.receiver.Wait(kind, n, deliveryTimeout); err != nil {
		return err
	}
	if len(c.deliveries) != n {
		return fmt.Errorf("%d arrived", len(c.deliveries))
	}
	for _, delivery := range c.deliveries {
		if err := receiver.Verify(c.subscription.Secret, delivery); err != nil {
			return err
		}
	}
	return nil
}

func (c *eventsContext) eventsArriveSignedByBoth(n int, kind string) error {
	if err := c.eventsArriveSigned(n, kind); err != nil {
		return err
	}
	return receiver.Verify(c.rotatedSecret, c.deliveries[0])
}

func (c *eventsContext) noEventArrived(kind string) error {
	if deliveries := c.receiver.Requests(kind); len(deliveries) > 0 {
		return fmt.Errorf("%d arrived", len(deliveries))
	}
	return nil
}

func (c *eventsContext) allEventsOfShop() error {
	for _, delivery := range c.receiver.Requests("") {
		if delivery.Event.ProjectID != c.shop.ID {
			return fmt.Errorf("an event of %s arrived", delivery.Event.ProjectID)
		}
	}
	return nil
}

func (c *eventsContext) sameEvent() error {
	for _, delivery := range c.deliveries {
		if delivery.Event.ID != c.deliveries[0].Event.ID || string(delivery.Body) != string(c.deliveries[0].Body) {
			return fmt.Errorf("%s is not %s", delivery.Body, c.deliveries[0].Body)
		}
	}
	return nil
}

func (c *eventsContext) eventNamesOrder() error {
	var data struct {
		OrderID string `json:"order_id"`
	}
	if err := json.Unmarshal(c.deliveries[0].Event.Data, &data); err != nil {
		return err
	}
	if want := c.expand("$order"); data.OrderID != want {
		return fmt.Errorf("it names %q, and %s was ordered", data.OrderID, want)
	}
	return nil
}

// subscriptionPath returns the path of the latest subscription.
func (c *eventsContext) subscriptionPath() string {
	return subscriptionsPath + "/" + url.PathEscape(c.subscription.ID)
}

// sendsTest asks for a test event, which must answer 202.
func (c *eventsContext) sendsTest() error {
	if err := c.send("POST", c.subscriptionPath()+"/test", "", nil); err != nil {
		return err
	}
	return c.statusIs(http.StatusAccepted)
}

// redelivers asks for the latest event again, which must answer 202.
func (c *eventsContext) redelivers() error {
	list, err := c.merchant.Deliveries(c.ctx, c.subscription.ID, "", merchant.Page{})
	if err != nil {
		return err
	}
	if err := c.send("POST", c.subscriptionPath()+"/deliveries/"+list.Data[0].ID+"/redeliver", "", nil); err != nil {
		return err
	}
	return c.statusIs(http.StatusAccepted)
}

// setsStatus makes the subscription "active" or "disabled".
func (c *eventsContext) setsStatus(status string) error {
	return c.send("PATCH", c.subscriptionPath(), fmt.Sprintf(`{"status": %q}`, status), nil)
}

// rotatesSecret gets another secret, which must differ from the first.
func (c *eventsContext) rotatesSecret() error {
	if err := c.send("POST", c.subscriptionPath()+"/rotate-secret", "", nil); err != nil {
		return err
	}
	var changed merchant.Subscription
	if err := json.Unmarshal(c.recorder.last().body, &changed); err != nil {
		return err
	}
	if changed.Secret == "" || changed.Secret == c.subscription.Secret {
		return fmt.Errorf("the secret is %q", changed.Secret)
	}
	c.rotatedSecret = changed.Secret
	return nil
}

func (c *eventsContext) isDisabledAsGone(seconds int) error {
	if err := c.send("GET", c.subscriptionPath(), "", nil); err != nil {
		return err
	}
	return c.answerBecomes(seconds, "status", `"disabled"`, "disabled_reason", `"gone"`)
}

// answerBecomes repeats the latest GET request until its answer shows the fields.
func (c *eventsContext) answerBecomes(seconds int, pairs ...string) error {
	path := c.recorder.last().path
	if query := c.recorder.last().query; query != "" {
		path += "?" + query
	}
	return within(seconds, func() error {
		if c.answerShows(pairs...) == nil {
			return nil
		}
		if err := c.send("GET", path, "", nil); err != nil {
			return err
		}
		return c.answerShows(pairs...)
	})
}

// addEventVars adds the variables $subscription, $hook and $event.
func (c *eventsContext) addEventVars(vars map[string]string) {
	vars["subscription"] = c.subscription.ID
	if c.receiver != nil {
		vars["hook"] = c.receiver.URL()
	}
	if len(c.deliveries) > 0 {
		vars["event"] = c.deliveries[0].Event.ID
	}
}

func (c *eventsContext) closeReceiver() {
	if c.receiver != nil {
		_ = c.receiver.Close() // the scenario has ended
	}
}
