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

// job is deliveries of one integration that are worked on together.
type job struct {
	*Worker
	project     *project.Project
	integration *integration.Integration
	webhooks    map[id.Webhook]*integration.Webhook
	letters     []*letter
}

// letter is a delivery that is opened.
type letter struct {
	delivery *integration.Delivery // as it was claimed
	records  []syncrun.Record
	err      error // why it could not be read
}

// work works on deliveries of one integration. An error leaves them to their lease.
func (w *Worker) work(ctx ports.Outbound, list []*integration.Delivery) error {
	j := &job{Worker: w}
	for _, d := range list {
		j.letters = append(j.letters, &letter{delivery: d})
	}
	err := j.open(ctx, list[0])
	switch {
	case fault.KindOf(err) == fault.NotFound:
		ctx, cancel := context.WithTimeout(ctx, storing)
		defer cancel()
		for _, l := range j.letters {
			l.delivery.Payload = nil
		}
		return j.giveUp(ctx, w.Inbox, j.letters, "The integration is gone.") // nobody else ends what came when it went
	case err != nil:
		return err
	}
	j.read(ctx)
	if err = j.take(ctx, j.letters); err == nil || !worthTrying(err) {
		return err
	}
	err = nil
	for _, l := range j.letters { // none is to fail because of another
		err = errors.Join(err, j.alone(ctx, l))
	}
	return err
}

func (j *job) open(ctx context.Context, of *integration.Delivery) (err error) {
	if j.project, err = j.Projects.ByProject(ctx, of.Project); err != nil {
		return err
	}
	if j.integration, err = j.Integrations.ByID(ctx, of.Project, of.Integration); err != nil {
		return err
	}
	j.webhooks, err = j.topics(ctx, j.integration)
	return err
}

// errWait is for deliveries that were not tried because the platform did not answer about one before.
var errWait = ports.Throttled{After: 2 * time.Second}

// read finds out what the deliveries tell, which may take asking the platform. Once it does not answer, or
// asks for patience, it is asked no more.
func (j *job) read(ctx ports.Outbound) {
	ctx, cancel := ctx.WithTimeout(reading)
	defer cancel()
	platform := j.Platforms[j.integration.Type.String()]
	if platform == nil {
		j.all(&ports.PlatformRefusal{Reason: "This server has no connection to " + j.integration.Type.Label() + "."})
		return
	}
	err := j.Accounts.Use(ctx, j.integration, func(c ports.Connection) error {
		var stopped error
		for _, l := range j.letters {
			if l.err = stopped; stopped != nil {
				continue
			}
			d := l.delivery
			if l.records, l.err = platform.News(ctx, c, d.Topic, d.At, d.Payload); errors.Is(l.err, ports.ErrCredentialsRefused) {
				return l.err
			}
			stopped = stops(l.err)
		}
		return nil
	})
	if err != nil {
		j.all(err)
	}
}

