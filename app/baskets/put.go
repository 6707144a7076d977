package baskets

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// PutRequest replaces the whole cart of a session.
type PutRequest struct {
	Session id.Session // zero: a new one
	Items   []Item
	Lenient *pricing.LenientItems // instead of Items: items that can be sold are accepted, the others are reported as findings
	Agent   agentid.Agent         // that sends the request; a new session is opened by it
	Buyer   *checkout.Buyer       // replaces the session's buyer; nil: unchanged
	// Repeatable means that the response is stored under an idempotency key.
	Repeatable bool
}

// Item is one requested line. Line is the number of a line of the cart, or 0 for a new one. With a token, the item has the
// agreed price. A line keeps its agreed price while product, variant and quantity are unchanged; otherwise it is at list price.
// Price is what the buyer expects to pay, or nil to accept any.
type Item = pricing.Item

// PreparedPut is a cart that is not stored yet.
type PreparedPut struct {
	Basket Basket
	Opened bool // its session is new
	// Findings are the problems of lenient items.
	Findings []pricing.Finding
	Dropped  []checkout.Dropped // agreed prices that lenient items lost

	result ports.CartResult
}

// PreparePut prices a cart. It writes nothing.
func (s *Service) PreparePut(ctx ports.Outbound, p *project.Project, r PutRequest) (*PreparedPut, error) {
	known, err := s.Carts.Cart(ctx, p.ID, r.query())
	if err != nil {
		return nil, err
	}
	sess, touched, err := s.sessionFor(p, Named{r.Session, r.Agent}, known, r.Repeatable)
	if err != nil {
		return nil, err
	}
	if r.Buyer != nil {
		sess.Buyer = *r.Buyer
	}
	before := session.Cart{Items: known.Items, LineSeq: max(sess.LineSeq, known.LastLine)}
	w := &replacement{
		cart:  before,
		known: known,
		items: slices.Clone(r.Items),
	}
	items, findings, err := w.lines(sess.ID, r.Lenient)
	if err != nil {
		return nil, err
	}
	after := before.Replace(items)
	if err := after.Check(p.Settings.Currency); err != nil {
		return nil, err
	}
	made := &PreparedPut{
		Basket:   basketOf(p, known, sess, after.Items),
		Opened:   known.Session == nil,
		Findings: findings,
		Dropped:  w.dropped,
		result: ports.CartResult{
			Session:    sess,
			NewSession: known.Session == nil,
			Touched:    touched,
			Before:     known.Items,
			After:      after,
		},
	}
	for _, warning := range made.Basket.Warnings { // an agreement that a line lost is reported as unused, too
		if !slices.ContainsFunc(w.warnings, func(w Warning) bool { return warning.Problem == w.Problem && warning.Quote == w.Quote }) {
			w.warnings = append(w.warnings, warning)
		}
	}
	made.Basket.Warnings = w.warnings
	return made, nil
}

// Commit stores the cart. If another request has changed the cart since it was prepared, it returns ports.Stale, and the
// caller must prepare it again.
func (m *PreparedPut) Commit(ctx context.Context, stores *ports.Stores) error {
	return stores.Carts.Replace(ctx, m.result)
}

// query names what the request needs to read.
func (r PutRequest) query() ports.CartAsk {
	ask := ports.CartAsk{Session: r.Session}
	for _, item := range r.Items[:min(len(r.Items), session.MaxLines)] {
		ask.Products = append(ask.Products, item.Product)
		if item.TokenHash != "" {
			ask.Tokens = append(ask.Tokens, item.TokenHash)
		}
	}
	if r.Lenient != nil {
		ask.Tokens = append(ask.Tokens, r.Lenient.Tokens...)
		for _, item := range r.Lenient.Items[:min(len(r.Lenient.Items), session.MaxLines)] {
			ask.Refs = append(ask.Refs, item.Ref)
		}
	}
	return ask
}

// replacement computes the new items of a cart.
type replacement struct {
	cart     session.Cart // the cart so far
	known    ports.Cart
	items    []Item
	warnings []Warning
	dropped  []checkout.Dropped
}

// lines prices the request's items, or the lenient ones if there are any.
func (w *replacement) lines(of id.Session, lenient *pricing.LenientItems) ([]session.CartItem, []pricing.Finding, error) {
	switch {
	case lenient == nil:
		items, err := w.priced(of)
		return items, nil, err
	case len(lenient.Items) == 0:
		return nil, nil, nil
	}
	request := pricing.LenientRequest{
		Session: of,
		Items:   lenient.Items,
		Tokens:  slices.Clone(lenient.Tokens),
	}
	for _, item := range w.cart.Items {
		if q := quoteOf(item.Quote, w.known.Quotes); q != nil && lenient.KeepDeals {
			request.Tokens = append(request.Tokens, q.Snapshot().TokenHash)
		}
	}
	numbers := w.previousLines()
	for i := range numbers {
		numbers[i].Quote = id.Quote{} // in a cart, unlike in a checkout, an agreement can expire
	}
	lines, findings, err := pricing.Lenient(request, w.known.Basket, numbers)
	w.dropped = pricing.Dropped(w.previousLines(), lines, request.Tokens, len(lenient.Tokens), findings)
	return w.cartItems(lines), findings, err
}

