package market

import (
	"fmt"
	"math"
	"strings"
)

// Random is a source of random numbers: a rand.Rand of math/rand/v2. The same numbers give the same buyers.
type Random interface {
	Float64() float64     // from 0 up to 1
	NormFloat64() float64 // of the standard normal distribution
	IntN(n int) int
	Int64N(n int64) int64
}

// Worths is a distribution of reservation prices as shares of the list price.
type Worths struct {
	Name  string // for flags
	Title string // for people
	Draw  func(Random) float64
}

// Uniform is uniform between low and high.
func Uniform(low, high float64) Worths {
	return Worths{"uniform", fmt.Sprintf("U[%.2f, %.2f]", low, high),
		func(r Random) float64 { return low + (high-low)*r.Float64() }}
}

// Normal is normal with a mean and a standard deviation.
func Normal(mean, deviation float64) Worths {
	return Worths{fmt.Sprintf("normal-%.0f", 100*mean), fmt.Sprintf("N(%.2f, %.2f)", mean, deviation),
		func(r Random) float64 { return mean + deviation*r.NormFloat64() }}
}

// LogNormal is log-normal with a median; sigma is the standard deviation of the logarithm.
func LogNormal(median, sigma float64) Worths {
	return Worths{"lognormal", fmt.Sprintf("lognormal(%.2f, %.2f)", median, sigma),
		func(r Random) float64 { return median * math.Exp(sigma*r.NormFloat64()) }}
}

// Population is a kind of market: the buyers' reservation prices, and the item's cost as a share of list.
type Population struct {
	Worths Worths
	Cost   float64
}

// Distributions returns the five distributions that policies are measured with.
func Distributions() []Worths {
	return []Worths{Uniform(.70, 1.15), Normal(.90, .10), Normal(.95, .15), Normal(.85, .08), LogNormal(.90, .20)}
}

// Populations returns the ten populations that policies are measured with.
func Populations() (all []Population) {
	for _, worths := range Distributions() {
		for _, cost := range []float64{.50, .65} {
			all = append(all, Population{worths, cost})
		}
	}
	return all
}

// PopulationsNamed returns those of the ten populations that have one of the names or whose distribution has one. Names
// with colons describe custom populations: see Describe.
func PopulationsNamed(names ...string) (found []Population, err error) {
	for _, name := range names {
		if strings.Contains(name, ":") {
			described, err := Describe(name)
			if err != nil {
				return nil, err
			}
			found = append(found, described...)
			continue
		}
		before := len(found)
		for _, p := range Populations() {
			if p.Name() == name || p.Worths.Name == name {
				found = append(found, p)
			}
		}
		if len(found) == before {
			return nil, fmt.Errorf("no population is named %q; there are %s; or describe one: %s", name, listed(Populations(), Population.Name), forms())
		}
	}
	return found, nil
}

// Name returns the distribution's name with the cost in percent of list, such as "normal-90-c65".
func (p Population) Name() string { return fmt.Sprintf("%s-c%g", p.Worths.Name, Tidy(100*p.Cost)) }

// Title returns the name for people.
func (p Population) Title() string { return fmt.Sprintf("%s, cost %.2f", p.Worths.Title, p.Cost) }

// Item returns an item for this population at a list price.
func (p Population) Item(list int64) Item {
	return Item{list, int64(math.Round(p.Cost * float64(list)))}
}

// Buyer has the private values of a buyer. Prices are in minor units.
type Buyer struct {
	Worth    int64 // V, the reservation price
	First    int64 // the first offer
	Deadline int   // the largest number of offers
}

// Draw draws a buyer of this population.
func (p Population) Draw(r Random, h Habits, list int64) Buyer {
	b := Buyer{Deadline: h.Shortest + r.IntN(h.Longest-h.Shortest+1)}
	first := h.LowestFirst + (h.HighestFirst-h.LowestFirst)*r.Float64()
	b.Worth = max(1, int64(math.Round(p.Worths.Draw(r)*float64(list))))
	b.First = max(1, int64(math.Round(first*float64(b.Worth))))
	return b
}
