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
		"nothing of a deleted project is left":                 deletedProject,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores := open(t)
			test(&press{PublishingStores: stores, shop: openShop(t, stores.Stores)})
		})
	}
}

// press is a shop with what it announces.
type press struct {
	PublishingStores
	*shop
}

func (p *press) subscribe(types ...string) *event.Subscription {
	p.t.Helper()
	p.shop.SetClock(noon)
	s, err := event.Subscribe(random[id.Subscription](), p.project.ID, event.Draft{URL: "https://example.com/hook", Types: types},
		[]byte("sealed"), event.Rules{}, noon)
	p.must(err)
	p.must(p.Subscriptions.Add(p.ctx, s))
	return s
}

// announce gives a subscription as many deliveries, due at noon.
func (p *press) announce(to *event.Subscription, n int) (list []*event.Delivery) {
	p.t.Helper()
	p.shop.SetClock(noon)
	for range n {
		e := &event.Event{ID: random[id.Event](), Project: p.project.ID, At: noon, Data: event.Ping{Subscription: to.ID}}
		d := event.NewDelivery(random[id.Delivery](), p.project.ID, e.ID, event.PingType, event.To(to.ID), noon)
		p.must(p.Deliveries.Announce(p.ctx, e, d))
		list = append(list, d)
	}
	return list
}

func (p *press) claim(now time.Time, most int) []ports.Leased[ports.Parcel] {
	p.t.Helper()
	parcels, err := claimAt(p.shop.Stores, p.Outbox, now, lease, most)
	p.must(err)
	return parcels
}

const lease = 30 * time.Second

// outcome is an attempt that changed nothing but the delivery.
func outcome(l ports.Leased[ports.Parcel]) ports.Outcome {
	return ports.Outcome{Held: l.Held, Delivery: l.Item.Delivery}
}

func (p *press) delivery(d *event.Delivery) *event.Delivery {
	p.t.Helper()
	got, err := p.Deliveries.Delivery(p.ctx, p.project.ID, d.Target.Subscription(), d.ID)
	p.must(err)
	return got
}

func subscriptionRoundTrip(p *press) {
	s := p.subscribe("order.completed", "return.requested")
	got, err := p.Subscriptions.ByID(p.ctx, p.project.ID, s.ID)
	p.must(err)
	same(p.t, "subscription", got, s)
	changed, err := p.Subscriptions.Update(p.ctx, p.project.ID, s.ID, func(loaded *event.Subscription) error {
		same(p.t, "loaded", loaded, s)
		loaded.Rotate([]byte("another"), noon)
		return loaded.Change(event.Change{
			URL: patch.To("https://example.com/other"), Types: patch.To([]string{"*"}), Status: patch.To("disabled"),
		}, event.Rules{}, noon.Add(time.Hour))
	})
	p.must(err)
	list, total, err := p.Subscriptions.List(p.ctx, p.project.ID, ports.Page{Limit: 10})
	p.must(err)
	same(p.t, "list", list, []*event.Subscription{changed})
	if _, err := p.Subscriptions.Update(p.ctx, p.project.ID, s.ID, func(s *event.Subscription) error {
		s.URL = "nowhere"
		return errPlain
	}); err != errPlain || total != 1 {
		p.t.Errorf("%v, total %d", err, total)
	}
	got, err = p.Subscriptions.ByID(p.ctx, p.project.ID, s.ID)
	p.must(err)
	same(p.t, "after a failed change", got, changed)
	p.must(p.Subscriptions.Remove(p.ctx, p.project.ID, s.ID))
	wantFault(p.t, p.Subscriptions.Remove(p.ctx, p.project.ID, s.ID), fault.NotFound, "subscription_not_found")
}

func subscriptionRace(p *press) {
	for range event.MaxSubscriptions - 1 {
		p.subscribe("*")
	}
	won := p.race("too_many_subscriptions", func(int) error {
		s, err := event.Subscribe(random[id.Subscription](), p.project.ID, event.Draft{URL: "https://example.com", Types: []string{"*"}},
			[]byte("sealed"), event.Rules{}, noon)
		p.must(err)
		return p.Subscriptions.Add(p.ctx, s)
	})
	if won != 1 {
		p.t.Errorf("%d are the fiftieth", won)
	}
}

func subscriptionForeign(p *press) {
	mine := p.subscribe("*")
	d := p.announce(mine, 1)[0]
	other := openShop(p.t, p.shop.Stores).project.ID
	_, byID := p.Subscriptions.ByID(p.ctx, other, mine.ID)
	_, update := p.Subscriptions.Update(p.ctx, other, mine.ID, func(*event.Subscription) error { return nil })
	_, again := p.Deliveries.Redeliver(p.ctx, other, mine.ID, d.ID)
	for _, err := range []error{byID, update, again, p.Subscriptions.Remove(p.ctx, other, mine.ID)} {
		wantFault(p.t, err, fault.NotFound, "subscription_not_found")
	}
	_, foreign := p.Deliveries.Delivery(p.ctx, other, mine.ID, d.ID)
	_, wrong := p.Deliveries.Delivery(p.ctx, p.project.ID, p.subscribe("*").ID, d.ID)
	wantFault(p.t, foreign, fault.NotFound, "delivery_not_found")
	wantFault(p.t, wrong, fault.NotFound, "delivery_not_found")
	_, unknown := p.EventLog.Event(p.ctx, other, d.Event)
	wantFault(p.t, unknown, fault.NotFound, "event_not_found")
	list, total, err := p.EventLog.Events(p.ctx, other, event.Type{}, ports.Page{Limit: 10})
	if len(list) != 0 || total != 0 || err != nil {
		p.t.Errorf("another project sees %d of %d events (%v)", len(list), total, err)
	}
}

