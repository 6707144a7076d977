package negotiation_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestSessionState(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   []negotiation.ThreadState
		want negotiation.ThreadState
	}{
		{nil, negotiation.ThreadLeft},
		{[]negotiation.ThreadState{negotiation.ThreadLeft}, negotiation.ThreadLeft},
		{[]negotiation.ThreadState{negotiation.ThreadLeft, negotiation.ThreadOpen}, negotiation.ThreadOpen},
		{[]negotiation.ThreadState{negotiation.ThreadOpen, negotiation.ThreadLeft}, negotiation.ThreadOpen},
		{[]negotiation.ThreadState{negotiation.ThreadOpen, negotiation.ThreadDeal, negotiation.ThreadLeft}, negotiation.ThreadDeal},
	} {
		if got := negotiation.SessionState(c.of); got != c.want {
			t.Errorf("%v together are %v, want %v", c.of, got, c.want)
		}
	}
}

func TestOffList(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	for _, c := range []struct{ list, price, want int64 }{
		{169_00, 147_13, 129}, {100_00, 100_00, 0}, {100_00, 0, 1000}, {0, 0, 0}, {3_00, 2_00, 333}, {1 << 60, 1 << 59, 500},
	} {
		if got := negotiation.OffList(usd(c.list), usd(c.price)); got != c.want {
			t.Errorf("%d of %d is %d thousandths off, want %d", c.price, c.list, got, c.want)
		}
	}
}
