package pricing

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// tokens are the agreed quotes of a request, by token hash, and which of their prices are spent.
type tokens struct {
	quotes map[string]*negotiation.Quote
	used   map[tokenUse]bool
	agreed []checkout.Agreement // of the session
}

type tokenUse struct {
	hash    string
	variant id.Variant
}

// tokensOf are the request's tokens; one that cannot be redeemed is an error. The time of one that has a line of the
// checkout already does not matter any more.
func tokensOf(r Request, known ports.Basket, before []checkout.Line) (*tokens, error) {
	t := &tokens{
		quotes: map[string]*negotiation.Quote{},
		used:   map[tokenUse]bool{},
		agreed: known.Agreed,
	}
	fields := map[string]string{}
	if r.TokenHash != "" {
		fields[r.TokenHash] = "checkout_token"
	}
	for i, item := range r.Items {
		if _, known := fields[item.TokenHash]; item.TokenHash != "" && !known {
			fields[item.TokenHash] = itemField(i, "checkout_token")
		}
	}
	for _, q := range known.Quotes {
		t.quotes[q.Snapshot().TokenHash] = q
	}
	for hash, field := range fields {
		q := t.quotes[hash]
		if q == nil {
			return nil, fault.Field(field, "is not a token of this session")
		}
		has := slices.ContainsFunc(before, func(l checkout.Line) bool { return l.Quote == q.Snapshot().ID })
		if err := q.Redeemable(r.Session, known.Now); err != nil && !(has && fault.Is(err, "token_expired")) {
			return nil, renamed(err, field)
		}
	}
	return t, nil
}

// items are what a token covers, for a request that names none.
func (t *tokens) items(hash string) []Item {
	q := t.quotes[hash].Snapshot()
	items := []Item{{
		Product:  q.Item.Product,
		Variant:  q.Item.Variant,
		Quantity: q.Item.Quantity,
	}}
	if q.WithBundle {
		items = append(items, Item{
			Product:  q.Bundle.Product,
			Variant:  q.Bundle.Variant,
			Quantity: 1,
		})
	}
	return items
}

// variant is the one that the item's token is about, for buyers who leave it out.
func (t *tokens) variant(item Item, common string) id.Variant {
	if q := t.quotes[cmp.Or(item.TokenHash, common)]; q != nil {
		return q.Covered(item.Product)
	}
	return id.Variant{}
}

// line prices one item. A token's price is good for one line.
func (t *tokens) line(p *catalog.Product, v catalog.Variant, item Item, common string, at fault.Check) checkout.Line {
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
	hash := cmp.Or(item.TokenHash, common)
	if q := t.quotes[hash]; q != nil && !t.used[tokenUse{hash, v.ID}] {
		if agreed, ok := q.PriceFor(p.ID, v.ID, item.Quantity); ok {
			t.used[tokenUse{hash, v.ID}] = true
			line.Quote, line.Bundled = q.Snapshot().ID, q.Snapshot().Item.Variant != v.ID
			line.Token = checkout.Token{Salt: q.Snapshot().TokenSalt, Hash: hash}
			line.Unit, line.Original = q.Charged(v.ID, agreed, line.Original)
			at.That(item.Price == nil || *item.Price == agreed || *item.Price == line.Unit,
				"negotiated_price", "must be "+agreed.String())
			return line
		}
	}
	at.That(item.TokenHash == "" || !line.Quote.IsZero(), "checkout_token", "does not cover this product, variant and quantity")
	at.That(item.Price == nil || *item.Price == line.Unit, "negotiated_price", "must be "+line.Unit.String()+t.forgotten(line, item.Price))
	return line
}

// forgotten says how a price that was agreed in the session is used.
func (t *tokens) forgotten(line checkout.Line, price *money.Amount) string {
	for _, a := range t.agreed {
		if price != nil && a.Variant == line.Variant && a.Price == *price {
			return "; " + a.Price.String() + " was agreed for " + strconv.Itoa(a.Quantity) + ": give the checkout_token of that quote"
		}
	}
	return ""
}

// spend notes that kept lines have the prices of their tokens.
func (t *tokens) spend(kept map[int]checkout.Line) {
	for _, l := range kept {
		for hash, q := range t.quotes {
			if q.Snapshot().ID == l.Quote {
				t.used[tokenUse{hash, l.Variant}] = true
			}
		}
	}
}

// keep leaves a line its agreed price, which is good for its quantity alone.
func keep(l checkout.Line, item Item, at fault.Check) checkout.Line {
	at.That(item.Quantity == l.Quantity, "quantity", "must be "+strconv.Itoa(l.Quantity)+" for the agreed price; leave line_id out for a new line")
	at.That(item.Price == nil || *item.Price == l.Unit, "negotiated_price", "must be "+l.Unit.String())
	return l
}

// alone refuses a bundle's price where the item that it goes with is not bought.
func (t *tokens) alone(lines []checkout.Line, check fault.Check) {
	for i, l := range lines {
		if !l.Bundled || slices.ContainsFunc(lines, func(other checkout.Line) bool { return other.Quote == l.Quote && !other.Bundled }) {
			continue
		}
		with := "the item"
		for _, q := range t.quotes {
			if s := q.Snapshot(); s.ID == l.Quote {
				with = strconv.Itoa(s.Item.Quantity) + " of the item"
			}
		}
		check.In("items").At(i).That(false, "product_id", "has its price only together with "+with+" that it was offered with")
	}
}

// unused refuses a common token that covers no item: the buyer thinks it has a price that it has not.
func (t *tokens) unused(r Request, check fault.Check) {
	if r.TokenHash == "" {
		return
	}
	for use := range t.used {
		if use.hash == r.TokenHash {
			return
		}
	}
	check.That(false, "checkout_token", "covers none of the items in this product, variant and quantity")
}

func itemField(index int, name string) string {
	return "items." + strconv.Itoa(index) + "." + name
}

// renamed says which field a token's problem is about.
func renamed(err error, field string) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Details = []fault.Detail{{Field: field, Message: e.Message}}
	if len(e.Details) > 0 {
		named.Details[0].Message = e.Details[0].Message
	}
	return &named
}
