package porttest

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
)

// Catalog is the contract of ports.CatalogReader.
func Catalog(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"changes since a version":                      catalogChanges,
		"synonyms that were written since a version":   catalogSynonyms,
		"nobody misses a synonym among racing writers": catalogSynonymRace,
		"changes of an unknown project":                catalogUnknown,
		"nobody misses a change among racing writers":  catalogRace,
		"categories count active products":             catalogCategories,
		"active products by id":                        catalogActive,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

func (s *shop) changes(since int64) ports.CatalogChanges {
	s.t.Helper()
	c, err := s.Catalog.Changes(s.ctx, s.project.ID, since)
	s.must(err)
	return c
}

func byID(products []*catalog.Product) []*catalog.Product {
	return slices.SortedFunc(slices.Values(products), func(a, b *catalog.Product) int {
		return cmp.Compare(a.ID.String(), b.ID.String())
	})
}

func catalogChanges(s *shop) {
	openShop(s.t, s.Stores).product(1)
	same(s.t, "an empty catalogue", s.changes(0), ports.CatalogChanges{Version: 0, Levels: []catalog.Level{}, Changed: []*catalog.Product{}})
	first, second, third := s.product(1), s.product(2, 3), s.create(s.rich())
	all := s.changes(0)
	same(s.t, "version", all.Version, int64(3))
	same(s.t, "all products", byID(all.Changed), byID([]*catalog.Product{first, second, third}))
	same(s.t, "number of levels", len(all.Levels), 3)

	second.Status, second.Name = catalog.Archived, "changed"
	s.must(s.updateTo(ports.ProductWrite{Product: second}))
	s.must(s.Products.Delete(s.ctx, s.project.ID, first.ID, noon))
	levels, err := s.Inventory.LevelsOf(s.ctx, s.project.ID, []id.Product{second.ID})
	s.must(err)
	same(s.t, "what happened since", s.changes(3), ports.CatalogChanges{
		Since:   3,
		Version: 5, Changed: []*catalog.Product{second}, Removed: []id.Product{first.ID}, Levels: levels,
	})
	same(s.t, "what happened last", s.changes(4).Removed, []id.Product{first.ID})
	same(s.t, "nothing since", s.changes(5), ports.CatalogChanges{Since: 5, Version: 5, Changed: []*catalog.Product{}, Levels: []catalog.Level{}})
}

// catalogSynonyms: all of them where one was written, an empty list where the last one went, and nil where
// nothing happened to them.
func catalogSynonyms(s *shop) {
	openShop(s.t, s.Stores).synonym("of another", "project")
	got := func(since int64) any {
		s.t.Helper()
		c := s.changes(since)
		same(s.t, "version", c.Version, s.version())
		if c.Synonyms == nil {
			return nil
		}
		return *c.Synonyms
	}
	s.product(1) // 1
	same(s.t, "none yet", got(0), nil)
	first := s.synonym("sofa", "couch") // 2
	second := s.alike("tent")
	second.Input, second.CreatedAt = "bivouac", noon.Add(-time.Hour)
	s.must(s.Synonyms.Create(s.ctx, second)) // 3
	both := []catalog.Synonym{*second, *first}
	for since := range int64(3) {
		same(s.t, fmt.Sprint("all, since ", since), got(since), both)
	}
	same(s.t, "nothing since", got(3), nil)
	p := s.product(1) // 4
	same(s.t, "a product since", got(3), nil)
	same(s.t, "all, and a product since", got(2), both)
	same(s.t, "the product", s.changes(2).Changed, []*catalog.Product{p})
	same(s.t, "no product since", len(s.changes(4).Changed), 0)

	s.must(s.Synonyms.Delete(s.ctx, s.project.ID, second.ID)) // 5
	same(s.t, "one deleted since", got(4), []catalog.Synonym{*first})
	_, err := s.Synonyms.Update(s.ctx, s.project.ID, first.ID, func(c *catalog.Synonym) error {
		c.Words = []string{"sofa", "settee"}
		first.Words = c.Words
		return nil
	}) // 6
	s.must(err)
	same(s.t, "one changed since", got(5), []catalog.Synonym{*first})
	s.must(s.Synonyms.Replace(s.ctx, s.project.ID, nil)) // 7
	for since := int64(1); since < 7; since++ {
		same(s.t, fmt.Sprint("the last one gone, since ", since), got(since), []catalog.Synonym{})
	}
	same(s.t, "none, from the beginning", got(0), nil)
	same(s.t, "nothing since", got(7), nil)
	s.product(1) // 8
	same(s.t, "a product since", got(7), nil)
}

// Writers of products and of synonyms race while a reader follows from version to version, and ends up with
// all that there is.
func catalogSynonymRace(s *shop) {
	const each = 4
	var known []catalog.Synonym
	var written atomic.Int64
	var version int64
	products := 0
	follow := func() {
		c := s.changes(version)
		version, products = c.Version, products+len(c.Changed)
		if c.Synonyms != nil {
			known = *c.Synonyms
		}
	}
	s.must(atOnce(racers+1, func(i int) error {
		if i == racers {
			for written.Load() < racers*each {
				follow()
			}
			return nil
		}
		for range each {
			var err error
			if i%2 == 0 {
				err = s.Products.Create(s.ctx, ports.ProductWrite{Product: s.rich()})
			} else {
				err = s.Synonyms.Create(s.ctx, s.alike("a", "b"))
			}
			written.Add(1)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	follow()
	same(s.t, "products", products, racers/2*each)
	want := s.synonyms()
	same(s.t, "number of synonyms", len(known), len(want))
	for i := range known {
		same(s.t, "synonym", &known[i], want[i])
	}
}

func catalogUnknown(s *shop) {
	_, err := s.Catalog.Changes(s.ctx, random[id.Project](), 0)
	wantFault(s.t, err, fault.NotFound, "project_not_found")
}

// Writers race while a reader follows from version to version. A version that became visible before an
// earlier one would be skipped.
func catalogRace(s *shop) {
	const each = 4
	seen := map[id.Product]bool{}
	var written atomic.Int64
	var version int64
	follow := func() {
		c := s.changes(version)
		for _, p := range c.Changed {
			seen[p.ID] = true
		}
		if c.Version < version {
			s.t.Errorf("version went from %d to %d", version, c.Version)
		}
		version = c.Version
	}
	s.must(atOnce(racers+1, func(i int) error {
		if i == racers {
			for written.Load() < racers*each {
				follow()
			}
			return nil
		}
		for range each {
			err := s.Products.Create(s.ctx, ports.ProductWrite{Product: s.rich()})
			written.Add(1)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	follow()
	same(s.t, "products seen", len(seen), racers*each)
	same(s.t, "version", version, int64(racers*each))
}

func catalogCategories(s *shop) {
	for i, category := range []string{"outdoor/tents", "outdoor/tents/light", "outdoor", "", "kids/toys", "outdoor/tents", "archive/old"} {
		p := s.rich()
		p.SKU, p.Category = fmt.Sprint("C", i), category
		if category == "archive/old" {
			p.Status = catalog.Archived
		}
		s.create(p)
	}
	gone := s.rich()
	gone.Category = "gone"
	s.must(s.Products.Delete(s.ctx, s.project.ID, s.create(gone).ID, noon))
	got, err := s.Catalog.Categories(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "categories", got, []catalog.Category{
		{Path: "kids", Count: 1}, {Path: "kids/toys", Count: 1},
		{Path: "outdoor", Count: 4}, {Path: "outdoor/tents", Count: 3}, {Path: "outdoor/tents/light", Count: 1},
	})
}

func catalogActive(s *shop) {
	a, b, archived, gone := s.create(s.rich()), s.product(1), s.rich(), s.product(1)
	archived.Status = catalog.Archived
	s.create(archived)
	s.must(s.Products.Delete(s.ctx, s.project.ID, gone.ID, noon))
	foreign := openShop(s.t, s.Stores).product(1)
	asked := []id.Product{a.ID, b.ID, archived.ID, gone.ID, foreign.ID, random[id.Product]()}
	got, err := s.Catalog.Active(s.ctx, s.project.ID, asked)
	s.must(err)
	same(s.t, "active", byID(got), byID([]*catalog.Product{a, b}))
	got, err = s.Catalog.Active(s.ctx, s.project.ID, nil)
	s.must(err)
	same(s.t, "none asked for", len(got), 0)
}
