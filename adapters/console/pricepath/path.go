// Package pricepath draws the price path of a negotiation: as an SVG for desktops and phones, as a sparkline, and as the rows of
// a table with the rule of each step in words.
//
// It is pure: it takes decisions that the caller has loaded, does no I/O, and writes no scripts or style attributes. The same
// path gives the same bytes. Its classes are those of CSS.
package pricepath

import (
	"cmp"
	_ "embed" // for CSS
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// CSS is the style sheet of the markup. It requires the console's color tokens.
//
//go:embed pricepath.css
var CSS string

// LimitsHidden is the text of the card for viewers who may not see limits.
const LimitsHidden = "Your role does not show price limits."

// EndKind is how a negotiation ended.
type EndKind struct{ name string }

// The ends. The zero EndKind is Open.
var (
	Open = EndKind{""}
	Deal = EndKind{"deal"}
	Left = EndKind{"left"} // the buyer gave up, or the session ended without a deal
)

// End is how the path ends. Price is for a Deal; left out, it is that of the last accepted offer.
type End struct {
	Kind  EndKind
	Price *Number
}

// FlagKind is what happened beside the prices.
type FlagKind struct{ name string }

// These are the flags. New flags steps after an expired price, and after a change of list price or limits.
var (
	Bundle  = FlagKind{"bundle"}
	Expired = FlagKind{"expired"}
	Changed = FlagKind{"changed"}
)

// Flag marks a step on the x axis.
type Flag struct {
	Step int // from 1
	Kind FlagKind
}

// Format writes amounts in the viewer's language. Money is required; it is the full form, "$1,540.00".
type Format struct {
	Money func(money.Amount) string
	Plain func(money.Amount) string // beside the lines, "1,540.00"; nil: the decimal text
	Axis  func(money.Amount) string // round amounts, "$1,540"; nil: Money
}

// Options has what the decisions do not contain.
type Options struct {
	Prefix   string // of the ids in the SVG: letters, digits and hyphens, unique in the page
	Product  string // name, as text
	Currency money.Currency
	End      End
	Limits   bool // the viewer may see floor and target (agents:read)
	Format   Format
	Flags    []Flag
	Span     int                   // at least so many columns, so that charts of one order have the same x
	Href     func(step int) string // nil: "?step=4#step"
}

// Path is the negotiation of one line, ready to be drawn. Without Limits it contains no limits, and the decisions need neither
// bounds nor rule, as in a session's history.
type Path struct {
	opt   Options
	steps []step
	flags []Flag
	end   EndKind
	price int64 // of the deal
	last  int   // index of the step that the end is marked at
}

// step is a decision in minor units. Zero amounts are absent.
type step struct {
	n                      int // from 1
	at                     time.Time
	response, rule         string
	handler, fallback      string
	offer, price           int64
	named                  bool  // the record has the price
	prior                  int64 // the price before, as drawn
	proposal               int64
	best, counter          int64 // of the progress before
	rounds, quantity       int
	list                   int64
	opening, target, floor int64 // absent where limits are hidden
	inputs                 Inputs
}

func (s *step) accepted() bool { return s.response == "accept" }
func (s *step) rejected() bool { return s.response == "reject" }

// holds reports whether the shop's price did not change.
func (s *step) holds() bool { return !s.accepted() && s.price == s.prior }

// priceBefore returns the shop's price before the answer: the lowest one that it had named, or else the opening.
func (s *step) priceBefore() int64 {
	if s.counter > 0 {
		return s.counter
	}
	return s.opening
}

var errEmpty = errors.New("pricepath: no decisions")

// New makes a path from one line's decisions, in any order. It fails without decisions, and on amounts that the currency cannot
// hold.
func New(decisions []Decision, o Options) (*Path, error) {
	if len(decisions) == 0 {
		return nil, errEmpty
	}
	sorted := slices.Clone(decisions)
	slices.SortStableFunc(sorted, func(a, b Decision) int { return cmp.Compare(a.Seq, b.Seq) })
	p := &Path{
		opt:   withDefaults(o),
		steps: make([]step, len(sorted)),
		end:   o.End.Kind,
	}
	r := reader{currency: o.Currency}
	for i := range sorted {
		s := r.step(&sorted[i], o.Limits)
		s.n = i + 1
		s.prior = s.counter // if older decisions are no longer stored
		if i > 0 {
			s.prior = p.steps[i-1].price
		}
		s.named = s.price > 0
		if !s.named { // an old rejection: the price that stood
			s.price = cmp.Or(s.counter, s.prior, s.opening, s.list)
		}
		p.steps[i] = s
	}
	if o.End.Price != nil {
		p.price = r.amount(*o.End.Price)
	}
	p.opt.Limits = o.Limits && p.limits().floor > 0 // every recorded floor is
	if r.err != nil {
		return nil, fmt.Errorf("pricepath: %w", r.err)
	}
	p.finish()
	return p, nil
}

func withDefaults(o Options) Options {
	if o.Format.Plain == nil {
		o.Format.Plain = money.Amount.String
	}
	if o.Format.Axis == nil {
		o.Format.Axis = o.Format.Money
	}
	if o.Href == nil {
		o.Href = func(step int) string { return "?step=" + strconv.Itoa(step) + "#step" }
	}
	return o
}

// finish determines the place of the end mark and the flagged steps.
func (p *Path) finish() {
	p.last = len(p.steps) - 1
	if p.end == Deal {
		for i := p.last; i >= 0; i-- {
			if p.steps[i].accepted() {
				p.last = i
				break
			}
		}
		p.price = cmp.Or(p.price, p.steps[p.last].price)
	}
	for _, f := range p.opt.Flags {
		if f.Step >= 1 && f.Step <= len(p.steps) && f.Kind.name != "" {
			p.flags = append(p.flags, f)
		}
	}
	for i := 1; i < len(p.steps); i++ {
		before, s := &p.steps[i-1], &p.steps[i]
		if f := (Flag{s.n, Expired}); expired(before, s) && !slices.Contains(p.flags, f) {
			p.flags = append(p.flags, f)
		}
		if f := (Flag{s.n, Changed}); changed(before, s) && !slices.Contains(p.flags, f) {
			p.flags = append(p.flags, f)
		}
	}
	slices.SortStableFunc(p.flags, func(a, b Flag) int { return a.Step - b.Step })
}

// expired reports whether the price of the previous step was no longer valid: it had expired, or the record has no named price
// any more.
func expired(before, s *step) bool {
	if before.accepted() || !before.named {
		return false
	}
	return s.at.Sub(before.at) >= negotiation.Validity || s.list > 0 && s.counter == 0
}

// changed reports whether the limits differ from those of the previous step. The chart shows the last limits.
func changed(before, s *step) bool {
	return before.list != s.list || before.target != s.target || before.floor != s.floor
}

// Len is the number of steps.
func (p *Path) Len() int { return len(p.steps) }

// limits returns the step whose bounds are drawn, which are those in force at the end.
func (p *Path) limits() *step { return &p.steps[len(p.steps)-1] }

// Quantity is the number of pieces. Prices are for one.
func (p *Path) Quantity() int { return p.limits().quantity }

// Chosen returns the step to show: the requested one, or else the last one that changed the price before an agreement.
func (p *Path) Chosen(step int) int {
	if step >= 1 && step <= len(p.steps) {
		return step
	}
	for i := len(p.steps) - 1; i >= 0; i-- {
		if s := &p.steps[i]; !s.accepted() && !s.holds() {
			return s.n
		}
	}
	return len(p.steps)
}

func (p *Path) amount(minor int64) money.Amount { return money.Of(minor, p.opt.Currency) }
func (p *Path) money(minor int64) string        { return p.opt.Format.Money(p.amount(minor)) }

// reader reads amounts and keeps the first error.
type reader struct {
	currency money.Currency
	err      error
}

func (r *reader) amount(n Number) int64 {
	if n == "" {
		return 0
	}
	minor, err := money.ParseDecimal(string(n), r.currency.Digits())
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("amount %q %w", n, err)
	}
	return minor
}

func (r *reader) optional(n *Number) int64 {
	if n == nil {
		return 0
	}
	return max(r.amount(*n), 0)
}

func (r *reader) step(d *Decision, limits bool) step {
	s := step{
		at:       d.CreatedAt,
		offer:    r.optional(d.Offer),
		price:    r.optional(d.Answer.Price),
		list:     r.amount(d.Bounds.List),
		best:     r.optional(d.Progress.BestOffer),
		counter:  r.optional(d.Progress.Counter),
		rounds:   d.Progress.Rounds,
		quantity: d.Quantity,
		response: d.Answer.Response,
		rule:     d.Rule,
		handler:  text(d.Handler),
		fallback: text(d.Fallback),
		inputs:   d.Inputs,
	}
	if limits {
		s.opening, s.target, s.floor = r.amount(d.Bounds.Opening), r.amount(d.Bounds.Target), r.amount(d.Bounds.Floor)
		s.proposal = r.optional(d.Proposal)
	}
	return s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
