package checkout_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

var (
	noon  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	late  = noon.Add(checkout.Validity)
	held  = []catalog.Reservation{{Variant: id.New[id.Variant]([16]byte{1}), Location: "main", Quantity: 2}}
	token = checkout.Payment{
		Method:    project.SharedPaymentToken,
		TokenHash: "hash",
		Email:     "buyer@example.com",
	}
)

// in returns a checkout in a state after its second attempt, with so many declines.
func in(status checkout.Status, declines int) *checkout.Checkout {
	s := checkout.Snapshot{
		Revision: 1,
		ID:       id.New[id.Checkout]([16]byte{2}),
		Status:   status,
		Attempt:  2,
		Declines: declines,
		Options: []checkout.Option{
			{ID: "standard", Price: money.Of(599, money.USD)}, {ID: "express", Price: money.Of(1499, money.USD)},
		},
		Address:    newYork(),
		Selected:   "standard",
		Subtotal:   money.Of(10_000, money.USD),
		Tax:        money.Of(800, money.USD),
		CreatedAt:  noon,
		ValidUntil: late,
	}
	if status == checkout.Processing {
		s.Taken, s.LeaseUntil = held, noon.Add(checkout.Lease)
	}
	return checkout.Rehydrate(s)
}

// Every state and every verb. An empty cell means that the verb is refused and changes nothing. A checkout that is in
// processing has been declined once before.
func TestCheckout_everyStateAndVerb(t *testing.T) {
	t.Parallel()
	verbs := []struct {
		name string
		do   func(*checkout.Checkout) error
	}{
		{"claim", func(c *checkout.Checkout) error { return c.Claim(token, held, noon) }},
		{"claim late", func(c *checkout.Checkout) error { return c.Claim(token, held, late) }},
		{"keep looking", func(c *checkout.Checkout) error { _, err := c.KeepLooking(2, "x", late); return err }},
		{"renew", func(c *checkout.Checkout) error { return c.Renew(2, late) }},
		{"release", func(c *checkout.Checkout) error { _, err := c.Release(2, late); return err }},
		{"complete", func(c *checkout.Checkout) error { return c.Complete(2) }},
		{"decline", func(c *checkout.Checkout) error { _, err := c.Decline(2, true); return err }},
		{"decline for good", func(c *checkout.Checkout) error { _, err := c.Decline(2, false); return err }},
		{"put back", func(c *checkout.Checkout) error { _, err := c.PutBack(2); return err }},
		{"expire", func(c *checkout.Checkout) error { return c.Expire(late) }},
		{"expire early", func(c *checkout.Checkout) error { return c.Expire(late.Add(-1)) }},
		{"cancel", func(c *checkout.Checkout) error { return c.Cancel() }},
		{"revise", func(c *checkout.Checkout) error { return c.Revise(shop(), cart(line(1, 1, 100, 100)), noon) }},
		{"revise in part", func(c *checkout.Checkout) error { return c.Revise(shop(), partial(), noon) }},
		{"revise late", func(c *checkout.Checkout) error { return c.Revise(shop(), partial(), late) }},
		{"refuse", func(c *checkout.Checkout) error { return c.Refuse(checkout.UpdateRefused, noon) }},
		{"refuse late", func(c *checkout.Checkout) error { return c.Refuse(checkout.UpdateRefused, late) }},
	}
	open := map[string]checkout.Status{
		"expire": checkout.Expired, "cancel": checkout.Canceled, "revise": checkout.Pending, "revise in part": checkout.Incomplete,
		"refuse": checkout.Incomplete,
	}
	payable := maps.Clone(open)
	payable["claim"] = checkout.Processing
	for status, want := range map[checkout.Status]map[string]checkout.Status{
		checkout.Incomplete: open,
		checkout.Ready:      payable,
		checkout.Pending:    payable,
		checkout.Processing: {"renew": checkout.Processing, "release": checkout.Processing, "keep looking": checkout.Processing, "complete": checkout.Completed, "decline": checkout.Pending,
			"decline for good": checkout.Canceled, "put back": checkout.Pending},
		checkout.Completed: {},
		checkout.Expired:   {},
		checkout.Canceled:  {},
	} {
		for _, verb := range verbs {
			c := in(status, 1)
			before := c.Snapshot()
			err := verb.do(c)
			cell, allowed := want[verb.name]
			switch {
			case !allowed && (err == nil || !reflect.DeepEqual(c.Snapshot(), before)):
				t.Errorf("%s does not refuse to %s", status, verb.name)
			case !allowed && fault.KindOf(err) != fault.Conflict:
				t.Errorf("%s refuses to %s with %v, which is no conflict", status, verb.name, err)
			case allowed && (err != nil || c.Status() != cell):
				t.Errorf("%s, %s: %s with error %v, want %s", status, verb.name, c.Status(), err, cell)
			}
		}
	}
}

