package main

import "strings"

// plain normalizes a lemma like search reads a text: lower case, words joined by one space, without the 's of "men's" and other
// apostrophes. Everything else that is not a letter or digit becomes a space.
func plain(lemma string) string {
	lemma = strings.ToLower(lemma) + "_"
	lemma = strings.ReplaceAll(lemma, "'s_", "_")
	lemma = strings.ReplaceAll(lemma, "'", "")
	return strings.Join(strings.FieldsFunc(lemma, func(r rune) bool { return !letter(r) && (r < '0' || r > '9') }), " ")
}

func letter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// The lexicographer files of living things, and of groups, which have the families and orders.
const (
	animals = 5
	groups  = 14
	plants  = 20
)

// latin returns a function that reports whether a lemma is a scientific name: a group of a taxonomy, anything below one, or a name
// such as "Malus pumila", whose first word is the name of a genus.
func latin(d dictionary) func(s *synset, lemma string) bool {
	genera := make(map[string]bool)
	for _, s := range d.synsets {
		for _, word := range s.words {
			if genus, is := strings.CutPrefix(word, "genus_"); is {
				genera[genus] = true
			}
		}
	}
	taxa := make(map[*synset]bool)
	for _, s := range d.synsets {
		taxa[s] = taxonomic(d, s)
	}
	return func(s *synset, lemma string) bool {
		if taxa[s] {
			return true
		}
		if s.pos != noun || s.file != animals && s.file != plants {
			return false
		}
		for _, word := range s.words {
			genus, species, two := strings.Cut(word, "_")
			if two && genera[genus] && species == strings.ToLower(species) && strings.EqualFold(word, lemma) {
				return true
			}
		}
		return false
	}
}

// taxonomic reports whether a synset is a taxonomic group such as a genus, a family or an order.
func taxonomic(d dictionary, s *synset) bool {
	if s.pos != noun || s.file != animals && s.file != plants && s.file != groups {
		return false
	}
	for _, word := range s.words {
		if word == "taxonomic_group" {
			return true
		}
	}
	for _, parent := range s.parents {
		if taxonomic(d, d.synsets[parent]) {
			return true
		}
	}
	return false
}
