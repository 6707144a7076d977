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

// PlatformStatus is the status of a platform order.
type PlatformStatus struct{ name string }

var (
	PlatformPending = PlatformStatus{"pending"} // not created yet, or unknown
	PlatformWritten = PlatformStatus{"written"} // it exists at the platform
	PlatformRefused = PlatformStatus{"refused"} // the platform refused it; Retry tries again
	PlatformSkipped = PlatformStatus{"skipped"} // must not be created; Retry tries again
)

func (s PlatformStatus) String() string { return s.name }

// PlatformStatuses are all statuses by name.
var PlatformStatuses = map[string]PlatformStatus{
	"pending": PlatformPending, "written": PlatformWritten, "refused": PlatformRefused, "skipped": PlatformSkipped,
}

// PlatformOrder is an order's counterpart at the e-commerce platform of its products. It is stored with the
// order, in one transaction, and created at the platform afterwards, once:
//
//	pending ──Written──▶ written ──Did, for each change of the order──▶ written
//	   ▲  ├── Refuse ──▶ refused ──┐
//	   │  └── Skip ────▶ skipped ──┤
//	   └────────── Retry ──────────┘
//
// A worker that does not know whether the order was created asks the platform before it creates another one.
type PlatformOrder struct {
	Project     id.Project
	Order       id.Order
	Integration id.Integration
	Status      PlatformStatus
	Remote      string // the platform's id of it; "": it is not there
	Name        string // the order's name for the merchant's staff: "#1042"
	URL         string // of the order's page for the merchant's staff; "": none
	Told        PlatformSync
	// Moved is stock that both the sale here and the platform have counted down for the order, or up again (negative).
	// Until SettleStep is done, the shop has so much less for sale than the platform.
	Moved     []catalog.Reservation
	Problem   string    // why it is not written or not up to date, in words for the merchant
	Failures  int       // in a row
	DueAt     time.Time // when it is processed next; zero: there is nothing to do
	CreatedAt time.Time
	UpdatedAt time.Time
}

// PlatformSync records which of our changes were written to the platform, and which of its changes were read.
type PlatformSync struct {
	Canceled bool
	Refunds  []id.Refund
	Shipment string // the Print of the tracking written last; "": none
	// Changes counts the changes that the platform has reported since the order was last read. If it is not 0, the
	// order must be read.
	Changes int
	// Unread means that the platform refused the last request to read the order. The merchant was alerted.
	Unread bool
	// Read are the platform's IDs of refunds recorded there. Each is read once.
	Read []string
	// Asked is when the platform was last sent a request that it must not execute twice and has not answered; zero:
	// none.
	Asked time.Time
	// Unfinished is the platform's ID of an order that was saved there and not finished; "": none is known.
	Unfinished string
	// Recorded are the amounts, in minor units, of refunds recorded there and not made here yet. A refund here of the
	// same amount is not written to the platform.
	Recorded []int64
}

// Shipment is a carrier and its tracking.
type Shipment struct {
	Carrier string
	Number  string
	URL     string
}

// Print returns a hash that differs between shipments. It does not depend on the order. An order that was sent without
// tracking has a Print too.
func (s Shipment) Print() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %q", s.Carrier, s.Number, s.URL)
	return strconv.FormatUint(h.Sum64(), 36)
}

// Shipment returns the carrier and tracking of the order.
func (f Fulfillment) Shipment() Shipment {
	return Shipment{
		Carrier: f.Carrier,
		Number:  f.TrackingNumber,
		URL:     f.TrackingURL,
	}
}

// ErrPlatformWritten refuses to write an order that is written.
var ErrPlatformWritten = fault.New(fault.Conflict, "platform_order_written", "The order is written to the platform, or about to be written.")

// Orders of a disconnected integration are skipped, and resumed if it is connected again within ResumeWithin of their sale.
// Later, the merchant may have entered them by hand.
const (
	SkippedDisconnected = "The integration is disconnected."
	ResumeWithin        = 7 * 24 * time.Hour
)

// longestProblem is the largest length of a problem, in characters.
const longestProblem = 500

// PlatformStep is the next request to the platform.
type PlatformStep interface{ platformStep() }

