package finance_test

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
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Reconciliations is the contract of ports.Reconciliations. Each test has a database of its own, for claims go
// over all projects.
func Reconciliations(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*porttest.Shop){
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
			test(porttest.OpenShop(t, open(t)))
		})
	}
}

const longLease = time.Minute

// claimBooks claims the comparison of the one integration that the shop has.
func claimBooks(s *porttest.Shop, failed bool) *ports.Reconciliation {
	s.T.Helper()
	s.Must(s.Reconciliations.Enroll(s.Ctx))
	claimed, err := s.Reconciliations.Claim(s.Ctx, longLease, failed)
	s.Must(err)
	return claimed
}

func reconcileClaims(s *porttest.Shop) {
	porttest.Same(s.T, "without an integration", claimBooks(s, true), (*ports.Reconciliation)(nil))
	i := s.Connect(integration.Stripe, porttest.Noon)
	s.Must(s.Reconciliations.Enroll(s.Ctx))
	winners := 0
	claimed := make([]*ports.Reconciliation, porttest.Racers)
	s.Must(porttest.AtOnce(porttest.Racers, func(n int) (err error) {
		claimed[n], err = s.Reconciliations.Claim(s.Ctx, longLease, false)
		return err
	}))
	for _, won := range claimed {
		if won != nil {
			winners++
			porttest.Same(s.T, "claimed", []any{won.Project, won.Route}, []any{s.Project.ID, project.PaymentRoute{Provider: "stripe", Integration: i.ID}})
		}
	}
	porttest.Same(s.T, "winners", winners, 1)
}

func step(s *porttest.Shop, c *ports.Reconciliation, differences ...ports.MoneyDifference) ports.ReconciledStep {
	return ports.ReconciledStep{
		Begins:      true,
		From:        porttest.Noon,
		To:          porttest.Noon.Add(time.Hour),
		Matched:     3,
		Found:       len(differences),
		Due:         c.Now,
		Unexplained: differences,
		Totals:      []ports.ReconciledTotal{{Ours: porttest.USD(5), Theirs: porttest.USD(7)}},
	}
}

func reconcileStale(s *porttest.Shop) {
	s.Connect(integration.Stripe, porttest.Noon)
	c := claimBooks(s, false)
	s.Must(s.Reconciliations.Record(s.Ctx, c, step(s, c), porttest.Announce))
	for name, err := range map[string]error{
		"record": s.Reconciliations.Record(s.Ctx, c, step(s, c), porttest.Announce),
		"aside":  s.Reconciliations.SetAside(s.Ctx, c, time.Hour, "down"),
		"book":   second(s.Reconciliations.Book(s.Ctx, c, nil, porttest.Noon)),
	} {
		if !fault.Is(err, "lease_lost") {
			s.T.Errorf("%s after the lease's end: %v", name, err)
		}
	}
}

func second(_ int, err error) error { return err }

func reconcileAside(s *porttest.Shop) {
	s.Connect(integration.Stripe, porttest.Noon)
	s.Must(s.Reconciliations.SetAside(s.Ctx, claimBooks(s, false), 0, "Stripe does not answer."))
	porttest.Same(s.T, "claimed among those that work", claimBooks(s, false), (*ports.Reconciliation)(nil))
	c := claimBooks(s, true)
	porttest.Same(s.T, "failures", c.Failures, 1)
	s.Must(s.Reconciliations.SetAside(s.Ctx, c, time.Hour, "Stripe does not answer."))
	porttest.Same(s.T, "claimed within the pause", claimBooks(s, true), (*ports.Reconciliation)(nil))
	results, err := s.Reconciliations.Results(s.Ctx, s.Project.ID, 10)
	s.Must(err)
	porttest.Same(s.T, "told", results[0].LastError, "Stripe does not answer.")
}

var (
	missingHere = ports.MoneyDifference{
		Reference: "chk_1-1",
		Provider:  "pi_1",
		Theirs:    porttest.Pointer(porttest.USD(10)),
		At:        porttest.Noon.Add(time.Minute),
	}
	amountDiffers = ports.MoneyDifference{
		Refund:    true,
		Reference: "ref_1",
		Provider:  "re_1",
		Ours:      porttest.Pointer(porttest.USD(4)),
		Theirs:    porttest.Pointer(porttest.USD(7)),
		At:        porttest.Noon.Add(2 * time.Minute),
	}
)

func reconcileDifferences(s *porttest.Shop) {
	s.Connect(integration.Stripe, porttest.Noon)
	announced := func() int {
		_, n, err := s.Log.Events(s.Ctx, s.Project.ID, event.MoneyUnexplainedType, ports.Page{Limit: 10})
		s.Must(err)
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
		c := claimBooks(s, false)
		c.Now = porttest.Noon.Add(2 * time.Hour) // of the differences' own time
		s.Must(s.Reconciliations.Record(s.Ctx, c, step(s, c, want.found...), porttest.Announce))
		porttest.Same(s.T, "events", announced(), want.events)
		results, err := s.Reconciliations.Results(s.Ctx, s.Project.ID, 10)
		s.Must(err)
		porttest.Same(s.T, "unexplained", results[0].Unexplained, len(want.found))
		porttest.Same(s.T, "differences", results[0].Differences, want.found)
		sums, err := s.Reconciliations.UnexplainedMoney(s.Ctx)
		s.Must(err)
		total := int64(0)
		for _, sum := range sums {
			total += sum.Amount.Minor()
		}
		porttest.Same(s.T, "sum", total, map[int]int64{0: 0, 1: 10, 2: 13}[len(want.found)]-map[bool]int64{true: 7}[len(want.found) == 1 && want.found[0].Refund])
	}
}

