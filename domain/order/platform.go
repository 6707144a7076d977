package order

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// PlatformStatus of a platform order.
type PlatformStatus struct{ name string }

var (
	PlatformPending = PlatformStatus{"pending"} // not created yet, or nobody knows
	PlatformWritten = PlatformStatus{"written"} // it exists at the platform
	PlatformRefused = PlatformStatus{"refused"} // the platform does not take it; Retry tries again
	PlatformSkipped = PlatformStatus{"skipped"} // it is not to be created; Retry tries again
)

func (s PlatformStatus) String() string { return s.name }

// PlatformStatuses are all of them, by name.
var PlatformStatuses = map[string]PlatformStatus{
	"pending": PlatformPending, "written": PlatformWritten, "refused": PlatformRefused, "skipped": PlatformSkipped,
}

// PlatformOrder is an order's counterpart at the e-commerce platform that its goods come from. It is stored with the
// order, in one transaction, and created at the platform afterwards, once:
//
//	pending ──Written──▶ written ──what happens to the order──▶ written
//	   ▲  ├── Refuse ──▶ refused ──┐
//	   │  └── Skip ────▶ skipped ──┤
//	   └────────── Retry ──────────┘
//
// A worker that does not know whether it was created asks the platform for it before it creates another one.
type PlatformOrder struct {
	Project     id.Project
	Order       id.Order
	Integration id.Integration
	Status      PlatformStatus
	Remote      string // the platform's id of it; "": it is not there
	Name        string // what the merchant's staff call it: "#1042"
	URL         string // where the merchant's staff look at it; "": nowhere
	Told        Told
	// Moved is stock that the platform has counted down for the order, or up again (negative), and that the sale has counted
	// down here, too. Until SettleStep is done the shop has so much less for sale than the platform.
	Moved     []catalog.Take
	Problem   string    // why it is not written, or not told, yet, in words for the merchant
	Failures  int       // in a row
	DueAt     time.Time // when it is worked on next; zero: there is nothing to do
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Told records which changes here the platform knows of, and which changes at the platform were read.
type Told struct {
	Canceled bool
	Refunds  []id.Refund
	Shipment string // the Print of the tracking that it was told last; "": none
	// Changes counts the changes that the platform has reported since the order was read last. If it is not 0, the order has
	// to be read.
	Changes int
	// Unread means that the platform refused to show the order when it was asked last. The merchant was alerted.
	Unread bool
	// Read are the platform's ids of refunds that were recorded there. Each is read once.
	Read []string
	// Asked is when the platform was last asked for something that it must not do twice, and has not answered; zero: it has.
	Asked time.Time
	// Unfinished is the platform's id of an order that was saved there and not finished; "": none is known.
	Unfinished string
	// Recorded are the amounts, in minor units, of refunds that were recorded there and not made here yet. A refund here of
	// the same amount is not told to the platform.
	Recorded []int64
}

// Shipment is a carrier and its tracking.
type Shipment struct {
	Carrier string
	Number  string
	URL     string
}

// Print tells one shipment from another, and nothing of whose it is. An order that was sent without tracking has one, too.
func (s Shipment) Print() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %q", s.Carrier, s.Number, s.URL)
	return strconv.FormatUint(h.Sum64(), 36)
}

// Shipment is how the order was sent.
func (f Fulfillment) Shipment() Shipment {
	return Shipment{
		Carrier: f.Carrier,
		Number:  f.TrackingNumber,
		URL:     f.TrackingURL,
	}
}

// ErrPlatformWritten refuses to write what is written.
var ErrPlatformWritten = fault.New(fault.Conflict, "platform_order_written", "The order is written to the platform, or about to be.")

// Disconnected orders are skipped, and taken up when their integration is connected again within ResumeWithin of their sale.
// Later a merchant may have entered them by hand.
const (
	SkippedDisconnected = "The integration is disconnected."
	ResumeWithin        = 7 * 24 * time.Hour
)

