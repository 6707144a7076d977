package inbox

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// deliveryBatch is a batch of deliveries of one integration.
type deliveryBatch struct {
	*Worker
	project     *project.Project
	integration *integration.Integration
	webhooks    map[id.Webhook]*integration.Webhook
	deliveries  []*parsedDelivery
}

// parsedDelivery is a delivery and what was read from it.
type parsedDelivery struct {
	delivery *integration.Delivery // as it was claimed
	records  []syncrun.Record
	err      error // the reason that it could not be read
}

// work works on deliveries of one integration. If it returns an error, they become due when their lease ends.
func (w *Worker) work(ctx ports.Outbound, list []*integration.Delivery) error {
	j := &deliveryBatch{Worker: w}
	for _, d := range list {
		j.deliveries = append(j.deliveries, &parsedDelivery{delivery: d})
	}
	err := j.load(ctx, list[0])
	switch {
	case fault.KindOf(err) == fault.NotFound:
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		for _, l := range j.deliveries {
			l.delivery.Payload = nil
		}
		return j.giveUp(ctx, w.Inbox, j.deliveries, "The integration was deleted.") // ends deliveries that arrived while it was deleted
	case err != nil:
		return err
	}
	j.read(ctx)
	if err = j.importAll(ctx, j.deliveries); err == nil || !maybeBadDelivery(err) {
		return err
	}
	err = nil
	for _, l := range j.deliveries { // one delivery must not make the others fail
		err = errors.Join(err, j.importOne(ctx, l))
	}
	return err
}

func (b *deliveryBatch) load(ctx context.Context, of *integration.Delivery) (err error) {
	if b.project, err = b.Projects.ByProject(ctx, of.Project); err != nil {
		return err
	}
	if b.integration, err = b.Integrations.ByID(ctx, of.Project, of.Integration); err != nil {
		return err
	}
	b.webhooks, err = b.webhooksOf(ctx, b.integration)
	return err
}

// errWait is the error of deliveries that were not tried because the platform did not answer for an earlier one.
var errWait = ports.Throttled{After: 2 * time.Second}

// read reads the records of the deliveries, which may need requests to the platform. If the platform does not answer or is busy,
// read sends it no more requests.
func (b *deliveryBatch) read(ctx ports.Outbound) {
	ctx, cancel := ctx.WithTimeout(readTimeout)
	defer cancel()
	platform := b.Platforms[b.integration.Type.String()]
	if platform == nil {
		b.failAll(&ports.PlatformRefusal{Reason: "This server has no connection to " + b.integration.Type.Label() + "."})
		return
	}
	err := b.Accounts.Use(ctx, b.integration, func(c ports.Connection) error {
		var stopped error
		for _, l := range b.deliveries {
			if l.err = stopped; stopped != nil {
				continue
			}
			d := l.delivery
			if l.records, l.err = platform.News(ctx, c, d.Topic, d.At, d.Payload); errors.Is(l.err, ports.ErrCredentialsRefused) {
				return l.err
			}
			stopped = stopReason(l.err)
		}
		return nil
	})
	if err != nil {
		b.failAll(err)
	}
}

// stopReason returns the error for the deliveries after a failed one, or nil if they can be tried.
func stopReason(err error) error {
	var failure *ports.PlatformFailure
	var slow ports.Throttled
	switch {
	case errors.As(err, &slow):
		return slow
	case errors.As(err, &failure), errors.Is(err, context.DeadlineExceeded):
		return errWait
	}
	return nil
}

func (b *deliveryBatch) failAll(err error) {
	for _, l := range b.deliveries {
		l.records, l.err = nil, err
	}
}

// importAll imports the records of deliveries and stores the deliveries' results, in one transaction.
func (b *deliveryBatch) importAll(ctx context.Context, deliveries []*parsedDelivery) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var records []syncrun.Record
	for _, l := range deliveries {
		records = append(records, l.records...)
	}
	want := b.actions(deliveries)
	var taken ports.ImportResult
	err := b.Unit.InTx(ctx, b.project.ID, func(s ports.SyncStores) error {
		var err error
		taken, err = b.Importer.Import(ctx, s, ports.ImportScope{
			Project:     b.project,
			Integration: b.integration.ID,
			Want:        want,
		}, records)
		switch {
		case fault.Is(err, integration.ErrDisconnected().Code):
			return b.giveUp(ctx, s.Inbox, deliveries, reasonDisconnected)
		case err != nil:
			return err
		}
		if len(taken.Changes) > 0 {
			conflicts := taken.Changes[:min(len(taken.Changes), syncrun.MaxChanges)]
			if err := s.Changes.Add(ctx, b.project.ID, b.integration.ID, conflicts); err != nil {
				return err
			}
		}
		if err := failpoint.At(ctx, failpoint.HookTaken); err != nil {
			return err
		}
		return b.record(ctx, s, deliveries, taken.Outcomes)
	})
	if err != nil {
		return err
	}
	if len(taken.Products) > 0 {
		b.Changed(ctx, b.project.ID, taken.Products)
	}
	if len(want) > 0 {
		b.Wanted()
	}
	return failpoint.At(ctx, failpoint.HookWorked)
}

