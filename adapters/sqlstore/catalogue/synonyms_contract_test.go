package catalogue_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Synonyms is the contract of ports.Synonyms.
func Synonyms(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a synonym comes back as it was stored":        synonymRoundTrip,
		"update stores and returns the change":         synonymUpdate,
		"a failed change leaves no trace":              synonymFailedChange,
		"what was read belongs to the reader":          synonymNoAliasing,
		"unknown and foreign synonyms":                 synonymUnknown,
		"lists are in order of creation, with totals":  synonymList,
		"replacing takes the place of all":             synonymReplace,
		"every write is one version":                   synonymVersions,
		"a project has so many and no more":            synonymLimit,
		"racers for the last places":                   synonymLimitRace,
		"sixteen changes of one synonym are all kept":  synonymUpdateRace,
		"of sixteen replacements one is what is there": synonymReplaceRace,
		"a deleted project's are gone":                 synonymProjectDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

// alike is a synonym without an input.
func alike(s *porttest.Shop, words ...string) *catalog.Synonym {
	return &catalog.Synonym{
		ID:        porttest.Random[id.Synonym](),
		Project:   s.Project.ID,
		Words:     words,
		CreatedAt: porttest.Noon,
		UpdatedAt: porttest.Noon,
	}
}

// synonym stores one.
func synonym(s *porttest.Shop, words ...string) *catalog.Synonym {
	s.T.Helper()
	made := alike(s, words...)
	s.Must(s.Synonyms.Create(s.Ctx, made))
	return made
}

// synonyms are all, which there are as many of as the total says.
func synonyms(s *porttest.Shop) []*catalog.Synonym {
	s.T.Helper()
	all, total, err := s.Synonyms.List(s.Ctx, s.Project.ID, ports.Page{Limit: 2 * catalog.MaxSynonyms})
	s.Must(err)
	porttest.Same(s.T, "total", total, len(all))
	return all
}

// manyAlike are n synonyms, in the order in which they are listed.
func manyAlike(s *porttest.Shop, n int) []*catalog.Synonym {
	all := make([]*catalog.Synonym, n)
	for i := range all {
		all[i] = alike(s, fmt.Sprint("word ", i), "other")
	}
	return slices.SortedFunc(slices.Values(all), func(a, b *catalog.Synonym) int { return cmp.Compare(a.ID.String(), b.ID.String()) })
}

func synonymRoundTrip(s *porttest.Shop) {
	oneWay := alike(s, "Smartphone", `möbile "phone" <'\> 電話`)
	oneWay.Input, oneWay.CreatedAt, oneWay.UpdatedAt = "O'Phone", porttest.Noon.Add(7*time.Millisecond), porttest.Noon.Add(time.Hour)
	for _, want := range []*catalog.Synonym{oneWay, alike(s, "sofa", "couch")} {
		s.Must(s.Synonyms.Create(s.Ctx, want))
		got, err := s.Synonyms.Get(s.Ctx, s.Project.ID, want.ID)
		s.Must(err)
		porttest.Same(s.T, "synonym", got, want)
	}
	porttest.Same(s.T, "of another project", len(synonyms(porttest.OpenShop(s.T, s.Stores))), 0)
}

func synonymUpdate(s *porttest.Shop) {
	before, other := synonym(s, "sofa", "couch"), synonym(s, "tent", "bivouac")
	want := *before
	want.Input, want.Words, want.UpdatedAt = "settee", []string{"sofa"}, porttest.Noon.Add(time.Hour)
	got, err := s.Synonyms.Update(s.Ctx, s.Project.ID, before.ID, func(c *catalog.Synonym) error {
		porttest.Same(s.T, "to be changed", c, before)
		c.Input, c.Words, c.UpdatedAt = want.Input, want.Words, want.UpdatedAt
		return nil
	})
	s.Must(err)
	porttest.Same(s.T, "returned", got, &want)
	got, err = s.Synonyms.Get(s.Ctx, s.Project.ID, before.ID)
	s.Must(err)
	porttest.Same(s.T, "stored", got, &want)
	got, err = s.Synonyms.Get(s.Ctx, s.Project.ID, other.ID)
	s.Must(err)
	porttest.Same(s.T, "the other one", got, other)
}

func synonymFailedChange(s *porttest.Shop) {
	before := synonym(s, "sofa", "couch")
	version := catalogVersion(s)
	_, err := s.Synonyms.Update(s.Ctx, s.Project.ID, before.ID, func(c *catalog.Synonym) error {
		c.Input, c.Words = "changed", nil
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	if err := s.Synonyms.Replace(s.Ctx, s.Project.ID, []*catalog.Synonym{alike(s, "a", "b"), alike(s, "a\x00", "b"), before, before}); err == nil {
		s.T.Error("one id was stored twice")
	}
	porttest.Same(s.T, "stored", synonyms(s), []*catalog.Synonym{before})
	porttest.Same(s.T, "version", catalogVersion(s), version)
}

func synonymNoAliasing(s *porttest.Shop) {
	want := synonym(s, "sofa", "couch")
	got, err := s.Synonyms.Get(s.Ctx, s.Project.ID, want.ID)
	s.Must(err)
	got.Words[0], got.Input = "changed", "changed"
	again, err := s.Synonyms.Get(s.Ctx, s.Project.ID, want.ID)
	s.Must(err)
	porttest.Same(s.T, "stored", again, want)
	want.Words[0] = "changed"
	porttest.Same(s.T, "stored after the writer changed its own", synonyms(s), []*catalog.Synonym{again})
}

func synonymUnknown(s *porttest.Shop) {
	theirs := synonym(porttest.OpenShop(s.T, s.Stores), "sofa", "couch")
	version := catalogVersion(s)
	for _, unknown := range []id.Synonym{porttest.Random[id.Synonym](), theirs.ID} {
		_, err := s.Synonyms.Get(s.Ctx, s.Project.ID, unknown)
		porttest.WantFault(s.T, err, fault.NotFound, "synonym_not_found")
		_, err = s.Synonyms.Update(s.Ctx, s.Project.ID, unknown, func(*catalog.Synonym) error {
			s.T.Error("a change was asked for")
			return nil
		})
		porttest.WantFault(s.T, err, fault.NotFound, "synonym_not_found")
		porttest.WantFault(s.T, s.Synonyms.Delete(s.Ctx, s.Project.ID, unknown), fault.NotFound, "synonym_not_found")
	}
	porttest.Same(s.T, "version", catalogVersion(s), version)
	got, err := s.Synonyms.Get(s.Ctx, theirs.Project, theirs.ID)
	s.Must(err)
	porttest.Same(s.T, "theirs", got, theirs)

	orphan := alike(s, "a", "b")
	orphan.Project = porttest.Random[id.Project]()
	porttest.WantFault(s.T, s.Synonyms.Create(s.Ctx, orphan), fault.NotFound, "project_not_found")
	porttest.WantFault(s.T, s.Synonyms.Replace(s.Ctx, orphan.Project, nil), fault.NotFound, "project_not_found")
}

func synonymList(s *porttest.Shop) {
	synonym(porttest.OpenShop(s.T, s.Stores), "their", "own")
	var all []*catalog.Synonym
	for i := range 6 {
		made := alike(s, fmt.Sprint("word ", i), "other")
		made.CreatedAt = porttest.Noon.Add(-time.Duration(i/2) * time.Second)
		s.Must(s.Synonyms.Create(s.Ctx, made))
		all = append(all, made)
	}
	slices.SortFunc(all, func(a, b *catalog.Synonym) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	for _, page := range []ports.Page{{Limit: 100}, {Limit: 3, Offset: 1}, {Limit: 1, Offset: 5}, {Limit: 1, Offset: 6}} {
		got, total, err := s.Synonyms.List(s.Ctx, s.Project.ID, page)
		s.Must(err)
		porttest.Same(s.T, "page", append([]*catalog.Synonym{}, got...), porttest.Part(all, page))
		porttest.Same(s.T, "total", total, len(all))
	}
	s.Must(s.Synonyms.Delete(s.Ctx, s.Project.ID, all[2].ID))
	porttest.WantFault(s.T, s.Synonyms.Delete(s.Ctx, s.Project.ID, all[2].ID), fault.NotFound, "synonym_not_found")
	porttest.Same(s.T, "after one is deleted", synonyms(s), slices.Delete(all, 2, 3))
}

func synonymReplace(s *porttest.Shop) {
	neighbour := porttest.OpenShop(s.T, s.Stores)
	theirs := synonym(neighbour, "their", "own")
	synonym(s, "sofa", "couch")
	for _, n := range []int{3, catalog.MaxSynonyms, 1, 0} {
		want := manyAlike(s, n)
		s.Must(s.Synonyms.Replace(s.Ctx, s.Project.ID, want))
		porttest.Same(s.T, fmt.Sprint(n, " in the place of others"), append([]*catalog.Synonym{}, synonyms(s)...), append([]*catalog.Synonym{}, want...))
	}
	porttest.Same(s.T, "another project's", synonyms(neighbour), []*catalog.Synonym{theirs})
}

func synonymVersions(s *porttest.Shop) {
	s.Product(1)
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"create", func() error { return s.Synonyms.Create(s.Ctx, alike(s, "a", "b")) }},
		{"update", func() error {
			_, err := s.Synonyms.Update(s.Ctx, s.Project.ID, synonyms(s)[0].ID, func(*catalog.Synonym) error { return nil })
			return err
		}},
		{"replace", func() error { return s.Synonyms.Replace(s.Ctx, s.Project.ID, manyAlike(s, 40)) }},
		{"delete", func() error { return s.Synonyms.Delete(s.Ctx, s.Project.ID, synonyms(s)[0].ID) }},
		{"replace by none", func() error { return s.Synonyms.Replace(s.Ctx, s.Project.ID, nil) }},
	} {
		before := catalogVersion(s)
		s.Must(step.do())
		porttest.Same(s.T, "version after "+step.what, catalogVersion(s), before+1)
	}
}

func synonymLimit(s *porttest.Shop) {
	s.Must(s.Synonyms.Replace(s.Ctx, s.Project.ID, manyAlike(s, catalog.MaxSynonyms-1)))
	last := synonym(s, "a", "b")
	version := catalogVersion(s)
	porttest.WantFault(s.T, s.Synonyms.Create(s.Ctx, alike(s, "a", "b")), fault.Conflict, "limit_reached")
	porttest.Same(s.T, "version", catalogVersion(s), version)
	porttest.Same(s.T, "number", len(synonyms(s)), catalog.MaxSynonyms)
	synonym(porttest.OpenShop(s.T, s.Stores), "of another", "project")
	s.Must(s.Synonyms.Delete(s.Ctx, s.Project.ID, last.ID))
	synonym(s, "a", "b")
}

func synonymLimitRace(s *porttest.Shop) {
	const left = 3
	s.Must(s.Synonyms.Replace(s.Ctx, s.Project.ID, manyAlike(s, catalog.MaxSynonyms-left)))
	version := catalogVersion(s)
	porttest.Same(s.T, "winners", s.Race("limit_reached", func(int) error {
		return s.Synonyms.Create(s.Ctx, alike(s, "a", "b"))
	}), left)
	porttest.Same(s.T, "number", len(synonyms(s)), catalog.MaxSynonyms)
	porttest.Same(s.T, "versions", catalogVersion(s)-version, int64(left))
}

func synonymUpdateRace(s *porttest.Shop) {
	made := synonym(s, "start")
	before := catalogVersion(s)
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		_, err := s.Synonyms.Update(s.Ctx, s.Project.ID, made.ID, func(c *catalog.Synonym) error {
			c.Words = append(c.Words, fmt.Sprint(i))
			return nil
		})
		return err
	}))
	got, err := s.Synonyms.Get(s.Ctx, s.Project.ID, made.ID)
	s.Must(err)
	porttest.Same(s.T, "changes", len(got.Words), 1+porttest.Racers)
	porttest.Same(s.T, "versions", catalogVersion(s)-before, int64(porttest.Racers))
}

