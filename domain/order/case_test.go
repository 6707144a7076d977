package order_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

var later = placed.Add(time.Hour)

func refundID(n byte) id.Refund { return id.New[id.Refund]([16]byte{n}) }
func returnID(n byte) id.Return { return id.New[id.Return]([16]byte{n}) }

// opened returns a case of 2 green tents from two locations and a red one; 321.73 were paid.
func opened() *order.Case {
	return &order.Case{Order: place(paid(), time.UTC, placed), Taken: []catalog.Reservation{
		{Variant: green, Location: "main", Quantity: 1}, {Variant: green, Location: "north", Quantity: 1},
		{Variant: red, Location: "main", Quantity: 1},
	}}
}

// states has the verbs that bring an opened case into each state.
var states = map[string]func(*order.Case) error{
	"processing": func(*order.Case) error { return nil },
	"shipped":    func(c *order.Case) error { return c.Ship("", "", "", id.Event{}, placed) },
	"delivered": func(c *order.Case) error {
		if err := c.Ship("", "", "", id.Event{}, placed); err != nil {
			return err
		}
		return c.Deliver(id.Event{}, placed)
	},
	"refunded": func(c *order.Case) error {
		if err := c.Refund(refundID(1), nil, "", placed); err != nil {
			return err
		}
		return c.SettleRefund(refundID(1), order.Refunded{}, id.Event{}, placed)
	},
	"canceled": func(c *order.Case) error { return c.Cancel(refundID(1), "", id.Event{}, placed) },
	"return open": func(c *order.Case) error {
		_, err := c.RequestReturn(returnID(1), []order.ReturnItem{back(green, 1)}, "", terms, id.Event{}, placed)
		return err
	},
	"return approved": func(c *order.Case) error {
		if _, err := c.RequestReturn(returnID(1), []order.ReturnItem{back(green, 1)}, "", terms, id.Event{}, placed); err != nil {
			return err
		}
		return c.ApproveReturn(returnID(1), refundID(1), nil, false, id.Event{}, placed)
	},
	"refunding all": func(c *order.Case) error { return c.Refund(refundID(1), nil, "", placed) },
}

var verbs = map[string]func(*order.Case) error{
	"ship":    func(c *order.Case) error { return c.Ship("DHL", "1", "https://dhl.example/1", id.Event{}, later) },
	"deliver": func(c *order.Case) error { return c.Deliver(id.Event{}, later) },
	"cancel":  func(c *order.Case) error { return c.Cancel(refundID(9), "", id.Event{}, later) },
	"refund":  func(c *order.Case) error { return c.Refund(refundID(9), nil, "", later) },
	"return": func(c *order.Case) error {
		_, err := c.RequestReturn(returnID(9), []order.ReturnItem{back(red, 1)}, "", terms, id.Event{}, later)
		return err
	},
	"approve": func(c *order.Case) error {
		return c.ApproveReturn(returnID(1), refundID(9), nil, true, id.Event{}, later)
	},
	"reject": func(c *order.Case) error { return c.RejectReturn(returnID(1), "", id.Event{}, later) },
}

