package spelling

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// tabled returns a lexicon with a table, even for a few words.
func tabled(list []string) *Lexicon {
	l := lexiconOf(list)
	l.deletes = newDeletes(l.count, l.at)
	return l
}

// plainDistance is a textbook implementation of the Damerau-Levenshtein distance (optimal string alignment).
func plainDistance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			d[i][j] = min(d[i-1][j], d[i][j-1]) + 1
			if a[i-1] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-1][j-1])
			} else {
				d[i][j] = min(d[i][j], d[i-1][j-1]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// written generates words from few different letters, so that many are near to each other.
func written() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[abst]{2,10}`), rapid.StringMatching(`(ab|ba|aab|st){1,6}[abst]{0,3}`),
		rapid.StringMatching(`[aé日b]{2,9}`), rapid.StringMatching(`[ab4]{3,7}`), rapid.SampledFrom(known))
}

func TestLexicon_Near_tableEqualsScan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := words(strings.Join(rapid.SliceOfN(written(), 0, 60).Draw(t, "words"), " "))
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		scanned, looked := lexiconOf(list), tabled(list)
		asked := append(rapid.SliceOfN(written(), 1, 8).Draw(t, "asked"), list...)
		for _, word := range list {
			asked = append(asked, spoil(random, word, 1+random.IntN(2)))
		}
		for _, word := range asked {
			if a, b := scanned.Near(word, 99), looked.Near(word, 99); !slices.Equal(a, b) {
				t.Fatalf("%s in %q: scanned %v, looked up %v", word, list, a, b)
			}
		}
	})
}

func TestDistanceOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(written().Draw(t, "a")), []rune(written().Draw(t, "b"))
		if rapid.Bool().Draw(t, "near") {
			random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			b = []rune(spoil(random, string(a), rapid.IntRange(0, 3).Draw(t, "errors")))
		}
		plain := plainDistance(a, b)
		for errors := range 3 {
			distance := distanceOf(a, b, errors)
			if (distance < tooFar) != (plain <= errors) {
				t.Fatalf("%d with %d errors, the plain distance is %d", distance, errors, plain)
			}
			if back := distanceOf(b, a, errors); back != distance {
				t.Fatalf("%d there, %d back", distance, back)
			}
			if distance < tooFar && (distance == 0) != (plain == 0) {
				t.Fatalf("%d, the plain distance is %d", distance, plain)
			}
			if plain == 1 && distance < tooFar && distance > furthest(4) {
				t.Fatalf("one error weighs %d", distance)
			}
		}
	})
}

// Every word with one plain error is found, and no word with more errors than allowed.
func TestLexicon_Near_plainDistance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	list := words(strings.Join(append(slices.Clone(known), madeUp(random, 3000)...), " "))
	lexicon := lexiconOf(list)
	if lexicon.deletes == nil {
		t.Fatal("no table")
	}
	found := 0
	for range 200 {
		word := spoil(random, list[random.IntN(len(list))], 1+random.IntN(2))
		near := make(map[int]bool)
		for _, s := range lexicon.Near(word, len(list)) {
			near[s.Word] = true
		}
		found += len(near)
		judge(t, list, word, near)
	}
	if found < 125 { // few random errors are of the likelier kinds
		t.Errorf("only %d found at all", found)
	}
}

func judge(t *testing.T, list []string, word string, near map[int]bool) {
	t.Helper()
	asked := []rune(word)
	most := errorsIn(len(asked))
	never := strings.ContainsAny(word, "0123456789") || len(asked) < shortestAsked
	for i, candidate := range list {
		plain := plainDistance(asked, []rune(candidate))
		skipped := strings.ContainsAny(candidate, "0123456789") || utf8.RuneCountInString(candidate) < shortestKnown
		switch {
		case near[i] && (never || skipped || plain > most):
			t.Errorf("%s is suggested for %s, %d errors away", candidate, word, plain)
		case !near[i] && !never && !skipped && plain <= 1:
			t.Errorf("%s is not suggested for %s, %d errors away", candidate, word, plain)
		}
	}
}

// madeUp generates words of syllables, like names of brands and models.
func madeUp(random *rand.Rand, count int) []string {
	list := make([]string, count)
	for i := range list {
		var b strings.Builder
		for range 2 + random.IntN(4) {
			b.WriteByte("bcdfghjklmnprstvwz"[random.IntN(18)])
			b.WriteByte("aeiouy"[random.IntN(6)])
			if random.IntN(3) == 0 {
				b.WriteByte("lmnrst"[random.IntN(6)])
			}
		}
		list[i] = b.String()
	}
	return list
}

// spoil makes errors in a word.
func spoil(random *rand.Rand, word string, errors int) string {
	letters := []rune(word)
	for range errors {
		i, other := random.IntN(len(letters)), rune('a'+random.IntN(26))
		switch random.IntN(4) {
		case 0:
			letters[i] = other
		case 1:
			letters = slices.Insert(letters, i, other)
		case 2:
			letters[i], letters[max(i-1, 0)] = letters[max(i-1, 0)], letters[i]
		default:
			if len(letters) > 1 {
				letters = slices.Delete(letters, i, i+1)
			}
		}
	}
	return string(letters)
}

// Thousands of words with the same beginning are all candidates; then the list is scanned.
func TestLexicon_Near_commonBeginning(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(17, 19))
	list := madeUp(random, 4000)
	for i := range list {
		list[i] = "internat" + list[i]
	}
	list = words(strings.Join(list, " "))
	lexicon := lexiconOf(list)
	asked := spelled{}
	asked.read("internatoi", longest)
	if _, few := lexicon.deletes.candidates(&asked, nil, fewWords); few {
		t.Fatal("few candidates")
	}
	for _, i := range random.Perm(len(list))[:200] {
		written := spoil(random, list[i], 1)
		near := lexicon.Near(written, len(list))
		if !slices.ContainsFunc(near, func(s Suggestion) bool { return s.Word == i }) {
			t.Errorf("%s does not suggest %s", written, list[i])
		}
	}
}

func TestLexicon_Near_concurrent(t *testing.T) {
	t.Parallel()
	lexicon := tabled(known)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, e := range errors {
				if near := lexicon.Near(e[0], 1); e[1] != "-" && (len(near) != 1 || known[near[0].Word] != e[1]) {
					t.Errorf("%s reads %v", e[0], near)
				}
			}
		})
	}
	all.Wait()
}

func FuzzNear(f *testing.F) {
	for _, seed := range []string{"keybord", "", "\xff\xfe\xfd\xfc\xfb", "ééééé", "e\u0301e\u0301e\u0301", "日本語日本語", "١٢٣٤abcd",
		"🎧🎧🎧🎧🎧", "\x00\x00\x00\x00", "İıſK", strings.Repeat("a", 32), strings.Repeat("é", 33)} {
		f.Add(seed, "keyboard "+seed+"s x"+seed)
	}
	f.Fuzz(func(t *testing.T, word, vocabulary string) {
		list := words(vocabulary)
		a, b := lexiconOf(list).Near(word, 50), tabled(list).Near(word, 50)
		if !slices.Equal(a, b) {
			t.Fatalf("scanned %v, looked up %v", a, b)
		}
		for _, s := range a {
			if s.Distance < 0 || s.Distance > 1.75 || s.Word < 0 || s.Word >= len(list) {
				t.Errorf("%q in %q: %v", word, list, s)
			}
		}
	})
}