func synonymReplaceRace(s *porttest.Shop) {
	const each = 30
	sets := make([][]*catalog.Synonym, porttest.Racers)
	for i := range sets {
		sets[i] = manyAlike(s, each)
	}
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		if i%4 == 0 { // whose one is there, or is not
			return s.Synonyms.Create(s.Ctx, alike(s, "a", "b"))
		}
		return s.Synonyms.Replace(s.Ctx, s.Project.ID, sets[i])
	}))
	left := synonyms(s)
	for i, set := range sets {
		if i%4 != 0 && contains(left, set) {
			if len(left) > each+porttest.Racers/4 {
				s.T.Errorf("there are %d", len(left))
			}
			return
		}
	}
	s.T.Error("none of the replacements is whole")
}

func contains(all, some []*catalog.Synonym) bool {
	for _, one := range some {
		if !slices.ContainsFunc(all, func(c *catalog.Synonym) bool { return c.ID == one.ID }) {
			return false
		}
	}
	return true
}

func synonymProjectDelete(s *porttest.Shop) {
	made := synonym(s, "sofa", "couch")
	s.DeleteProject()
	_, err := s.Synonyms.Get(s.Ctx, s.Project.ID, made.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "synonym_not_found")
	porttest.WantFault(s.T, s.Synonyms.Create(s.Ctx, made), fault.NotFound, "project_not_found")
}