// Every state and every verb: ok, or the code of the refusal, which changes nothing.
func TestCase_everyStateAndVerb(t *testing.T) {
	t.Parallel()
	columns := []string{"ship", "deliver", "cancel", "refund", "return", "approve", "reject"}
	for state, row := range map[string][]string{
		"processing":      {"ok", "order_not_shipped", "ok", "ok", "ok", "return_not_found", "return_not_found"},
		"shipped":         {"ok", "ok", "order_shipped", "ok", "ok", "return_not_found", "return_not_found"},
		"delivered":       {"order_delivered", "order_delivered", "order_shipped", "ok", "ok", "return_not_found", "return_not_found"},
		"canceled":        {"order_canceled", "order_canceled", "order_canceled", "payment_refunded", "order_canceled", "return_not_found", "return_not_found"},
		"return open":     {"ok", "order_not_shipped", "return_open", "ok", "ok", "ok", "ok"},
		"return approved": {"ok", "order_not_shipped", "ok", "ok", "ok", "return_closed", "return_closed"},
		"refunded":        {"ok", "order_not_shipped", "ok", "payment_refunded", "ok", "return_not_found", "return_not_found"},
		"refunding all":   {"ok", "order_not_shipped", "ok", "payment_refunded", "ok", "return_not_found", "return_not_found"},
	} {
		for i, verb := range columns {
			c, before := opened(), opened()
			for _, same := range []*order.Case{c, before} {
				if err := states[state](same); err != nil {
					t.Fatalf("%s: %v", state, err)
				}
			}
			err := verbs[verb](c)
			if row[i] == "ok" && err != nil || row[i] != "ok" && !fault.Is(err, row[i]) {
				t.Errorf("%s, %s: %v, want %s", state, verb, err, row[i])
			}
			if err != nil && !reflect.DeepEqual(c, before) {
				t.Errorf("%s, %s is refused and changed it", state, verb)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	c := opened()
	c.Order.Payment.Refunded = cents(73)
	if err := c.Cancel(refundID(1), "Twice", id.Event{}, later); err != nil {
		t.Fatal(err)
	}
	if c.Order.Status != order.Canceled || c.Order.Fulfillment.Status != order.FulfillmentCanceled {
		t.Errorf("%s, %s", c.Order.Status, c.Order.Fulfillment.Status)
	}
	if !slices.Equal(c.Restock, c.Taken) {
		t.Errorf("put back %v", c.Restock)
	}
	want := []order.Refund{{
		ID: refundID(1), Project: c.Order.Project, Order: c.Order.ID, Payment: c.Order.Payment.ID, Amount: cents(32_173 - 73),
		Reason: "Twice", Status: order.RefundIsPending, CreatedAt: later, UpdatedAt: later, DueAt: later.Add(order.RefundLease),
	}}
	if !reflect.DeepEqual(c.Refunds, want) || c.Order.Payment.Refunding != want[0].Amount {
		t.Errorf("refunds %+v", c.Refunds)
	}
}

// Stock that a return put back is not put back again.
func TestCase_Cancel_afterReturn(t *testing.T) {
	t.Parallel()
	c := opened()
	if err := states["return open"](c); err != nil {
		t.Fatal(err)
	}
	if err := c.ApproveReturn(returnID(1), refundID(1), nil, true, id.Event{}, later); err != nil {
		t.Fatal(err)
	}
	if want := []catalog.Reservation{{Variant: green, Location: "main", Quantity: 1}}; !slices.Equal(c.Restock, want) || !slices.Equal(c.Returns[0].Restocked, want) {
		t.Errorf("put back %v", c.Restock)
	}
	c.Restock = nil
	if err := c.Cancel(refundID(2), "", id.Event{}, later); err != nil {
		t.Fatal(err)
	}
	if want := c.Taken[1:]; !slices.Equal(c.Restock, want) {
		t.Errorf("put back %v, want %v", c.Restock, want)
	}
	if left := c.Order.Payment.Left(); !left.IsZero() {
		t.Errorf("%s left", left)
	}
}

func TestShip(t *testing.T) {
	t.Parallel()
	c := opened()
	for _, bad := range []string{"http://dhl.example/1", "javascript:alert(1)", "https://", "https://me@dhl.example/", "/1", "https://x/" + strings.Repeat("x", 2000)} {
		if err := c.Ship("DHL", "1", bad, id.Event{}, placed); !slices.Equal(fields(err), []string{"tracking_url"}) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	long := strings.Repeat("x", 201)
	if err := c.Ship(long, long, "", id.Event{}, placed); !slices.Equal(fields(err), []string{"carrier", "tracking_number"}) {
		t.Errorf("long: %v", err)
	}
	for i, url := range []string{"https://dhl.example/1", "https://dhl.example/2"} {
		if err := c.Ship("DHL", "1", url, id.Event{}, placed.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if f := c.Order.Fulfillment; f.Status != order.Shipped || f.TrackingURL != "https://dhl.example/2" || f.ShippedAt != placed {
		t.Errorf("%+v", f)
	}
}

func TestRefundAmounts(t *testing.T) {
	t.Parallel()
	eur, err := money.ParseCurrency("EUR")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		amount money.Amount
		ok     bool
	}{
		"one cent": {cents(1), true}, "all that is left": {cents(32_173 - 100 - 50), true},
		"a cent more": {cents(32_173 - 100 - 50 + 1), false}, "nothing": {cents(0), false}, "less": {cents(-1), false},
		"another currency": {money.Of(1, eur), false}, "no currency": {money.Amount{}, false},
	} {
		k := opened()
		k.Order.Payment.Refunded, k.Order.Payment.Refunding = cents(100), cents(50)
		err := k.Refund(refundID(1), &c.amount, "", later)
		if c.ok != (err == nil) || !c.ok && !slices.Equal(fields(err), []string{"amount"}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSettledRefund(t *testing.T) {
	t.Parallel()
	notice := id.New[id.Event]([16]byte{3})
	for name, test := range map[string]struct {
		first, second order.RefundOutcome
		code          string // of the second refusal
		status        order.RefundStatus
		payment       order.PaymentStatus
	}{
		"succeeded twice":       {order.Refunded{Provider: "re_1"}, order.Refunded{Provider: "re_1"}, "", order.RefundSucceeded, order.PartiallyRefunded},
		"failed twice":          {order.RefundFailed{Code: "no"}, order.RefundFailed{Code: "no"}, "", order.RefundIsFailed, order.Succeeded},
		"failed late":           {order.Refunded{}, order.RefundFailed{}, "refund_decided", order.RefundSucceeded, order.PartiallyRefunded},
		"succeeded too late":    {order.RefundFailed{Provider: "re_1"}, order.Refunded{Provider: "re_1"}, "refund_decided", order.RefundIsFailed, order.Succeeded},
		"pending late":          {order.Refunded{}, order.RefundPending{}, "refund_decided", order.RefundSucceeded, order.PartiallyRefunded},
		"pending, then refused": {order.RefundPending{Provider: "re_1"}, order.RefundFailed{}, "", order.RefundIsFailed, order.Succeeded},
	} {
		c, amount := opened(), cents(100)
		if err := c.Refund(refundID(1), &amount, "Torn", placed); err != nil {
			t.Fatal(err)
		}
		if err := c.SettleRefund(refundID(1), test.first, notice, later); err != nil {
			t.Fatal(err)
		}
		err := c.SettleRefund(refundID(1), test.second, notice, later)
		if test.code == "" && err != nil || test.code != "" && !fault.Is(err, test.code) {
			t.Errorf("%s: %v", name, err)
		}
		r, p := c.Refunds[0], c.Order.Payment
		if r.Status != test.status || p.Status() != test.payment || !p.Refunding.IsZero() || !r.DueAt.IsZero() {
			t.Errorf("%s: %+v of %+v", name, r, p)
		}
		if test.status == order.RefundIsFailed {
			if len(c.Ledger) > 0 || len(c.Events) != 1 || c.Events[0].Data.Type() != event.RefundFailedType {
				t.Errorf("%s: recorded %v, announced %v", name, c.Ledger, c.Events)
			}
			continue
		}
		refunded := event.OrderRefunded{
			Refund:   r.ID,
			Order:    c.Order.ID,
			Sequence: 2,
			Payment:  p.ID,
			Amount:   amount,
			Refunded: amount,
			Reason:   "Torn",
		}
		if len(c.Events) != 1 || c.Events[0] != (event.Event{
			ID:      notice,
			Project: c.Order.Project,
			At:      later,
			Data:    refunded,
		}) {
			t.Errorf("%s: announced %+v", name, c.Events)
		}
		if len(c.Ledger) != 1 || c.Ledger[0].Postings[0] != (ledger.Posting{
			Debit:  ledger.Refunds,
			Credit: ledger.Funds("stripe"),
			Amount: amount,
		}) {
			t.Errorf("%s: recorded %+v", name, c.Ledger)
		}
	}
	if err := opened().SettleRefund(refundID(1), order.Refunded{}, notice, later); !fault.Is(err, "refund_not_found") {
		t.Error(err)
	}
}

// The first pause is 2 s, and each one is twice the one before, up to an hour.
func TestCase_PostponeRefund_backoff(t *testing.T) {
	t.Parallel()
	c := opened()
	if err := c.Refund(refundID(1), nil, "", placed); err != nil {
		t.Fatal(err)
	}
	want := 2 * time.Second
	for n := range 100 {
		if err := c.PostponeRefund(refundID(1), "no answer", placed); err != nil {
			t.Fatal(err)
		}
		if r := c.Refunds[0]; r.Attempts != n+1 || r.DueAt.Sub(placed) != want {
			t.Fatalf("try %d: in %s, want %s", r.Attempts, r.DueAt.Sub(placed), want)
		}
		want = min(2*want, time.Hour)
	}
}

func TestApprovedAmount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asked    *money.Amount
		refunded int64
		want     int64
		code     string
	}{
		"the estimate":          {nil, 0, 9_500 + 843, ""},
		"what is left of it":    {nil, 32_173 - 5, 5, ""},
		"nothing is left":       {nil, 32_173, 0, ""},
		"as the merchant wants": {amount(20_000), 0, 20_000, ""},
		"more than is left":     {amount(20_000), 20_000, 0, "validation_error"},
		"none, as wished":       {amount(0), 0, 0, ""},
	} {
		c := opened()
		c.Order.Payment.Refunded = cents(test.refunded)
		if err := states["return open"](c); err != nil {
			t.Fatal(err)
		}
		err := c.ApproveReturn(returnID(1), refundID(1), test.asked, false, id.Event{}, later)
		if test.code != "" {
			if !fault.Is(err, test.code) || c.Returns[0].Status != order.Requested || len(c.Refunds) > 0 {
				t.Errorf("%s: %v, and it is %+v", name, err, c.Returns[0])
			}
			continue
		}
		r := c.Returns[0]
		if test.want == 0 {
			if err != nil || r.Status != order.Approved || !r.Refund.IsZero() || len(c.Refunds) > 0 {
				t.Errorf("%s: %v, %+v, %+v", name, err, r, c.Refunds)
			}
			continue
		}
		if err != nil || r.Status != order.Approved || r.Refund != refundID(1) || c.Refunds[0].Amount != cents(test.want) || c.Refunds[0].Return != r.ID {
			t.Errorf("%s: %v, %+v, %+v", name, err, r, c.Refunds)
		}
	}
}

func amount(n int64) *money.Amount {
	a := cents(n)
	return &a
}

// Cancelable and Returnable predict what the verbs do.
func TestCase_Cancelable_Returnable(t *testing.T) {
	t.Parallel()
	for state, put := range states {
		c := opened()
		if err := put(c); err != nil {
			t.Fatalf("%s: %v", state, err)
		}
		cancelable, returnable := c.Cancelable(), c.Returnable(terms, later)
		if returnable != (verbs["return"](c) == nil) {
			t.Errorf("%s: returnable %v", state, returnable)
		}
		c = opened()
		_ = put(c)
		if err := verbs["cancel"](c); (err == nil) != (cancelable == nil) {
			t.Errorf("%s: cancelable %v, canceled %v", state, cancelable, err)
		}
	}
	c := opened()
	if c.Returnable(terms, later.AddDate(1, 0, 0)) || c.Returnable(order.Terms{}, later) {
		t.Error("returnable past the window, or in a shop that takes nothing back")
	}
}

func TestReturnable_everythingIsOnItsWayBack(t *testing.T) {
	t.Parallel()
	c := opened()
	var all []order.ReturnItem
	for _, l := range c.Order.Lines {
		all = append(all, order.ReturnItem{
			Product:  l.Product,
			Variant:  l.Variant,
			Quantity: l.Quantity,
		})
	}
	if _, err := c.RequestReturn(returnID(1), all, "", terms, id.Event{}, later); err != nil {
		t.Fatal(err)
	}
	if c.Returnable(terms, later) {
		t.Error("more can be returned than was bought")
	}
	if err := c.Cancelable(); err == nil || !strings.Contains(err.Error(), returnID(1).String()) {
		t.Errorf("the open return is not named: %v", err)
	}
}
