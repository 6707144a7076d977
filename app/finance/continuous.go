package finance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// roundInterval is the pause between two rounds of an integration. A round compares yesterday, today
	// and the days with unexplained differences.
	roundInterval = time.Hour
	// window is the time span that one step compares. A busy account's statement of it is read well within stepTime.
	window = 6 * time.Hour
	// minAge is the minimum age of the movements that a step compares, in addition to the lag of the provider's statement,
	// because younger ones may be missing in one of the books.
	minAge = 10 * time.Minute
	// stepTime limits a step; stepLease is longer.
	stepTime  = 100 * time.Second
	stepLease = 2 * time.Minute
	// workers is how many integrations are compared concurrently. Those whose last step failed share half of the
	// workers, so that providers that hang do not delay others.
	workers = 4
	// runTime is how long a run begins new steps.
	runTime = 2 * time.Minute
	// firstPause is the pause of an integration after a failed step; it doubles up to roundInterval.
	firstPause = time.Minute
	// overlap is how far before the last booked balance change the report is read again, because providers report some
	// changes late. balanceSpan is how far beyond it one step reads, in parts of balancePart. A part has at most
	// maxChanges and is booked before the next one is read. bookTime limits booking, so that time is left to compare.
	overlap     = 3 * 24 * time.Hour
	balanceSpan = 14 * 24 * time.Hour
	balancePart = 12 * time.Hour
	maxChanges  = 50_000
	bookTime    = stepTime / 2
	// maxPassedOn is how many charges without an order one step passes to Purchases.
	maxPassedOn = 100
)

// Purchases handles charges without an order: it completes the attempt if that is in flight, and otherwise refunds the
// charge.
type Purchases interface {
	RecordOutcome(ctx context.Context, project id.Project, key string, outcome checkout.Outcome) error
}

// Reports records refunds and disputes as the provider's webhooks do. Reports may repeat.
type Reports interface {
	Record(ctx context.Context, project id.Project, news ports.PaymentEvent) error
}

// Reconciler reconciles the payments of all projects continuously, books fees and payouts, and emits events for unexplained
// differences. Several replicas may run it concurrently.
type Reconciler struct {
	*Service
	Reconciliations ports.Reconciliations
	Balances        ports.BalanceGateway
	Accounts        ports.AccountBooks
	Purchases       Purchases
	Reports         Reports
	Entropy         ports.Entropy
	Log             *slog.Logger
	Announced       func() // wakes the delivery of events
}

// Run executes the steps that are due. An integration whose step fails is paused, and does not delay others.
func (r *Reconciler) Run(ctx ports.Outbound) error {
	if err := r.Reconciliations.Enroll(ctx); err != nil {
		return err
	}
	begin, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	var all errgroup.Group
	failed := make([]error, workers)
	for i := range workers {
		all.Go(func() error {
			for begin.Err() == nil {
				claimed, err := r.Reconciliations.Claim(ctx, stepLease, i < workers/2)
				if err != nil || claimed == nil {
					failed[i] = errors.Join(failed[i], err)
					return nil
				}
				failed[i] = errors.Join(failed[i], r.attempt(ctx, claimed))
			}
			return nil
		})
	}
	_ = all.Wait()
	return errors.Join(failed...)
}

// attempt executes a step, and pauses its integration if it fails.
func (r *Reconciler) attempt(ctx ports.Outbound, c *ports.Reconciliation) error {
	bounded, cancel := ctx.WithTimeout(stepTime)
	defer cancel()
	err := fault.Survive(func() error { return r.step(bounded, c) })
	if err == nil || fault.Is(err, "lease_lost") {
		return nil
	}
	pause := min(firstPause<<min(c.Failures, 10), roundInterval)
	reason := "The comparison failed."
	if known := (*fault.Error)(nil); errors.As(err, &known) {
		reason = known.Message
	}
	aside := r.Reconciliations.SetAside(context.WithoutCancel(ctx), c, pause, reason)
	return errors.Join(fmt.Errorf("the books of %s with %s: %w", c.Project, c.Route.Provider, err), aside)
}

