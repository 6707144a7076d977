package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/words"
)

// maxWords bounds the work for one query. Of longer texts the rarest words count.
const maxWords = 32

// question is a query's text, understood: what has to be matched, one group for each word that tells
// something.
type question struct {
	groups []group
	weight float32 // of all groups, known and unknown
	least  float32 // the coverage from which a document is relevant
	asked  bool    // false: no word in the text
	codes  int     // how many of the first groups are codes
	head   int     // the group that names the thing itself: "bag" in "laptop bag for women"; -1: none
}

// group is a word of the query and everything that may stand for it.
type group struct {
	text       string // as the buyer wrote it, in lower case
	term       string
	alternates []alternate // none: the shop knows nothing of it
	weight     float32     // how much it tells: rare words more
	split      bool        // it was one word with its neighbour
	run        int         // of characters without spaces, of which this is a pair; 0: it is a word
}

// alternate is one way to match a group: a word, or several that must all be there.
type alternate struct {
	reading reading
	from    string // what it stands for, if that is more than the group's word
	text    string // the word that it is
	term    string // of a single word
	weight  float32
	words   []known
}

// reading is how an alternate comes from what was written.
type reading uint8

const (
	said       reading = iota // as it was written
	begun                     // the word only begins with what was written
	spelt                     // the nearest known word
	understood                // another word for it
	coded                     // a code of a product
)

// known is a term of the catalogue.
type known struct {
	count   int                 // documents; of long lists also dead ones
	lists   [][]segment.Posting // by part
	numbers []int32             // by part; -1: it has no such term
}

// read understands a text.
func (s *snapshot) read(text string) question {
	codes, rest := s.codes(text)
	t := wordsOf(rest)
	q := question{
		head:   t.head,
		asked:  len(t.groups)+len(codes) > 0,
		groups: t.groups,
	}
	if !q.asked {
		return q
	}
	for i := range q.groups {
		g := &q.groups[i]
		if found := s.lookup(g.term); found.count > 0 {
			g.alternates = append(g.alternates, alternate{
				reading: said,
				text:    g.text,
				weight:  1,
				words:   []known{found},
			})
		}
	}
	for _, e := range t.extras {
		s.offer(&q.groups[e.group], said, e.word, words.Term(e.word), e.weight)
	}
	s.shorten(&q)
	s.repair(&q)
	s.compound(&q)
	s.widen(&q)
	q.ask(codes)
	s.weighGroups(&q)
	return q
}

