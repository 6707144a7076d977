package porttest

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
)

// Synonyms is the contract of ports.Synonyms.
func Synonyms(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
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
			test(openShop(t, stores))
		})
	}
}

// alike is a synonym without an input.
func (s *shop) alike(words ...string) *catalog.Synonym {
	return &catalog.Synonym{ID: random[id.Synonym](), Project: s.project.ID, Words: words, CreatedAt: noon, UpdatedAt: noon}
}

// synonym stores one.
func (s *shop) synonym(words ...string) *catalog.Synonym {
	s.t.Helper()
	made := s.alike(words...)
	s.must(s.Synonyms.Create(s.ctx, made))
	return made
}

// synonyms are all, which there are as many of as the total says.
func (s *shop) synonyms() []*catalog.Synonym {
	s.t.Helper()
	all, total, err := s.Synonyms.List(s.ctx, s.project.ID, ports.Page{Limit: 2 * catalog.MaxSynonyms})
	s.must(err)
	same(s.t, "total", total, len(all))
	return all
}

// manyAlike are n synonyms, in the order in which they are listed.
func (s *shop) manyAlike(n int) []*catalog.Synonym {
	all := make([]*catalog.Synonym, n)
	for i := range all {
		all[i] = s.alike(fmt.Sprint("word ", i), "other")
	}
	return slices.SortedFunc(slices.Values(all), func(a, b *catalog.Synonym) int { return cmp.Compare(a.ID.String(), b.ID.String()) })
}

func synonymRoundTrip(s *shop) {
	oneWay := s.alike("Smartphone", `möbile "phone" <'\> 電話`)
	oneWay.Input, oneWay.CreatedAt, oneWay.UpdatedAt = "O'Phone", noon.Add(7*time.Millisecond), noon.Add(time.Hour)
	for _, want := range []*catalog.Synonym{oneWay, s.alike("sofa", "couch")} {
		s.must(s.Synonyms.Create(s.ctx, want))
		got, err := s.Synonyms.Get(s.ctx, s.project.ID, want.ID)
		s.must(err)
		same(s.t, "synonym", got, want)
	}
	same(s.t, "of another project", len(openShop(s.t, s.Stores).synonyms()), 0)
}

func synonymUpdate(s *shop) {
	before, other := s.synonym("sofa", "couch"), s.synonym("tent", "bivouac")
	want := *before
	want.Input, want.Words, want.UpdatedAt = "settee", []string{"sofa"}, noon.Add(time.Hour)
	got, err := s.Synonyms.Update(s.ctx, s.project.ID, before.ID, func(c *catalog.Synonym) error {
		same(s.t, "to be changed", c, before)
		c.Input, c.Words, c.UpdatedAt = want.Input, want.Words, want.UpdatedAt
		return nil
	})
	s.must(err)
	same(s.t, "returned", got, &want)
	got, err = s.Synonyms.Get(s.ctx, s.project.ID, before.ID)
	s.must(err)
	same(s.t, "stored", got, &want)
	got, err = s.Synonyms.Get(s.ctx, s.project.ID, other.ID)
	s.must(err)
	same(s.t, "the other one", got, other)
}

