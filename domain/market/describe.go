package market

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// form is a distribution that can be described by text.
type form struct {
	name, parameters string
	count            int
	fits             func(p []float64) bool
	make             func(p []float64) Worths
}

// described are the forms, by the name at the beginning of a description.
var described = []form{
	{"uniform", "LOW:HIGH", 2, func(p []float64) bool { return 0 <= p[0] && p[0] < p[1] },
		func(p []float64) Worths { return Uniform(p[0], p[1]) }},
	{"normal", "MEAN:DEVIATION", 2, func(p []float64) bool { return p[0] > 0 && p[1] >= 0 },
		func(p []float64) Worths { return Normal(p[0], p[1]) }},
	{"lognormal", "MEDIAN:SIGMA", 2, func(p []float64) bool { return p[0] > 0 && p[1] >= 0 && p[1] <= 3 },
		func(p []float64) Worths { return LogNormal(p[0], p[1]) }},
	{"two", "MEAN:DEVIATION:MEAN:DEVIATION:SHARE", 5,
		func(p []float64) bool {
			return p[0] > 0 && p[1] >= 0 && p[2] > 0 && p[3] >= 0 && p[4] >= 0 && p[4] <= 1
		},
		func(p []float64) Worths { return Two(Normal(p[0], p[1]), Normal(p[2], p[3]), p[4]) }},
}

// forms returns the syntax of descriptions, for people.
func forms() string {
	return listed(described, func(f form) string { return f.name + ":" + f.parameters }) + ", with :cCOST in percent of list"
}

// Two is a mixture: share of the buyers have the first distribution, and the others the second.
func Two(one, other Worths, share float64) Worths {
	return Worths{"two", fmt.Sprintf("%g of %s, else %s", share, one.Title, other.Title), func(r Random) float64 {
		if r.Float64() < share {
			return one.Draw(r)
		}
		return other.Draw(r)
	}}
}

// mostWorth is the largest number in a description, as a share of the list price.
const mostWorth = 100

// Describe parses a custom population: a form, its numbers as shares of the list price, and the cost in percent of it,
// such as "normal:.88:.12:c55". Without a cost it returns two populations, with costs of 50 and 65.
func Describe(text string) ([]Population, error) {
	parts := strings.Split(text, ":")
	costs := []float64{.50, .65}
	if last := parts[len(parts)-1]; strings.HasPrefix(last, "c") {
		percent, err := strconv.ParseFloat(last[1:], 64)
		if err != nil || !(percent >= 0 && percent <= 200) {
			return nil, fmt.Errorf("%q: the cost must be c0 to c200, in percent of the list price", text)
		}
		costs, parts = []float64{percent / 100}, parts[:len(parts)-1]
	}
	i := slices.IndexFunc(described, func(f form) bool { return f.name == parts[0] })
	if i < 0 {
		return nil, fmt.Errorf("%q is no description of a population: %s", text, forms())
	}
	worths, err := described[i].read(parts[1:])
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	var all []Population
	for _, cost := range costs {
		all = append(all, Population{worths, cost})
	}
	return all, nil
}

func (f form) read(texts []string) (Worths, error) {
	if len(texts) != f.count {
		return Worths{}, fmt.Errorf("%s has %d numbers: %s", f.name, f.count, f.parameters)
	}
	numbers, name := make([]float64, f.count), f.name
	for i, text := range texts {
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || !(number >= 0 && number <= mostWorth) {
			return Worths{}, fmt.Errorf("%q is no share of the list price, such as .88", text)
		}
		numbers[i], name = number, name+":"+strconv.FormatFloat(number, 'g', -1, 64)
	}
	if !f.fits(numbers) {
		return Worths{}, fmt.Errorf("there are no such buyers: %s", f.parameters)
	}
	worths := f.make(numbers)
	worths.Name = name // equal numbers give the same buyers, however they are written
	return worths, nil
}
