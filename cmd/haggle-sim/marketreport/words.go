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
	earned := fmt.Sprintf("%s, this policy earned %s of the margin of the best fixed price: the one price that, with hindsight, would have "+
		"earned most from these very buyers. The list price alone would have earned %s of that.", in, percent(s.OfPosted.Value), percent(s.ListOfPosted))
	if n > 1 {
		earned += fmt.Sprintf(" It beat the best fixed price in %d of %d populations; worst was %s, at %s.", r.beaten(), n, lower(populationName(s.WorstIn)), percent(s.Worst.Value))
	}
	known := fmt.Sprintf("A seller who knew what each buyer would pay at most could earn more than anybody: this one got %s of that", percent(s.OfOptimum.Value))
	if s.OfWithin != nil {
		known += fmt.Sprintf(", and %s of what such a seller gets who keeps to the same floor", percent(s.OfWithin.Value))
	}
	return []string{earned, fmt.Sprintf("%s. The best fixed price gets %s.", known, percent(s.PostedOfKnown))}
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
	return fmt.Sprintf("Of 100 buyers who came %.0f bought, at %s below list on average. Half of the deals gave less than %d %% off, and nine in ten less than %d %%.",
		100*r.Summary.DealRate, percent(r.Summary.MeanDiscount), market.Quantile(sold, .5)+1, market.Quantile(sold, .9)+1)
}

func (r report) wordsOnStrategies() string {
	strategies := slices.DeleteFunc(slices.Clone(r.Strategies), func(s simulating.Row) bool { return s.Apart })
	byMargin := func(a, b simulating.Row) int { return cmp.Compare(a.Margin, b.Margin) }
	most, least := slices.MaxFunc(strategies, byMargin), slices.MinFunc(strategies, byMargin)
	if len(strategies) == 1 || most.Margin == least.Margin {
		return fmt.Sprintf("Each buyer of the kind “%s” who came was worth %s of the list price.", kind(most.Strategy), percent(most.Margin))
	}
	return fmt.Sprintf("Most was earned from buyers of the kind “%s”, %s of the list price for each who came; least from “%s”, %s.",
		kind(most.Strategy), percent(most.Margin), kind(least.Strategy), percent(least.Margin))
}

func (r report) wordsOnProbing() string {
	c := r.Prober
	if c == nil || c.BothBought < 2 {
		return ""
	}
	difference, uncertainty := c.Difference.Value, confidence*c.Difference.Error
	text := "Buyers who probed for the floor paid about what steady buyers with the same limits paid"
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
		text += fmt.Sprintf(" After %d rounds their guess at the floor is off by %s of the list price, on average; the hint that every rejected buyer is given, by %s.",
			last.Round, percent(last.Distance), percent(last.HintDistance))
	}
	return text
}

func (r report) wordsOnCrossing() string {
	c := r.CrossSession
	if c == nil || c.BothBought < 2 {
		return ""
	}
	return fmt.Sprintf("Buyers who learnt the hint in a first session and used it in a second paid %s of the list price on average (± %.2f points), "+
		"steady buyers with the same limits %s (± %.2f points). A client's sessions without an order are counted by the server, and not here: each comes from an address of its own.",
		percent(c.ProberPrice.Value), 100*confidence*c.ProberPrice.Error, percent(c.LinearPrice.Value), 100*confidence*c.LinearPrice.Error)
}

func (r report) wordsOnPromises() string {
	times := r.Lost
	for _, b := range r.Broken {
		times += b.Times
	}
	if times > 0 {
		return fmt.Sprintf("In %s negotiations the seller broke a promise or did not answer.", thousands(times))
	}
	return "The seller kept its promises in every negotiation: no price above list or under the floor as far as it is known, none that rose, and who offered a price that stood got it."
}

func kind(strategy string) string { return lower(strategyName(strategy).Name) }

// lower returns a name with a small first letter, for the middle of a sentence.
func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }
