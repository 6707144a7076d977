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

// maxWords bounds the work for one query. Of longer texts, the rarest words are used.
const maxWords = 32

// question is a parsed query text: one group to match for each word that is not a stop word.
type question struct {
	groups []group
	weight float32 // of all groups, known and unknown
	least  float32 // the minimum coverage of a relevant document
	asked  bool    // false: the text has no word
	codes  int     // how many of the first groups are codes
	head   int     // the group that names the thing itself: "bag" in "laptop bag for women"; -1: none
}

// group is a word of the query with all its alternates.
type group struct {
	text       string // as the buyer wrote it, in lower case
	term       string
	alternates []alternate // none: the catalogue has nothing for it
	weight     float32     // higher for rare words
	split      bool        // it was one word with its neighbour
	run        int         // the run of unspaced characters that this pair is from; 0: it is a word
}

// alternate is one way to match a group: a word, or several words that must all match.
type alternate struct {
	reading reading
	from    string // the text it replaces, if that is more than the group's word
	text    string // its word
	term    string // of a single word
	weight  float32
	words   []known
}

// reading is how an alternate was derived from the written word.
type reading uint8

const (
	said       reading = iota // the word as written
	begun                     // a word that begins with the written one
	spelt                     // a spelling correction
	understood                // a synonym
	coded                     // a code of a product
)

// known is a term of the catalogue.
type known struct {
	count   int                 // documents; of long lists also dead ones
	lists   [][]segment.Posting // by part
	numbers []int32             // by part; -1: it has no such term
}

// read parses a text.
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

// shorten keeps the most specific words of a long query: known ones, the rarest first. Unknown ones are kept only if there is
// room left.
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

// weighGroups sets the weight of each group.
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

// The minimum coverage of a relevant document. It does not depend on the filter, so that a filter can only remove results.
const (
	relevantShare = .2  // of the known words' weight: a document with only one common word of several is not relevant
	wholeRun      = .51 // of a run of unspaced characters, because many words share a pair of characters
)

// lightestRun returns the least weight of a run of pairs, 0 if there is a word of another script.
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

// count returns an upper bound of the number of documents that have an alternate.
func (a *alternate) count() int {
	least := a.words[0].count
	for _, w := range a.words[1:] {
		least = min(least, w.count)
	}
	return least
}

// rarity returns the inverse document frequency of BM25, which is always positive.
func (s *snapshot) rarity(documents float64) float32 {
	size := float64(s.size)
	documents = min(documents, size)
	return float32(math.Log1p((size - documents + .5) / (documents + .5)))
}

// looked is the length of a term's list up to which dead documents are not counted.
const looked = 32

// lookup finds a term's documents. A term of dead documents only counts as unknown.
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

// alive returns how many of a term's documents are not dead; for a long list, its length.
func (p *part) alive(list []segment.Posting) int {
	count := len(list)
	if count > looked || p.deadCount == 0 {
		return count
	}
	for _, posting := range list {
		if p.dead.has(posting.Document) {
			count--
		}
	}
	return count
}

// offer adds an alternate of one word if the catalogue has the word and the group does not.
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

// asked has the words of a text before they are looked up in a catalogue.
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

// bareNumber is the weight of a quantity's number without its unit.
const bareNumber = .5

// wordsOf reads the distinct words of a text. The last word before an aside ("for", "with") is the thing that is searched for.
func wordsOf(text string) asked {
	l := listener{
		asked:  asked{head: -1},
		before: -1,
		last:   -1,
	}
	r := readers.Get().(*words.Reader)
	r.Read(text, l.add)
	readers.Put(r)
	return l.asked
}

var readers = sync.Pool{New: func() any { return new(words.Reader) }}

// listener collects the words of a text from a words.Reader.
type listener struct {
	asked
	before int  // the group of the last word but one; -1: it is a stop word
	last   int  // the group of the last word; -1: it is a stop word
	aside  bool // after a "for"
	runs   int  // of pairs
	next   int  // where the next pair of the same run would begin
}

func (l *listener) add(word []byte, kind words.Kind, at int) {
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

// pair sets the run that the last group belongs to.
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
