package search

import (
	"iter"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/words"
)

// names are the different values of a field, numbered in order of appearance; number 0 is no value.
// Two values are the same if they differ only in case, diacritics and spaces around. A copy stays
// valid while its register grows.
type names struct {
	keys    []string // as compared
	written []string // as first written
}

func keyOf(name string) string { return words.Fold(strings.ToLower(strings.TrimSpace(name))) }

// marked marks the numbers whose keys fit.
func (n names) marked(fits func(key string) bool) []bool {
	marked := make([]bool, len(n.keys))
	for number := 1; number < len(n.keys); number++ {
		marked[number] = fits(n.keys[number])
	}
	return marked
}

// colorsIn are the colours in a label: "Black, Silver" is two.
func colorsIn(label string) iter.Seq[string] {
	return strings.FieldsFuncSeq(label, func(r rune) bool { return r == ',' || r == ';' || r == '/' })
}

// register hands out the numbers. It only grows, and has one writer.
type register struct {
	names
	numbers map[string]uint32
	bytes   int64 // of the texts
}

func newRegister() register {
	return register{names: names{[]string{""}, []string{""}}, numbers: map[string]uint32{"": 0}}
}

func (r *register) number(name string) uint32 {
	if number, known := r.numbers[name]; known { // written just so before
		return number
	}
	key := keyOf(name)
	number, known := r.numbers[key]
	if !known {
		number = uint32(len(r.keys))
		r.keys, r.written = append(r.keys, key), append(r.written, strings.TrimSpace(name))
		r.numbers[key] = number
		r.bytes += int64(len(key))
	}
	r.numbers[name] = number
	r.bytes += int64(len(name))
	return number
}

// kindOf is the term of the thing that a category holds, by its key: bag of "accessories/laptop bags".
func kindOf(key string) string {
	leaf := key[strings.LastIndexByte(key, '/')+1:]
	groups := wordsOf(leaf).groups
	if len(groups) == 0 {
		return ""
	}
	return groups[len(groups)-1].term
}

// labels are the registers of one project.
type labels struct {
	brands, categories, colors, sizes register
	kinds                             []string // by category
}

// spellings is how many names the registers know, every way that they were written.
func (l *labels) spellings() int {
	return len(l.brands.numbers) + len(l.categories.numbers) + len(l.colors.numbers) + len(l.sizes.numbers)
}

// bytes is about what the registers take.
func (l *labels) bytes() int64 {
	return int64(l.spellings())*bytesOfName + l.brands.bytes + l.categories.bytes + l.colors.bytes + l.sizes.bytes
}

func newLabels() labels {
	return labels{brands: newRegister(), categories: newRegister(), colors: newRegister(), sizes: newRegister()}
}
