package catalog

import (
	"slices"
	"strings"
	"unicode"

	"github.com/haggle-commerce/haggle/domain/id"
)

// The names of the options that variants differ in.
const (
	SizeOption  = "Size"
	ColorOption = "Color"
)

// Selection is the value of one option. Names and values are compared case-insensitively.
type Selection struct{ Option, Value string }

// Selections returns the options and values that distinguish the variant within its product.
func (v Variant) Selections() (list []Selection) {
	if v.Size != "" {
		list = append(list, Selection{SizeOption, v.Size})
	}
	if v.Color != "" {
		list = append(list, Selection{ColorOption, v.Color})
	}
	return list
}

// Selected reports whether the variant has all of the selections.
func (v Variant) Selected(wanted []Selection) bool {
	own := v.Selections()
	for _, w := range wanted {
		if !slices.ContainsFunc(own, w.same) {
			return false
		}
	}
	return true
}

func (s Selection) same(o Selection) bool { return s.SameOption(o) && sameName(s.Value, o.Value) }

// SameOption reports whether two selections are of the same option.
func (s Selection) SameOption(o Selection) bool { return sameName(s.Option, o.Option) }

func sameName(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// Option is an option that variants differ in, with their values of it in the order of the variants.
type Option struct {
	Name   string
	Values []OptionValue
}

// OptionValue is a value of an option. Exists means that a variant has it together with the selected values of the
// other options, and Available that such a variant is in stock.
type OptionValue struct {
	Value             string
	Exists, Available bool
}

// Choice is a product narrowed by selected options.
type Choice struct {
	Selected []Selection // without those dropped because no variant has them
	Variants []Variant   // that match, the featured one first; never empty
	Options  []Option
}

// Featured returns the index of the variant that represents the product: the first one in stock, or else the first.
func Featured(variants []Variant, stock map[id.Variant]int) int {
	return max(0, slices.IndexFunc(variants, func(v Variant) bool { return v.Available(stock[v.ID]) }))
}

// Choose narrows a product by selections. If no variant has all of them, it first drops those that no variant has, then
// those that are not preferred, then the preferred ones from the last to the first.
func (p *Product) Choose(wanted []Selection, preferred []string, stock map[id.Variant]int) Choice {
	if len(wanted) == 0 {
		return p.ChooseVariant(p.Variants[Featured(p.Variants, stock)], stock)
	}
	held := slices.DeleteFunc(slices.Clone(wanted), func(w Selection) bool { return !p.hasSelected([]Selection{w}) })
	for len(held) > 0 && !p.hasSelected(held) {
		at := leastPreferred(held, preferred)
		held = slices.Delete(held, at, at+1)
	}
	return p.choice(p.spelled(held), stock)
}

// ChooseVariant narrows a product to the options of a variant, which is the first of the result.
func (p *Product) ChooseVariant(v Variant, stock map[id.Variant]int) Choice {
	c := p.choice(v.Selections(), stock)
	others := slices.DeleteFunc(c.Variants, func(o Variant) bool { return o.ID == v.ID })
	c.Variants = append([]Variant{v}, others...)
	return c
}

func (p *Product) choice(held []Selection, stock map[id.Variant]int) Choice {
	c := Choice{Selected: held, Options: p.options(held, stock)}
	for _, v := range p.Variants {
		if v.Selected(held) {
			c.Variants = append(c.Variants, v)
		}
	}
	first := Featured(c.Variants, stock)
	featured := c.Variants[first]
	c.Variants = slices.Insert(slices.Delete(c.Variants, first, first+1), 0, featured)
	return c
}

func (p *Product) hasSelected(wanted []Selection) bool {
	return slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.Selected(wanted) })
}

// leastPreferred returns the index of the selection to drop next.
func leastPreferred(held []Selection, preferred []string) int {
	least, lowest := 0, -1
	for i, s := range held {
		rank := slices.IndexFunc(preferred, func(name string) bool { return sameName(name, s.Option) })
		if rank < 0 {
			rank = len(preferred)
		}
		if rank >= lowest {
			least, lowest = i, rank
		}
	}
	return least
}

// spelled returns selections in the spelling of the variants.
func (p *Product) spelled(held []Selection) []Selection {
	list := make([]Selection, 0, len(held))
	for _, h := range held {
		for _, v := range p.Variants {
			own := v.Selections()
			if at := slices.IndexFunc(own, h.same); at >= 0 {
				list = append(list, own[at])
				break
			}
		}
	}
	return list
}

// options returns the options of the product, with the values that are compatible with the selections of other options.
// It visits each variant once, because a product may have as many values as variants.
func (p *Product) options(held []Selection, stock map[id.Variant]int) (list []Option) {
	type place struct{ option, value int }
	places := map[Selection]place{}
	numbers := map[string]int{}
	for _, v := range p.Variants {
		for _, s := range v.Selections() {
			at, known := numbers[s.Option]
			if !known {
				at, list = len(list), append(list, Option{Name: s.Option})
				numbers[s.Option] = at
			}
			to, known := places[s.folded()]
			if !known {
				to = place{at, len(list[at].Values)}
				places[s.folded()] = to
				list[at].Values = append(list[at].Values, OptionValue{Value: s.Value})
			}
			if !v.Selected(slices.DeleteFunc(slices.Clone(held), s.SameOption)) {
				continue
			}
			value := &list[to.option].Values[to.value]
			value.Exists, value.Available = true, value.Available || v.Available(stock[v.ID])
		}
	}
	return list
}

// folded returns a key that is equal for equal selections.
func (s Selection) folded() Selection {
	return Selection{folded(s.Option), folded(s.Value)}
}

// folded returns text with each letter replaced by the representative of its case-insensitive class.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, strings.TrimSpace(text))
}
