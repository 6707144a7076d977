package discovery

import (
	"context"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// MostLookedUp is how many names one lookup takes.
const MostLookedUp = 50

// ErrTooMany means that a lookup has more names than it may.
var ErrTooMany = fault.New(fault.Malformed, "request_too_large", "Look up at most 50 ids at once.")

// Match is a variant that a name leads to: its own, or Featured, that of its product.
type Match struct {
	Variant  catalog.Variant
	Name     string
	Featured bool
}

// LookedUp is a product with the variants that names lead to, in the order of these.
type LookedUp struct {
	Product *catalog.Product
	Matches []Match
}

// LookupAnswer is what names lead to. Unknown are the places of those in the request that lead to nothing.
type LookupAnswer struct {
	Products []LookedUp
	Stock    Stock
	Unknown  []int
}

// Lookup finds products by their ids, by those of their variants, or by SKUs. A filter by categories and prices leaves out what
// does not pass it. It opens no session.
func (s *Service) Lookup(ctx context.Context, p *project.Project, names []string, f catalog.Filter) (LookupAnswer, error) {
	if len(names) > MostLookedUp {
		return LookupAnswer{}, ErrTooMany
	}
	found, err := s.Catalog.Named(ctx, p.ID, distinct(names))
	if err != nil {
		return LookupAnswer{}, err
	}
	answer := LookupAnswer{Stock: found.Stock}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		product, match, known := resolve(found.Products, found.Stock, name, f)
		switch {
		case !known:
			answer.Unknown = append(answer.Unknown, i)
		case product != nil:
			answer.add(product, match)
		}
	}
	return answer, nil
}

func (a *LookupAnswer) add(p *catalog.Product, m Match) {
	at := slices.IndexFunc(a.Products, func(l LookedUp) bool { return l.Product == p })
	if at < 0 {
		at, a.Products = len(a.Products), append(a.Products, LookedUp{Product: p})
	}
	a.Products[at].Matches = append(a.Products[at].Matches, m)
}

// distinct are the names that a store can be asked for: none of its texts has a NUL character.
func distinct(names []string) []string {
	sorted := slices.Sorted(slices.Values(names))
	return slices.DeleteFunc(slices.Compact(sorted), func(name string) bool { return name == "" || strings.Contains(name, "\x00") })
}

// resolve is what a name leads to. The product is nil where nothing of it passes the filter.
func resolve(products []*catalog.Product, stock Stock, name string, f catalog.Filter) (p *catalog.Product, m Match, known bool) {
	p, own, known := named(products, name)
	if known && (f.Hides(p) || own != nil && f.Physical && own.Digital) {
		return nil, m, false
	}
	if !known || !f.PassesCategory(p) {
		return nil, m, known
	}
	if own != nil {
		if !f.Sells(p, *own) {
			return nil, m, true
		}
		return p, Match{Variant: *own, Name: name}, true
	}
	passing := Passing(p, f)
	if len(passing) == 0 {
		return nil, m, true
	}
	return p, Match{
		Variant:  passing[catalog.Featured(passing, stock)],
		Name:     name,
		Featured: true,
	}, true
}

// named is the product that has a name, and the variant if it is the variant's own.
func named(products []*catalog.Product, name string) (*catalog.Product, *catalog.Variant, bool) {
	for _, p := range products {
		for i := range p.Variants {
			if v := &p.Variants[i]; v.ID.String() == name || v.SKU == name && name != "" {
				return p, v, true
			}
		}
		if p.ID.String() == name || p.SKU == name && name != "" {
			return p, nil, true
		}
	}
	return nil, nil, false
}

// Passing are a product's variants at prices that pass a filter.
func Passing(p *catalog.Product, f catalog.Filter) []catalog.Variant {
	return slices.DeleteFunc(slices.Clone(p.Variants), func(v catalog.Variant) bool { return !f.Sells(p, v) })
}

// ChoiceRequest asks for one product, by its id or that of a variant, narrowed by what is selected of its options.
type ChoiceRequest struct {
	Name      string
	Selected  []catalog.Selection
	Preferred []string // names of options, the most important first
	Filter    catalog.Filter
}

// ChoiceAnswer is a product as far as it is chosen.
type ChoiceAnswer struct {
	Product *catalog.Product
	Choice  catalog.Choice
	Stock   Stock
}

// Choose shows one product. The options of a variant that is named win over those selected. It opens no session.
func (s *Service) Choose(ctx context.Context, p *project.Project, r ChoiceRequest) (ChoiceAnswer, error) {
	check := fault.NewCheck()
	for i, one := range r.Selected {
		twice := slices.ContainsFunc(r.Selected[:i], one.SameOption)
		check.In("selected").At(i).That(!twice, "name", "names an option a second time")
	}
	if err := check.Err(); err != nil {
		return ChoiceAnswer{}, err
	}
	found, err := s.Catalog.Named(ctx, p.ID, distinct([]string{r.Name}))
	if err != nil {
		return ChoiceAnswer{}, err
	}
	product, own, known := named(found.Products, r.Name)
	if !known || !r.Filter.PassesCategory(product) || r.Filter.Hides(product) || own != nil && r.Filter.Physical && own.Digital {
		return ChoiceAnswer{}, fault.Missing("product")
	}
	answer := ChoiceAnswer{Product: product, Stock: found.Stock}
	if own != nil {
		answer.Choice = product.ChooseVariant(*own, found.Stock)
	} else {
		answer.Choice = product.Choose(r.Selected, r.Preferred, found.Stock)
	}
	answer.Choice.Variants = slices.DeleteFunc(answer.Choice.Variants, func(v catalog.Variant) bool { return !r.Filter.Sells(product, v) })
	if len(answer.Choice.Variants) == 0 {
		return ChoiceAnswer{}, fault.New(fault.NotFound, "product_not_found", "No variant of the product that is selected passes the filters.")
	}
	return answer, nil
}