func synonymFailedChange(s *shop) {
	before := s.synonym("sofa", "couch")
	version := s.version()
	_, err := s.Synonyms.Update(s.ctx, s.project.ID, before.ID, func(c *catalog.Synonym) error {
		c.Input, c.Words = "changed", nil
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	if err := s.Synonyms.Replace(s.ctx, s.project.ID, []*catalog.Synonym{s.alike("a", "b"), s.alike("a\x00", "b"), before, before}); err == nil {
		s.t.Error("one id was stored twice")
	}
	same(s.t, "stored", s.synonyms(), []*catalog.Synonym{before})
	same(s.t, "version", s.version(), version)
}

func synonymNoAliasing(s *shop) {
	want := s.synonym("sofa", "couch")
	got, err := s.Synonyms.Get(s.ctx, s.project.ID, want.ID)
	s.must(err)
	got.Words[0], got.Input = "changed", "changed"
	again, err := s.Synonyms.Get(s.ctx, s.project.ID, want.ID)
	s.must(err)
	same(s.t, "stored", again, want)
	want.Words[0] = "changed"
	same(s.t, "stored after the writer changed its own", s.synonyms(), []*catalog.Synonym{again})
}

func synonymUnknown(s *shop) {
	theirs := openShop(s.t, s.Stores).synonym("sofa", "couch")
	version := s.version()
	for _, unknown := range []id.Synonym{random[id.Synonym](), theirs.ID} {
		_, err := s.Synonyms.Get(s.ctx, s.project.ID, unknown)
		wantFault(s.t, err, fault.NotFound, "synonym_not_found")
		_, err = s.Synonyms.Update(s.ctx, s.project.ID, unknown, func(*catalog.Synonym) error {
			s.t.Error("a change was asked for")
			return nil
		})
		wantFault(s.t, err, fault.NotFound, "synonym_not_found")
		wantFault(s.t, s.Synonyms.Delete(s.ctx, s.project.ID, unknown), fault.NotFound, "synonym_not_found")
	}
	same(s.t, "version", s.version(), version)
	got, err := s.Synonyms.Get(s.ctx, theirs.Project, theirs.ID)
	s.must(err)
	same(s.t, "theirs", got, theirs)

	orphan := s.alike("a", "b")
	orphan.Project = random[id.Project]()
	wantFault(s.t, s.Synonyms.Create(s.ctx, orphan), fault.NotFound, "project_not_found")
	wantFault(s.t, s.Synonyms.Replace(s.ctx, orphan.Project, nil), fault.NotFound, "project_not_found")
}

func synonymList(s *shop) {
	openShop(s.t, s.Stores).synonym("their", "own")
	var all []*catalog.Synonym
	for i := range 6 {
		made := s.alike(fmt.Sprint("word ", i), "other")
		made.CreatedAt = noon.Add(-time.Duration(i/2) * time.Second)
		s.must(s.Synonyms.Create(s.ctx, made))
		all = append(all, made)
	}
	slices.SortFunc(all, func(a, b *catalog.Synonym) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	for _, page := range []ports.Page{{Limit: 100}, {Limit: 3, Offset: 1}, {Limit: 1, Offset: 5}, {Limit: 1, Offset: 6}} {
		got, total, err := s.Synonyms.List(s.ctx, s.project.ID, page)
		s.must(err)
		same(s.t, "page", got, part(all, page))
		same(s.t, "total", total, len(all))
	}
	s.must(s.Synonyms.Delete(s.ctx, s.project.ID, all[2].ID))
	wantFault(s.t, s.Synonyms.Delete(s.ctx, s.project.ID, all[2].ID), fault.NotFound, "synonym_not_found")
	same(s.t, "after one is deleted", s.synonyms(), slices.Delete(all, 2, 3))
}

func synonymReplace(s *shop) {
	neighbour := openShop(s.t, s.Stores)
	theirs := neighbour.synonym("their", "own")
	s.synonym("sofa", "couch")
	for _, n := range []int{3, catalog.MaxSynonyms, 1, 0} {
		want := s.manyAlike(n)
		s.must(s.Synonyms.Replace(s.ctx, s.project.ID, want))
		same(s.t, fmt.Sprint(n, " in the place of others"), s.synonyms(), append([]*catalog.Synonym{}, want...))
	}
	same(s.t, "another project's", neighbour.synonyms(), []*catalog.Synonym{theirs})
}

func synonymVersions(s *shop) {
	s.product(1)
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"create", func() error { return s.Synonyms.Create(s.ctx, s.alike("a", "b")) }},
		{"update", func() error {
			_, err := s.Synonyms.Update(s.ctx, s.project.ID, s.synonyms()[0].ID, func(*catalog.Synonym) error { return nil })
			return err
		}},
		{"replace", func() error { return s.Synonyms.Replace(s.ctx, s.project.ID, s.manyAlike(40)) }},
		{"delete", func() error { return s.Synonyms.Delete(s.ctx, s.project.ID, s.synonyms()[0].ID) }},
		{"replace by none", func() error { return s.Synonyms.Replace(s.ctx, s.project.ID, nil) }},
	} {
		before := s.version()
		s.must(step.do())
		same(s.t, "version after "+step.what, s.version(), before+1)
	}
}

func synonymLimit(s *shop) {
	s.must(s.Synonyms.Replace(s.ctx, s.project.ID, s.manyAlike(catalog.MaxSynonyms-1)))
	last := s.synonym("a", "b")
	version := s.version()
	wantFault(s.t, s.Synonyms.Create(s.ctx, s.alike("a", "b")), fault.Conflict, "limit_reached")
	same(s.t, "version", s.version(), version)
	same(s.t, "number", len(s.synonyms()), catalog.MaxSynonyms)
	openShop(s.t, s.Stores).synonym("of another", "project")
	s.must(s.Synonyms.Delete(s.ctx, s.project.ID, last.ID))
	s.synonym("a", "b")
}

func synonymLimitRace(s *shop) {
	const left = 3
	s.must(s.Synonyms.Replace(s.ctx, s.project.ID, s.manyAlike(catalog.MaxSynonyms-left)))
	version := s.version()
	same(s.t, "winners", s.race("limit_reached", func(int) error {
		return s.Synonyms.Create(s.ctx, s.alike("a", "b"))
	}), left)
	same(s.t, "number", len(s.synonyms()), catalog.MaxSynonyms)
	same(s.t, "versions", s.version()-version, int64(left))
}

func synonymUpdateRace(s *shop) {
	made := s.synonym("start")
	before := s.version()
	s.must(atOnce(racers, func(i int) error {
		_, err := s.Synonyms.Update(s.ctx, s.project.ID, made.ID, func(c *catalog.Synonym) error {
			c.Words = append(c.Words, fmt.Sprint(i))
			return nil
		})
		return err
	}))
	got, err := s.Synonyms.Get(s.ctx, s.project.ID, made.ID)
	s.must(err)
	same(s.t, "changes", len(got.Words), 1+racers)
	same(s.t, "versions", s.version()-before, int64(racers))
}

func synonymReplaceRace(s *shop) {
	const each = 30
	sets := make([][]*catalog.Synonym, racers)
	for i := range sets {
		sets[i] = s.manyAlike(each)
	}
	s.must(atOnce(racers, func(i int) error {
		if i%4 == 0 { // whose one is there, or is not
			return s.Synonyms.Create(s.ctx, s.alike("a", "b"))
		}
		return s.Synonyms.Replace(s.ctx, s.project.ID, sets[i])
	}))
	left := s.synonyms()
	for i, set := range sets {
		if i%4 != 0 && contains(left, set) {
			if len(left) > each+racers/4 {
				s.t.Errorf("there are %d", len(left))
			}
			return
		}
	}
	s.t.Error("none of the replacements is whole")
}

func contains(all, some []*catalog.Synonym) bool {
	for _, one := range some {
		if !slices.ContainsFunc(all, func(c *catalog.Synonym) bool { return c.ID == one.ID }) {
			return false
		}
	}
	return true
}

func synonymProjectDelete(s *shop) {
	made := s.synonym("sofa", "couch")
	s.deleteProject()
	_, err := s.Synonyms.Get(s.ctx, s.project.ID, made.ID)
	wantFault(s.t, err, fault.NotFound, "synonym_not_found")
	wantFault(s.t, s.Synonyms.Create(s.ctx, made), fault.NotFound, "project_not_found")
}
