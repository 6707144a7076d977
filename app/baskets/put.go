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

// PutRequest replaces the whole cart of a session: what it leaves out is gone.
type PutRequest struct {
	Session id.Session // zero: a new one
	Items   []Item
	Lenient *pricing.LenientItems // in place of items: what can be sold is taken, and what is wrong with the rest is told
	Agent   agentid.Agent         // that asks, and opens a new session
	Buyer   *checkout.Buyer       // in place of the one before; nil: that one stays
	// Repeatable: the answer is stored under an idempotency key.
	Repeatable bool
}

// Item is one line as the buyer wants it. Line is that of the cart; 0: a new one. With a token it is what was agreed on. A line
// keeps its agreed price while product, variant and quantity stay; else it is at list price. Price is what the buyer thinks
// that it costs; nil: whatever it does.
type Item = pricing.Item

// PreparedPut is a cart that is not stored yet.
type PreparedPut struct {
	Basket Basket
	Opened bool // its session is new
	// Findings are what of lenient items is not as their sender may think.
	Findings []pricing.Finding
	Dropped  []checkout.Dropped // agreed prices that lenient items gave up

	result ports.CartResult
}

// PreparePut prices a cart. It writes nothing.
func (s *Service) PreparePut(ctx ports.Outbound, p *project.Project, r PutRequest) (*PreparedPut, error) {
	known, err := s.Carts.Cart(ctx, p.ID, r.ask())
	if err != nil {
		return nil, err
	}
	visit, touched, err := s.visit(p, Named{r.Session, r.Agent}, known, r.Repeatable)
	if err != nil {
		return nil, err
	}
	if r.Buyer != nil {
		visit.Buyer = *r.Buyer
	}
	before := session.Cart{Items: known.Items, LineSeq: max(visit.LineSeq, known.LastLine)}
	w := &writing{
		cart:  before,
		known: known,
		items: slices.Clone(r.Items),
	}
	items, findings, err := w.lines(visit.ID, r.Lenient)
	if err != nil {
		return nil, err
	}
	after := before.Replace(items)
	if err := after.Check(p.Settings.Currency); err != nil {
		return nil, err
	}
	made := &PreparedPut{
		Basket:   view(p, known, visit, after.Items),
		Opened:   known.Session == nil,
		Findings: findings,
		Dropped:  w.dropped,
		result: ports.CartResult{
			Session:    visit,
			NewSession: known.Session == nil,
			Touched:    touched,
			Before:     known.Items,
			After:      after,
		},
	}
	for _, warning := range made.Basket.Warnings { // an agreement that a line has given up is unused, too
		if !slices.ContainsFunc(w.warnings, func(w Warning) bool { return warning.Problem == w.Problem && warning.Quote == w.Quote }) {
			w.warnings = append(w.warnings, warning)
		}
	}
	made.Basket.Warnings = w.warnings
	return made, nil
}

// Commit stores the cart. If another request wrote to it since it was prepared, the error is ports.Stale: prepare it again.
func (m *PreparedPut) Commit(ctx context.Context, stores *ports.Stores) error {
	return stores.Carts.Replace(ctx, m.result)
}

// ask is what the request is read by.
func (r PutRequest) ask() ports.CartAsk {
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

// writing is a cart that is replaced.
type writing struct {
	cart     session.Cart // before
	known    ports.Cart
	items    []Item
	warnings []Warning
	dropped  []checkout.Dropped
}

// lines are those that the request's items become.
func (w *writing) lines(of id.Session, lenient *pricing.LenientItems) ([]session.CartItem, []pricing.Finding, error) {
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
	numbers := w.linesBefore()
	for i := range numbers {
		numbers[i].Quote = id.Quote{} // the time of a cart's deal matters
	}
	lines, findings, err := pricing.Lenient(request, w.known.Basket, numbers)
	w.dropped = pricing.Dropped(w.linesBefore(), lines, request.Tokens, len(lenient.Tokens), findings)
	return w.asItems(lines), findings, err
}

// priced are the lines that the items become.
func (w *writing) priced(of id.Session) ([]session.CartItem, error) {
	if err := w.checkLines(); err != nil {
		return nil, err
	}
	w.items = pricing.Match(w.items, w.linesBefore())
	wanted := slices.Clone(w.items)
	for i := range w.items {
		w.keepOrGiveUp(i, of)
	}
	lines, err := pricing.Lines(pricing.Request{Session: of, Items: w.items}, w.known.Basket, w.agreed())
	if err != nil {
		return nil, err
	}
	items := w.asItems(lines)
	for i := range items {
		items[i].Line = wanted[i].Line
	}
	return items, nil
}

// asItems are lines as the cart keeps them.
func (w *writing) asItems(lines []checkout.Line) []session.CartItem {
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
		if q := quoteOf(l.Quote, w.known.Quotes); q != nil { // a list price that fell below does not take the agreement's place
			items[i].Price, _ = q.PriceFor(l.Product, l.Variant, l.Quantity)
		}
	}
	return items
}

// linesBefore are the cart's lines as far as items may keep them.
func (w *writing) linesBefore() []checkout.Line {
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

// checkLines refuses lines that the cart does not have, or that are named twice.
func (w *writing) checkLines() error {
	check, named := fault.NewCheck(), map[int]bool{}
	for i, item := range w.items {
		if item.Line == 0 {
			continue
		}
		_, ok := w.cart.Line(item.Line)
		at := check.In("items").At(i)
		at.That(ok, "line_id", "is not a line of this cart")
		at.That(!named[item.Line], "line_id", "is the line of another item already")
		named[item.Line] = true
	}
	return check.Err()
}

// keepOrGiveUp leaves an item its line's agreement where it is still about that and can be bought, and warns where it is not.
func (w *writing) keepOrGiveUp(i int, of id.Session) {
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
	if !about(*item, line) {
		w.giveUp(i, AgreementNotUsed, line)
	} else if standing, ok := standing(q, line, w.staying(), w.known.Now); !ok {
		w.giveUp(i, standing.Problem, line)
	}
}

// about reports whether an item is what a line is: of its product, variant and quantity.
func about(item Item, line session.CartItem) bool {
	variant := item.Variant.IsZero() || item.Variant == line.Variant
	return item.Product == line.Product && variant && item.Quantity == line.Quantity
}

func (w *writing) giveUp(i int, why Problem, line session.CartItem) {
	w.items[i].Line = 0
	w.warnings = append(w.warnings, Warning{
		Problem: why,
		Line:    i,
		Quote:   line.Quote,
		Price:   line.Price,
	})
}

// staying are the agreed lines of before that items name, and what their tokens bring.
func (w *writing) staying() []session.CartItem {
	var list []session.CartItem
	for _, item := range w.items {
		if line, ok := w.cart.Line(item.Line); ok && item.TokenHash == "" && about(item, line) {
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

// agreed are the lines whose agreements items keep, as those of a checkout.
func (w *writing) agreed() []checkout.Line {
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
