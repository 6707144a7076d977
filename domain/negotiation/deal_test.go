package negotiation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// An offer on an accepted quote is refused with the status of its deal.
func TestResume_acceptedQuote(t *testing.T) {
	t.Parallel()
	agreed := func() *negotiation.Quote {
		q := start(nil, noon)
		say(q, offer(usd("99")), noon)
		q.Seal("hash", "salt", false)
		return q
	}
	end := noon.Add(negotiation.Validity)
	bought := agreed().Snapshot()
	bought.RedeemedBy = id.New[id.Order]([16]byte{9})
	for name, c := range map[string]struct {
		quote *negotiation.Quote
		now   time.Time
		want  negotiation.DealStatus
		says  string
	}{
		"within its time": {agreed(), end.Add(-1), negotiation.DealOpen, "99.00 USD"},
		"past its time":   {agreed(), end, negotiation.DealExpired, "has expired"},
		"bought":          {negotiation.Rehydrate(bought), end, negotiation.DealRedeemed, "an order has used"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var e *fault.Error
			if err := c.quote.Resume(patient, usual, c.now); !errors.As(err, &e) || e.Code != "quote_accepted" || e.Kind != fault.Conflict {
				t.Fatalf("error %v", err)
			}
			want := negotiation.Deal{
				Quote:      c.quote.Snapshot().ID,
				Price:      usd("99"),
				ValidUntil: end,
				Status:     c.want,
			}
			if e.About != want || !strings.Contains(e.Message, c.says) {
				t.Errorf("%+v: %s", e.About, e.Message)
			}
		})
	}
	if start(nil, noon).Deal(noon) != nil {
		t.Error("an open quote has a deal")
	}
}

// A buyer who lost a deal's token gets another one for the same price, with a new quote in the session.
func TestStart_lostToken(t *testing.T) {
	t.Parallel()
	q := start(nil, noon)
	say(q, offer(usd("95")), noon)
	again := start(q, noon.Add(time.Minute))
	if d, ok := say(again, offer(q.Snapshot().FinalPrice), noon.Add(time.Minute)).(negotiation.Accepted); !ok || d.Price != usd("95") {
		t.Errorf("%+v", d)
	}
}

// A counter is marked as final exactly if no further offer lowers the price.
func TestFinal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := plainTerms
		terms.RoundCap = rapid.IntRange(1, 4).Draw(t, "round cap")
		q := start(nil, noon)
		for range rapid.IntRange(1, 6).Draw(t, "offers") {
			table := q.Table(terms, offer(usd(rapid.SampledFrom([]string{"1", "60", "81", "84", "88", "90", "92"}).Draw(t, "offer"))))
			d := negotiation.Decide(table)
			q.Record(table, d, noon)
			final := q.Snapshot().Final(terms)
			switch d := d.(type) {
			case negotiation.Countered:
				if d.Final != final {
					t.Fatalf("counter final %v, quote final %v", d.Final, final)
				}
			case negotiation.Accepted:
				return
			}
			if final {
				current := q.Snapshot().Progress.Counter
				next := negotiation.Decide(q.Table(terms, offer(usd("84"))))
				if r, ok := next.(negotiation.Countered); ok && r.Price.Minor() < current.Minor() {
					t.Fatalf("after the last word %s came %s", current, r.Price)
				}
			}
		}
	})
	fixed := usual
	fixed.Negotiable = false
	q := negotiation.Start(id.New[id.Quote]([16]byte{7}), shop, item, patient, fixed, nil, noon)
	if !q.Snapshot().Final(patient.Terms(fixed)) {
		t.Error("a fixed price is not final")
	}
	firm := plainTerms
	firm.Firm = true
	if !start(nil, noon).Snapshot().Final(firm) || start(nil, noon).Snapshot().Final(plainTerms) {
		t.Error("firm terms are not final, or usual ones are")
	}
}