func fanOutOnce(p *press) {
	sale := NewSale(p.t, p.shop.Stores)
	sold := &press{PublishingStores: p.PublishingStores, shop: sale.shop}
	wants, other := sold.subscribe("quote.accepted"), sold.subscribe("order.completed")
	p.subscribe("*") // of another project
	const events = 12
	for range events {
		sale.Quote()
	}
	p.shop.SetClock(noon.Add(time.Hour))
	made := make([]int, racers)
	p.must(atOnce(racers, func(i int) error {
		var err error
		made[i], _, err = p.Outbox.FanOut(p.ctx, 5, func(e ports.Announced, to ports.Audience) (list []*event.Delivery) {
			for _, s := range to.Subscriptions {
				if s.Wants(e.Type, e.At) {
					for range 2 { // the second one is left out
						list = append(list, event.NewDelivery(random[id.Delivery](), e.Project, e.ID, e.Type, event.To(s.ID), to.Now))
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
	again, _, err := p.Outbox.FanOut(p.ctx, 5, nil)
	p.must(err)
	_, got, err := p.Deliveries.Deliveries(p.ctx, sale.Project(), wants.ID, event.Pending, ports.Page{Limit: 1})
	p.must(err)
	_, none, err := p.Deliveries.Deliveries(p.ctx, sale.Project(), other.ID, event.DeliveryStatus{}, ports.Page{Limit: 1})
	p.must(err)
	if sum != events || again != 0 || got != events || none != 0 {
		p.t.Errorf("%d of %d events were handed out, %d wait; deliveries: %d and %d", sum, events, again, got, none)
	}
}

func claimOnce(p *press) {
	s := p.subscribe("*")
	const deliveries = 40
	p.announce(s, deliveries)
	hands := make([][]ports.Leased[ports.Parcel], racers)
	p.must(atOnce(racers, func(i int) error {
		var err error
		hands[i], err = p.Outbox.Claim(p.ctx, lease, []ports.Share{{Group: p.project.ID.String() + "/" + s.ID.String(), Most: 4}})
		return err
	}))
	seen := map[string]bool{}
	for _, parcel := range slices.Concat(hands...) {
		name := parcel.Item.Delivery.ID.String()
		if seen[name] {
			p.t.Errorf("%s is in two hands", name)
		}
		seen[name] = true
		if parcel.Item.Subscription == nil || parcel.Item.Subscription.URL != s.URL || string(parcel.Item.Subscription.Secret) != "sealed" || len(parcel.Item.Body) == 0 {
			p.t.Fatalf("the parcel lacks something: %+v", parcel)
		}
	}
	for more := p.claim(noon, 100); len(more) > 0; more = p.claim(noon, 100) {
		for _, parcel := range more {
			seen[parcel.Item.Delivery.ID.String()] = true
		}
	}
	if len(seen) != deliveries {
		p.t.Errorf("%d of %d were claimed", len(seen), deliveries)
	}
	if early, late := p.claim(noon.Add(lease-time.Millisecond), 100), p.claim(noon.Add(lease), 100); len(early) != 0 || len(late) != deliveries {
		p.t.Errorf("%d before the lease ends, %d after", len(early), len(late))
	}
}

func claimFairly(p *press) {
	dead, live := p.subscribe("*"), p.subscribe("*")
	p.announce(dead, 100)
	p.announce(live, 1)
	for range 3 {
		counts := map[string]int{}
		parcels := p.claim(noon, 4)
		for _, parcel := range parcels {
			counts[parcel.Item.Subscription.ID.String()]++
		}
		if counts[dead.ID.String()] != 4 {
			p.t.Errorf("%d of the dead one's were taken, want 4", counts[dead.ID.String()])
		}
		p.announce(live, 1)
		if counts[live.ID.String()] != 1 {
			p.t.Errorf("%d of the other's were taken, want 1", counts[live.ID.String()])
		}
	}
}

func recordFenced(p *press) {
	s := p.subscribe("*")
	d := p.announce(s, 1)[0]
	slow := p.claim(noon, 1)[0]
	quick := p.claim(noon.Add(lease), 1)[0]
	_, err := slow.Item.Delivery.Attempted(event.Result{Code: 500, Error: "it broke"}, noon, 0)
	p.must(err)
	p.must(p.Outbox.Record(p.ctx, []ports.Outcome{outcome(slow)}))
	if got := p.delivery(d); got.Attempts != 0 || got.Status != event.Pending {
		p.t.Errorf("who lost the lease recorded %+v", got)
	}
	_, err = quick.Item.Delivery.Attempted(event.Result{Code: 204}, noon.Add(lease), 0)
	p.must(err)
	p.must(p.Outbox.Record(p.ctx, []ports.Outcome{outcome(quick)}))
	same(p.t, "recorded", p.delivery(d), quick.Item.Delivery)
	if left := p.claim(noon.Add(time.Hour), 1); len(left) != 0 {
		p.t.Errorf("%d are still due", len(left))
	}
}

func recordDisables(p *press) {
	s := p.subscribe("*")
	deliveries := p.announce(s, 4)
	parcels := p.claim(noon, 3)
	outcomes := make([]ports.Outcome, len(parcels))
	for i, parcel := range parcels {
		why, err := parcel.Item.Delivery.Attempted(event.Result{Code: 410, Error: "gone"}, noon, 0)
		p.must(err)
		outcomes[i] = ports.Outcome{Held: parcel.Held, Delivery: parcel.Item.Delivery, Why: why, Alert: &event.Event{
			ID: random[id.Event](), Project: p.project.ID, At: noon,
			Data: event.SubscriptionDisabled{Subscription: s.ID, URL: s.URL, Reason: why},
		}}
	}
	p.must(atOnce(len(outcomes), func(i int) error { return p.Outbox.Record(p.ctx, outcomes[i:i+1]) }))
	got, err := p.Subscriptions.ByID(p.ctx, p.project.ID, s.ID)
	p.must(err)
	alerts, total, err := p.EventLog.Events(p.ctx, p.project.ID, event.SubscriptionDisabledType, ports.Page{Limit: 10})
	p.must(err)
	if got.Status != event.Disabled || got.Reason != event.Gone || total != 1 || len(alerts) != 1 {
		p.t.Errorf("%s because %s, %d alerts", got.Status, got.Reason, total)
	}
	statuses := map[event.DeliveryStatus]int{}
	for _, d := range deliveries {
		statuses[p.delivery(d).Status]++
	}
	if statuses[event.Pending] != 0 || statuses[event.Failed] < 1 || statuses[event.Failed]+statuses[event.Canceled] != 4 {
		p.t.Errorf("deliveries: %v", statuses)
	}
}

func redeliver(p *press) {
	s := p.subscribe("*")
	d := p.announce(s, 1)[0]
	parcel := p.claim(noon, 1)[0]
	_, err := parcel.Item.Delivery.Attempted(event.Result{Code: 200}, noon, 0)
	p.must(err)
	p.must(p.Outbox.Record(p.ctx, []ports.Outcome{outcome(parcel)}))
	p.shop.SetClock(noon.Add(time.Minute))
	again, err := p.Deliveries.Redeliver(p.ctx, p.project.ID, s.ID, d.ID)
	p.must(err)
	same(p.t, "asked for again", p.delivery(d), again)
	if taken := p.claim(noon.Add(time.Minute), 1); len(taken) != 1 {
		p.t.Errorf("%d are due, want 1", len(taken))
	}
	_, err = p.Deliveries.Redeliver(p.ctx, p.project.ID, s.ID, random[id.Delivery]())
	wantFault(p.t, err, fault.NotFound, "delivery_not_found")
	_, err = p.Subscriptions.Update(p.ctx, p.project.ID, s.ID, func(s *event.Subscription) error {
		s.Disable(event.ByMerchant, noon)
		return nil
	})
	p.must(err)
	if got := p.delivery(d); got.Status != event.Canceled {
		p.t.Errorf("what waits for a disabled subscription is %s", got.Status)
	}
	_, err = p.Deliveries.Redeliver(p.ctx, p.project.ID, s.ID, d.ID)
	wantFault(p.t, err, fault.Conflict, "subscription_disabled")
}

func deletedProject(p *press) {
	s := p.subscribe("*")
	p.announce(s, 3)
	parcel := p.claim(noon, 1)[0]
	p.shop.deleteProject()
	why, err := parcel.Item.Delivery.Attempted(event.Result{Code: 410, Error: "gone"}, noon, 0)
	p.must(err)
	p.must(p.Outbox.Record(p.ctx, []ports.Outcome{{Held: parcel.Held, Delivery: parcel.Item.Delivery, Why: why, Alert: &event.Event{
		ID: random[id.Event](), Project: p.project.ID, At: noon, Data: event.SubscriptionDisabled{Subscription: s.ID, Reason: why},
	}}}))
	p.shop.SetClock(noon.Add(time.Hour))
	waiting, err := p.Outbox.Waiting(p.ctx)
	p.must(err)
	events, _, err := p.Outbox.FanOut(p.ctx, 1, nil)
	p.must(err)
	if events != 0 || len(waiting) != 0 {
		p.t.Errorf("there is still work: %d events, %v", events, waiting)
	}
	_, total, err := p.EventLog.Events(p.ctx, p.project.ID, event.Type{}, ports.Page{Limit: 1})
	p.must(err)
	if total != 0 {
		p.t.Error(fmt.Errorf("%d events are left", total))
	}
}
