package agent

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Type of an input.
type Type struct{ name string }

var (
	Text    = Type{"Text"}
	Integer = Type{"Integer"}
	Number  = Type{"Number"} // an amount of money in units of its currency (dollars, not cents), or any Integer
)

func (t Type) String() string { return t.name }

// holds reports whether a field of the given type can be declared as t.
func (t Type) holds(field Type) bool { return t == field || t == Number && field == Integer }

// Input declares what one input of an event must be.
type Input struct {
	field       string
	of          Type
	constraints []Constraint
}

// ValidateInput declares an input by its name in the contract. Only Required refuses an empty or missing input. Counts
// (items, buyer_context.purchase_history) are the exception: Min and Max apply to a count of 0.
func ValidateInput(field string, of Type, constraints ...Constraint) Input {
	return Input{field, of, slices.Clone(constraints)}
}

// Constraint narrows an input.
type Constraint struct {
	name   string
	fits   []Type // nil: all
	narrow func(*limits) (wrong string)
}

var (
	numbers = []Type{Integer, Number}
	texts   = []Type{Text}
)

// Required inputs must be present and not empty.
var Required = Constraint{"Required", nil, func(l *limits) string { l.required = true; return "" }}

// Min is the smallest number allowed. For an amount it is in units of its currency: Min(1) is 1.00 USD, 1 JPY and 1.000
// BHD.
func Min(n int64) Constraint {
	return Constraint{"Min", numbers, func(l *limits) string { l.min = &n; return "" }}
}

// Max is the largest number allowed, in the same units as Min.
func Max(n int64) Constraint {
	return Constraint{"Max", numbers, func(l *limits) string { l.max = &n; return "" }}
}

// MinLength is the smallest number of characters allowed.
func MinLength(n int) Constraint {
	return Constraint{"MinLength", texts, func(l *limits) string { l.shortest = &n; return negative("MinLength", n) }}
}

// MaxLength is the largest number of characters allowed.
func MaxLength(n int) Constraint {
	return Constraint{"MaxLength", texts, func(l *limits) string { l.longest = &n; return negative("MaxLength", n) }}
}

func negative(name string, n int) (wrong string) {
	if n < 0 {
		wrong = "has a negative " + name
	}
	return wrong
}

// OneOf lists the texts allowed, in their exact spelling.
func OneOf(words ...string) Constraint {
	words = slices.Clone(words)
	return Constraint{"OneOf", texts, func(l *limits) (wrong string) {
		if l.words = words; len(words) == 0 {
			wrong = "has an empty OneOf"
		}
		return wrong
	}}
}

// limits are the combined constraints of an input.
type limits struct {
	required          bool
	min, max          *int64
	shortest, longest *int
	words             []string
}

// limits returns the limits of an input whose field has the given type, and the mistakes in them.
func (in Input) limits(field Type) (l limits, wrong []string) {
	if !in.of.holds(field) {
		return l, []string{fmt.Sprintf("is of type %s, not %s", field, in.of)}
	}
	seen := make(map[string]bool)
	for _, c := range in.constraints {
		switch {
		case c.narrow == nil:
			wrong = append(wrong, "has a constraint that is none")
			continue
		case c.fits != nil && !slices.Contains(c.fits, field):
			wrong = append(wrong, fmt.Sprintf("is of type %s, which has no %s", field, c.name))
			continue
		case seen[c.name]:
			wrong = append(wrong, "has two of "+c.name)
		}
		seen[c.name] = true
		if w := c.narrow(&l); w != "" {
			wrong = append(wrong, w)
		}
	}
	if l.min != nil && l.max != nil && *l.min > *l.max {
		wrong = append(wrong, fmt.Sprintf("has Min %d above Max %d", *l.min, *l.max))
	}
	if l.shortest != nil && l.longest != nil && *l.shortest > *l.longest {
		wrong = append(wrong, fmt.Sprintf("has MinLength %d above MaxLength %d", *l.shortest, *l.longest))
	}
	return l, wrong
}

// field is one input of an event.
type field[In any] struct {
	name string
	of   Type
	read func(*In) value
}

// value is the value of a field. decimals is the number of decimal places of number: those of a currency's minor unit,
// or 0.
type value struct {
	said     bool // present and not empty
	counted  bool // a missing value counts as 0
	text     string
	number   int64
	decimals int
}

func word(text string) value { return value{said: text != "", text: text} }
func number(n int) value     { return value{said: n != 0, number: int64(n)} }
func count(n int) value {
	return value{
		said:    n != 0,
		counted: true,
		number:  int64(n),
	}
}

func amount(a *money.Amount) value {
	if a == nil {
		return value{}
	}
	return value{
		said:     true,
		number:   a.Minor(),
		decimals: a.Currency().Digits(),
	}
}

// minor returns n units in the value's decimals. It returns the nearest int64 if that overflows.
func (v value) minor(n int64) int64 {
	for range v.decimals {
		switch {
		case n > math.MaxInt64/10:
			return math.MaxInt64
		case n < math.MinInt64/10:
			return math.MinInt64
		}
		n *= 10
	}
	return n
}

// check applies limits to a field.
type check[In any] struct {
	field  field[In]
	limits limits
}

func (k *check[In]) run(in *In, c fault.Check) {
	v := k.field.read(in)
	if !v.said {
		c.That(!k.limits.required, k.field.name, "is required")
	}
	if !v.said && !v.counted {
		return
	}
	if problem := k.limits.problem(v); problem != "" {
		c.That(false, k.field.name, problem)
	}
}

// problem returns what is wrong with a value, or "".
func (l *limits) problem(v value) string {
	length := utf8.RuneCountInString(v.text)
	switch {
	case l.min != nil && v.number < v.minor(*l.min), l.max != nil && v.number > v.minor(*l.max):
		return l.between()
	case l.shortest != nil && length < *l.shortest, l.longest != nil && length > *l.longest:
		return l.long()
	case l.words != nil && !slices.Contains(l.words, v.text):
		return "must be one of " + strings.Join(l.words, ", ")
	}
	return ""
}

func (l *limits) between() string {
	switch {
	case l.max == nil:
		return "must be at least " + strconv.FormatInt(*l.min, 10)
	case l.min == nil:
		return "must be at most " + strconv.FormatInt(*l.max, 10)
	}
	return fmt.Sprintf("must be between %d and %d", *l.min, *l.max)
}

func (l *limits) long() string {
	switch {
	case l.longest == nil:
		return fmt.Sprintf("must have at least %d characters", *l.shortest)
	case l.shortest == nil:
		return fmt.Sprintf("must have at most %d characters", *l.longest)
	}
	return fmt.Sprintf("must have %d to %d characters", *l.shortest, *l.longest)
}