func reconcileBooks(s *porttest.Shop) {
	s.Connect(integration.Stripe, porttest.Noon)
	change := func(kind ledger.Kind, reference string, amount int64) ledger.Transaction {
		return ledger.Change(kind, ledger.Transaction{
			ID:        porttest.Random[id.Transaction](),
			Project:   s.Project.ID,
			Provider:  "stripe",
			Reference: reference,
			At:        porttest.Noon,
		}, porttest.USD(amount))
	}
	c := claimBooks(s, false)
	for _, want := range []int{3, 0} { // the reading overlaps the one before
		booked, err := s.Reconciliations.Book(s.Ctx, c, []ledger.Transaction{
			change(ledger.FeeKind, "txn_1", -3), change(ledger.PayoutKind, "po_1", -90), change(ledger.PayoutKind, "txn_1", -2), // other kinds have other ids
		}, porttest.Noon)
		s.Must(err)
		porttest.Same(s.T, "booked", booked, want)
	}
	wallets, err := s.Ledger.Wallets(s.Ctx, s.Project.ID)
	s.Must(err)
	porttest.Same(s.T, "balance", wallets[0].Balance, porttest.USD(-95))
	porttest.Same(s.T, "fees and payouts", []any{wallets[0].Fees, wallets[0].PaidOut}, []any{porttest.USD(3), porttest.USD(92)})
	s.Must(s.Reconciliations.Record(s.Ctx, c, step(s, c), porttest.Announce))
	porttest.Same(s.T, "booked until", claimBooks(s, false).Booked, porttest.Noon)
}

func reconcileOpenDisputes(s *porttest.Shop) {
	i := s.Connect(integration.Stripe, porttest.Noon)
	s.Route = project.PaymentRoute{Provider: "stripe", Integration: i.ID}
	o := s.Pay(s.Checkout(s.Session(), porttest.Line(s.Product(5), 1)))
	report := order.DisputeReport{
		Charge:    o.Payment.Provider,
		Provider:  "du_1",
		Status:    order.DisputeOpen,
		Amount:    porttest.USD(50_00),
		Withdrawn: porttest.USD(50_00),
		Fee:       porttest.USD(15_00),
		At:        porttest.Noon,
	}
	reported := func() {
		s.CarryOn(o.ID, func(c *order.Case) error {
			return c.ReportDispute(report, order.DisputeIDs{
				Dispute:    porttest.Random[id.Dispute](),
				Opened:     porttest.Random[id.Event](),
				Closed:     porttest.Random[id.Event](),
				Withdrawal: porttest.Random[id.Transaction](),
				Fee:        porttest.Random[id.Transaction](),
			}, porttest.Noon)
		})
	}
	claimed := claimBooks(s, false)
	open := func(r ports.Reconciliation, before time.Time, limit int) int {
		list, err := s.Reconciliations.OpenDisputes(s.Ctx, &r, before, limit)
		s.Must(err)
		for _, provider := range list {
			porttest.Same(s.T, "open", provider, "du_1")
		}
		return len(list)
	}
	later := porttest.Noon.Add(time.Millisecond)
	porttest.Same(s.T, "none yet", open(*claimed, later, 9), 0)
	reported()
	porttest.Same(s.T, "one", open(*claimed, later, 9), 1)
	porttest.Same(s.T, "too young", open(*claimed, porttest.Noon, 9), 0)
	porttest.Same(s.T, "within a limit", open(*claimed, later, 0), 0)
	other := *claimed
	other.Route.Integration = porttest.Random[id.Integration]()
	porttest.Same(s.T, "through another integration", open(other, later, 9), 0)
	report.Status, report.At = order.DisputeLost, later
	reported()
	porttest.Same(s.T, "closed", open(*claimed, later, 9), 0)
}

func reconcileResults(s *porttest.Shop) {
	i := s.Connect(integration.Stripe, porttest.Noon)
	c := claimBooks(s, false)
	first := step(s, c)
	first.Next = first.To
	s.Must(s.Reconciliations.Record(s.Ctx, c, first, porttest.Announce))
	c = claimBooks(s, false)
	porttest.Same(s.T, "progress", c.Progress, first.To)
	last := ports.ReconciledStep{
		From:    first.To,
		To:      first.To.Add(time.Hour),
		Matched: 2,
		Totals:  first.Totals,
		Due:     c.Now.Add(time.Hour),
		Problem: "No fees.",
	}
	s.Must(s.Reconciliations.Record(s.Ctx, c, last, porttest.Announce))
	results, err := s.Reconciliations.Results(s.Ctx, s.Project.ID, 10)
	s.Must(err)
	porttest.Same(s.T, "result", results, []ports.ReconciliationResult{{
		Route: project.PaymentRoute{Provider: "stripe", Integration: i.ID}, From: porttest.Noon, To: last.To, RanAt: c.Now, LastError: "No fees.",
		Matched: 5, Totals: []ports.ReconciledTotal{{Ours: porttest.USD(10), Theirs: porttest.USD(14)}},
	}})
	porttest.Same(s.T, "due again at once", claimBooks(s, true), (*ports.Reconciliation)(nil))
}
