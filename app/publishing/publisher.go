package publishing

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// poll is how often what other replicas announced, and what is due again, is looked for.
	poll = 250 * time.Millisecond
	// lease is how long a delivery is in hand. It is longer than an attempt can take.
	lease = 30 * time.Second
	// patience bounds an attempt, whoever makes it.
	patience = 15 * time.Second
	// fanned is how many events have their deliveries made in one transaction.
	fanned = 100
)

// Parts are what a publisher works with. Stream and Mailer may be nil: nothing goes there then.
type Parts struct {
	Outbox   ports.Outbox
	Webhooks ports.Webhooks
	Stream   ports.Stream
	Mailer   ports.Mailer
	Chats    ports.Chats
	Vault    ports.Vault
	Clock    ports.Clock
	Entropy  ports.Entropy
	// Ran is told after each round of work, with what went wrong.
	Ran func(error)
}

// Publisher delivers what is announced, as long as it runs. Any number of them share the work.
type Publisher struct {
	Parts
	wake  chan struct{}
	done  chan attempted
	lanes lanes
	// finished is not recorded yet.
	finished []ports.Outcome
}

// attempted is a parcel that a goroutine is done with.
type attempted struct {
	outcome ports.Outcome
	quick   bool
}

// NewPublisher puts one together. Run starts it.
func NewPublisher(p Parts) *Publisher {
	return &Publisher{Parts: p, wake: make(chan struct{}, 1), done: make(chan attempted, slots), lanes: lanes{}}
}

// Wake tells that there may be something to do. It never waits.
func (p *Publisher) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends, and then finishes what is in hand.
func (p *Publisher) Run(ctx context.Context) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		more, err := p.Step(ctx)
		if ctx.Err() == nil {
			p.Ran(err)
		}
		if more && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			p.finish(context.WithoutCancel(ctx))
			return
		case <-p.wake:
		case <-tick.C:
		case a := <-p.done:
			p.note(a)
		}
	}
}

// Step does one round of work: it records what was attempted, makes deliveries of events, and starts on
// what is due. It tells whether there is more of it already.
func (p *Publisher) Step(ctx context.Context) (more bool, err error) {
	if err := p.record(ctx); err != nil {
		return false, err
	}
	waiting, err := p.Outbox.Waiting(ctx, p.Clock.Now())
	if err != nil {
		return false, err
	}
	if waiting.Events {
		n, err := p.Outbox.FanOut(ctx, p.Clock.Now(), fanned, p.route)
		if err != nil {
			return false, err
		}
		more = n == fanned
		if waiting, err = p.Outbox.Waiting(ctx, p.Clock.Now()); err != nil {
			return false, err
		}
	}
	return more, p.start(ctx, waiting.Queues)
}

// route says where an event goes.
func (p *Publisher) route(e ports.Announced, to ports.Audience) []*event.Delivery {
	var targets []event.Target
	for _, s := range to.Subscriptions {
		if s.Wants(e.Type, e.At) {
			targets = append(targets, event.To(s.ID))
		}
	}
	if p.Stream != nil {
		targets = append(targets, event.Stream)
	}
	if e.Type.Alerts() {
		targets = append(targets, p.channels(to)...)
	}
	list := make([]*event.Delivery, len(targets))
	now := p.Clock.Now()
	for i, t := range targets {
		list[i] = event.NewDelivery(id.New[id.Delivery](p.Entropy.Bits128()), e.Project, e.ID, e.Type, t, now)
	}
	return list
}

// channels are where a project's settings want alerts to go.
func (p *Publisher) channels(to ports.Audience) (list []event.Target) {
	for _, channel := range to.Settings.AlertChannels {
		switch {
		case channel == "email" && to.Settings.EmailEnabled && p.Mailer != nil:
			list = append(list, event.Email)
		case channel == "chat" && to.Settings.ChatWebhook != "":
			list = append(list, event.Chat)
		}
	}
	return list
}

// start takes due deliveries in hand, as far as there is room.
func (p *Publisher) start(ctx context.Context, queues []string) error {
	shares := p.lanes.shares(queues)
	if len(shares) == 0 {
		return nil
	}
	now := p.Clock.Now()
	parcels, err := p.Outbox.Claim(ctx, now, now.Add(lease), shares)
	if err == nil && len(parcels) > 0 {
		err = failpoint.At(ctx, failpoint.DeliveryClaimed)
	}
	if err != nil {
		return err
	}
	for _, parcel := range parcels {
		p.lanes.enter(parcel.Queue)
		go func() { p.done <- p.attempt(context.WithoutCancel(ctx), parcel) }()
	}
	return nil
}

// attempt makes one attempt, and decides what follows from it.
func (p *Publisher) attempt(ctx context.Context, parcel ports.Parcel) attempted {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	begun, d := p.Clock.Now(), parcel.Delivery
	result, deliverable := p.deliver(ctx, parcel)
	if err := failpoint.At(ctx, failpoint.DeliverySent); err != nil {
		result = failed(err)
	}
	outcome, now := ports.Outcome{Parcel: parcel}, p.Clock.Now()
	if !deliverable {
		_ = d.Cancel() // it was pending when it was claimed
		return attempted{outcome, true}
	}
	why, _ := d.Attempted(result, now, p.jitter()) // as above
	if why != (event.Reason{}) && parcel.Subscription != nil {
		outcome.Why = why
		outcome.Alert = &event.Event{
			ID: id.New[id.Event](p.Entropy.Bits128()), Project: d.Project, At: now,
			Data: event.SubscriptionDisabled{Subscription: parcel.Subscription.ID, URL: parcel.Subscription.URL, Reason: why},
		}
	}
	return attempted{outcome, result.Error == "" && now.Sub(begun) < slow}
}

func (p *Publisher) jitter() int {
	bits := p.Entropy.Bits128()
	return (int(bits[0])<<8|int(bits[1]))%(2*event.MaxJitter+1) - event.MaxJitter
}

// record stores what has been attempted. What cannot be stored is tried again with the next round, or
// attempted again when its lease is over.
func (p *Publisher) record(ctx context.Context) error {
	for {
		select {
		case a := <-p.done:
			p.note(a)
			continue
		default:
		}
		break
	}
	if len(p.finished) == 0 {
		return nil
	}
	if err := p.Outbox.Record(ctx, p.finished); err != nil {
		return err
	}
	p.finished = p.finished[:0]
	return failpoint.At(ctx, failpoint.DeliveryRecorded)
}

func (p *Publisher) note(a attempted) {
	p.lanes.leave(a.outcome.Parcel.Queue, a.quick)
	p.finished = append(p.finished, a.outcome)
}

// finish waits for what is in hand and records it.
func (p *Publisher) finish(ctx context.Context) {
	for p.lanes.busy() > 0 {
		p.note(<-p.done)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	p.Ran(p.record(ctx))
}
