package discovery

import (
	"context"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// MostLookedUp is how many names one lookup may have.
const MostLookedUp = 50

// ErrTooMany means that a lookup has more than MostLookedUp names.
var ErrTooMany = fault.New(fault.Malformed, "request_too_large", "Look up at most 50 ids at once.")

// Match is the variant that a name refers to. Featured means that the name is the product's and this is its featured variant.
type Match struct {
	Variant  catalog.Variant
	Name     string
	Featured bool
}

// LookedUp is a product with the variants that names refer to, in the order of the names.
type LookedUp struct {
	Product *catalog.Product
	Matches []Match
}

// LookupAnswer is the result of a lookup. Unknown are the indexes of the requested names that refer to nothing.
type LookupAnswer struct {
	Products []LookedUp
	Stock    Stock
	Unknown  []int
}

// Lookup finds products by product ids, variant ids or SKUs. It leaves out products that do not pass the filter's categories and
// prices. It opens no session.
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

// distinct returns the names without duplicates and without those that no store can hold: empty ones and ones with a NUL.
func distinct(names []string) []string {
	sorted := slices.Sorted(slices.Values(names))
	return slices.DeleteFunc(slices.Compact(sorted), func(name string) bool { return name == "" || strings.Contains(name, "\x00") })
}

// resolve finds the product and variant that a name refers to. The product is nil if none of its variants passes the filter.
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

// named returns the product with an id or SKU, and the variant if the id or SKU is the variant's.
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

// Passing returns the variants of a product whose prices pass a filter.
func Passing(p *catalog.Product, f catalog.Filter) []catalog.Variant {
	return slices.DeleteFunc(slices.Clone(p.Variants), func(v catalog.Variant) bool { return !f.Sells(p, v) })
}

// ChoiceRequest asks for one product by its id or a variant's, narrowed by the selected options.
type ChoiceRequest struct {
	Name      string
	Selected  []catalog.Selection
	Preferred []string // names of options, the most important first
	Filter    catalog.Filter
}

// ChoiceAnswer is a product with the variants that the selected options leave.
type ChoiceAnswer struct {
	Product *catalog.Product
	Choice  catalog.Choice
	Stock   Stock
}

// Choose returns one product. If Name is a variant's, its options override the selected ones. It opens no session.
func (s *Service) Choose(ctx context.Context, p *project.Project, r ChoiceRequest) (ChoiceAnswer, error) {
	check := fault.NewCheck()
	for i, one := range r.Selected {
		twice := slices.ContainsFunc(r.Selected[:i], one.SameOption)
		check.In("selected").At(i).That(!twice, "name", "must not be repeated")
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
		return ChoiceAnswer{}, fault.New(fault.NotFound, "product_not_found", "No variant with the selected options passes the filters.")
	}
	return answer, nil
}