func TestStatuses_names(t *testing.T) {
	t.Parallel()
	for name, status := range checkout.Statuses {
		if status.String() != name {
			t.Errorf("%s is called %s", status, name)
		}
	}
	if len(checkout.Statuses) != 7 {
		t.Errorf("%d statuses", len(checkout.Statuses))
	}
}

func TestCheckout_Payable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status checkout.Status
		at     time.Time
		want   error
	}{
		{checkout.Ready, late.Add(-1), nil}, {checkout.Pending, late.Add(-1), nil},
		{checkout.Ready, late, checkout.ErrExpired}, {checkout.Pending, late, checkout.ErrExpired},
		{checkout.Expired, noon, checkout.ErrExpired}, {checkout.Canceled, noon, checkout.ErrCanceled},
		{checkout.Processing, late, checkout.ErrProcessing}, {checkout.Completed, noon, checkout.ErrNotPayable},
	} {
		if err := in(c.status, 0).Payable(c.at); !errors.Is(err, c.want) {
			t.Errorf("%s at %s: %v, want %v", c.status, c.at.Format(time.TimeOnly), err, c.want)
		}
	}
	if checkout.ErrProcessing.RetryAfter <= 0 {
		t.Error("nobody says when a checkout in processing may be tried again")
	}
}

func TestCheckout_Claim_paymentAndStock(t *testing.T) {
	t.Parallel()
	c := in(checkout.Ready, 0)
	paying := token
	paying.Option = "express"
	if err := c.Claim(paying, held, noon); err != nil {
		t.Fatal(err)
	}
	s := c.Snapshot()
	if s.Attempt != 3 || s.Payment != paying || s.Selected != "express" || !slices.Equal(s.Taken, held) {
		t.Errorf("claimed %+v", s)
	}
	want := checkout.Charge{
		Key:    checkout.AttemptKey(s.ID, 3),
		Amount: money.Of(10_000+800+1499, money.USD),
		Method: project.SharedPaymentToken,
		Since:  noon,
	}
	if c.Charge() != want {
		t.Errorf("charge %+v, want %+v", c.Charge(), want)
	}
}

func TestCheckout_Claim_withoutOption(t *testing.T) {
	t.Parallel()
	c := in(checkout.Pending, 1)
	if err := c.Claim(token, held, noon); err != nil || c.Snapshot().Payment.Option != "standard" || c.Total() != money.Of(11_399, money.USD) {
		t.Errorf("option %q, total %s, error %v", c.Snapshot().Payment.Option, c.Total(), err)
	}
}

func TestCheckout_Claim_unknownOption(t *testing.T) {
	t.Parallel()
	c := in(checkout.Ready, 0)
	before, paying := c.Snapshot(), token
	paying.Option = "drone"
	var e *fault.Error
	if err := c.Claim(paying, held, noon); !errors.As(err, &e) || e.Details[0].Field != "shipping_option" {
		t.Errorf("%v", err)
	}
	if !reflect.DeepEqual(c.Snapshot(), before) {
		t.Error("a refused claim changed the checkout")
	}
}

