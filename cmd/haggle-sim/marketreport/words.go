package marketreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

// words returns the report's main results as sentences.
func (r report) words() (all []string) {
	all = append(all, r.wordsOnEarning()...)
	all = append(all, r.wordsOnSales(), r.wordsOnStrategies())
	for _, w := range []string{r.wordsOnProbing(), r.wordsOnCrossing()} {
		if w != "" {
			all = append(all, w)
		}
	}
	return append(all, r.wordsOnPromises())
}

func (r report) wordsOnEarning() []string {
	s, n := r.Summary, len(r.Populations)
	in := "Over all populations"
	if n == 1 {
		in = "With " + lower(populationName(r.Populations[0].Name))
	}
	earned := fmt.Sprintf("%s, this policy earned %s of the margin of the best fixed price, which is the fixed price with the highest margin for these buyers "+
		"in hindsight. The list price earned %s of that margin.", in, percent(s.OfPosted.Value), percent(s.ListOfPosted))
	if n > 1 {
		earned += fmt.Sprintf(" It earned more than the best fixed price in %d of %d populations; the worst was %s, at %s.", r.beaten(), n, lower(populationName(s.WorstIn)), percent(s.Worst.Value))
	}
	known := fmt.Sprintf("The maximum is the margin of a seller who knows the limit of each buyer. This policy earned %s of it", percent(s.OfOptimum.Value))
	if s.OfWithin != nil {
		known += fmt.Sprintf(", and %s of the maximum with the same floor", percent(s.OfWithin.Value))
	}
	return []string{earned, fmt.Sprintf("%s. The best fixed price earned %s of it.", known, percent(s.PostedOfKnown))}
}

// beaten returns in how many populations the policy earned more than the best posted price.
func (r report) beaten() (n int) {
	for _, p := range r.Populations {
		if p.Policy.OfPosted.Value > 1 {
			n++
		}
	}
	return n
}

func (r report) wordsOnSales() string {
	if r.Summary.DealRate == 0 {
		return "Nobody bought anything."
	}
	sold := r.discounts()
	return fmt.Sprintf("Of 100 buyers, %.0f bought, at an average discount of %s. The discount was below %d %% in half of the deals, and below %d %% in nine of ten.",
		100*r.Summary.DealRate, percent(r.Summary.MeanDiscount), market.Quantile(sold, .5)+1, market.Quantile(sold, .9)+1)
}

func (r report) wordsOnStrategies() string {
	strategies := slices.DeleteFunc(slices.Clone(r.Strategies), func(s simulating.Row) bool { return s.Apart })
	byMargin := func(a, b simulating.Row) int { return cmp.Compare(a.Margin, b.Margin) }
	most, least := slices.MaxFunc(strategies, byMargin), slices.MinFunc(strategies, byMargin)
	if len(strategies) == 1 || most.Margin == least.Margin {
		return fmt.Sprintf("The margin per buyer of the kind “%s” was %s of the list price.", kind(most.Strategy), percent(most.Margin))
	}
	return fmt.Sprintf("The margin per buyer was highest for the kind “%s”, %s of the list price, and lowest for “%s”, %s.",
		kind(most.Strategy), percent(most.Margin), kind(least.Strategy), percent(least.Margin))
}

func (r report) wordsOnProbing() string {
	c := r.Prober
	if c == nil || c.BothBought < 2 {
		return ""
	}
	difference, uncertainty := c.Difference.Value, confidence*c.Difference.Error
	text := "Buyers who probed for the floor paid about as much as steady buyers with the same limits"
	if math.Abs(difference) > uncertainty {
		word := "more"
		if difference < 0 {
			word = "less"
		}
		text = fmt.Sprintf("Buyers who probed for the floor paid %.2f %% of the list price %s than steady buyers with the same limits", 100*math.Abs(difference), word)
	}
	text += fmt.Sprintf(", and bought in %s of cases instead of %s.", percent(c.ProberDealRate), percent(c.LinearDealRate))
	if n := len(r.Probing); n > 0 {
		last := r.Probing[n-1]
		text += fmt.Sprintf(" After %d rounds, their estimate of the floor was off by %s of the list price on average; the hint, which every rejection contains, was off by %s.",
			last.Round, percent(last.Distance), percent(last.HintDistance))
	}
	return text
}

func (r report) wordsOnCrossing() string {
	c := r.CrossSession
	if c == nil || c.BothBought < 2 {
		return ""
	}
	return fmt.Sprintf("Buyers who learned the hint in a first session and used it in a second one paid %s of the list price on average (± %.2f points); "+
		"steady buyers with the same limits paid %s (± %.2f points). A server limits the sessions without an order per client; this simulation does not.",
		percent(c.ProberPrice.Value), 100*confidence*c.ProberPrice.Error, percent(c.LinearPrice.Value), 100*confidence*c.LinearPrice.Error)
}

func (r report) wordsOnPromises() string {
	times := r.Lost
	for _, b := range r.Broken {
		times += b.Times
	}
	if times > 0 {
		return fmt.Sprintf("In %s negotiations the seller violated an invariant or did not respond.", thousands(times))
	}
	return "The seller violated no invariant: no price was above the list price or below the floor (if known), no price rose, and the seller accepted each offer of a standing price."
}

func kind(strategy string) string { return lower(strategyName(strategy).Name) }

// lower returns a name with a small first letter, for the middle of a sentence.
func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }
