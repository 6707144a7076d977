package catalogue_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Catalog is the contract of ports.CatalogReader.
func Catalog(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"changes since a version":                      catalogChanges,
		"synonyms that were written since a version":   catalogSynonyms,
		"nobody misses a synonym among racing writers": catalogSynonymRace,
		"changes of an unknown project":                catalogUnknown,
		"nobody misses a change among racing writers":  catalogRace,
		"categories count active products":             catalogCategories,
		"active products by id":                        catalogActive,
		"active products by any name":                  catalogNamed,
		"the first active products":                    catalogFirst,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func byID(products []*catalog.Product) []*catalog.Product {
	return slices.SortedFunc(slices.Values(products), func(a, b *catalog.Product) int {
		return cmp.Compare(a.ID.String(), b.ID.String())
	})
}

func catalogChanges(s *porttest.Shop) {
	porttest.OpenShop(s.T, s.Stores).Product(1)
	porttest.Same(s.T, "an empty catalogue", s.Changes(0), ports.CatalogChanges{Version: 0, Changed: []*catalog.Product{}})
	first, second, third := s.Product(1), s.Product(2, 3), create(s, s.Rich())
	all := s.Changes(0)
	porttest.Same(s.T, "version", all.Version, int64(3))
	porttest.Same(s.T, "all products", byID(all.Changed), byID([]*catalog.Product{first, second, third}))
	porttest.Same(s.T, "number of levels", len(all.Levels), 3)

	second.Status, second.Name = catalog.Archived, "changed"
	s.Must(s.UpdateTo(ports.ProductWrite{Product: second}))
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, first.ID, porttest.Noon))
	levels, err := s.Inventory.LevelsOf(s.Ctx, s.Project.ID, []id.Product{second.ID})
	s.Must(err)
	porttest.Same(s.T, "what happened since", s.Changes(3), ports.CatalogChanges{
		Since:   3,
		Version: 5,
		Changed: []*catalog.Product{second},
		Removed: []id.Product{first.ID},
		Levels:  levels,
	})
	porttest.Same(s.T, "what happened last", s.Changes(4).Removed, []id.Product{first.ID})
	porttest.Same(s.T, "nothing since", s.Changes(5), ports.CatalogChanges{
		Since:   5,
		Version: 5,
		Changed: []*catalog.Product{},
	})
}

// catalogSynonyms: all of them where one was written, an empty list where the last one went, and nil where
// nothing happened to them.
func catalogSynonyms(s *porttest.Shop) {
	synonym(porttest.OpenShop(s.T, s.Stores), "of another", "project")
	got := func(since int64) any {
		s.T.Helper()
		c := s.Changes(since)
		porttest.Same(s.T, "version", c.Version, catalogVersion(s))
		if c.Synonyms == nil {
			return nil
		}
		return *c.Synonyms
	}
	s.Product(1) // 1
	porttest.Same(s.T, "none yet", got(0), nil)
	first := synonym(s, "sofa", "couch") // 2
	second := alike(s, "tent")
	second.Input, second.CreatedAt = "bivouac", porttest.Noon.Add(-time.Hour)
	s.Must(s.Synonyms.Create(s.Ctx, second)) // 3
	both := []catalog.Synonym{*second, *first}
	for since := range int64(3) {
		porttest.Same(s.T, fmt.Sprint("all, since ", since), got(since), both)
	}
	porttest.Same(s.T, "nothing since", got(3), nil)
	p := s.Product(1) // 4
	porttest.Same(s.T, "a product since", got(3), nil)
	porttest.Same(s.T, "all, and a product since", got(2), both)
	porttest.Same(s.T, "the product", s.Changes(2).Changed, []*catalog.Product{p})
	porttest.Same(s.T, "no product since", len(s.Changes(4).Changed), 0)

	s.Must(s.Synonyms.Delete(s.Ctx, s.Project.ID, second.ID)) // 5
	porttest.Same(s.T, "one deleted since", got(4), []catalog.Synonym{*first})
	_, err := s.Synonyms.Update(s.Ctx, s.Project.ID, first.ID, func(c *catalog.Synonym) error {
		c.Words = []string{"sofa", "settee"}
		first.Words = c.Words
		return nil
	}) // 6
	s.Must(err)
	porttest.Same(s.T, "one changed since", got(5), []catalog.Synonym{*first})
	s.Must(s.Synonyms.Replace(s.Ctx, s.Project.ID, nil)) // 7
	for since := int64(1); since < 7; since++ {
		porttest.Same(s.T, fmt.Sprint("the last one gone, since ", since), got(since), []catalog.Synonym{})
	}
	porttest.Same(s.T, "none, from the beginning", got(0), nil)
	porttest.Same(s.T, "nothing since", got(7), nil)
	s.Product(1) // 8
	porttest.Same(s.T, "a product since", got(7), nil)
}