// priced prices the items and returns the cart's new items.
func (w *replacement) priced(of id.Session) ([]session.CartItem, error) {
	if err := w.checkLines(); err != nil {
		return nil, err
	}
	w.items = pricing.Match(w.items, w.previousLines())
	wanted := slices.Clone(w.items)
	for i := range w.items {
		w.keepAgreement(i, of)
	}
	lines, err := pricing.Lines(pricing.Request{Session: of, Items: w.items}, w.known.Basket, w.agreed())
	if err != nil {
		return nil, err
	}
	items := w.cartItems(lines)
	for i := range items {
		items[i].Line = wanted[i].Line
	}
	return items, nil
}

// cartItems converts lines to the items that the cart stores.
func (w *replacement) cartItems(lines []checkout.Line) []session.CartItem {
	items := make([]session.CartItem, len(lines))
	for i, l := range lines {
		items[i] = session.CartItem{
			Line:     l.ID,
			Product:  l.Product,
			Variant:  l.Variant,
			Name:     l.Name,
			Quantity: l.Quantity,
			Price:    l.Unit,
			Quote:    l.Quote,
		}
		if q := quoteOf(l.Quote, w.known.Quotes); q != nil { // store the agreed price even if the list price is lower now
			items[i].Price, _ = q.PriceFor(l.Product, l.Variant, l.Quantity)
		}
	}
	return items
}

// previousLines converts the cart's lines so far to those of a checkout, with the fields that items may keep.
func (w *replacement) previousLines() []checkout.Line {
	lines := make([]checkout.Line, len(w.cart.Items))
	for i, item := range w.cart.Items {
		lines[i] = checkout.Line{
			ID:       item.Line,
			Product:  item.Product,
			Variant:  item.Variant,
			Quantity: item.Quantity,
			Quote:    item.Quote,
		}
		if q := quoteOf(item.Quote, w.known.Quotes); q != nil {
			lines[i].Token = checkout.Token{Salt: q.Snapshot().TokenSalt, Hash: q.Snapshot().TokenHash}
		}
	}
	return lines
}

// checkLines refuses line numbers that the cart does not have or that two items name.
func (w *replacement) checkLines() error {
	check, named := fault.NewCheck(), map[int]bool{}
	for i, item := range w.items {
		if item.Line == 0 {
			continue
		}
		_, ok := w.cart.Line(item.Line)
		at := check.In("items").At(i)
		at.That(ok, "line_id", "is not a line of this cart")
		at.That(!named[item.Line], "line_id", "is the line of another item")
		named[item.Line] = true
	}
	return check.Err()
}

// keepAgreement keeps the agreement of an item's line if the item still matches it and it can be redeemed. Otherwise the item
// loses it, with a warning.
func (w *replacement) keepAgreement(i int, of id.Session) {
	item := &w.items[i]
	line, ok := w.cart.Line(item.Line)
	if !ok {
		return
	}
	if item.Product == line.Product && item.Variant.IsZero() {
		item.Variant = line.Variant
	}
	q := quoteOf(line.Quote, w.known.Quotes)
	if q == nil || item.TokenHash != "" {
		item.Line = 0
		return
	}
	if !sameItem(*item, line) {
		w.dropAgreement(i, AgreementNotUsed, line)
	} else if warning, ok := checkAgreement(q, line, w.agreedItems(), w.known.Now); !ok {
		w.dropAgreement(i, warning.Problem, line)
	}
}

// sameItem reports whether an item has the product, variant and quantity of a line.
func sameItem(item Item, line session.CartItem) bool {
	variant := item.Variant.IsZero() || item.Variant == line.Variant
	return item.Product == line.Product && variant && item.Quantity == line.Quantity
}

// dropAgreement makes an item lose the agreement of its line, and warns of that.
func (w *replacement) dropAgreement(i int, why Problem, line session.CartItem) {
	w.items[i].Line = 0
	w.warnings = append(w.warnings, Warning{
		Problem: why,
		Line:    i,
		Quote:   line.Quote,
		Price:   line.Price,
	})
}

// agreedItems returns the agreed lines that unchanged items name, and the items that tokens of the request cover.
func (w *replacement) agreedItems() []session.CartItem {
	var list []session.CartItem
	for _, item := range w.items {
		if line, ok := w.cart.Line(item.Line); ok && item.TokenHash == "" && sameItem(item, line) {
			list = append(list, line)
		}
		for _, q := range w.known.Quotes {
			if s := q.Snapshot(); item.TokenHash != "" && s.TokenHash == item.TokenHash && s.Item.Product == item.Product {
				list = append(list, session.CartItem{Variant: s.Item.Variant, Quote: s.ID})
			}
		}
	}
	return list
}

// agreed returns the lines whose agreements items keep, as lines of a checkout.
func (w *replacement) agreed() []checkout.Line {
	var lines []checkout.Line
	for _, item := range w.items {
		line, ok := w.cart.Line(item.Line)
		product, v, sold := find(w.known.Products, line.Product, line.Variant)
		q := quoteOf(line.Quote, w.known.Quotes)
		if !ok || !sold || q == nil {
			continue
		}
		unit, original := q.Charged(v.ID, line.Price, product.PriceOf(v))
		lines = append(lines, checkout.Line{
			ID:       line.Line,
			Product:  product.ID,
			Variant:  v.ID,
			SKU:      v.SKU,
			Name:     product.Name,
			Label:    v.Label(),
			Digital:  v.Digital,
			Quantity: line.Quantity,
			Unit:     unit,
			Original: original,
			Quote:    line.Quote,
			Bundled:  q.Snapshot().Item.Variant != v.ID,
		})
	}
	return lines
}
