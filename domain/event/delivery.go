package event

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Target is the destination of a project's events: a subscription, the webhooks of orders at one host, or one of three
// channels.
type Target struct{ name string }

var (
	Stream = Target{"stream"} // the installation's event bus
	Email  = Target{"email"}  // alerts to the account's people
	Chat   = Target{"chat"}   // alerts to the project's chat
)

func (t Target) String() string { return t.name }

// To returns the target of a subscription.
func To(s id.Subscription) Target { return Target{s.String()} }

const hookPrefix = "hook:"

// ToHook returns the target of an order's webhook: its host, because deliveries to one host are sent one after the
// other.
func ToHook(h checkout.Hook) Target { return Target{hookPrefix + h.Host()} }

// Hook reports whether the target is a host of orders' webhooks.
func (t Target) Hook() bool { return strings.HasPrefix(t.name, hookPrefix) }

// StoredTarget returns a stored target without validating it.
func StoredTarget(name string) Target { return Target{name} }

// Subscription returns the target's subscription, or zero if the target is not a subscription.
func (t Target) Subscription() id.Subscription {
	s, _ := id.Parse[id.Subscription](t.name)
	return s
}

// DeliveryStatus is the status of a delivery.
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

// DeliveryStatuses are all statuses by name.
var DeliveryStatuses = map[string]DeliveryStatus{"pending": Pending, "delivered": Delivered, "failed": Failed, "canceled": Canceled}

// Delivery is the delivery of one event to one target.
type Delivery struct {
	ID          id.Delivery
	Project     id.Project
	Event       id.Event
	Type        Type
	Target      Target
	Status      DeliveryStatus
	Attempts    int        // in all
	Tries       int        // since it was created or redelivered
	Since       *time.Time // the first of those tries
	DueAt       *time.Time // nil: nothing is left to do
	LastCode    int        // HTTP status of the last response; 0: there was none
	LastError   string
	CreatedAt   time.Time
	DeliveredAt *time.Time
}

// NewDelivery returns a delivery that is due at once.
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

// Result is the result of an attempt. The attempt succeeded if Error is empty.
type Result struct {
	Code  int // HTTP status; 0: no response
	Error string
}

// backoff has the pauses after each failed try, about a day in all. Jitter keeps deliveries that failed at the same
// time from being retried at the same time.
var backoff = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
	2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

const (
	// GiveUp is the longest time between the first try and the last.
	GiveUp = 24 * time.Hour
	// MaxJitter is the largest random change of a pause, in thousandths of it.
	MaxJitter = 200

	// longestStreamPause is the longest pause of the stream, which is retried forever: it is the installation's own,
	// and gets all events that it missed when it is available again.
	longestStreamPause = time.Minute
	// statusGone is the HTTP status of a receiver that no longer exists.
	statusGone = 410
	maxError   = 500
)

// ErrNotPending means that a delivery has ended.
var ErrNotPending = fault.New(fault.Conflict, "delivery_not_pending", "The delivery is not pending.")

// Attempted records a try: the delivery is delivered, due again later, or failed. why is not zero if the target's
// subscription must be disabled. jitter is between -MaxJitter and MaxJitter.
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

// next returns when to try again, and whether to. The last try is a day after the first.
func (d *Delivery) next(now time.Time, jitter int) (time.Time, bool) {
	pause := backoff[min(d.Tries, len(backoff))-1]
	end := d.Since.Add(GiveUp)
	if d.Target == Stream {
		pause = min(pause, longestStreamPause)
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

// Cancel ends a pending delivery whose target is disabled or gone.
func (d *Delivery) Cancel() error {
	if d.Status != Pending {
		return ErrNotPending
	}
	d.Status, d.DueAt = Canceled, nil
	return nil
}

// Redeliver makes the delivery due again, whatever its status is, with as many tries as a new one.
func (d *Delivery) Redeliver(now time.Time) {
	d.Status, d.DueAt, d.Tries, d.Since = Pending, &now, 0, nil
}

// shortened shortens an error for storage and puts it on one line.
func shortened(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(strings.ReplaceAll(text, "\x00", " ")), " "), "?")
	if runes := []rune(text); len(runes) > maxError {
		return string(runes[:maxError-1]) + "…"
	}
	return text
}
