package event

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Target is where events of a project go: to a subscription, to the hooks of orders at one host, or by one of three
// channels.
type Target struct{ name string }

var (
	Stream = Target{"stream"} // the installation's event bus
	Email  = Target{"email"}  // alerts to the account's people
	Chat   = Target{"chat"}   // alerts to the project's chat
)

func (t Target) String() string { return t.name }

// To is the target of a subscription.
func To(s id.Subscription) Target { return Target{s.String()} }

const hookPrefix = "hook:"

// ToHook is the target of an order's hook: its host, for what is sent there waits for each other.
func ToHook(h checkout.Hook) Target { return Target{hookPrefix + h.Host()} }

// Hook reports whether the target is that of orders' hooks.
func (t Target) Hook() bool { return strings.HasPrefix(t.name, hookPrefix) }

// StoredTarget trusts text that this system wrote.
func StoredTarget(name string) Target { return Target{name} }

// Subscription is whose target it is; zero: a channel.
func (t Target) Subscription() id.Subscription {
	s, _ := id.Parse[id.Subscription](t.name)
	return s
}

// DeliveryStatus is how a delivery stands.
//
//	pending   --attempt--> delivered, pending (again later), failed
//	pending   --cancel---> canceled
//	any       --redeliver-> pending, due at once, with a day of its own
type DeliveryStatus struct{ name string }

var (
	Pending   = DeliveryStatus{"pending"}
	Delivered = DeliveryStatus{"delivered"}
	Failed    = DeliveryStatus{"failed"}   // given up
	Canceled  = DeliveryStatus{"canceled"} // the subscription is disabled or gone
)

func (s DeliveryStatus) String() string { return s.name }

// DeliveryStatuses are all of them, by name.
var DeliveryStatuses = map[string]DeliveryStatus{"pending": Pending, "delivered": Delivered, "failed": Failed, "canceled": Canceled}

// Delivery brings one event to one target.
type Delivery struct {
	ID          id.Delivery
	Project     id.Project
	Event       id.Event
	Type        Type
	Target      Target
	Status      DeliveryStatus
	Attempts    int        // in all
	Tries       int        // since it was made or asked for again
	Since       *time.Time // the first of those tries
	DueAt       *time.Time // nil: nothing is left to do
	LastCode    int        // HTTP status of the last answer, 0: there was none
	LastError   string
	CreatedAt   time.Time
	DeliveredAt *time.Time
}

// NewDelivery is due at once.
func NewDelivery(name id.Delivery, project id.Project, e id.Event, t Type, to Target, now time.Time) *Delivery {
	return &Delivery{
		ID:        name,
		Project:   project,
		Event:     e,
		Type:      t,
		Target:    to,
		Status:    Pending,
		DueAt:     &now,
		CreatedAt: now,
	}
}

// Result of an attempt. It went well if Error is empty.
type Result struct {
	Code  int // HTTP status, 0: no answer
	Error string
}

// backoff are the pauses after each failed try, about a day in all. Jitter keeps what failed together
// from coming back together.
var backoff = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
	2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

const (
	// GiveUp is how long after the first try the last one is, at the latest.
	GiveUp = 24 * time.Hour
	// MaxJitter, in thousandths of a pause, is how much longer or shorter one is by chance.
	MaxJitter = 200

	// patience is the longest pause of the stream, which is not given up: it is the installation's own,
	// and comes back with a gap that must be filled.
	patience = time.Minute
	// statusGone is what a receiver answers that is not there any more.
	statusGone = 410
	maxError   = 500
)

// ErrNotPending means that nothing is left to do about a delivery.
var ErrNotPending = fault.New(fault.Conflict, "delivery_not_pending", "The delivery is not pending.")

// Attempted records a try: the delivery is done, due again later, or given up. why is not zero if the
// target's subscription must be disabled. jitter is between -MaxJitter and MaxJitter.
func (d *Delivery) Attempted(r Result, now time.Time, jitter int) (why Reason, err error) {
	if d.Status != Pending {
		return Reason{}, ErrNotPending
	}
	if d.Since == nil {
		d.Since = &now
	}
	d.Attempts++
	d.Tries++
	d.LastCode, d.LastError = r.Code, shortened(r.Error)
	switch next, again := d.next(now, jitter); {
	case r.Error == "":
		d.Status, d.DueAt, d.DeliveredAt = Delivered, nil, &now
	case r.Code == statusGone && d.Target != Stream:
		d.Status, d.DueAt = Failed, nil
		return Gone, nil
	case again:
		d.DueAt = &next
	default:
		d.Status, d.DueAt = Failed, nil
		return Unreachable, nil
	}
	return Reason{}, nil
}

// next is when to try again, if at all. The last try is a day after the first.
func (d *Delivery) next(now time.Time, jitter int) (time.Time, bool) {
	pause := backoff[min(d.Tries, len(backoff))-1]
	end := d.Since.Add(GiveUp)
	if d.Target == Stream {
		pause = min(pause, patience)
	} else if d.Tries > len(backoff) || !now.Before(end) {
		return time.Time{}, false
	}
	pause += pause * time.Duration(jitter) / 1000
	next := now.Add(pause).Truncate(time.Millisecond)
	if d.Target != Stream && next.After(end) {
		next = end
	}
	return next, true
}

// Cancel gives a pending delivery up for want of its target.
func (d *Delivery) Cancel() error {
	if d.Status != Pending {
		return ErrNotPending
	}
	d.Status, d.DueAt = Canceled, nil
	return nil
}

// Redeliver makes the delivery due again, whatever became of it, with as many tries as a new one.
func (d *Delivery) Redeliver(now time.Time) {
	d.Status, d.DueAt, d.Tries, d.Since = Pending, &now, 0, nil
}

// shortened keeps what is stored of a failure short and on one line.
func shortened(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(strings.ReplaceAll(text, "\x00", " ")), " "), "?")
	if runes := []rune(text); len(runes) > maxError {
		return string(runes[:maxError-1]) + "…"
	}
	return text
}