// stops is what a failure means for deliveries after it; nil: nothing.
func stops(err error) error {
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

func (j *job) all(err error) {
	for _, l := range j.letters {
		l.records, l.err = nil, err
	}
}

// take takes what letters tell, and records what became of them, in one transaction.
func (j *job) take(ctx context.Context, letters []*letter) error {
	ctx, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	var records []syncrun.Record
	for _, l := range letters {
		records = append(records, l.records...)
	}
	want := j.actions(letters)
	var taken ports.Taken
	err := j.Unit.InTx(ctx, j.project.ID, func(s ports.SyncStores) error {
		var err error
		taken, err = j.Taker.Take(ctx, s, ports.Taking{
			Project:     j.project,
			Integration: j.integration.ID,
			Want:        want,
		}, records)
		switch {
		case fault.Is(err, integration.ErrDisconnected().Code):
			return j.giveUp(ctx, s.Inbox, letters, reasonDisconnected)
		case err != nil:
			return err
		}
		if len(taken.Changes) > 0 {
			conflicts := taken.Changes[:min(len(taken.Changes), syncrun.MaxChanges)]
			if err := s.Changes.Add(ctx, j.project.ID, j.integration.ID, conflicts); err != nil {
				return err
			}
		}
		if err := failpoint.At(ctx, failpoint.HookTaken); err != nil {
			return err
		}
		return j.record(ctx, s, letters, taken.Outcomes)
	})
	if err != nil {
		return err
	}
	if len(taken.Products) > 0 {
		j.Changed(ctx, j.project.ID, taken.Products)
	}
	if len(want) > 0 {
		j.Wanted()
	}
	return failpoint.At(ctx, failpoint.HookWorked)
}

// actions are what the letters' webhooks want to be read: once for each delivery, however often it is tried,
// whether or not it can be read by then. One that is only put off is not tried.
func (j *job) actions(letters []*letter) (want []syncrun.Resource) {
	for _, l := range letters {
		var slow ports.Throttled
		if w := j.webhooks[l.delivery.Webhook]; w != nil && l.delivery.Retries == 0 && !errors.As(l.err, &slow) {
			for _, a := range w.Actions {
				want = append(want, a.Resource())
			}
		}
	}
	return want
}

// record stores what became of letters.
func (j *job) record(ctx context.Context, s ports.SyncStores, letters []*letter, outcomes []syncrun.Outcome) error {
	for _, l := range letters {
		d := *l.delivery
		j.judge(&d, l.err, outcomes[:len(l.records)])
		outcomes = outcomes[len(l.records):]
		if err := s.Inbox.Record(ctx, &d, l.delivery.DueAt); err != nil {
			return err
		}
	}
	return nil
}

// reasonDisconnected says why a delivery is given up. It can be tried again once the integration is connected.
const reasonDisconnected = "The integration was disconnected."

// giveUp gives deliveries up.
func (j *job) giveUp(ctx context.Context, box ports.Inbox, letters []*letter, why string) error {
	for _, l := range letters {
		d := *l.delivery
		d.GiveUp(why)
		if err := box.Record(ctx, &d, l.delivery.DueAt); err != nil {
			return err
		}
	}
	return nil
}

// judge decides what becomes of a delivery. What cannot be read, and a record that is not acceptable, would
// be no better the next time. What it tells of may yet come.
func (j *job) judge(d *integration.Delivery, err error, outcomes []syncrun.Outcome) {
	now := j.Clock.Now()
	var slow ports.Throttled
	var failure *ports.PlatformFailure
	var refusal *ports.PlatformRefusal
	switch {
	case err == nil:
		judgeRecords(d, outcomes, now)
	case errors.As(err, &slow):
		d.Postpone(now.Add(min(max(slow.After, time.Second), time.Hour)))
	case errors.As(err, &failure):
		d.Failed(failure.Reason, now)
	case errors.As(err, &refusal):
		d.GiveUp(refusal.Reason)
	case errors.Is(err, ports.ErrCredentialsRefused):
		d.Failed(ports.WhyRefused(err, "The platform refused the account's credentials."), now)
	case errors.Is(err, context.DeadlineExceeded):
		d.Failed("The platform did not answer in time.", now)
	case fault.Is(err, integration.ErrDisconnected().Code):
		d.GiveUp(reasonDisconnected)
	default:
		d.Failed("What the platform sent could not be worked on.", now)
	}
}

func judgeRecords(d *integration.Delivery, outcomes []syncrun.Outcome, now time.Time) {
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

// alone works on one letter by itself. If that fails too, it is the letter's fault.
func (j *job) alone(ctx context.Context, l *letter) error {
	err := j.take(ctx, []*letter{l})
	if err == nil || !worthTrying(err) {
		return err
	}
	j.Log.ErrorContext(ctx, "a webhook delivery could not be taken", "delivery", l.delivery.ID.String(), "error", err)
	l.records, l.err = nil, err
	return j.take(ctx, []*letter{l})
}

// worthTrying reports whether a transaction may have failed because of one of its deliveries.
func worthTrying(err error) bool {
	kind := fault.KindOf(err)
	return kind != fault.Unavailable && kind != fault.NotFound && kind != fault.Limited &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
