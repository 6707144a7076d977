package porttest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
)

// PublishingStores is one database behind the ports of events.
type PublishingStores struct {
	Stores
	Subscriptions ports.Subscriptions
	EventLog      ports.EventLog
	Deliveries    ports.Deliveries
	Outbox        ports.Outbox
}

// OpenPublishing makes a fresh, empty database.
type OpenPublishing func(testing.TB) PublishingStores

// Publishing is the contract of the ports of events.
func Publishing(t *testing.T, open OpenPublishing) {
	for name, test := range map[string]func(*press){
		"a subscription comes back as stored and as changed":   subscriptionRoundTrip,
		"sixteen subscribe, one is the fiftieth":               subscriptionRace,
		"a foreign subscription is unknown":                    subscriptionForeign,
		"an event goes once to each who wants it":              fanOutOnce,
		"a delivery is in one hand, until its lease ends":      claimOnce,
		"what waits in one queue does not hide another":        claimFairly,
		"an outcome counts while its lease does":               recordFenced,
		"a subscription is disabled once, with all that waits": recordDisables,
		"what is redelivered is due at once":                   redeliver,
		"what failed is redelivered at once":                   redeliverFailed,
		"nothing of a deleted project is left":                 deletedProject,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores := open(t)
			test(&press{PublishingStores: stores, Shop: OpenShop(t, stores.Stores)})
		})
	}
}

// press is a shop with its subscriptions and events.
type press struct {
	PublishingStores
	*Shop
}

func (p *press) subscribe(types ...string) *event.Subscription {
	p.T.Helper()
	p.Shop.SetClock(Noon)
	s, err := event.Subscribe(Random[id.Subscription](), p.Project.ID, event.Draft{URL: "https://example.com/hook", Types: types},
		[]byte("sealed"), event.Rules{}, Noon)
	p.Must(err)
	p.Must(p.Subscriptions.Add(p.Ctx, s))
	return s
}

// announce gives a subscription as many deliveries, due at noon.
func (p *press) announce(to *event.Subscription, n int) (list []*event.Delivery) {
	p.T.Helper()
	p.Shop.SetClock(Noon)
	for range n {
		e := &event.Event{
			ID:      Random[id.Event](),
			Project: p.Project.ID,
			At:      Noon,
			Data:    event.Ping{Subscription: to.ID},
		}
		d := event.NewDelivery(Random[id.Delivery](), p.Project.ID, e.ID, event.PingType, event.To(to.ID), Noon)
		p.Must(p.Deliveries.Announce(p.Ctx, e, d))
		list = append(list, d)
	}
	return list
}

func (p *press) claim(now time.Time, most int) []ports.Leased[ports.Parcel] {
	p.T.Helper()
	parcels, err := ClaimAt(p.Shop.Stores, p.Outbox, now, Lease, most)
	p.Must(err)
	return parcels
}

const Lease = 30 * time.Second

// outcome is an attempt that changed nothing but the delivery.
func outcome(l ports.Leased[ports.Parcel]) ports.Outcome {
	return ports.Outcome{Held: l.Held, Delivery: l.Item.Delivery}
}

func (p *press) delivery(d *event.Delivery) *event.Delivery {
	p.T.Helper()
	got, err := p.Deliveries.Delivery(p.Ctx, p.Project.ID, d.Target.Subscription(), d.ID)
	p.Must(err)
	return got
}

func subscriptionRoundTrip(p *press) {
	s := p.subscribe("order.completed", "return.requested")
	got, err := p.Subscriptions.ByID(p.Ctx, p.Project.ID, s.ID)
	p.Must(err)
	Same(p.T, "subscription", got, s)
	changed, err := p.Subscriptions.Update(p.Ctx, p.Project.ID, s.ID, func(loaded *event.Subscription) error {
		Same(p.T, "loaded", loaded, s)
		loaded.Rotate([]byte("another"), Noon)
		return loaded.Change(event.Change{
			URL:    patch.To("https://example.com/other"),
			Types:  patch.To([]string{"*"}),
			Status: patch.To("disabled"),
		}, event.Rules{}, Noon.Add(time.Hour))
	})
	p.Must(err)
	list, total, err := p.Subscriptions.List(p.Ctx, p.Project.ID, ports.Page{Limit: 10})
	p.Must(err)
	Same(p.T, "list", list, []*event.Subscription{changed})
	if _, err := p.Subscriptions.Update(p.Ctx, p.Project.ID, s.ID, func(s *event.Subscription) error {
		s.URL = "nowhere"
		return ErrPlain
	}); err != ErrPlain || total != 1 {
		p.T.Errorf("%v, total %d", err, total)
	}
	got, err = p.Subscriptions.ByID(p.Ctx, p.Project.ID, s.ID)
	p.Must(err)
	Same(p.T, "after a failed change", got, changed)
	p.Must(p.Subscriptions.Remove(p.Ctx, p.Project.ID, s.ID))
	WantFault(p.T, p.Subscriptions.Remove(p.Ctx, p.Project.ID, s.ID), fault.NotFound, "subscription_not_found")
}

