package pricing

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Wanted is one requested line of a lenient request.
type Wanted struct {
	Line     int    // the line to keep; 0 or unknown: a line of the same variant, or a new one
	Ref      string // the id of a variant, the id of a product with one variant, or a SKU that only one variant has
	Quantity int
}

// LenientItems are items with references of any kind, and tokens that apply wherever they can.
type LenientItems struct {
	Items     []Wanted
	Tokens    []string // hashes of checkout tokens
	KeepDeals bool     // also use the tokens of the lines before
}

// LenientRequest is a cart that is priced without the items that cannot be sold. They are reported as findings.
type LenientRequest struct {
	Session id.Session
	Items   []Wanted
	Tokens  []string // hashes of checkout tokens; each applies to the items that it covers
}

// Finding is a problem with a lenient request. Item and Token are positions in the request and Line one in the
// result, all from 1; 0: the finding concerns none.
type Finding struct {
	Kind              checkout.ProblemKind
	Item, Token, Line int
}

// Problems converts findings to problems of the checkout.
func Problems(findings []Finding) []checkout.Problem {
	var list []checkout.Problem
	for _, f := range findings {
		list = append(list, checkout.Problem{Kind: f.Kind, Line: f.Line})
	}
	return list
}

// Dropped returns the agreed prices that lines lost by a request. It leaves out those with a more specific finding: that they are
// expired, or do not apply although the request has their tokens. The first sent tokens are the request's own.
func Dropped(before, lines []checkout.Line, tokens []string, sent int, findings []Finding) []checkout.Dropped {
	reported := map[string]bool{}
	for _, f := range findings {
		if f.Token > 0 && (f.Token <= sent || f.Kind != checkout.DealNotUsed) {
			reported[tokens[f.Token-1]] = true
		}
	}
	return slices.DeleteFunc(checkout.Drops(before, lines), func(d checkout.Dropped) bool { return reported[d.Was.Token.Hash] })
}

// ErrNothingSold means that no item of a request can be sold.
var ErrNothingSold = fault.New(fault.Conflict, "item_unavailable", "None of the items can be bought.")

// Lenient prices the items that can be sold by the tokens that cover them, and the others at list price. A token applies to one
// line, and to one line of its bundle.
func Lenient(r LenientRequest, known ports.Basket, before []checkout.Line) ([]checkout.Line, []Finding, error) {
	l := &lenient{
		known:  known,
		before: before,
		named:  map[int]bool{},
	}
	for i, item := range r.Items {
		l.add(i+1, item)
	}
	if len(l.lines) == 0 {
		return nil, l.findings, ErrNothingSold
	}
	l.keepOthers()
	for i, hash := range r.Tokens {
		if !slices.Contains(r.Tokens[:i], hash) {
			l.redeem(i+1, hash, r.Session)
		}
	}
	return l.lines, l.findings, nil
}

type lenient struct {
	known    ports.Basket
	before   []checkout.Line
	named    map[int]bool // numbers of lines before that are in use
	lines    []checkout.Line
	findings []Finding
}

func (l *lenient) add(at int, item Wanted) {
	p, v, ok := Find(l.known.Products, item.Ref)
	if !ok || v.Digital { // protocols with lenient carts do not support checkouts without shipping yet
		l.findings = append(l.findings, Finding{Kind: checkout.ItemUnavailable, Item: at})
		return
	}
	line := checkout.Line{
		Product:  p.ID,
		Variant:  v.ID,
		SKU:      v.SKU,
		Name:     p.Name,
		Label:    v.Label(),
		Digital:  v.Digital,
		Quantity: item.Quantity,
		Unit:     p.PriceOf(v),
		Original: p.PriceOf(v),
	}
	if was, ok := l.line(item.Line); ok && was.Variant == v.ID && !l.named[item.Line] {
		line.ID, l.named[item.Line] = item.Line, true
	}
	l.lines = append(l.lines, line)
	if line.Quantity > checkout.MaxQuantity {
		l.lines[len(l.lines)-1].Quantity = checkout.MaxQuantity
		l.findings = append(l.findings, Finding{
			Kind: checkout.QuantityReduced,
			Item: at,
			Line: len(l.lines),
		})
	}
}

