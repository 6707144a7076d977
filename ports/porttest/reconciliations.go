package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Reconciliations is the contract of ports.Reconciliations. Each test has a database of its own, for claims go
// over all projects.
func Reconciliations(t *testing.T, open Open) {
	for name, test := range map[string]func(*shop){
		"one replica at a time compares an integration":  reconcileClaims,
		"a lapsed lease writes nothing":                  reconcileStale,
		"a failure is set aside":                         reconcileAside,
		"a difference is announced once and goes":        reconcileDifferences,
		"a balance's changes are booked once":            reconcileBooks,
		"results and sums are of what was recorded last": reconcileResults,
		"disputes that stay open are found":              reconcileOpenDisputes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, open(t)))
		})
	}
}

const longLease = time.Minute

// claimBooks claims the comparison of the one integration that the shop has.
func (s *shop) claimBooks(failed bool) *ports.Reconciliation {
	s.t.Helper()
	s.must(s.Reconciliations.Enroll(s.ctx))
	claimed, err := s.Reconciliations.Claim(s.ctx, longLease, failed)
	s.must(err)
	return claimed
}

func reconcileClaims(s *shop) {
	same(s.t, "without an integration", s.claimBooks(true), (*ports.Reconciliation)(nil))
	i := s.connect(integration.Stripe, noon)
	s.must(s.Reconciliations.Enroll(s.ctx))
	winners := 0
	claimed := make([]*ports.Reconciliation, racers)
	s.must(atOnce(racers, func(n int) (err error) {
		claimed[n], err = s.Reconciliations.Claim(s.ctx, longLease, false)
		return err
	}))
	for _, won := range claimed {
		if won != nil {
			winners++
			same(s.t, "claimed", []any{won.Project, won.Route}, []any{s.project.ID, project.PaymentRoute{Provider: "stripe", Integration: i.ID}})
		}
	}
	same(s.t, "winners", winners, 1)
}

func (s *shop) step(c *ports.Reconciliation, differences ...ports.MoneyDifference) ports.ReconciledStep {
	return ports.ReconciledStep{
		Begins: true, From: noon, To: noon.Add(time.Hour), Matched: 3, Found: len(differences), Due: c.Now, Unexplained: differences,
		Totals: []ports.ReconciledTotal{{Ours: usd(5), Theirs: usd(7)}},
	}
}

func reconcileStale(s *shop) {
	s.connect(integration.Stripe, noon)
	c := s.claimBooks(false)
	s.must(s.Reconciliations.Record(s.ctx, c, s.step(c), announce))
	for name, err := range map[string]error{
		"record": s.Reconciliations.Record(s.ctx, c, s.step(c), announce),
		"aside":  s.Reconciliations.SetAside(s.ctx, c, time.Hour, "down"),
		"book":   second(s.Reconciliations.Book(s.ctx, c, nil, noon)),
	} {
		if !fault.Is(err, "lease_lost") {
			s.t.Errorf("%s after the lease's end: %v", name, err)
		}
	}
}

func second(_ int, err error) error { return err }

func reconcileAside(s *shop) {
	s.connect(integration.Stripe, noon)
	s.must(s.Reconciliations.SetAside(s.ctx, s.claimBooks(false), 0, "Stripe does not answer."))
	same(s.t, "claimed among those that work", s.claimBooks(false), (*ports.Reconciliation)(nil))
	c := s.claimBooks(true)
	same(s.t, "failures", c.Failures, 1)
	s.must(s.Reconciliations.SetAside(s.ctx, c, time.Hour, "Stripe does not answer."))
	same(s.t, "claimed within the pause", s.claimBooks(true), (*ports.Reconciliation)(nil))
	results, err := s.Reconciliations.Results(s.ctx, s.project.ID, 10)
	s.must(err)
	same(s.t, "told", []any{results[0].Failures, results[0].LastError}, []any{2, "Stripe does not answer."})
}

var (
	missingHere = ports.MoneyDifference{
		Kind: "missing_here", Reference: "chk_1-1", Provider: "pi_1", Theirs: pointer(usd(10)), At: noon.Add(time.Minute),
	}
	amountDiffers = ports.MoneyDifference{
		Kind: "amount_differs", Refund: true, Reference: "ref_1", Provider: "re_1", Ours: pointer(usd(4)), Theirs: pointer(usd(7)),
		At: noon.Add(2 * time.Minute),
	}
)