func TestAttemptKey_unique(t *testing.T) {
	t.Parallel()
	one, other := id.New[id.Checkout]([16]byte{1}), id.New[id.Checkout]([16]byte{2})
	keys := []string{
		checkout.AttemptKey(one, 1), checkout.AttemptKey(one, 2), checkout.AttemptKey(one, 12), checkout.AttemptKey(other, 1),
	}
	slices.Sort(keys)
	if len(slices.Compact(keys)) != 4 {
		t.Errorf("keys %v", keys)
	}
}

func TestCheckout_staleAttempt(t *testing.T) {
	t.Parallel()
	for _, attempt := range []int{0, 1, 3} {
		c := in(checkout.Processing, 1)
		before := c.Snapshot()
		_, declined := c.Decline(attempt, true)
		_, putBack := c.PutBack(attempt)
		for _, err := range []error{c.Complete(attempt), c.Renew(attempt, late), declined, putBack} {
			if !errors.Is(err, checkout.ErrStale) {
				t.Errorf("attempt %d while 2 is in flight: %v", attempt, err)
			}
		}
		if !reflect.DeepEqual(c.Snapshot(), before) {
			t.Errorf("attempt %d changed the checkout", attempt)
		}
	}
}

// Stock is returned unless it was sold.
func TestCheckout_stockReturned(t *testing.T) {
	t.Parallel()
	declined, final, putBack, paid := in(checkout.Processing, 0), in(checkout.Processing, 0), in(checkout.Processing, 0), in(checkout.Processing, 0)
	a, _ := declined.Decline(2, true)
	b, _ := final.Decline(2, false)
	c, _ := putBack.PutBack(2)
	for _, back := range [][]catalog.Reservation{a, b, c} {
		if !slices.Equal(back, held) {
			t.Errorf("%v goes back", back)
		}
	}
	if declined.Snapshot().Taken != nil || final.Snapshot().Taken != nil || putBack.Snapshot().Taken != nil {
		t.Error("stock that went back is still held")
	}
	if err := paid.Complete(2); err != nil || !slices.Equal(paid.Snapshot().Taken, held) {
		t.Errorf("sold %v (%v)", paid.Snapshot().Taken, err)
	}
}

func TestCheckout_PutBack_noDecline(t *testing.T) {
	t.Parallel()
	fresh := in(checkout.Processing, 0)
	if _, err := fresh.PutBack(2); err != nil || fresh.Status() != checkout.Ready || fresh.Snapshot().Declines != 0 {
		t.Errorf("%s after %d declines (%v)", fresh.Status(), fresh.Snapshot().Declines, err)
	}
	if fresh.Attempt() != 2 {
		t.Error("the attempt's key could be used again")
	}
}

func TestCheckout_Decline_maxDeclines(t *testing.T) {
	t.Parallel()
	c := in(checkout.Ready, 0)
	for n := 1; n <= checkout.MaxDeclines; n++ {
		if err := c.Claim(token, held, noon); err != nil {
			t.Fatalf("claim %d: %v", n, err)
		}
		if _, err := c.Decline(c.Attempt(), true); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]checkout.Status{true: checkout.Canceled, false: checkout.Pending}[n == 5]; c.Status() != want {
			t.Errorf("%s after %d declines", c.Status(), n)
		}
	}
}

func TestLease(t *testing.T) {
	t.Parallel()
	c := in(checkout.Ready, 0)
	end := noon.Add(checkout.Lease)
	if err := c.Claim(token, held, noon); err != nil {
		t.Fatal(err)
	}
	if c.Lapsed(end.Add(-1)) || !c.Lapsed(end) {
		t.Error("the lease ends at another time")
	}
	if err := c.Renew(3, end); err != nil || c.Lapsed(end.Add(checkout.Lease-1)) || !c.Lapsed(end.Add(checkout.Lease)) {
		t.Errorf("renewed until %s (%v)", c.Snapshot().LeaseUntil, err)
	}
	for _, status := range checkout.Statuses {
		if status != checkout.Processing && in(status, 0).Lapsed(late) {
			t.Errorf("%s lapses", status)
		}
	}
}