// longestProblem bounds a problem's words.
const longestProblem = 500

// PlatformStep is what is to be done at the platform next.
type PlatformStep interface{ platformStep() }

type (
	// WriteStep creates the order there.
	WriteStep struct{}
	// SkipStep ends the writing of an order that is not to be created any more, unless it was created.
	SkipStep struct{ Reason string }
	// SettleStep settles the stock that the platform moved with ours.
	SettleStep struct{}
	// ReadStep asks the platform for the order.
	ReadStep struct{}
	// CancelStep cancels the order there. Restocked is what was put back into our stock.
	CancelStep struct{ Restocked []catalog.Take }
	// RefundStep records money there that was given back. Restocked is what the return that it is for put back into our
	// stock.
	RefundStep struct {
		Refund    Refund
		Restocked []catalog.Take
		Recorded  bool // the platform has a refund of its own for it, and is not told
	}
	// ShipStep marks the order as sent, or corrects its tracking.
	ShipStep struct {
		Shipment Shipment
		Again    bool // it was marked before, with another tracking
	}
)

func (WriteStep) platformStep()  {}
func (SkipStep) platformStep()   {}
func (SettleStep) platformStep() {}
func (ReadStep) platformStep()   {}
func (CancelStep) platformStep() {}
func (RefundStep) platformStep() {}
func (ShipStep) platformStep()   {}

// Next is what is to be done for an order; nil: nothing.
func (w *PlatformOrder) Next(c *Case) PlatformStep {
	switch w.Status {
	case PlatformPending:
		if c.Order.Status == Canceled {
			return SkipStep{"The order was canceled before it was written."}
		}
		return WriteStep{}
	case PlatformWritten:
		return w.nextNews(c)
	}
	return nil
}

// nextNews is what a platform that has the order is to be told. What was sent is told before it is canceled, which can
// be only after it was not sent.
func (w *PlatformOrder) nextNews(c *Case) PlatformStep {
	f := c.Order.Fulfillment
	switch {
	case len(w.Moved) > 0:
		return SettleStep{}
	case w.Told.Changes > 0:
		return ReadStep{}
	case c.Order.Status == Canceled && !w.Told.Canceled:
		return CancelStep{c.out()}
	case (f.Status == Shipped || f.Status == Delivered) && w.Told.Shipment != f.Shipment().Print():
		return ShipStep{
			Shipment: f.Shipment(),
			Again:    w.Told.Shipment != "",
		}
	}
	for _, r := range c.Refunds {
		if r.Status == RefundSucceeded && !slices.Contains(w.Told.Refunds, r.ID) {
			return RefundStep{
				Refund:    r,
				Restocked: c.restockedFor(r.Return),
				Recorded:  slices.Contains(w.Told.Recorded, r.Amount.Minor()),
			}
		}
	}
	return nil
}

// restockedFor is what a return put back into stock; nothing for no return.
func (c *Case) restockedFor(of id.Return) []catalog.Take {
	for _, r := range c.Returns {
		if r.ID == of {
			return r.Restocked
		}
	}
	return nil
}

// Written records that the order exists at the platform, which moved this stock of its own for it. What is settled of
// it later is not told again.
func (w *PlatformOrder) Written(remote, name, url string, moved []catalog.Take, now time.Time) {
	if w.Status == PlatformWritten {
		return
	}
	w.Status, w.Remote, w.Name, w.URL, w.Moved = PlatformWritten, remote, name, url, moved
	w.done(now)
}

// Settled records that our stock follows the platform's again.
func (w *PlatformOrder) Settled(now time.Time) {
	w.Moved = nil
	w.done(now)
}

