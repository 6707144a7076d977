package order_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Every state of a label and every account that may claim it: ok, or the code of the refusal, and whether it may have
// been bought before.
func TestLabel_Claim_everyState(t *testing.T) {
	t.Parallel()
	one, two := id.New[id.Integration]([16]byte{1}), id.New[id.Integration]([16]byte{2})
	wish := func(i id.Integration) order.LabelRequest {
		return order.LabelRequest{
			Integration: i,
			Carrier:     "ups",
			Service:     "ups_ground",
			Grams:       500,
		}
	}
	claimed := func(l *order.Label) {
		if err := l.Claim(wish(one), placed); err != nil {
			t.Fatal(err)
		}
	}
	lost := placed.Add(order.LabelLease)
	for _, c := range []struct {
		state          string
		lead           func(*order.Label)
		at             time.Time
		same, other    string
		unsure, bought bool
	}{
		{"new", func(*order.Label) {}, placed, "ok", "ok", false, false},
		{"in hand", claimed, lost.Add(-time.Millisecond), "label_in_progress", "label_in_progress", false, false},
		{"lost", claimed, lost, "ok", "label_unresolved", true, false},
		{"released", func(l *order.Label) { claimed(l); l.Release(l.DueAt) }, placed, "ok", "ok", false, false},
		{"released by a former holder", func(l *order.Label) { claimed(l); l.Release(placed) }, placed, "label_in_progress", "label_in_progress", false, false},
		{"lost, claimed again and released", func(l *order.Label) {
			claimed(l)
			if err := l.Claim(wish(one), lost); err != nil {
				t.Fatal(err)
			}
			l.Release(l.DueAt)
		}, lost, "ok", "label_unresolved", true, false},
		{"bought", func(l *order.Label) { claimed(l); l.Buy(order.LabelSold{}, placed) }, lost, "label_bought", "label_bought", false, true},
		{"bought after it was lost", func(l *order.Label) { claimed(l); l.Buy(order.LabelSold{}, lost); l.Release(lost) }, lost, "label_bought", "label_bought", false, true},
	} {
		for name, try := range map[string]struct {
			through id.Integration
			want    string
		}{"the same account": {one, c.same}, "another one": {two, c.other}} {
			l := order.NewLabel(id.New[id.Label]([16]byte{1}), place(paid(), time.UTC, placed), false, placed)
			c.lead(l)
			before := *l
			err := l.Claim(wish(try.through), c.at)
			switch {
			case try.want == "ok" && (err != nil || l.Integration != try.through || !l.DueAt.Equal(c.at.Add(order.LabelLease)) || l.Unsure != c.unsure):
				t.Errorf("%s, %s: %v, %+v", c.state, name, err, l)
			case try.want != "ok" && (!fault.Is(err, try.want) || l.DueAt != before.DueAt || l.Integration != before.Integration || l.Unsure != before.Unsure):
				t.Errorf("%s, %s: %v, want %s; %+v", c.state, name, err, try.want, l)
			}
			if before.Bought() != c.bought {
				t.Errorf("%s: bought is %v", c.state, before.Bought())
			}
		}
	}
}

func TestLabel_Buy_twice(t *testing.T) {
	t.Parallel()
	l := order.NewLabel(id.New[id.Label]([16]byte{1}), place(paid(), time.UTC, placed), false, placed)
	l.Buy(order.LabelSold{
		Remote:         "1",
		Carrier:        "ups",
		Service:        "ups_2day",
		TrackingNumber: "1Z",
		Price:          cents(725),
		PDF:            []byte("%PDF"),
	}, placed)
	l.Buy(order.LabelSold{Remote: "2"}, later)
	if l.Remote != "1" || l.Service != "ups_2day" || l.Price != cents(725) || string(l.PDF) != "%PDF" || !l.BoughtAt.Equal(placed) {
		t.Errorf("%+v", l)
	}
}

func TestLabel_Renew(t *testing.T) {
	t.Parallel()
	i := id.New[id.Integration]([16]byte{1})
	for state, c := range map[string]struct {
		lead func(*order.Label)
		ours bool
	}{
		"in hand":   {func(*order.Label) {}, true},
		"released":  {func(l *order.Label) { l.Release(l.DueAt) }, false},
		"bought":    {func(l *order.Label) { l.Buy(order.LabelSold{}, placed) }, false},
		"another's": {func(l *order.Label) { l.DueAt = l.DueAt.Add(time.Second) }, false},
	} {
		l := order.NewLabel(id.New[id.Label]([16]byte{1}), place(paid(), time.UTC, placed), false, placed)
		if err := l.Claim(order.LabelRequest{
			Integration: i,
			Carrier:     "ups",
			Service:     "ups_ground",
			Grams:       500,
		}, placed); err != nil {
			t.Fatal(err)
		}
		lease := l.DueAt
		c.lead(l)
		before := l.DueAt
		if ours := l.Renew(lease, later); ours != c.ours || ours != l.DueAt.Equal(later.Add(order.LabelLease)) || !ours && !l.DueAt.Equal(before) {
			t.Errorf("%s: renewed %v until %s", state, ours, l.DueAt)
		}
	}
}