func subscriptionRace(p *press) {
	for range event.MaxSubscriptions - 1 {
		p.subscribe("*")
	}
	won := p.Race("too_many_subscriptions", func(int) error {
		s, err := event.Subscribe(Random[id.Subscription](), p.Project.ID, event.Draft{URL: "https://example.com", Types: []string{"*"}},
			[]byte("sealed"), event.Rules{}, Noon)
		p.Must(err)
		return p.Subscriptions.Add(p.Ctx, s)
	})
	if won != 1 {
		p.T.Errorf("%d are the fiftieth", won)
	}
}

func subscriptionForeign(p *press) {
	mine := p.subscribe("*")
	d := p.announce(mine, 1)[0]
	other := OpenShop(p.T, p.Shop.Stores).Project.ID
	_, byID := p.Subscriptions.ByID(p.Ctx, other, mine.ID)
	_, update := p.Subscriptions.Update(p.Ctx, other, mine.ID, func(*event.Subscription) error { return nil })
	_, again := p.Deliveries.Redeliver(p.Ctx, other, mine.ID, d.ID)
	for _, err := range []error{byID, update, again, p.Subscriptions.Remove(p.Ctx, other, mine.ID)} {
		WantFault(p.T, err, fault.NotFound, "subscription_not_found")
	}
	_, foreign := p.Deliveries.Delivery(p.Ctx, other, mine.ID, d.ID)
	_, wrong := p.Deliveries.Delivery(p.Ctx, p.Project.ID, p.subscribe("*").ID, d.ID)
	WantFault(p.T, foreign, fault.NotFound, "delivery_not_found")
	WantFault(p.T, wrong, fault.NotFound, "delivery_not_found")
	_, unknown := p.EventLog.Event(p.Ctx, other, d.Event)
	WantFault(p.T, unknown, fault.NotFound, "event_not_found")
	list, total, err := p.EventLog.Events(p.Ctx, other, event.Type{}, ports.Page{Limit: 10})
	if len(list) != 0 || total != 0 || err != nil {
		p.T.Errorf("another project sees %d of %d events (%v)", len(list), total, err)
	}
}

func fanOutOnce(p *press) {
	sale := NewSale(p.T, p.Shop.Stores)
	sold := &press{PublishingStores: p.PublishingStores, Shop: sale.shop}
	wants, other := sold.subscribe("quote.accepted"), sold.subscribe("order.completed")
	p.subscribe("*") // of another project
	const events = 12
	for range events {
		sale.Quote()
	}
	p.Shop.SetClock(Noon.Add(time.Hour))
	made := make([]int, Racers)
	p.Must(AtOnce(Racers, func(i int) error {
		var err error
		made[i], _, err = p.Outbox.FanOut(p.Ctx, 5, func(e ports.Announced, to ports.Audience) (list []*event.Delivery) {
			for _, s := range to.Subscriptions {
				if s.Wants(e.Type, e.At) {
					for range 2 { // the second one is left out
						list = append(list, event.NewDelivery(Random[id.Delivery](), e.Project, e.ID, e.Type, event.To(s.ID), to.Now))
					}
				}
			}
			return list
		})
		return err
	}))
	sum := 0
	for _, n := range made {
		sum += n
	}
	again, _, err := p.Outbox.FanOut(p.Ctx, 5, nil)
	p.Must(err)
	_, got, err := p.Deliveries.Deliveries(p.Ctx, sale.Project(), wants.ID, event.Pending, ports.Page{Limit: 1})
	p.Must(err)
	_, none, err := p.Deliveries.Deliveries(p.Ctx, sale.Project(), other.ID, event.DeliveryStatus{}, ports.Page{Limit: 1})
	p.Must(err)
	if sum != events || again != 0 || got != events || none != 0 {
		p.T.Errorf("%d of %d events were handed out, %d wait; deliveries: %d and %d", sum, events, again, got, none)
	}
}