// Did records that the platform was told of a step. put is stock that it has put back into its own for it.
func (w *PlatformOrder) Did(step PlatformStep, put []catalog.Take, now time.Time) {
	switch s := step.(type) {
	case CancelStep:
		w.Told.Canceled = true
	case RefundStep:
		if !slices.Contains(w.Told.Refunds, s.Refund.ID) {
			w.Told.Refunds = append(slices.Clone(w.Told.Refunds), s.Refund.ID)
		}
		if at := slices.Index(w.Told.Recorded, s.Refund.Amount.Minor()); s.Recorded && at >= 0 {
			w.Told.Recorded = slices.Delete(slices.Clone(w.Told.Recorded), at, at+1)
		}
	case ShipStep:
		w.Told.Shipment = s.Shipment.Print()
	}
	w.put(put)
	w.done(now)
}

// put notes stock that the platform has put back into its own, and we into ours.
func (w *PlatformOrder) put(back []catalog.Take) {
	for _, t := range back {
		t.Quantity = -t.Quantity
		w.Moved = append(w.Moved, t)
	}
}

// Ask records that the platform is about to be asked for something that it must not do twice. unfinished is its id of the order that
// it is to finish; "": it is to create one.
func (w *PlatformOrder) Ask(unfinished string, now time.Time) {
	w.Told.Asked, w.Told.Unfinished, w.UpdatedAt = now, unfinished, now
}

// Unsure is how long the platform may still do what it was asked for without an answer, if it takes at most so long.
func (w *PlatformOrder) Unsure(atMost time.Duration, now time.Time) time.Duration {
	if w.Told.Asked.IsZero() {
		return 0
	}
	return max(0, w.Told.Asked.Add(atMost).Sub(now))
}

func (w *PlatformOrder) done(now time.Time) {
	w.Told.Asked, w.Told.Unfinished = time.Time{}, ""
	w.Problem, w.Failures, w.DueAt, w.UpdatedAt = "", 0, now, now
}

// Rest ends the work until the order changes again.
func (w *PlatformOrder) Rest(c *Case, now time.Time) {
	if w.Next(c) == nil {
		w.DueAt, w.UpdatedAt = time.Time{}, now
	}
}

// Refuse records that the platform does not take the order, or the news of it, as it is.
func (w *PlatformOrder) Refuse(reason string, now time.Time) {
	if w.Status == PlatformPending {
		w.Status = PlatformRefused
	}
	w.stop(reason, now)
}

// Skip records that the order is not to be created.
func (w *PlatformOrder) Skip(reason string, now time.Time) {
	if w.Status == PlatformPending {
		w.Status = PlatformSkipped
	}
	w.stop(reason, now)
}

func (w *PlatformOrder) stop(reason string, now time.Time) {
	w.Problem, w.DueAt, w.UpdatedAt = brief(reason), time.Time{}, now
}

// Pauses between attempts that failed.
const (
	firstPlatformPause = 2 * time.Second
	mostPlatformPause  = time.Hour
)

// pauseAfter is the pause before the next attempt, after so many failures before this one.
func pauseAfter(failures int) time.Duration {
	return min(firstPlatformPause<<min(failures, 12), mostPlatformPause)
}

// Postpone records an attempt of which nobody knows whether it succeeded, or that certainly did not. wait is how long
// the platform asks to be left alone; 0: it does not say.
func (w *PlatformOrder) Postpone(reason string, wait time.Duration, now time.Time) {
	if wait <= 0 {
		wait = pauseAfter(w.Failures)
		w.Failures++
	}
	w.Problem, w.DueAt, w.UpdatedAt = brief(reason), now.Add(wait), now
}

// Retry has an order tried again that the platform refused or that was skipped, or news that it refused.
func (w *PlatformOrder) Retry(now time.Time) error {
	switch {
	case w.Status == PlatformRefused || w.Status == PlatformSkipped:
		w.Status = PlatformPending
	case w.Problem == "":
		return ErrPlatformWritten
	}
	w.Failures, w.DueAt, w.UpdatedAt = 0, now, now
	return nil
}

func brief(reason string) string {
	reason = strings.ToValidUTF8(reason, "\uFFFD")
	if runes := []rune(reason); len(runes) > longestProblem {
		return string(runes[:longestProblem-1]) + "…"
	}
	return reason
}