// step compares one window and, at the end of a round, books balance changes and looks up open disputes.
func (r *Reconciler) step(ctx ports.Outbound, c *ports.Reconciliation) error {
	s := nextWindow(c, c.Now.Add(-minAge-r.lag(c)))
	if s.Next.IsZero() {
		if err := r.book(ctx, c); err != nil && !errors.Is(err, ports.ErrBookedElsewhere) {
			r.Log.WarnContext(ctx, "fees and payouts are not booked yet", "project", c.Project.String(), "provider", c.Route.Provider, "error", err)
			s.Problem = "The provider's fees and payouts cannot be read."
		}
		if err := r.lookUpDisputes(ctx, c); err != nil {
			r.Log.WarnContext(ctx, "open disputes cannot be looked up", "project", c.Project.String(), "provider", c.Route.Provider, "error", err)
		}
	}
	if s.From.Before(s.To) {
		if err := r.compareWindow(ctx, c, &s); err != nil {
			return err
		}
	}
	s.Due = c.Now
	if s.Next.IsZero() {
		s.Due = c.Now.Add(roundInterval)
	}
	announced := false
	err := r.Reconciliations.Record(ctx, c, s, func(p id.Project, at time.Time, d event.Data) *event.Event {
		announced = true
		return event.New(r.Entropy.IDBits(), p, at, d)
	})
	if err == nil && announced {
		r.Log.ErrorContext(ctx, "the payment provider's books differ from ours", "project", c.Project.String(), "provider", c.Route.Provider,
			"from", s.From, "to", s.To, "differences", len(s.Unexplained))
		r.Announced()
	}
	return err
}

// lag returns how late movements appear in the provider's statement.
func (r *Reconciler) lag(c *ports.Reconciliation) time.Duration {
	if late, ok := r.Gateway.(ports.StatementLag); ok {
		return late.StatementLag(c.Route)
	}
	return 0
}

