package order_test

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

func eventID(n byte) id.Event       { return id.New[id.Event]([16]byte{n}) }
func entryID(n byte) id.Transaction { return id.New[id.Transaction]([16]byte{100, n}) }

func refundIDs(n byte) order.RefundIDs {
	return order.RefundIDs{
		Refund:   refundID(n),
		Announce: eventID(n),
		Reversal: entryID(n),
	}
}

func disputeIDs(n byte) order.DisputeIDs {
	return order.DisputeIDs{
		Dispute:    id.New[id.Dispute]([16]byte{n}),
		Opened:     eventID(n),
		Closed:     eventID(n + 100),
		Withdrawal: entryID(n),
		Fee:        entryID(n + 100),
	}
}

// held returns the provider's funds and the balance of another account in the ledger.
func held(c *order.Case, of ledger.Account) (funds, other int64) {
	for _, transaction := range append([]ledger.Transaction{c.Order.Sale()}, c.Ledger...) {
		for _, e := range transaction.Entries() {
			switch e.Account {
			case ledger.Funds("stripe"):
				funds += e.Amount.Minor()
			case of:
				other += e.Amount.Minor()
			}
		}
	}
	return funds, other
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventTypes returns the types of the case's events.
func eventTypes(c *order.Case) (types []string) {
	for _, e := range c.Events {
		types = append(types, e.Data.Type().String())
	}
	return types
}

// announced returns the types of the case's events, and checks that their sequence numbers have no gaps.
func announced(t *testing.T, c *order.Case) []string {
	t.Helper()
	for i, e := range c.Events {
		sequence := reflect.ValueOf(e.Data).FieldByName("Sequence").Int()
		if sequence != int64(i+2) { // order.completed was the first
			t.Errorf("event %d, %s, has sequence %d", i, e.Data.Type(), sequence)
		}
	}
	if c.Order.Sequence != len(c.Events)+1 {
		t.Errorf("the order is at %d after %d events", c.Order.Sequence, len(c.Events)+1)
	}
	return eventTypes(c)
}

func TestCase_announcesLifecycle(t *testing.T) {
	t.Parallel()
	c := opened()
	must(t, c.Ship("DHL", "1", "", eventID(1), placed))
	must(t, c.Ship("DHL", "1", "", eventID(2), later))
	must(t, c.Ship("", "2", "", eventID(3), later))
	must(t, c.Deliver(eventID(4), later))
	for n := range byte(2) {
		_, err := c.RequestReturn(returnID(n), []order.ReturnItem{back(green, 1)}, "", terms, eventID(5+n), later)
		must(t, err)
	}
	must(t, c.ApproveReturn(returnID(0), refundID(1), nil, true, eventID(7), later))
	must(t, c.RejectReturn(returnID(1), "Worn", eventID(8), later))
	must(t, c.SettleRefund(refundID(1), order.RefundFailed{Code: "lost_card"}, eventID(9), later))
	must(t, c.Refund(refundID(2), nil, "", later))
	must(t, c.SettleRefund(refundID(2), order.Refunded{Provider: "re_2"}, eventID(10), later))
	want := []string{
		"order.shipped", "order.updated", "order.delivered", "return.requested", "return.requested", "return.approved",
		"return.rejected", "refund.failed", "order.refunded",
	}
	if got := announced(t, c); !reflect.DeepEqual(got, want) {
		t.Errorf("announced %v, want %v", got, want)
	}
	canceled := opened()
	must(t, canceled.Cancel(refundID(1), "Twice", eventID(1), later))
	if got, want := canceled.Events[0].Data, (event.OrderCanceled{
		Order:    canceled.Order.ID,
		Sequence: 2,
		Reason:   "Twice",
		Refund:   refundID(1),
		Amount:   canceled.Order.Total,
	}); got != want {
		t.Errorf("announced %+v, want %+v", got, want)
	}
}

// A refund fails after it had succeeded: everything except the history is as if it had not been made.
func TestReverseRefund(t *testing.T) {
	t.Parallel()
	c := opened()
	must(t, c.Refund(refundID(1), nil, "", placed))
	must(t, c.SettleRefund(refundID(1), order.Refunded{Provider: "re_1"}, eventID(1), placed))
	if c.Order.Status != order.StatusRefunded {
		t.Errorf("a fully refunded order is %s", c.Order.Status)
	}
	for range 2 { // webhooks repeat
		must(t, c.ReverseRefund(refundID(1), order.RefundFailed{Code: "expired_card"}, eventID(2), entryID(2), later))
	}
	r, p := c.Refunds[0], c.Order.Payment
	if r.Status != order.RefundIsFailed || r.Failure != "expired_card" || !r.ReversedAt.Equal(later) {
		t.Errorf("%+v", r)
	}
	if !p.Refunded.IsZero() || p.Left() != p.Amount || p.Status() != order.Succeeded || c.Order.Status != order.Confirmed {
		t.Errorf("%+v, order %s", p, c.Order.Status)
	}
	if funds, refunds := held(c, ledger.Refunds); funds != p.Amount.Minor() || refunds != 0 || len(c.Ledger) != 2 {
		t.Errorf("the provider holds %d, refunds are %d, in %d transactions", funds, refunds, len(c.Ledger))
	}
	want := event.RefundFailed{
		Refund:    r.ID,
		Order:     c.Order.ID,
		Sequence:  3,
		Payment:   p.ID,
		Amount:    p.Amount,
		Refunded:  cents(0),
		Failure:   "expired_card",
		Succeeded: true,
	}
	if got := c.Events[1:]; len(got) != 1 || got[0].Data != want {
		t.Errorf("announced %+v, want %+v", got, want)
	}
	if err := c.SettleRefund(refundID(1), order.Refunded{Provider: "re_1"}, eventID(3), later); !fault.Is(err, order.ErrStaleOutcome.Code) {
		t.Errorf("a late success after the failure: %v", err)
	}
}

// A person returned the money by another refund at the provider, and the requested one is reported as failed.
func TestReverseRefund_ofAnother(t *testing.T) {
	t.Parallel()
	for failed, want := range map[string]order.RefundStatus{
		"re_other": order.RefundSucceeded, "re_1": order.RefundIsFailed, "": order.RefundIsFailed,
	} {
		c := opened()
		must(t, c.Refund(refundID(1), nil, "", placed))
		must(t, c.SettleRefund(refundID(1), order.Refunded{Provider: "re_1"}, eventID(1), placed))
		must(t, c.ReverseRefund(refundID(1), order.RefundFailed{Code: "expired_card", Provider: failed}, eventID(2), entryID(2), later))
		if got := c.Refunds[0].Status; got != want {
			t.Errorf("%q failed: the refund by re_1 is %s, want %s", failed, got, want)
		}
	}
}

func TestReverseRefund_canceledOrderStaysCanceled(t *testing.T) {
	t.Parallel()
	c := opened()
	must(t, c.Cancel(refundID(1), "", eventID(1), placed))
	must(t, c.SettleRefund(refundID(1), order.Refunded{}, eventID(2), placed))
	must(t, c.ReverseRefund(refundID(1), order.RefundFailed{Code: "expired_card"}, eventID(3), entryID(3), later))
	if c.Order.Status != order.Canceled {
		t.Errorf("it is %s", c.Order.Status)
	}
	if err := c.ReverseRefund(refundID(9), order.RefundFailed{}, eventID(4), entryID(4), later); !fault.Is(err, "refund_not_found") {
		t.Errorf("an unknown refund: %v", err)
	}
}

func elsewhere(amount int64, outcome order.RefundOutcome) order.ExternalRefund {
	return order.ExternalRefund{
		Charge:   "ch_1",
		Provider: "re_x",
		Amount:   cents(amount),
		Outcome:  outcome,
		At:       placed,
	}
}

func TestReportRefund(t *testing.T) {
	t.Parallel()
	c := opened()
	for range 2 {
		must(t, c.ReportRefund(elsewhere(100_00, order.Refunded{Provider: "re_x"}), refundIDs(1), later))
	}
	p := c.Order.Payment
	if len(c.Refunds) != 1 || c.Refunds[0].Origin != order.MadeElsewhere || p.Refunded != cents(100_00) || p.Left() != cents(221_73) || !p.Refunding.IsZero() {
		t.Errorf("%+v of %+v", c.Refunds, p)
	}
	if funds, _ := held(c, ledger.Refunds); funds != 221_73 {
		t.Errorf("the provider holds %d", funds)
	}
	if refunded, ok := c.Events[0].Data.(event.OrderRefunded); len(c.Events) != 1 || !ok || !refunded.External {
		t.Errorf("announced %+v", c.Events)
	}
	if err := c.ReportRefund(order.ExternalRefund{
		Provider: "re_y",
		Amount:   cents(300_00),
		Outcome:  order.Refunded{},
	}, refundIDs(2), later); !fault.Is(err, "refund_exceeds_payment") {
		t.Errorf("more than was paid: %v", err)
	}
}

// A charge that is reversed completely returns what earlier refunds have left.
func TestReportRefund_reversalOfTheWhole(t *testing.T) {
	t.Parallel()
	c := opened()
	amount := cents(100_00)
	must(t, c.Refund(refundID(1), &amount, "", placed))
	must(t, c.SettleRefund(refundID(1), order.Refunded{Provider: "re_1"}, eventID(1), placed))
	whole := order.ExternalRefund{
		Charge:   "ch_1",
		Provider: "ch_1-reversal",
		Amount:   cents(321_73),
		Whole:    true,
		Outcome:  order.Refunded{},
		At:       placed,
	}
	for i := range 2 {
		must(t, c.ReportRefund(whole, refundIDs(byte(i+2)), later))
	}
	whole.Provider = "another"
	must(t, c.ReportRefund(whole, refundIDs(4), later))
	if p := c.Order.Payment; len(c.Refunds) != 2 || c.Refunds[1].Amount != cents(221_73) || p.Refunded != p.Amount || !p.Refunding.IsZero() {
		t.Errorf("%+v of %+v", c.Refunds, p)
	}
	if funds, _ := held(c, ledger.Refunds); funds != 0 {
		t.Errorf("the provider holds %d", funds)
	}
}

// Success and failure of one refund are reported in any order: in the end it failed.
func TestReportRefund_outOfOrder(t *testing.T) {
	t.Parallel()
	success, failure := elsewhere(50_00, order.Refunded{Provider: "re_x"}), elsewhere(50_00, order.RefundFailed{Code: "declined"})
	pending := elsewhere(50_00, order.RefundPending{Provider: "re_x"})
	for name, reports := range map[string][]order.ExternalRefund{
		"as it happened": {pending, success, failure}, "failure first": {failure, success, pending}, "twice": {success, failure, success, failure},
	} {
		c := opened()
		for i, r := range reports {
			must(t, c.ReportRefund(r, refundIDs(byte(i)), later))
		}
		p := c.Order.Payment
		if funds, _ := held(c, ledger.Refunds); len(c.Refunds) != 1 || c.Refunds[0].Status != order.RefundIsFailed || p.Left() != p.Amount || funds != p.Amount.Minor() {
			t.Errorf("%s: %+v of %+v, the provider holds %d", name, c.Refunds, p, funds)
		}
	}
}

// Money is returned once, whether we or the dashboard requested the refund.
func TestReportRefund_withRequestedOne(t *testing.T) {
	t.Parallel()
	c := opened()
	amount := cents(50_00)
	must(t, c.Refund(refundID(1), &amount, "", placed))
	report := elsewhere(50_00, order.Refunded{Provider: "re_x"})
	if err := c.ReportRefund(report, refundIDs(2), later); !fault.Is(err, order.ErrRefundUndecided.Code) {
		t.Errorf("while ours may be it: %v", err)
	}
	must(t, c.SettleRefund(refundID(1), order.Refunded{Provider: "re_x"}, eventID(1), later))
	must(t, c.ReportRefund(report, refundIDs(2), later))
	if len(c.Refunds) != 1 || c.Order.Payment.Refunded != amount {
		t.Errorf("%+v", c.Refunds)
	}
	must(t, c.Refund(refundID(3), nil, "", later)) // of all that is left, but the dashboard was faster
	rest := order.ExternalRefund{
		Provider: "re_y",
		Amount:   cents(271_00),
		Outcome:  order.Refunded{},
	}
	must(t, c.ReportRefund(rest, refundIDs(4), later))
	if p := c.Order.Payment; p.Refunded != cents(321_00) || !p.Left().IsZero() || p.Refunding != cents(271_73) {
		t.Errorf("%+v", p)
	}
	must(t, c.SettleRefund(refundID(3), order.RefundFailed{Code: "charge_already_refunded"}, eventID(3), later))
	if got := c.Order.Payment.Left(); got != cents(73) {
		t.Errorf("left %s", got)
	}
}

func report(status order.DisputeStatus, withdrawn, fee int64, at time.Time) order.DisputeReport {
	return order.DisputeReport{
		Charge:    "ch_1",
		Provider:  "du_1",
		Status:    status,
		Reason:    "fraudulent",
		Amount:    cents(321_73),
		Withdrawn: cents(withdrawn),
		Fee:       cents(fee),
		At:        at,
	}
}

func TestReportDispute(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		closed         order.DisputeReport
		funds, dispute int64
		left           money.Amount
	}{
		"lost": {report(order.DisputeLost, 321_73, 15_00, later), -15_00, 321_73, cents(0)},
		"won":  {report(order.DisputeWon, 0, 15_00, later), 321_73 - 15_00, 0, cents(321_73)},
	} {
		c := opened()
		open := report(order.DisputeOpen, 321_73, 15_00, placed)
		for i, r := range []order.DisputeReport{open, open, test.closed, open, test.closed} {
			must(t, c.ReportDispute(r, disputeIDs(byte(i)), later))
			if i == 0 && !c.Order.Payment.Left().IsZero() {
				t.Errorf("%s: what is disputed can be refunded", name)
			}
		}
		funds, disputes := held(c, ledger.Disputes)
		if funds != test.funds || disputes != test.dispute || len(c.Disputes) != 1 || c.Disputes[0].Status != test.closed.Status {
			t.Errorf("%s: the provider holds %d, disputes are %d: %+v", name, funds, disputes, c.Disputes)
		}
		if c.Order.Payment.Left() != test.left {
			t.Errorf("%s: left %s", name, c.Order.Payment.Left())
		}
		if got := eventTypes(c); !reflect.DeepEqual(got, []string{"dispute.opened", "dispute.closed"}) {
			t.Errorf("%s: announced %v", name, got)
		}
	}
}

