package publishing

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// poll is how often the publisher looks for events that other replicas announced, and for deliveries that are due.
	poll = 250 * time.Millisecond
	// lease is how long a delivery is claimed. It is longer than an attempt can take.
	lease = 30 * time.Second
	// attemptTimeout bounds an attempt, for all kinds of targets.
	attemptTimeout = 15 * time.Second
	// pace is the time between the starts of two rounds. Events that are announced in between are fanned out in one transaction.
	pace = 50 * time.Millisecond
	// fanOutBatch is how many events one transaction fans out.
	fanOutBatch = 500
)

// limits keep workers free for other receivers, however many deliveries wait for receivers that do not answer.
var limits = jobs.Limits{
	Slots: 64,
	Slow:  32,
	Each:  4,
	Quick: 16,
	Long:  time.Second,
}

// Publisher delivers announced events. The caller runs its Job. Without a Stream or a Mailer nothing is delivered there.
type Publisher struct {
	Outbox   ports.Outbox
	Webhooks ports.Webhooks
	Stream   ports.Stream
	Mailer   ports.Mailer
	Chats    ports.Chats
	Vault    ports.Vault
	// Orders are sent to the hooks of their agents, each in its protocol and signed with the project's key.
	Orders ports.Orders
	Hooks  map[checkout.HookProtocol]ports.HookProtocol
	Signer func(context.Context, id.Project) (signing.Private, error)

	Clock   ports.Clock
	Entropy ports.Entropy
	Log     *slog.Logger

	mu       sync.Mutex
	finished []ports.Outcome // not recorded yet
}

// Job fans out events and attempts the deliveries that are due.
func (p *Publisher) Job() jobs.Job[ports.Parcel] {
	return jobs.Job[ports.Parcel]{
		Name:   "deliver events",
		Queue:  p.Outbox,
		Work:   p.work,
		Before: p.fanOut,
		Record: p.record,
		Limits: limits,
		Lease:  lease,
		Poll:   poll,
		Pace:   pace,
		Clock:  p.Clock,
		Log:    p.Log,
	}
}

// fanOut creates the deliveries of due events. It reports whether there are more.
func (p *Publisher) fanOut(ctx context.Context) (more bool, err error) {
	n, aside, err := p.Outbox.FanOut(ctx, fanOutBatch, p.route)
	for _, a := range aside {
		jobs.ReportSetAside(ctx, p.Log, "fan out events", a)
	}
	return n == fanOutBatch, err
}

// route returns the deliveries of an event.
func (p *Publisher) route(e ports.Announced, to ports.Audience) []*event.Delivery {
	var targets []event.Target
	for _, s := range to.Subscriptions {
		if s.Wants(e.Type, e.At) {
			targets = append(targets, event.To(s.ID))
		}
	}
	if e.Hook != (event.Target{}) {
		targets = append(targets, e.Hook)
	}
	if p.Stream != nil {
		targets = append(targets, event.Stream)
	}
	if e.Type.Alerts() {
		targets = append(targets, p.channels(to)...)
	}
	list := make([]*event.Delivery, len(targets))
	for i, t := range targets {
		list[i] = event.NewDelivery(id.New[id.Delivery](p.Entropy.IDBits()), e.Project, e.ID, e.Type, t, to.Now)
	}
	return list
}

// channels returns the targets of alerts that a project's settings enable.
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

// work makes one attempt and collects its outcome.
func (p *Publisher) work(ctx ports.Outbound, t jobs.Task[ports.Parcel]) error {
	if err := failpoint.At(ctx, failpoint.DeliveryClaimed); err != nil {
		return err
	}
	ctx, cancel := ctx.WithoutCancel().WithTimeout(attemptTimeout)
	defer cancel()
	parcel := t.Item()
	d, now := parcel.Delivery, t.Clock.Now
	result, deliverable := p.deliver(ctx, parcel, now())
	if err := failpoint.At(ctx, failpoint.DeliverySent); err != nil {
		result = failed(err)
	}
	outcome := ports.Outcome{Held: t.Items[0].Held, Delivery: d}
	if !deliverable {
		_ = d.Cancel() // cannot fail: the delivery was pending when it was claimed
		p.finish(outcome)
		return nil
	}
	why, _ := d.Attempted(result, now(), p.jitter()) // cannot fail either
	if why != (event.Reason{}) && parcel.Subscription != nil {
		outcome.Why = why
		outcome.Alert = event.New(p.Entropy.IDBits(), d.Project, now(), event.SubscriptionDisabled{
			Subscription: parcel.Subscription.ID,
			URL:          event.MaskURL(parcel.Subscription.URL),
			Reason:       why,
		})
	}
	if why == event.Gone {
		outcome.Unhook = parcel.Order
	}
	p.finish(outcome)
	if result.Error != "" {
		return jobs.ErrFailed
	}
	return nil
}

func (p *Publisher) finish(o ports.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = append(p.finished, o)
}

func (p *Publisher) jitter() int {
	bits := p.Entropy.Bits128()
	return (int(bits[0])<<8|int(bits[1]))%(2*event.MaxJitter+1) - event.MaxJitter
}

// record stores the collected outcomes in one transaction. If the database is unavailable, the next round tries all of them again.
// If one outcome cannot be stored, the others still are; its delivery is attempted again when the lease ends.
func (p *Publisher) record(ctx context.Context) error {
	p.mu.Lock()
	outcomes := p.finished
	p.finished = nil
	p.mu.Unlock()
	if len(outcomes) == 0 {
		return nil
	}
	err := p.Outbox.Record(ctx, outcomes)
	if err != nil && !unavailable(err) {
		err = p.recordEach(ctx, outcomes)
	}
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.finished = append(outcomes, p.finished...)
		return err
	}
	return failpoint.At(ctx, failpoint.DeliveryRecorded)
}

func (p *Publisher) recordEach(ctx context.Context, outcomes []ports.Outcome) error {
	for i := range outcomes {
		err := fault.Survive(func() error { return p.Outbox.Record(ctx, outcomes[i:i+1]) })
		if unavailable(err) {
			return err
		}
		if err != nil {
			p.Log.ErrorContext(ctx, "an attempted delivery cannot be recorded", "delivery", outcomes[i].Held.Key, "error", err)
		}
	}
	return nil
}

func unavailable(err error) bool {
	return fault.KindOf(err) == fault.Unavailable || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