// nextWindow returns the window that the next step of a round compares. A round covers the days with unexplained
// differences, yesterday, and today until end.
func nextWindow(c *ports.Reconciliation, end time.Time) ports.ReconciledStep {
	yesterday := c.Now.UTC().Truncate(24 * time.Hour).Add(-24 * time.Hour)
	next := func(after time.Time) time.Time {
		for _, at := range c.Unexplained {
			if !at.Before(after) && at.Before(yesterday) {
				return at
			}
		}
		return later(after, yesterday)
	}
	s := ports.ReconciledStep{Begins: c.Progress.IsZero(), From: c.Progress}
	if s.Begins {
		s.From = next(c.Now.Add(-longestSpan))
	}
	s.To = s.From.Add(window)
	if !s.To.Before(end) {
		s.To = later(end, s.From)
		return s
	}
	s.Next = next(s.To)
	return s
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// compareWindow compares the step's window and fills in the step's result.
func (r *Reconciler) compareWindow(ctx ports.Outbound, c *ports.Reconciliation, s *ports.ReconciledStep) error {
	moved, err := r.Payments.Moved(ctx, c.Project, s.From.Add(-skew), s.To.Add(skew), maxMovements+1)
	if err != nil {
		return err
	}
	if len(moved) > maxMovements {
		return tooMuch()
	}
	passedOn := 0
	comparison := newComparison(c.Route, moved, s.From, s.To)
	comparison.claim = func(m ports.Movement) {
		if passedOn++; passedOn > maxPassedOn {
			return
		}
		if err := r.Purchases.RecordOutcome(ctx, c.Project, m.Key, checkout.Paid{Provider: m.Provider}); err != nil {
			r.Log.ErrorContext(ctx, "a charge without an order is not recorded yet", "project", c.Project.String(), "charge", m.Provider, "error", err)
		}
	}
	report, err := r.compare(ctx, c.Project, comparison)
	if err != nil {
		return err
	}
	s.Matched, s.Found = report.Matched, report.Found
	s.Totals = totalsOf(report)
	for _, d := range report.Differences {
		if d.State == (ports.MovementState{}) {
			s.Unexplained = append(s.Unexplained, d)
		}
	}
	return nil
}

// book books balance changes, as far as one step reads: first the new ones, then late ones in the overlap. Each step
// makes progress, even if there are too many for one.
func (r *Reconciler) book(ctx ports.Outbound, c *ports.Reconciliation) error {
	ctx, cancel := ctx.WithTimeout(bookTime)
	defer cancel()
	account, err := r.Accounts.AccountBooked(ctx, c)
	if err != nil {
		return err
	}
	since := forever
	if c.Account = account.Books; c.Account {
		c.Booked, c.Others, since = account.Until, account.Others, account.Others
	}
	end := earlier(c.Booked.Add(balanceSpan), c.Now)
	for from := c.Booked; from.Before(end); from = from.Add(balancePart) {
		to := earlier(from.Add(balancePart), end)
		if err := r.bookPart(ctx, c, since, from, to, to); err != nil {
			return err
		}
	}
	for from := c.Booked.Add(-overlap); from.Before(c.Booked); from = from.Add(balancePart) {
		if err := r.bookPart(ctx, c, since, from, earlier(from.Add(balancePart), c.Booked), later(end, c.Booked)); err != nil {
			return err
		}
	}
	return nil
}

// forever is later than any change.
var forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// bookPart books the changes of the balance report between from and to, and records until as the time up to which changes are
// booked. Changes of the account itself, such as payouts, are booked only from since on.
func (r *Reconciler) bookPart(ctx ports.Outbound, c *ports.Reconciliation, since, from, to, until time.Time) error {
	request := ports.StatementRequest{
		Project: c.Project,
		Route:   c.Route,
		From:    from,
		To:      to,
	}
	var changes []ports.BalanceChange
	var news []ports.PaymentEvent
	err := r.Balances.BalanceChanges(ctx, request, func(change ports.BalanceChange) error {
		if change.Kind == ports.BalanceNews {
			news = append(news, change.News)
			return nil
		}
		if len(changes) == maxChanges {
			return errors.New("too many changes of the balance")
		}
		changes = append(changes, change)
		return nil
	})
	if err != nil {
		return unanswered(c.Route, err)
	}
	r.report(ctx, c, news)
	of, err := r.ordersOf(ctx, c, changes)
	if err != nil {
		return err
	}
	transactions := make([]ledger.Transaction, 0, len(changes))
	for _, change := range changes {
		charged, ours := of[change.Charge]
		orphan := ours && charged.Payment.IsZero()
		switch ofCharge := change.Charge != "" && change.Kind == ports.BalanceFee; {
		case !ours && (change.At.Before(since) || ofCharge): // another project's, or of a charge that is not in the books yet
			continue
		case change.Kind == ports.BalanceDispute && !orphan: // booked with the dispute's reports
			continue
		}
		transactions = append(transactions, r.transaction(c, change, charged))
	}
	_, err = r.Reconciliations.Book(ctx, c, transactions, until)
	return err
}

// report records refunds and disputes, because their webhooks may have been lost. One that cannot be recorded is read again while
// it is in the overlap, and does not delay others.
func (r *Reconciler) report(ctx context.Context, c *ports.Reconciliation, news []ports.PaymentEvent) {
	for _, n := range news {
		err := r.Reports.Record(ctx, c.Project, n)
		switch {
		case fault.Is(err, "payment_undecided"):
			r.Log.InfoContext(ctx, "a refund or dispute of the balance report may be of an undecided payment", "project", c.Project.String(),
				"provider", c.Route.Provider)
		case err != nil:
			r.Log.WarnContext(ctx, "a refund or dispute of the balance report is not recorded", "project", c.Project.String(),
				"provider", c.Route.Provider, "error", err)
		}
	}
}

// ordersOf finds the payments of the charges that changes belong to. An orphan charge has none.
func (r *Reconciler) ordersOf(ctx context.Context, c *ports.Reconciliation, changes []ports.BalanceChange) (map[string]ports.Moved, error) {
	var named []ports.Movement
	for _, change := range changes {
		if change.Charge != "" {
			named = append(named, ports.Movement{Provider: change.Charge})
		}
	}
	of := map[string]ports.Moved{}
	for part := range slices.Chunk(named, lookUpBatch) {
		known, err := r.Payments.FindMovements(ctx, c.Project, c.Route, part)
		if err != nil {
			return nil, err
		}
		for _, k := range known {
			if k.Provider != "" { // an orphan's refund has no provider id before it is made
				of[k.Provider] = k.Moved
			}
		}
	}
	return of, nil
}

// kinds maps kinds of balance changes to those of the ledger. All others are adjustments.
var kinds = map[ports.BalanceKind]ledger.Kind{ports.BalanceFee: ledger.FeeKind, ports.BalancePayout: ledger.PayoutKind}

func (r *Reconciler) transaction(c *ports.Reconciliation, b ports.BalanceChange, of ports.Moved) ledger.Transaction {
	return ledger.Change(cmp.Or(kinds[b.Kind], ledger.AdjustmentKind), ledger.Transaction{
		ID:        id.New[id.Transaction](r.Entropy.IDBits()),
		Project:   c.Project,
		Provider:  c.Route.Provider,
		Reference: b.Provider,
		Order:     of.Order,
		Payment:   of.Payment,
		At:        b.At,
	}, b.Amount)
}

// totalsOf returns the report's totals by currency.
func totalsOf(r Report) (totals []ports.ReconciledTotal) {
	for _, ours := range r.Ours {
		totals = append(totals, ports.ReconciledTotal{Ours: ours, Theirs: money.Zero(ours.Currency())})
	}
	for _, theirs := range r.Theirs {
		i := slices.IndexFunc(totals, func(t ports.ReconciledTotal) bool { return t.Ours.Currency() == theirs.Currency() })
		if i < 0 {
			i, totals = len(totals), append(totals, ports.ReconciledTotal{Ours: money.Zero(theirs.Currency())})
		}
		totals[i].Theirs = theirs
	}
	return totals
}