// actions returns the resources that the actions of the deliveries' webhooks request: once for each delivery, at its first attempt,
// even if it cannot be read. A delivery that is only postponed was not attempted.
func (b *deliveryBatch) actions(deliveries []*parsedDelivery) (want []syncrun.Resource) {
	for _, l := range deliveries {
		var slow ports.Throttled
		if w := b.webhooks[l.delivery.Webhook]; w != nil && l.delivery.Retries == 0 && !errors.As(l.err, &slow) {
			for _, a := range w.Actions {
				want = append(want, a.Resource())
			}
		}
	}
	return want
}

// record stores the results of deliveries.
func (b *deliveryBatch) record(ctx context.Context, s ports.SyncStores, deliveries []*parsedDelivery, outcomes []syncrun.Outcome) error {
	for _, l := range deliveries {
		d := *l.delivery
		b.setStatus(&d, l.err, outcomes[:len(l.records)])
		outcomes = outcomes[len(l.records):]
		if err := s.Inbox.Record(ctx, &d, l.delivery.DueAt); err != nil {
			return err
		}
	}
	return nil
}

// reasonDisconnected is the reason for giving a delivery up. It can be retried after the integration is connected again.
const reasonDisconnected = "The integration was disconnected."

// giveUp ends deliveries without success.
func (b *deliveryBatch) giveUp(ctx context.Context, box ports.Inbox, deliveries []*parsedDelivery, why string) error {
	for _, l := range deliveries {
		d := *l.delivery
		d.GiveUp(why)
		if err := box.Record(ctx, &d, l.delivery.DueAt); err != nil {
			return err
		}
	}
	return nil
}

// setStatus sets the new status of a delivery. Another attempt cannot help an unreadable body or an invalid record, but it can
// help a record that refers to one that has not arrived yet.
func (b *deliveryBatch) setStatus(d *integration.Delivery, err error, outcomes []syncrun.Outcome) {
	now := b.Clock.Now()
	var slow ports.Throttled
	var failure *ports.PlatformFailure
	var refusal *ports.PlatformRefusal
	switch {
	case err == nil:
		setStatusFromOutcomes(d, outcomes, now)
	case errors.As(err, &slow):
		d.Postpone(now.Add(min(max(slow.After, time.Second), time.Hour)))
	case errors.As(err, &failure):
		d.Failed(failure.Reason, now)
	case errors.As(err, &refusal):
		d.GiveUp(refusal.Reason)
	case errors.Is(err, ports.ErrCredentialsRefused):
		d.Failed(ports.WhyRefused(err, "The platform rejected the account's credentials."), now)
	case errors.Is(err, context.DeadlineExceeded):
		d.Failed("The platform did not respond in time.", now)
	case fault.Is(err, integration.ErrDisconnected().Code):
		d.GiveUp(reasonDisconnected)
	default:
		d.Failed("The platform's data could not be processed.", now)
	}
}

func setStatusFromOutcomes(d *integration.Delivery, outcomes []syncrun.Outcome, now time.Time) {
	for _, wanted := range []syncrun.Verdict{syncrun.Unknown, syncrun.Refused} {
		for _, o := range outcomes {
			switch {
			case o.Verdict != wanted:
			case wanted == syncrun.Unknown:
				d.Failed(o.Reason, now)
				return
			default:
				d.GiveUp(o.Reason)
				return
			}
		}
	}
	d.Done()
}

// importOne imports one delivery by itself. If that fails too, the cause is this delivery.
func (b *deliveryBatch) importOne(ctx context.Context, l *parsedDelivery) error {
	err := b.importAll(ctx, []*parsedDelivery{l})
	if err == nil || !maybeBadDelivery(err) {
		return err
	}
	b.Log.ErrorContext(ctx, "a webhook delivery could not be taken", "delivery", l.delivery.ID.String(), "error", err)
	l.records, l.err = nil, err
	return b.importAll(ctx, []*parsedDelivery{l})
}

// maybeBadDelivery reports whether a transaction may have failed because of one of its deliveries.
func maybeBadDelivery(err error) bool {
	kind := fault.KindOf(err)
	return kind != fault.Unavailable && kind != fault.NotFound && kind != fault.Limited &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
