package search

import (
	"slices"
	"strings"
)

// maxReasons is how many reasons a hit gives.
const maxReasons = 5

// reasons say in words what matched, in the order of the query's words.
func (q question) reasons(part int, number uint32, d *document) []string {
	var said []string
	say := func(reason string) {
		if len(said) < maxReasons && !slices.Contains(said, reason) {
			said = append(said, reason)
		}
	}
	for _, w := range q.words {
		times, has := find(w.lists[part], number)
		if !has {
			continue
		}
		w.explain(times, d, say)
	}
	return said
}

// explain names every field that a word was found in, the description only if there is no other.
func (w *wanted) explain(times frequencies, d *document, say func(string)) {
	word := quoted(w.text)
	if w.begun {
		word = "a word beginning with " + word
	}
	for first := times.lowest(); times != 0; times = times.without(times.lowest()) {
		switch f := times.lowest(); f {
		case title:
			say(word + " in the name")
		case brand:
			say("brand " + d.product.Brand)
		case category:
			say("category " + d.product.Category)
		case tags:
			say("tagged " + word)
		case attributes:
			say(word + " in the details")
		case description:
			if f == first {
				say(word + " in the description")
			}
		}
	}
}

// quoted is what a buyer wrote, short enough to be shown.
func quoted(text string) string {
	const most = 40
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return "'" + text + "'"
}
