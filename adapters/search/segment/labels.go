package segment

import (
	"iter"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/words"
)

// Names are the distinct values of a field, numbered in order of appearance; number 0 is no value. Values that differ only in
// case, diacritics and surrounding spaces are the same. A copy stays valid while its register grows.
type Names struct {
	Keys    []string // normalized for comparison
	Written []string // as first written
}

// KeyOf normalizes a name for comparison.
func KeyOf(name string) string { return words.Fold(strings.ToLower(strings.TrimSpace(name))) }

// Marked marks the numbers whose keys satisfy fits.
func (n Names) Marked(fits func(key string) bool) []bool {
	marked := make([]bool, len(n.Keys))
	for number := 1; number < len(n.Keys); number++ {
		marked[number] = fits(n.Keys[number])
	}
	return marked
}

// ColorsIn returns the colours in a label: "Black, Silver" has two.
func ColorsIn(label string) iter.Seq[string] {
	return strings.FieldsFuncSeq(label, func(r rune) bool { return r == ',' || r == ';' || r == '/' })
}

// Register assigns the numbers of names. It only grows, and has one writer.
type Register struct {
	Names
	numbers map[string]uint32
	bytes   int64 // of the texts
}

func newRegister() Register {
	return Register{Names: Names{[]string{""}, []string{""}}, numbers: map[string]uint32{"": 0}}
}

// Number returns the number of a name, and assigns one to a new name.
func (r *Register) Number(name string) uint32 {
	if number, known := r.numbers[name]; known { // the same spelling was seen before
		return number
	}
	key := KeyOf(name)
	number, known := r.numbers[key]
	if !known {
		number = uint32(len(r.Keys))
		r.Keys, r.Written = append(r.Keys, key), append(r.Written, strings.TrimSpace(name))
		r.numbers[key] = number
		r.bytes += int64(len(key))
	}
	r.numbers[name] = number
	r.bytes += int64(len(name))
	return number
}

// Labels are the registers of one project.
type Labels struct {
	Brands, Categories, Colors, Sizes Register
	Kinds                             []string   // by category
	Shades                            [][]uint32 // by colour: the colours that its name lists
}

// Shade finds the colours that each name lists: "Black, Silver" has two, "Black" has itself.
func (l *Labels) Shade() {
	for number := len(l.Shades); number < len(l.Colors.Keys); number++ {
		var shades []uint32
		for name := range ColorsIn(l.Colors.Written[number]) {
			if color := l.Colors.Number(name); color != 0 && !slices.Contains(shades, color) {
				shades = append(shades, color)
			}
		}
		l.Shades = append(l.Shades, shades)
	}
}

// Spellings returns the number of names in the registers, counting every spelling.
func (l *Labels) Spellings() int {
	return len(l.Brands.numbers) + len(l.Categories.numbers) + len(l.Colors.numbers) + len(l.Sizes.numbers)
}

// Bytes returns the approximate memory of the registers.
func (l *Labels) Bytes() int64 {
	return int64(l.Spellings())*BytesOfName + int64(len(l.Shades))*bytesOfShades + l.Brands.bytes + l.Categories.bytes + l.Colors.bytes + l.Sizes.bytes
}

// NewLabels returns empty registers.
func NewLabels() Labels {
	return Labels{
		Brands:     newRegister(),
		Categories: newRegister(),
		Colors:     newRegister(),
		Sizes:      newRegister(),
	}
}
