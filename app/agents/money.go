package agents

import (
	"math"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	month = 30 * 24 * time.Hour
	// leastVolumeSpan is the shortest time from which a month is estimated.
	leastVolumeSpan = 24 * time.Hour
)

// GainPerMonth is the gain of a proposal in 30 days, for a shop's own number of negotiations and mean list price. It is an
// estimate by simulated buyers, with its 95 % interval.
type GainPerMonth struct {
	Negotiations        int // in 30 days
	Low, Expected, High money.Amount
}

// ReplayPerMonth is what a replay adds to the recorded deals in 30 days: margin or, if no cost is known, revenue. The bounds
// follow from the record. They are no forecast, because the buyers did not see the other prices, so there is no value between
// them that is expected.
type ReplayPerMonth struct {
	Negotiations      int // in 30 days
	Margin            bool
	Certain, Possible money.Amount // less than zero: a loss
}

// Replayed is the result of a replay. PerMonth is nil if the negotiations do not represent the shop's: only some were
// selected by their ids, or they span less than a day.
type Replayed struct {
	negotiation.Replayed
	PerMonth *ReplayPerMonth
}

// volume counts the negotiations that a result follows from.
type volume struct {
	negotiations int
	oldest       time.Time
	list         float64 // sum of the list prices of all pieces, in minor units
}

// add adds a negotiation.
func (v *volume) add(entries []negotiation.Entry) {
	if len(entries) == 0 {
		return
	}
	e := &entries[0]
	v.count(e.At, e.Bounds.List(), e.Item.Quantity)
}

// count adds a negotiation that began at a time.
func (v *volume) count(at time.Time, list money.Amount, quantity int) {
	if v.negotiations++; v.oldest.IsZero() || at.Before(v.oldest) {
		v.oldest = at
	}
	v.list += float64(list.Minor()) * float64(quantity)
}

// span returns the seconds from the oldest negotiation to a time. It is not ok if that is too short.
func (v *volume) span(to time.Time) (seconds int64, ok bool) {
	span := to.Sub(v.oldest)
	return int64(span / time.Second), v.negotiations > 0 && span >= leastVolumeSpan
}

const monthSeconds = int64(month / time.Second)

func (v *volume) perMonth(seconds int64) int {
	n, _ := money.MulDiv(int64(v.negotiations), monthSeconds, seconds, money.HalfUp) // both are far from an overflow
	return int(n)
}

// gain scales a proposal's gain to 30 days, given when the negotiations end. It returns nil if they span too little.
func (v *volume) gain(p tuning.Proposal, c money.Currency, to time.Time) *GainPerMonth {
	seconds, ok := v.span(to)
	if !ok {
		return nil
	}
	list := v.list * float64(monthSeconds) / float64(seconds)
	amount := func(share float64) money.Amount {
		minor := math.Round(share * list)
		ok = ok && math.Abs(minor) < 1<<53
		return money.Of(int64(minor), c)
	}
	g := &GainPerMonth{
		Negotiations: v.perMonth(seconds),
		Low:          amount(p.Gain.Low),
		Expected:     amount(p.Gain.Mean),
		High:         amount(p.Gain.High),
	}
	if !ok {
		return nil
	}
	return g
}

// replayed scales a replay to 30 days, given when its negotiations end.
func (v *volume) replayed(r negotiation.Replayed, to time.Time) Replayed {
	out := Replayed{Replayed: r}
	seconds, ok := v.span(to)
	if !ok {
		return out
	}
	m := ReplayPerMonth{
		Negotiations: v.perMonth(seconds),
		Margin:       r.Before.Costed+r.Possible.Costed > 0,
	}
	more := func(after negotiation.Revenue) (money.Amount, error) {
		was, is := r.Before.Revenue, after.Revenue
		if m.Margin {
			was, is = r.Before.Margin, after.Margin
		}
		change, err := is.Sub(was)
		if err != nil {
			return change, err
		}
		return change.Share(monthSeconds, seconds, money.HalfUp)
	}
	certain, err := more(r.Certain)
	if err != nil {
		return out
	}
	possible, err := more(r.Possible)
	if err != nil {
		return out
	}
	m.Certain, m.Possible = certain, possible
	out.PerMonth = &m
	return out
}

// addReplay adds the replay of the negotiations that a proposal was learned from, and what both mean per month.
func (t *Tuned) addReplay(negotiations []ports.Negotiation, by *negotiation.Replayer, to time.Time) {
	var learned volume
	for _, n := range negotiations {
		by.Add(n.Entries, n.Bought)
		learned.add(n.Entries)
	}
	report := by.Report()
	t.Replay = learned.replayed(report, to)
	t.PerMonth = learned.gain(t.Proposal, report.Before.List.Currency(), to)
}

// endOf returns when the negotiations of a request end.
func (s *Service) endOf(r TuneRequest) time.Time {
	if now := s.Clock.Now(); r.To.IsZero() || r.To.After(now) {
		return now
	}
	return r.To
}