func claimOnce(p *press) {
	s := p.subscribe("*")
	const deliveries = 40
	p.announce(s, deliveries)
	hands := make([][]ports.Leased[ports.Parcel], Racers)
	p.Must(AtOnce(Racers, func(i int) error {
		var err error
		hands[i], err = p.Outbox.Claim(p.Ctx, Lease, []ports.Share{{Group: p.Project.ID.String() + "/" + s.ID.String(), Most: 4}})
		return err
	}))
	seen := map[string]bool{}
	for _, parcel := range slices.Concat(hands...) {
		name := parcel.Item.Delivery.ID.String()
		if seen[name] {
			p.T.Errorf("%s is in two hands", name)
		}
		seen[name] = true
		if parcel.Item.Subscription == nil || parcel.Item.Subscription.URL != s.URL || string(parcel.Item.Subscription.Secret) != "sealed" || len(parcel.Item.Body) == 0 {
			p.T.Fatalf("the parcel lacks something: %+v", parcel)
		}
	}
	for more := p.claim(Noon, 100); len(more) > 0; more = p.claim(Noon, 100) {
		for _, parcel := range more {
			seen[parcel.Item.Delivery.ID.String()] = true
		}
	}
	if len(seen) != deliveries {
		p.T.Errorf("%d of %d were claimed", len(seen), deliveries)
	}
	if early, late := p.claim(Noon.Add(Lease-time.Millisecond), 100), p.claim(Noon.Add(Lease), 100); len(early) != 0 || len(late) != deliveries {
		p.T.Errorf("%d before the lease ends, %d after", len(early), len(late))
	}
}

func claimFairly(p *press) {
	dead, live := p.subscribe("*"), p.subscribe("*")
	p.announce(dead, 100)
	p.announce(live, 1)
	for range 3 {
		counts := map[string]int{}
		parcels := p.claim(Noon, 4)
		for _, parcel := range parcels {
			counts[parcel.Item.Subscription.ID.String()]++
		}
		if counts[dead.ID.String()] != 4 {
			p.T.Errorf("%d of the dead one's were taken, want 4", counts[dead.ID.String()])
		}
		p.announce(live, 1)
		if counts[live.ID.String()] != 1 {
			p.T.Errorf("%d of the other's were taken, want 1", counts[live.ID.String()])
		}
	}
}

func recordFenced(p *press) {
	s := p.subscribe("*")
	d := p.announce(s, 1)[0]
	slow := p.claim(Noon, 1)[0]
	quick := p.claim(Noon.Add(Lease), 1)[0]
	_, err := slow.Item.Delivery.Attempted(event.Result{Code: 500, Error: "it broke"}, Noon, 0)
	p.Must(err)
	p.Must(p.Outbox.Record(p.Ctx, []ports.Outcome{outcome(slow)}))
	if got := p.delivery(d); got.Attempts != 0 || got.Status != event.Pending {
		p.T.Errorf("who lost the lease recorded %+v", got)
	}
	_, err = quick.Item.Delivery.Attempted(event.Result{Code: 204}, Noon.Add(Lease), 0)
	p.Must(err)
	p.Must(p.Outbox.Record(p.Ctx, []ports.Outcome{outcome(quick)}))
	Same(p.T, "recorded", p.delivery(d), quick.Item.Delivery)
	if left := p.claim(Noon.Add(time.Hour), 1); len(left) != 0 {
		p.T.Errorf("%d are still due", len(left))
	}
}