type (
	// WriteStep creates the order at the platform.
	WriteStep struct{}
	// SkipStep ends the processing of an order that must not be created any more, unless it was created.
	SkipStep struct{ Reason string }
	// SettleStep reconciles the stock that both the platform and we counted.
	SettleStep struct{}
	// ReadStep reads the order from the platform.
	ReadStep struct{}
	// CancelStep cancels the order at the platform. Restocked was put back into our stock.
	CancelStep struct{ Restocked []catalog.Reservation }
	// RefundStep records a refund at the platform. Restocked was put back into our stock by the return that it is for.

	RefundStep struct {
		Refund    Refund
		Restocked []catalog.Reservation
		Recorded  bool // the platform has its own record of it, so none is written
	}
	// ShipStep marks the order as shipped, or corrects its tracking.
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

// Next returns the next step for an order; nil: there is none.
func (w *PlatformOrder) Next(c *Case) PlatformStep {
	switch w.Status {
	case PlatformPending:
		if c.Order.Status == Canceled {
			return SkipStep{"The order was canceled before it was written."}
		}
		return WriteStep{}
	case PlatformWritten:
		return w.nextUpdate(c)
	}
	return nil
}

// nextUpdate returns the next update for a platform that has the order. A shipment is written before a later
// cancellation, which requires that the order was unshipped.
func (w *PlatformOrder) nextUpdate(c *Case) PlatformStep {
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

// restockedFor returns the stock that a return put back, or nothing if of is zero.
func (c *Case) restockedFor(of id.Return) []catalog.Reservation {
	for _, r := range c.Returns {
		if r.ID == of {
			return r.Restocked
		}
	}
	return nil
}

// Written records that the order exists at the platform, which moved this stock of its own for it. A second record
// changes nothing.
func (w *PlatformOrder) Written(remote, name, url string, moved []catalog.Reservation, now time.Time) {
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

// Did records that a step was written to the platform. put is the stock that the platform has put back for it.
func (w *PlatformOrder) Did(step PlatformStep, put []catalog.Reservation, now time.Time) {
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
	w.recordPutBack(put)
	w.done(now)
}

// recordPutBack records stock that both the platform and we have put back.
func (w *PlatformOrder) recordPutBack(back []catalog.Reservation) {
	for _, t := range back {
		t.Quantity = -t.Quantity
		w.Moved = append(w.Moved, t)
	}
}

// Ask records that the platform is about to be sent a request that it must not execute twice. unfinished is its ID of
// the order to finish; "": the request creates one.
func (w *PlatformOrder) Ask(unfinished string, now time.Time) {
	w.Told.Asked, w.Told.Unfinished, w.UpdatedAt = now, unfinished, now
}

// Unsure returns how much longer the platform may execute a request that it has not answered, if requests take at most
// atMost.
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

// Rest ends the processing until the order changes again.
func (w *PlatformOrder) Rest(c *Case, now time.Time) {
	if w.Next(c) == nil {
		w.DueAt, w.UpdatedAt = time.Time{}, now
	}
}

// Refuse records that the platform refused the order, or an update of it.
func (w *PlatformOrder) Refuse(reason string, now time.Time) {
	if w.Status == PlatformPending {
		w.Status = PlatformRefused
	}
	w.stop(reason, now)
}

// Skip records that the order must not be created.
func (w *PlatformOrder) Skip(reason string, now time.Time) {
	if w.Status == PlatformPending {
		w.Status = PlatformSkipped
	}
	w.stop(reason, now)
}

func (w *PlatformOrder) stop(reason string, now time.Time) {
	w.Problem, w.DueAt, w.UpdatedAt = truncate(reason), time.Time{}, now
}

// The pauses between failed attempts.
const (
	firstPlatformPause = 2 * time.Second
	mostPlatformPause  = time.Hour
)

// pauseAfter returns the pause before the next attempt, after so many failures before the current one.
func pauseAfter(failures int) time.Duration {
	return min(firstPlatformPause<<min(failures, 12), mostPlatformPause)
}

// Postpone records an attempt that failed or whose outcome is unknown. wait is the pause that the platform asks for; 0:
// it asks for none.
func (w *PlatformOrder) Postpone(reason string, wait time.Duration, now time.Time) {
	if wait <= 0 {
		wait = pauseAfter(w.Failures)
		w.Failures++
	}
	w.Problem, w.DueAt, w.UpdatedAt = truncate(reason), now.Add(wait), now
}

// Retry makes an order due that the platform refused or that was skipped, or an update that the platform refused.
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

func truncate(reason string) string {
	reason = strings.ToValidUTF8(reason, "\uFFFD")
	if runes := []rune(reason); len(runes) > longestProblem {
		return string(runes[:longestProblem-1]) + "…"
	}
	return reason
}