// Writers of products and of synonyms race while a reader follows from version to version, and ends up with
// all that there is.
func catalogSynonymRace(s *porttest.Shop) {
	const each = 4
	var known []catalog.Synonym
	var written atomic.Int64
	var version int64
	products := 0
	follow := func() {
		c := s.Changes(version)
		version, products = c.Version, products+len(c.Changed)
		if c.Synonyms != nil {
			known = *c.Synonyms
		}
	}
	s.Must(porttest.AtOnce(porttest.Racers+1, func(i int) error {
		if i == porttest.Racers {
			for written.Load() < porttest.Racers*each {
				follow()
			}
			return nil
		}
		for range each {
			var err error
			if i%2 == 0 {
				err = s.Products.Create(s.Ctx, ports.ProductWrite{Product: s.Rich()})
			} else {
				err = s.Synonyms.Create(s.Ctx, alike(s, "a", "b"))
			}
			written.Add(1)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	follow()
	porttest.Same(s.T, "products", products, porttest.Racers/2*each)
	want := synonyms(s)
	porttest.Same(s.T, "number of synonyms", len(known), len(want))
	for i := range known {
		porttest.Same(s.T, "synonym", &known[i], want[i])
	}
}

func catalogUnknown(s *porttest.Shop) {
	_, err := s.Catalog.Changes(s.Ctx, porttest.Random[id.Project](), 0)
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
}

// Writers race while a reader follows from version to version. A version that became visible before an
// earlier one would be skipped.
func catalogRace(s *porttest.Shop) {
	const each = 4
	seen := map[id.Product]bool{}
	var written atomic.Int64
	var version int64
	follow := func() {
		c := s.Changes(version)
		for _, p := range c.Changed {
			seen[p.ID] = true
		}
		if c.Version < version {
			s.T.Errorf("version went from %d to %d", version, c.Version)
		}
		version = c.Version
	}
	s.Must(porttest.AtOnce(porttest.Racers+1, func(i int) error {
		if i == porttest.Racers {
			for written.Load() < porttest.Racers*each {
				follow()
			}
			return nil
		}
		for range each {
			err := s.Products.Create(s.Ctx, ports.ProductWrite{Product: s.Rich()})
			written.Add(1)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	follow()
	porttest.Same(s.T, "products seen", len(seen), porttest.Racers*each)
	porttest.Same(s.T, "version", version, int64(porttest.Racers*each))
}

func catalogCategories(s *porttest.Shop) {
	for i, category := range []string{"outdoor/tents", "outdoor/tents/light", "outdoor", "", "kids/toys", "outdoor/tents", "archive/old"} {
		p := s.Rich()
		p.SKU, p.Category = fmt.Sprint("C", i), category
		if category == "archive/old" {
			p.Status = catalog.Archived
		}
		create(s, p)
	}
	gone := s.Rich()
	gone.Category = "gone"
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, create(s, gone).ID, porttest.Noon))
	got, err := s.Catalog.Categories(s.Ctx, s.Project.ID)
	s.Must(err)
	porttest.Same(s.T, "categories", got, []catalog.Category{
		{Path: "kids", Count: 1}, {Path: "kids/toys", Count: 1},
		{Path: "outdoor", Count: 4}, {Path: "outdoor/tents", Count: 3}, {Path: "outdoor/tents/light", Count: 1},
	})
}

func catalogActive(s *porttest.Shop) {
	a, b, archived, gone := create(s, s.Rich()), s.Product(1), s.Rich(), s.Product(1)
	archived.Status = catalog.Archived
	create(s, archived)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	foreign := porttest.OpenShop(s.T, s.Stores).Product(1)
	asked := []id.Product{a.ID, b.ID, archived.ID, gone.ID, foreign.ID, porttest.Random[id.Product]()}
	got, err := s.Catalog.Active(s.Ctx, s.Project.ID, asked)
	s.Must(err)
	porttest.Same(s.T, "active", byID(got), byID([]*catalog.Product{a, b}))
	got, err = s.Catalog.Active(s.Ctx, s.Project.ID, nil)
	s.Must(err)
	porttest.Same(s.T, "none asked for", len(got), 0)
}

func catalogNamed(s *porttest.Shop) {
	tent := s.Rich()
	tent.SKU, tent.Variants[0].SKU, tent.Variants[1].SKU = "TENT", "TENT-G", "TENT-A" // none that looks like an id
	a, b, archived, gone := create(s, tent), s.Product(1), s.Rich(), s.Product(1)
	archived.Status = catalog.Archived
	create(s, archived)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	foreign := porttest.OpenShop(s.T, s.Stores).Product(1)
	named := func(refs ...string) []*catalog.Product {
		s.T.Helper()
		found, err := s.Catalog.Named(s.Ctx, s.Project.ID, refs)
		s.Must(err)
		for _, p := range found.Products {
			for _, v := range p.Variants {
				levels, err := s.Inventory.TotalsOf(s.Ctx, s.Project.ID, []id.Variant{v.ID})
				s.Must(err)
				porttest.Same(s.T, "stock of "+v.SKU, found.Stock[v.ID], levels[v.ID])
			}
		}
		return byID(found.Products)
	}
	porttest.Same(s.T, "by id", named(a.ID.String()), []*catalog.Product{a})
	porttest.Same(s.T, "by variant", named(a.Variants[1].ID.String(), a.Variants[0].ID.String()), []*catalog.Product{a})
	porttest.Same(s.T, "by SKU", named(a.SKU), []*catalog.Product{a})
	porttest.Same(s.T, "by a variant's SKU", named(a.Variants[1].SKU), []*catalog.Product{a})
	porttest.Same(s.T, "by all of them", named(b.Variants[0].SKU, a.ID.String(), b.ID.String(), a.SKU), byID([]*catalog.Product{a, b}))
	porttest.Same(s.T, "by what names none", len(named(
		archived.ID.String(), archived.SKU, gone.ID.String(), gone.SKU, foreign.ID.String(), foreign.SKU, foreign.Variants[0].ID.String(),
		porttest.Random[id.Product]().String(), "prod_", "var_?", "'", "",
	)), 0)
	porttest.Same(s.T, "by nothing", len(named()), 0)
}

func catalogFirst(s *porttest.Shop) {
	porttest.OpenShop(s.T, s.Stores).Product(1)
	first := func(most int) []*catalog.Product {
		s.T.Helper()
		found, err := s.Catalog.First(s.Ctx, s.Project.ID, most)
		s.Must(err)
		return found
	}
	porttest.Same(s.T, "an empty catalogue", len(first(3)), 0)
	all := byID([]*catalog.Product{s.Product(1), s.Product(2, 3), s.Product(4), s.Product(5)})
	all[0].Status = catalog.Archived
	s.Must(s.UpdateTo(ports.ProductWrite{Product: all[0]}))
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, all[1].ID, porttest.Noon))
	porttest.Same(s.T, "the first", first(1), all[2:3])
	porttest.Same(s.T, "all that are active", first(3), all[2:])
}