// A dispute is closed and its money returned within one second: the first report may still have the withdrawal.
func TestReportDispute_wonAndReinstatedInOneSecond(t *testing.T) {
	t.Parallel()
	closed, reinstated := report(order.DisputeWon, 321_73, 15_00, later), report(order.DisputeWon, 0, 0, later)
	for name, reports := range map[string][]order.DisputeReport{
		"closed first": {closed, reinstated}, "reinstated first": {reinstated, closed},
	} {
		c := opened()
		must(t, c.ReportDispute(report(order.DisputeOpen, 321_73, 15_00, placed), disputeIDs(1), placed))
		for i, r := range reports {
			must(t, c.ReportDispute(r, disputeIDs(byte(i+2)), later))
		}
		funds, disputes := held(c, ledger.Disputes)
		if funds != 321_73 || disputes != 0 || !c.Order.Payment.Disputed.IsZero() {
			t.Errorf("%s: the provider holds %d, disputes are %d, %s is held back", name, funds, disputes, c.Order.Payment.Disputed)
		}
	}
}

// Reports may come in any order and repeatedly: the latest one is kept, and the ledger has its totals.
func TestReportDispute_inAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var reports []order.DisputeReport
		for range rapid.IntRange(1, 5).Draw(t, "reports") {
			status := rapid.SampledFrom([]order.DisputeStatus{order.DisputeOpen, order.DisputeWon, order.DisputeLost}).Draw(t, "status")
			at := placed.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "second")) * time.Second)
			r := report(status, rapid.Int64Range(-5, 400_00).Draw(t, "withdrawn"), rapid.Int64Range(0, 20_00).Draw(t, "fee"), at)
			r.Response = rapid.SampledFrom([]order.DisputeResponse{{}, order.ResponseNeeded, order.UnderReview}).Draw(t, "response")
			reports = append(reports, r)
		}
		outcome := func(list []order.DisputeReport) (string, int64, int64, money.Amount) {
			c := opened()
			for i, r := range list {
				if err := c.ReportDispute(r, disputeIDs(byte(i)), later); err != nil {
					t.Fatal(err)
				}
			}
			funds, disputes := held(c, ledger.Disputes)
			d := c.Disputes[0]
			if disputes != d.Withdrawn.Minor() || funds != c.Order.Payment.Amount.Minor()-d.Withdrawn.Minor()-d.Fee.Minor() || d.Steps != len(c.Ledger) {
				t.Fatalf("%+v: the provider holds %d, disputes are %d", d, funds, disputes)
			}
			return d.Status.String() + " " + d.Response.String(), funds, disputes, c.Order.Payment.Left()
		}
		shuffled := append(rapid.Permutation(reports).Draw(t, "order"), reports[0])
		status, funds, disputes, left := outcome(reports)
		status2, funds2, disputes2, left2 := outcome(shuffled)
		if status != status2 || funds != funds2 || disputes != disputes2 || left != left2 {
			t.Fatalf("%s %d %d %s, or %s %d %d %s", status, funds, disputes, left, status2, funds2, disputes2, left2)
		}
	})
}
