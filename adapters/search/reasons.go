package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// maxReasons is how many reasons are given for one result.
const maxReasons = 5

// reasons returns which words of the query a result has, how they were interpreted, and in which fields they are.
func (r *ranking) reasons(of ranked) []string {
	all := make([]string, 0, maxReasons)
	say := func(reason string) {
		if len(all) < maxReasons && !slices.Contains(all, reason) {
			all = append(all, reason)
		}
	}
	for i := range r.question.groups {
		r.explain(&r.question.groups[i], of, say)
	}
	if len(all) == 0 && of.near > 0 {
		say("close in meaning")
	}
	return all
}

// explain explains why a result matches a group: by the word itself if the result has it, else by the best alternate.
func (r *ranking) explain(g *group, of ranked, say func(string)) {
	var best *alternate
	var most float32
	var times segment.Frequencies
	lengths := &of.segment.Lengths[of.number]
	for n := range g.alternates {
		a := &g.alternates[n]
		found, has := a.at(int(of.part), of.number)
		if score := a.weight * r.weigh.of(found, lengths); has && score > most && (best == nil || best.reading == understood) {
			best, most, times = a, score, found
		}
	}
	if best == nil {
		return
	}
	switch best.reading {
	case coded:
		say(codeReason(of, g.text))
		return
	case understood:
		say(quoted(cmp.Or(best.from, g.text)) + " understood as " + quoted(best.text))
		return
	case spelt:
		say(quoted(cmp.Or(best.from, g.text)) + " read as " + quoted(best.text))
	}
	word := quoted(best.text)
	if best.reading == begun {
		word = "a word beginning with " + quoted(g.text)
	}
	r.locate(word, best.text, times, of, say)
}

// at returns how often a document has all words of an alternate.
func (a *alternate) at(part int, document uint32) (times segment.Frequencies, all bool) {
	for i, w := range a.words {
		found, has := segment.Find(w.lists[part], document)
		switch {
		case !has:
			return 0, false
		case i == 0:
			times = found
		default:
			times = times.Common(found)
		}
	}
	return times, len(a.words) > 0
}

// locate names every field in which a word was found. It names the description only if there is no other.
func (r *ranking) locate(word, text string, times segment.Frequencies, of ranked, say func(string)) {
	product := of.segment.Product(of.number)
	for first := times.Lowest(); times != 0; times = times.Without(times.Lowest()) {
		switch f := times.Lowest(); f {
		case segment.TitleHead, segment.TitleTail:
			say(word + " in the name")
		case segment.Brand:
			say("brand " + product.Brand)
		case segment.Category:
			say("category " + product.Category)
		case segment.Attributes:
			if hasTag(product, text) {
				say("tagged " + word)
				continue
			}
			say(word + " in the details")
		case segment.Description:
			if f == first {
				say(word + " in the description")
			}
		}
	}
}

// hasTag reports whether a tag of a product has a word.
func hasTag(p *catalog.Product, word string) bool {
	if len(p.Tags) == 0 {
		return false
	}
	term := words.Term(word)
	return slices.ContainsFunc(p.Tags, func(tag string) bool {
		return slices.ContainsFunc(wordsOf(tag).groups, func(g group) bool { return g.term == term })
	})
}

// quoted returns a buyer's text, cut to a length that can be shown.
func quoted(text string) string {
	const most = 40
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return "'" + text + "'"
}