func reconcileDifferences(s *shop) {
	s.connect(integration.Stripe, noon)
	announced := func() int {
		_, n, err := s.Log.Events(s.ctx, s.project.ID, event.MoneyUnexplainedType, ports.Page{Limit: 10})
		s.must(err)
		return n
	}
	for _, want := range []struct {
		found  []ports.MoneyDifference
		events int
	}{
		{[]ports.MoneyDifference{missingHere}, 1},
		{[]ports.MoneyDifference{missingHere}, 1}, // an hour later
		{[]ports.MoneyDifference{amountDiffers, missingHere}, 2},
		{[]ports.MoneyDifference{amountDiffers}, 2},
		{nil, 2},
	} {
		c := s.claimBooks(false)
		c.Now = noon.Add(2 * time.Hour) // of the differences' own time
		s.must(s.Reconciliations.Record(s.ctx, c, s.step(c, want.found...), announce))
		same(s.t, "events", announced(), want.events)
		results, err := s.Reconciliations.Results(s.ctx, s.project.ID, 10)
		s.must(err)
		same(s.t, "unexplained", results[0].Unexplained, len(want.found))
		same(s.t, "differences", results[0].Differences, want.found)
		sums, err := s.Reconciliations.UnexplainedMoney(s.ctx)
		s.must(err)
		total := int64(0)
		for _, sum := range sums {
			total += sum.Amount.Minor()
		}
		same(s.t, "sum", total, map[int]int64{0: 0, 1: 10, 2: 13}[len(want.found)]-map[bool]int64{true: 7}[len(want.found) == 1 && want.found[0].Refund])
	}
}

func reconcileBooks(s *shop) {
	s.connect(integration.Stripe, noon)
	change := func(reference string, amount int64) ledger.Change {
		return ledger.Change{
			ID: random[id.Transaction](), Project: s.project.ID, Provider: "stripe", Reference: reference, Amount: usd(amount), At: noon,
		}
	}
	c := s.claimBooks(false)
	for _, want := range []int{3, 0} { // the reading overlaps the one before
		booked, err := s.Reconciliations.Book(s.ctx, c, []ledger.Transaction{
			ledger.Fee(change("txn_1", -3)), ledger.Payout(change("po_1", -90)), ledger.Payout(change("txn_1", -2)), // other kinds have other ids
		}, noon)
		s.must(err)
		same(s.t, "booked", booked, want)
	}
	wallets, err := s.Ledger.Wallets(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "balance", wallets[0].Balance, usd(-95))
	same(s.t, "fees and payouts", []any{wallets[0].Fees, wallets[0].PaidOut}, []any{usd(3), usd(92)})
	s.must(s.Reconciliations.Record(s.ctx, c, s.step(c), announce))
	same(s.t, "booked until", s.claimBooks(false).Booked, noon)
}

func reconcileOpenDisputes(s *shop) {
	i := s.connect(integration.Stripe, noon)
	s.route = project.PaymentRoute{Provider: "stripe", Integration: i.ID}
	o := s.pay(s.checkout(s.session(), line(s.product(5), 1)))
	report := order.DisputeReport{
		Charge: o.Payment.Provider, Provider: "du_1", Status: order.DisputeOpen, Amount: usd(50_00), Withdrawn: usd(50_00), Fee: usd(15_00), At: noon,
	}
	reported := func() {
		s.carryOn(o.ID, func(c *order.Case) error {
			return c.ReportDispute(report, order.DisputeIDs{
				Dispute: random[id.Dispute](), Opened: random[id.Event](), Closed: random[id.Event](),
				Withdrawal: random[id.Transaction](), Fee: random[id.Transaction](),
			}, noon)
		})
	}
	claimed := s.claimBooks(false)
	open := func(r ports.Reconciliation, before time.Time, limit int) int {
		list, err := s.Reconciliations.OpenDisputes(s.ctx, &r, before, limit)
		s.must(err)
		for _, provider := range list {
			same(s.t, "open", provider, "du_1")
		}
		return len(list)
	}
	later := noon.Add(time.Millisecond)
	same(s.t, "none yet", open(*claimed, later, 9), 0)
	reported()
	same(s.t, "one", open(*claimed, later, 9), 1)
	same(s.t, "too young", open(*claimed, noon, 9), 0)
	same(s.t, "within a limit", open(*claimed, later, 0), 0)
	other := *claimed
	other.Route.Integration = random[id.Integration]()
	same(s.t, "through another integration", open(other, later, 9), 0)
	report.Status, report.At = order.DisputeLost, later
	reported()
	same(s.t, "closed", open(*claimed, later, 9), 0)
}

func reconcileResults(s *shop) {
	i := s.connect(integration.Stripe, noon)
	c := s.claimBooks(false)
	first := s.step(c)
	first.Next = first.To
	s.must(s.Reconciliations.Record(s.ctx, c, first, announce))
	c = s.claimBooks(false)
	same(s.t, "progress", c.Progress, first.To)
	last := ports.ReconciledStep{From: first.To, To: first.To.Add(time.Hour), Matched: 2, Totals: first.Totals, Due: c.Now.Add(time.Hour), Problem: "No fees."}
	s.must(s.Reconciliations.Record(s.ctx, c, last, announce))
	results, err := s.Reconciliations.Results(s.ctx, s.project.ID, 10)
	s.must(err)
	same(s.t, "result", results, []ports.ReconciliationResult{{
		Route: project.PaymentRoute{Provider: "stripe", Integration: i.ID}, From: noon, To: last.To, RanAt: c.Now, LastError: "No fees.",
		Matched: 5, Totals: []ports.ReconciledTotal{{Ours: usd(10), Theirs: usd(14)}},
	}})
	same(s.t, "due again at once", s.claimBooks(true), (*ports.Reconciliation)(nil))
}