func recordDisables(p *press) {
	s := p.subscribe("*")
	deliveries := p.announce(s, 4)
	parcels := p.claim(Noon, 3)
	outcomes := make([]ports.Outcome, len(parcels))
	for i, parcel := range parcels {
		why, err := parcel.Item.Delivery.Attempted(event.Result{Code: 410, Error: "gone"}, Noon, 0)
		p.Must(err)
		outcomes[i] = ports.Outcome{
			Held:     parcel.Held,
			Delivery: parcel.Item.Delivery,
			Why:      why,
			Alert: &event.Event{
				ID:      Random[id.Event](),
				Project: p.Project.ID,
				At:      Noon,
				Data: event.SubscriptionDisabled{
					Subscription: s.ID,
					URL:          s.URL,
					Reason:       why,
				},
			},
		}
	}
	p.Must(AtOnce(len(outcomes), func(i int) error { return p.Outbox.Record(p.Ctx, outcomes[i:i+1]) }))
	got, err := p.Subscriptions.ByID(p.Ctx, p.Project.ID, s.ID)
	p.Must(err)
	alerts, total, err := p.EventLog.Events(p.Ctx, p.Project.ID, event.SubscriptionDisabledType, ports.Page{Limit: 10})
	p.Must(err)
	if got.Status != event.Disabled || got.Reason != event.Gone || total != 1 || len(alerts) != 1 {
		p.T.Errorf("%s because %s, %d alerts", got.Status, got.Reason, total)
	}
	statuses := map[event.DeliveryStatus]int{}
	for _, d := range deliveries {
		statuses[p.delivery(d).Status]++
	}
	if statuses[event.Pending] != 0 || statuses[event.Failed] < 1 || statuses[event.Failed]+statuses[event.Canceled] != 4 {
		p.T.Errorf("deliveries: %v", statuses)
	}
}

func redeliver(p *press) {
	s := p.subscribe("*")
	d := p.announce(s, 1)[0]
	parcel := p.claim(Noon, 1)[0]
	_, err := parcel.Item.Delivery.Attempted(event.Result{Code: 200}, Noon, 0)
	p.Must(err)
	p.Must(p.Outbox.Record(p.Ctx, []ports.Outcome{outcome(parcel)}))
	p.Shop.SetClock(Noon.Add(time.Minute))
	again, err := p.Deliveries.Redeliver(p.Ctx, p.Project.ID, s.ID, d.ID)
	p.Must(err)
	Same(p.T, "asked for again", p.delivery(d), again)
	if taken := p.claim(Noon.Add(time.Minute), 1); len(taken) != 1 {
		p.T.Errorf("%d are due, want 1", len(taken))
	}
	_, err = p.Deliveries.Redeliver(p.Ctx, p.Project.ID, s.ID, Random[id.Delivery]())
	WantFault(p.T, err, fault.NotFound, "delivery_not_found")
	_, err = p.Subscriptions.Update(p.Ctx, p.Project.ID, s.ID, func(s *event.Subscription) error {
		s.Disable(event.ByMerchant, Noon)
		return nil
	})
	p.Must(err)
	if got := p.delivery(d); got.Status != event.Canceled {
		p.T.Errorf("what waits for a disabled subscription is %s", got.Status)
	}
	_, err = p.Deliveries.Redeliver(p.Ctx, p.Project.ID, s.ID, d.ID)
	WantFault(p.T, err, fault.Conflict, "subscription_disabled")
}

func deletedProject(p *press) {
	s := p.subscribe("*")
	p.announce(s, 3)
	parcel := p.claim(Noon, 1)[0]
	p.Shop.DeleteProject()
	why, err := parcel.Item.Delivery.Attempted(event.Result{Code: 410, Error: "gone"}, Noon, 0)
	p.Must(err)
	p.Must(p.Outbox.Record(p.Ctx, []ports.Outcome{{
		Held:     parcel.Held,
		Delivery: parcel.Item.Delivery,
		Why:      why,
		Alert: &event.Event{
			ID:      Random[id.Event](),
			Project: p.Project.ID,
			At:      Noon,
			Data:    event.SubscriptionDisabled{Subscription: s.ID, Reason: why},
		},
	}}))
	p.Shop.SetClock(Noon.Add(time.Hour))
	waiting, err := p.Outbox.Waiting(p.Ctx)
	p.Must(err)
	events, _, err := p.Outbox.FanOut(p.Ctx, 1, nil)
	p.Must(err)
	if events != 0 || len(waiting) != 0 {
		p.T.Errorf("there is still work: %d events, %v", events, waiting)
	}
	_, total, err := p.EventLog.Events(p.Ctx, p.Project.ID, event.Type{}, ports.Page{Limit: 1})
	p.Must(err)
	if total != 0 {
		p.T.Error(fmt.Errorf("%d events are left", total))
	}
}
