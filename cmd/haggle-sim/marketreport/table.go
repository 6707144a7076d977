// Package marketreport formats the report of a market simulation as tables, an HTML page, JSON and CSV. It computes no results.
package marketreport

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/haggle-commerce/haggle/app/simulating"
)

// report adds the formatting to a simulating.Report.
type report struct{ *simulating.Report }

// Write prints a report as tables.
func Write(w io.Writer, of *simulating.Report) error {
	r := report{of}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	r.writeHead(table)
	r.writePopulations(table)
	r.writeStrategies(table)
	r.writeProbing(table)
	if r.Lost > 0 {
		print(table, "\nNO RESPONSE: %s negotiations ended without a response; they count as no deal", thousands(r.Lost))
	}
	for _, b := range r.Broken {
		print(table, "VIOLATED: %s, %d times, first by %s", b.Promise, b.Times, b.First)
	}
	return table.Flush()
}

// print writes a line. The tabwriter returns the error in Flush.
func print(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }

func (r report) writeHead(w io.Writer) {
	print(w, "%s buyers in each population, seed %d; hints are %s", thousands(r.Buyers), r.Seed, r.hints())
	for _, s := range r.Settings {
		print(w, "%s\t%s", s.Name, s.Value)
	}
	s := r.Summary
	print(w, "\nMultiple of best posted price, mean\t%s", interval(s.OfPosted))
	print(w, "Multiple of best posted price, worst\t%s  in %s", interval(s.Worst), s.WorstIn)
	print(w, "Share of full information, mean\t%s", interval(s.OfOptimum))
	if s.OfWithin != nil {
		print(w, "Share of full information ≥ floor, mean\t%s", interval(*s.OfWithin))
	}
	print(w, "Deal rate, mean\t%s", percent(s.DealRate))
	print(w, "For comparison: the margin of the list price is %.3f of the best posted price's, which is %.3f of full information's", s.ListOfPosted, s.PostedOfKnown)
}

func (r report) hints() string {
	if r.HeedHints {
		return "followed"
	}
	return "ignored"
}

func (r report) writePopulations(w io.Writer) {
	print(w, "\nPopulation\tlist\tbest posted\t(at)\tfull info%s\tthis seller\tdeals\tprice\tdiscount p10 50 90\trounds\t× best posted\t× full info%s",
		r.ifLimited("\tposted ≥ floor\t(at)\tfull info ≥ floor"), r.ifLimited("\t× full info ≥ floor"))
	for _, p := range r.Populations {
		a, bounds := p.Policy, ""
		if p.BestWithin != nil && p.OptimumWithin != nil {
			bounds = fmt.Sprintf("\t%.4f\t(%.3f)\t%.4f", p.BestWithin.Margin, p.BestWithin.Price, p.OptimumWithin.Margin)
		}
		print(w, "%s\t%.4f\t%.4f\t(%.3f)\t%.4f%s\t%.4f\t%s\t%.3f\t%d %d %d\t%.1f\t%s\t%s%s", p.Name, p.List.Margin, p.Best.Margin, p.Best.Price,
			p.Optimum.Margin, bounds, a.Margin, percent(a.DealRate), a.MeanPrice, a.Lowest, a.Median, a.Highest, a.Rounds,
			interval(a.OfPosted), interval(a.OfOptimum), limited(a))
	}
}

// ifLimited returns text if the report has the seller's limits, and "" otherwise.
func (r report) ifLimited(text string) string {
	if r.Summary.OfWithin == nil {
		return ""
	}
	return text
}

// limited returns the last cell of a row, which is empty if the seller's limits are unknown.
func limited(r simulating.Row) string {
	if r.OfWithin == nil {
		return ""
	}
	return "\t" + interval(*r.OfWithin)
}

func (r report) writeStrategies(w io.Writer) {
	print(w, "\nStrategy\tbuyers\tdeals\tprice\tdiscount p10 50 90\tmargin\trounds\t× best posted\t× full info%s", r.ifLimited("\t× full info ≥ floor"))
	for i, s := range r.Strategies {
		if s.Apart && !r.Strategies[max(i-1, 0)].Apart {
			print(w, "outside the market:\t\t\t\t\t\t\t\t%s", r.ifLimited("\t"))
		}
		print(w, "%s\t%s\t%s\t%.3f\t%d %d %d\t%.4f\t%.1f\t%s\t%s%s", s.Strategy, thousands(s.Buyers), percent(s.DealRate), s.MeanPrice,
			s.Lowest, s.Median, s.Highest, s.Margin, s.Rounds, interval(s.OfPosted), interval(s.OfOptimum), limited(s))
	}
}

func (r report) writeProbing(w io.Writer) {
	if len(r.Probing) > 0 {
		print(w, "\nProber, round\tprobers\testimate\tfloor\thint\toff by\thint off by")
	}
	for _, p := range r.Probing {
		print(w, "%d\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f", p.Round, thousands(p.Probers), p.Estimate, p.Floor, p.Hint, p.Distance, p.HintDistance)
	}
	for _, who := range []struct {
		name string
		*simulating.Comparison
	}{{"prober", r.Prober}, {"cross-session prober", r.CrossSession}} {
		if c := who.Comparison; c != nil {
			print(w, "\nThe %s bought in %s of cases; linear buyers with the same V and deadline bought in %s. If both bought, it paid %.4f ± %.4f and they paid %.4f ± %.4f: %+.4f ± %.4f",
				who.name, percent(c.ProberDealRate), percent(c.LinearDealRate), c.ProberPrice.Value, confidence*c.ProberPrice.Error,
				c.LinearPrice.Value, confidence*c.LinearPrice.Error, c.Difference.Value, confidence*c.Difference.Error)
		}
	}
}

// confidence is the number of standard errors of a 95 % interval.
const confidence = 1.96

func interval(r simulating.Ratio) string {
	return fmt.Sprintf("%.3f ± %.3f", r.Value, confidence*r.Error)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// thousands formats n with thousands separators.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