// The pause before the next automatic attempt doubles each time, up to five minutes. A buyer's own attempt does not
// wait.
func TestCheckout_Release_backoff(t *testing.T) {
	t.Parallel()
	c, want := in(checkout.Processing, 1), 2*time.Second
	for range 70 {
		if _, err := c.Release(2, noon); err != nil || !c.Lapsed(noon) {
			t.Fatal(err)
		}
		if got := c.Snapshot().RetryAt.Sub(noon); got != want {
			t.Fatalf("a pause of %s, want %s", got, want)
		}
		want = min(2*want, 5*time.Minute)
	}
}

// An attempt is searched for from its own start, not from its checkout's, which makes the provider's list shorter.
func TestCheckout_Charge_since(t *testing.T) {
	t.Parallel()
	c, claimed := in(checkout.Ready, 0), noon.Add(20*time.Minute)
	if err := c.Claim(token, held, claimed); err != nil || !c.Charge().Since.Equal(claimed) {
		t.Errorf("since %s (%v)", c.Charge().Since, err)
	}
	if old := in(checkout.Processing, 0).Charge().Since; !old.Equal(noon) {
		t.Errorf("one of an older program since %s", old)
	}
}

// A search that makes progress has short pauses, and its progress ends with its attempt.
func TestKeepLooking(t *testing.T) {
	t.Parallel()
	c := in(checkout.Processing, 1)
	for i, want := range []bool{true, false, false} {
		first, err := c.KeepLooking(2, "page 7", noon)
		if err != nil || first != want || !c.Lapsed(noon) || c.Snapshot().RetryAt != noon.Add(2*time.Second) || c.Charge().Progress != "page 7" {
			t.Errorf("look %d: %t, %v, %+v", i+1, first, err, c.Charge())
		}
	}
	if _, err := c.Release(2, noon); err != nil || c.Charge().Progress != "page 7" {
		t.Errorf("after a provider without answer: %q, %v", c.Charge().Progress, err)
	}
	if _, err := c.KeepLooking(1, "x", noon); !errors.Is(err, checkout.ErrStale) {
		t.Errorf("another attempt: %v", err)
	}
	if _, err := c.PutBack(2); err != nil {
		t.Fatal(err)
	}
	if err := c.Claim(token, held, noon); err != nil || c.Charge().Progress != "" {
		t.Errorf("the next attempt begins at %q (%v)", c.Charge().Progress, err)
	}
}

// Release reports only once that an attempt is left without an outcome.
func TestCheckout_Release_first(t *testing.T) {
	t.Parallel()
	c := in(checkout.Processing, 1)
	for i, want := range []bool{true, false} {
		if first, err := c.Release(2, noon); err != nil || first != want || !c.Lapsed(noon) {
			t.Errorf("release %d: %t, %v", i+1, first, err)
		}
	}
	if _, err := c.PutBack(2); err != nil {
		t.Fatal(err)
	}
	if err := c.Claim(token, held, noon); err != nil {
		t.Fatal(err)
	}
	if first, err := c.Release(3, noon); err != nil || !first {
		t.Errorf("the next attempt: %t, %v", first, err)
	}
}

func TestParseAttemptKey_roundTrip(t *testing.T) {
	t.Parallel()
	one := id.New[id.Checkout]([16]byte{1})
	for _, attempt := range []int{1, 2, 12, 2_000_000_000} {
		of, n, err := checkout.ParseAttemptKey(checkout.AttemptKey(one, attempt))
		if err != nil || of != one || n != attempt {
			t.Errorf("attempt %d came back as %s, %d, %v", attempt, of, n, err)
		}
	}
	for _, key := range []string{"", "-1", "x-1", one.String(), one.String() + "-", one.String() + "-0", one.String() + "--1", one.String() + "-x"} {
		if _, _, err := checkout.ParseAttemptKey(key); err == nil {
			t.Errorf("%q is a key", key)
		}
	}
}
