package wordnet

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

func relation(t *testing.T, lemma, other string) Related {
	t.Helper()
	related := Of(lemma)
	i := slices.IndexFunc(related, func(r Related) bool { return r.Lemma == other })
	if i < 0 {
		t.Fatalf("%q is not related to %q; those that are: %v", other, lemma, related)
	}
	return related[i]
}

func TestRelated_kinds(t *testing.T) {
	for _, c := range []struct {
		lemma, other string
		kind         Kind
	}{
		{"couch", "sofa", Synonym},
		{"sofa", "couch", Synonym},
		{"cellphone", "mobile phone", Synonym},
		{"mobile phone", "cellphone", Synonym},
		{"cell phone", "cellphone", Synonym},
		{"cell phone", "mobile phone", Synonym},
		{"laptop", "laptop computer", Synonym},
		{"laptop computer", "laptop", Synonym},
		{"laptop", "portable computer", Broader},
		{"laptop", "notebook", Sibling},
		{"notebook", "laptop", Sibling},
		{"notebook", "notebook computer", Synonym},
		{"portable computer", "laptop", Narrower},
		{"footwear", "shoe", Narrower},
		{"wristwatch", "watch", Broader},
		{"watch", "wristwatch", Narrower},
		{"fridge", "refrigerator", Broader},
		{"rug", "carpet", Synonym},
		{"trash can", "garbage can", Synonym},
		{"drape", "curtain", Synonym},
		{"t shirt", "tee shirt", Synonym},
		{"ear ring", "earring", Synonym},
		{"cheap", "inexpensive", Synonym}, // adjective
		{"purchase", "buy", Synonym},      // verb and noun
	} {
		if r := relation(t, c.lemma, c.other); r.Kind != c.kind {
			t.Errorf("%q is a %v to %q instead of a %v", c.other, r.Kind, c.lemma, c.kind)
		}
	}
}

func TestSensesOfAShopComeFirst(t *testing.T) {
	for lemma, first := range map[string]string{
		"couch": "sofa", "watch": "ticker", "dresser": "chest of drawers", "tap": "water faucet", "notebook": "notebook computer",
	} {
		if r := relation(t, lemma, first); r.Sense != 0 || Of(lemma)[0].Lemma != first {
			t.Errorf("first to %q is %+v, with %q in sense %d", lemma, Of(lemma)[0], first, r.Sense)
		}
	}
	plainly, hardly := relation(t, "curtain", "drapery"), relation(t, "curtain", "mantle")
	if plainly.Back <= hardly.Back {
		t.Errorf("a drapery is sooner a curtain than a mantle is: %v, %v", plainly, hardly)
	}
}

func TestRelated_leftOut(t *testing.T) {
	for _, unknown := range []string{
		"", " ", "qwertyuiop", "Couch", "couches", "1984", "paris", "william shakespeare", "genus malus", "malus pumila",
		"zzz zzz", strings.Repeat("long", 50),
	} {
		if related := Of(unknown); related != nil {
			t.Errorf("Of(%q) = %v", unknown, related)
		}
	}
	for _, r := range Of("shoe") {
		if r.Kind == Narrower && strings.HasSuffix(r.Lemma, " shoe") {
			t.Errorf("%q needs no mention under shoe", r.Lemma)
		}
	}
	for _, r := range Of("chair") {
		if r.Lemma == "furniture" || r.Lemma == "artifact" {
			t.Errorf("%q is too broad for chair", r.Lemma)
		}
	}
	if Of("apple tree") == nil || Of("siamese cat") == nil {
		t.Error("ordinary plants and animals went with the Latin")
	}
}

func TestBase(t *testing.T) {
	for word, want := range map[string][]string{
		"couch":             {"couch"},
		"couches":           {"couch"},
		"mice":              {"mouse"},
		"shelves":           {"shelf", "shelve"},
		"knives":            {"knife"},
		"batteries":         {"battery"},
		"drapes":            {"drape"},
		"trousers":          {"trouser"},
		"women":             {"woman"},
		"running":           {"running", "run"},
		"glasses":           {"glasses", "glass"},
		"dress":             {"dress"},
		"bigger":            {"bigger", "big"},
		"warmest":           {"warm"},
		"boxesful":          {"boxful"},
		"cell phones":       {"cell phone"},
		"laptop computers":  {"laptop computer"},
		"attorneys general": {"attorney general"},
		"ear rings":         {"earring"},
		"qwertyuiops":       nil,
		"s":                 {"s"},
		"":                  nil,
	} {
		if got := Base(word); !slices.Equal(got, want) {
			t.Errorf("Base(%q) = %q, want %q", word, got, want)
		}
	}
}

// The result for every lemma is valid, also with concurrent callers.
func TestRelated_everyLemma(t *testing.T) {
	n := unpacked()
	var readers sync.WaitGroup
	for reader := range 4 {
		readers.Go(func() {
			for i := reader; i < len(n.lemmas.ends)-1; i += 4 {
				if fault := faultOf(n.lemmas.at(uint32(i))); fault != "" {
					t.Errorf("%q: %s", n.lemmas.at(uint32(i)), fault)
					return
				}
			}
		})
	}
	readers.Wait()
}

func faultOf(lemma string) string {
	related := Of(lemma)
	if related == nil {
		return "unknown"
	}
	seen := make(map[string]bool)
	narrower := make(map[int]int)
	for _, r := range related {
		if r.Kind == Narrower {
			narrower[r.Sense]++
		}
		switch {
		case r.Lemma == lemma || seen[r.Lemma]:
			return r.Lemma + " is listed twice"
		case r.Share <= 0 || r.Share > 1 || r.Back <= 0 || r.Back > 1:
			return r.Lemma + " has a share out of range"
		case narrower[r.Sense] > mostNarrower:
			return "too many narrower ones in one sense"
		}
		seen[r.Lemma] = true
	}
	return ""
}