// shorten keeps the words of a long query that tell most: known ones, the rarest first. Unknown ones only fill
// what is left.
func (s *snapshot) shorten(q *question) {
	if len(q.groups) <= maxWords {
		return
	}
	order := make([]int, len(q.groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := len(q.groups[a].alternates) == 0, len(q.groups[b].alternates) == 0
		if x != y {
			return cmp.Compare(bit(x), bit(y))
		}
		return cmp.Compare(s.weightOf(&q.groups[b]), s.weightOf(&q.groups[a]))
	})
	slices.Sort(order[:maxWords])
	kept, head := make([]group, maxWords), -1
	for i, at := range order[:maxWords] {
		kept[i] = q.groups[at]
		if at == q.head {
			head = i
		}
	}
	q.groups, q.head = kept, head
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// weighGroups gives each group its weight.
func (s *snapshot) weighGroups(q *question) {
	if len(q.groups) > maxWords { // some were split
		q.groups, q.head = q.groups[:maxWords], min(q.head, maxWords-1)
	}
	known := float32(0)
	for i := range q.groups {
		q.groups[i].weight = s.weightOf(&q.groups[i])
		q.weight += q.groups[i].weight
		if len(q.groups[i].alternates) > 0 {
			known += q.groups[i].weight
		}
	}
	if q.weight > 0 {
		q.least = max(relevantShare*known, wholeRun*q.lightestRun()) / q.weight
	}
}

// How much of what the query tells a document must have to be relevant. It does not depend on the filter, so that filters only ever take
// away.
const (
	relevantShare = .2  // of what the catalogue knows: one that has only a common word of several is not
	wholeRun      = .51 // of a run of characters without spaces: many words share a pair of characters
)

// lightestRun is the least weight of a run of pairs, 0 if there is a word of another script.
func (q *question) lightestRun() (least float32) {
	for from := 0; from < len(q.groups); {
		weight, to := float32(0), from
		for ; to < len(q.groups) && q.groups[to].run == q.groups[from].run; to++ {
			weight += q.groups[to].weight
		}
		if q.groups[from].run == 0 {
			return 0
		}
		if from == 0 || weight < least {
			least = weight
		}
		from = to
	}
	return least
}

func (s *snapshot) weightOf(g *group) float32 {
	var documents float64
	for _, a := range g.alternates {
		documents += float64(a.weight) * float64(a.count())
	}
	return s.rarity(documents)
}

// count is how many documents have an alternate, at most.
func (a *alternate) count() int {
	least := a.words[0].count
	for _, w := range a.words[1:] {
		least = min(least, w.count)
	}
	return least
}

// rarity is the inverse document frequency of BM25, always positive.
func (s *snapshot) rarity(documents float64) float32 {
	size := float64(s.size)
	documents = min(documents, size)
	return float32(math.Log1p((size - documents + .5) / (documents + .5)))
}

// looked is up to how many documents of a term are asked whether they are alive.
const looked = 32

// lookup finds a term's documents. A term that only dead ones have is none.
func (s *snapshot) lookup(term string) (k known) {
	for i := range s.parts {
		p := &s.parts[i]
		number := p.Words.Terms.Find(term)
		if number < 0 {
			continue
		}
		list := p.Words.Of(number)
		count := p.alive(list)
		if count == 0 {
			continue
		}
		if k.lists == nil {
			k.lists, k.numbers = make([][]segment.Posting, len(s.parts)), slices.Repeat([]int32{-1}, len(s.parts))
		}
		k.lists[i], k.numbers[i] = list, int32(number)
		k.count += count
	}
	return k
}

// alive is how many of a term's documents are not dead; of long lists, all are counted.
func (p *part) alive(list []segment.Posting) int {
	count := len(list)
	if count > looked || p.buried == 0 {
		return count
	}
	for _, posting := range list {
		if p.dead.has(posting.Document) {
			count--
		}
	}
	return count
}

// offer adds an alternate of one word, if the catalogue has it and the group has not.
func (s *snapshot) offer(g *group, how reading, text, term string, weight float32) bool {
	found := s.lookup(term)
	if term == "" || found.count == 0 {
		return false
	}
	return g.add(alternate{
		reading: how,
		text:    text,
		weight:  weight,
		words:   []known{found},
	})
}

func (g *group) add(a alternate) bool {
	if len(a.words) == 1 {
		a.term = words.Term(a.text)
	}
	for _, have := range g.alternates {
		if len(have.words) == len(a.words) && slices.EqualFunc(have.words, a.words, known.same) {
			return false
		}
	}
	g.alternates = append(g.alternates, a)
	return true
}

func (k known) same(other known) bool { return slices.Equal(k.numbers, other.numbers) }

// asked is the words of a text before a catalogue is asked about them.
type asked struct {
	groups []group
	extras []extra
	head   int
}

// extra is another reading of a group's word.
type extra struct {
	group  int
	word   string
	weight float32
}

// bareNumber is what the number of a quantity counts for without its unit.
const bareNumber = .5

// wordsOf reads the different words of a text. The last word before an aside ("for", "with") is the thing
// that is asked for.
func wordsOf(text string) asked {
	l := listener{
		asked:  asked{head: -1},
		before: -1,
		last:   -1,
	}
	r := readers.Get().(*words.Reader)
	r.Read(text, l.hear)
	readers.Put(r)
	return l.asked
}

var readers = sync.Pool{New: func() any { return new(words.Reader) }}

// listener takes down the words of a text.
type listener struct {
	asked
	before int  // the group of the word before the last; -1: it says nothing
	last   int  // the group of the last word; -1: it says nothing
	aside  bool // after a "for"
	runs   int  // of pairs
	next   int  // where a pair of the same run begins
}

func (l *listener) hear(word []byte, kind words.Kind, at int) {
	switch kind {
	case words.Said:
		if l.said(string(word)); l.last >= 0 && words.Paired(l.groups[l.last].text) {
			l.pair(word, at)
		}
	case words.Number:
		l.also(l.last, word, bareNumber)
	case words.Joined:
		l.also(l.before, word, 1)
		l.also(l.last, word, 1)
	}
}

// pair notes to which run the last group belongs.
func (l *listener) pair(word []byte, at int) {
	if at != l.next || l.runs == 0 {
		l.runs++
	}
	_, first := utf8.DecodeRune(word)
	l.next = at + first
	if l.groups[l.last].run == 0 {
		l.groups[l.last].run = l.runs
	}
}

func (l *listener) also(group int, word []byte, weight float32) {
	if group >= 0 {
		l.extras = append(l.extras, extra{group, string(word), weight})
	}
}

func (l *listener) said(word string) {
	term := words.Term(word)
	l.before = l.last
	if term == "" {
		l.last = -1
		l.aside = l.aside || len(l.groups) > 0 && (word == "for" || word == "with" || word == "from")
		return
	}
	l.last = slices.IndexFunc(l.groups, func(g group) bool { return g.term == term })
	if l.last >= 0 {
		return
	}
	l.last = len(l.groups)
	l.groups = append(l.groups, group{text: word, term: term})
	if !l.aside && !strings.ContainsAny(word, "0123456789") {
		l.head = l.last
	}
}
