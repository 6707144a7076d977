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

// tokens holds the agreed quotes of a request, by token hash, and which of their prices are used.
type tokens struct {
	quotes map[string]*negotiation.Quote
	used   map[tokenUse]bool
	agreed []checkout.Agreement // of the session
}

type tokenUse struct {
	hash    string
	variant id.Variant
}

// tokensOf returns the request's tokens. It fails if one cannot be redeemed. An expired token is valid if the checkout has a line
// with it already.
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
			return nil, withField(err, field)
		}
	}
	return t, nil
}

// items returns the items that a token covers.
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

// variant returns the variant that the item's token covers, for an item without one.
func (t *tokens) variant(item Item, common string) id.Variant {
	if q := t.quotes[cmp.Or(item.TokenHash, common)]; q != nil {
		return q.Covered(item.Product)
	}
	return id.Variant{}
}

// line prices one item. A token's price applies to one line only.
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
			line.Personal = q.Personalized(v.ID, line.Unit)
			at.That(item.Price == nil || *item.Price == agreed || *item.Price == line.Unit,
				"negotiated_price", "must be "+agreed.String())
			return line
		}
	}
	at.That(item.TokenHash == "" || !line.Quote.IsZero(), "checkout_token", "does not cover this product, variant and quantity")
	at.That(item.Price == nil || *item.Price == line.Unit, "negotiated_price", "must be "+line.Unit.String()+t.tokenHint(line, item.Price))
	return line
}

// tokenHint tells the buyer to send the token if the price was agreed in the session.
func (t *tokens) tokenHint(line checkout.Line, price *money.Amount) string {
	for _, a := range t.agreed {
		if price != nil && a.Variant == line.Variant && a.Price == *price {
			return "; " + a.Price.String() + " was agreed for " + strconv.Itoa(a.Quantity) + ": give the checkout_token of that quote"
		}
	}
	return ""
}

// markUsed marks the prices of kept lines as used.
func (t *tokens) markUsed(kept map[int]checkout.Line) {
	for _, l := range kept {
		for hash, q := range t.quotes {
			if q.Snapshot().ID == l.Quote {
				t.used[tokenUse{hash, l.Variant}] = true
			}
		}
	}
}

// keepLine returns the line with its agreed price, which applies only to its quantity.
func keepLine(l checkout.Line, item Item, at fault.Check) checkout.Line {
	at.That(item.Quantity == l.Quantity, "quantity", "must be "+strconv.Itoa(l.Quantity)+" for the agreed price; omit line_id for a new line")
	at.That(item.Price == nil || *item.Price == l.Unit, "negotiated_price", "must be "+l.Unit.String())
	return l
}

// checkBundles refuses a bundle's price if the item that it was offered with is not bought.
func checkBundles(t *tokens, lines []checkout.Line, check fault.Check) {
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

// checkUsed refuses a token of the whole request that covers none of its items, because the buyer expects its price.
func (t *tokens) checkUsed(r Request, check fault.Check) {
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

// withField sets the field of a token's error.
func withField(err error, field string) error {
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