func (l *lenient) line(number int) (checkout.Line, bool) {
	at := slices.IndexFunc(l.before, func(b checkout.Line) bool { return number != 0 && b.ID == number })
	if at < 0 {
		return checkout.Line{}, false
	}
	return l.before[at], true
}

// keepOthers sets the numbers of lines without one to those of lines before with the same variant.
func (l *lenient) keepOthers() {
	for i := range l.lines {
		at := slices.IndexFunc(l.before, func(b checkout.Line) bool { return b.Variant == l.lines[i].Variant && b.ID != 0 && !l.named[b.ID] })
		if l.lines[i].ID == 0 && at >= 0 {
			l.lines[i].ID, l.named[l.before[at].ID] = l.before[at].ID, true
		}
	}
}

// redeem applies the agreed price of a token to the line that it covers. An expired token is valid if a line before has it
// already.
func (l *lenient) redeem(at int, hash string, of id.Session) {
	found := Finding{Token: at, Kind: checkout.DealUnknown}
	i := slices.IndexFunc(l.known.Quotes, func(q *negotiation.Quote) bool { return q.Snapshot().TokenHash == hash })
	if i < 0 {
		l.findings = append(l.findings, found)
		return
	}
	q := l.known.Quotes[i]
	held := slices.ContainsFunc(l.before, func(b checkout.Line) bool { return b.Quote == q.Snapshot().ID })
	switch err := q.Redeemable(of, l.known.Now); {
	case err == nil, held && fault.Is(err, "token_expired"):
	case fault.Is(err, "token_expired"):
		found.Kind = checkout.DealExpired
		l.findings = append(l.findings, found)
		return
	case fault.Is(err, "token_redeemed"):
		found.Kind = checkout.DealRedeemed
		l.findings = append(l.findings, found)
		return
	default:
		l.findings = append(l.findings, found)
		return
	}
	s := q.Snapshot()
	if !l.cover(q, s.Item.Variant, s.Item.Quantity) {
		found.Kind, found.Line = checkout.DealNotUsed, l.positionOf(s.Item.Variant)
		l.findings = append(l.findings, found)
		return
	}
	if s.WithBundle {
		l.cover(q, s.Bundle.Variant, 1)
	}
}

// cover applies the quote's price to the first line of the variant and quantity without an agreed price, and reports whether there
// is one.
func (l *lenient) cover(q *negotiation.Quote, variant id.Variant, quantity int) bool {
	for i := range l.lines {
		line := &l.lines[i]
		if line.Variant != variant || line.Quantity != quantity || !line.Quote.IsZero() {
			continue
		}
		agreed, ok := q.PriceFor(line.Product, variant, quantity)
		if !ok {
			return false
		}
		s := q.Snapshot()
		line.Unit, line.Original = q.Charged(variant, agreed, line.Original)
		line.Personal = q.Personalized(variant, line.Unit)
		line.Quote, line.Bundled = s.ID, s.Item.Variant != variant
		line.Token = checkout.Token{Salt: s.TokenSalt, Hash: s.TokenHash}
		return true
	}
	return false
}

// positionOf returns the position of the first line of a variant, from 1; 0: none.
func (l *lenient) positionOf(variant id.Variant) int {
	return 1 + slices.IndexFunc(l.lines, func(line checkout.Line) bool { return line.Variant == variant })
}

// Find returns the variant that a reference names among products, if there is exactly one.
func Find(products []*catalog.Product, ref string) (*catalog.Product, catalog.Variant, bool) {
	var product *catalog.Product
	var variant catalog.Variant
	n := 0
	for _, p := range products {
		for _, v := range p.Variants {
			if v.ID.String() == ref {
				return p, v, true
			}
			if p.ID.String() == ref && len(p.Variants) == 1 || v.SKU == ref && ref != "" || p.SKU == ref && len(p.Variants) == 1 {
				product, variant, n = p, v, n+1
			}
		}
	}
	return product, variant, n == 1
}
