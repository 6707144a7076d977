package wordnet

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestUnpacked_size(t *testing.T) {
	if len(packed) > 2<<20 {
		t.Errorf("wordnet.flate has %d bytes", len(packed))
	}
	n := unpacked()
	bytes := len(n.lemmas.text) + len(n.forms.text) + len(n.shares) + len(n.backs) + len(n.flags)
	for _, numbers := range [][]uint32{
		n.lemmas.ends, n.senses.starts, n.senses.items, n.members.starts, n.members.items, n.parents.starts,
		n.parents.items, n.children.starts, n.children.items, n.forms.ends, n.bases,
	} {
		bytes += 4 * cap(numbers)
	}
	t.Logf("%d lemmas, %d synsets (%d of nouns), %d packed bytes, %d unpacked", len(n.lemmas.ends)-1, len(n.flags), n.nouns, len(packed), bytes)
	if bytes > 10<<20 {
		t.Errorf("the unpacked data have %d bytes", bytes)
	}
}

func TestPacked_licence(t *testing.T) {
	licence, err := os.ReadFile("LICENSE.wordnet")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(packed, string(licence)+"\x00") {
		t.Error("wordnet.flate does not begin with LICENSE.wordnet")
	}
}

func TestRelated_allocations(t *testing.T) {
	for _, lemma := range []string{"couch", "bag", "cell phone", "unheard of word"} {
		if n := testing.AllocsPerRun(100, func() { Of(lemma) }); n > 2 {
			t.Errorf("Of(%q) allocates %v times", lemma, n)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		raw, err := inflate()
		if err != nil {
			b.Fatal(err)
		}
		unpack(columns{raw})
	}
}

func BenchmarkOf(b *testing.B) {
	for _, lemma := range []string{"couch", "notebook", "cell phone", "bag", "person", "unknownword"} {
		b.Run(lemma, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Of(lemma)
			}
		})
	}
}

// BenchmarkOfAll calls Of for every lemma, and reports the slowest.
func BenchmarkOfAll(b *testing.B) {
	n := unpacked()
	count := len(n.lemmas.ends) - 1
	slowest, which, slow := time.Duration(0), "", 0
	for i := 0; b.Loop(); i++ {
		lemma := n.lemmas.at(uint32(i % count))
		took := min(timed(lemma), timed(lemma), timed(lemma)) // the minimum of three ignores a pause of the machine
		if took > 10*time.Microsecond {
			slow++
		}
		if took > slowest {
			slowest, which = took, lemma
		}
	}
	b.ReportMetric(float64(slowest.Nanoseconds()), "ns-slowest")
	b.Logf("slowest: %q; %d of %d took more than 10 µs", which, slow, b.N)
}

func timed(lemma string) time.Duration {
	start := time.Now()
	Of(lemma)
	return time.Since(start)
}

func BenchmarkBase(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Base("couches")
	}
}
