package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/cmd/haggle-sim/marketreport"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

type curveCmd struct {
	Seed   uint64  `default:"1" help:"Seed of the random numbers. The same seed produces the same results on any number of processors."`
	Buyers int     `default:"100" placeholder:"N" help:"Number of buyers of each family in each setting, for each policy."`
	Random int     `default:"100" placeholder:"N" help:"Number of random policies to begin with."`
	Steps  int     `default:"30" placeholder:"N" help:"Steps of each search that leaves a part out. The first search, with all families, has four times as many."`
	HTML   string  `name:"html" placeholder:"FILE" help:"Write a report with charts to this HTML file: what the chosen policy earns from each family, and what is earned from the family when it is left out."`
	Tail   float64 `default:"0.2" placeholder:"SHARE" help:"Share of the regrets that are the highest."`
}

// Help is shown below the flags' summary.
func (curveCmd) Help() string {
	return `Searches for the curve with the least worst-case regret over the families of buyers and settings of "simulate families". A scenario is a
family in a setting. The regret of a policy in a scenario is the most that any tried policy earns there, less what this one earns, both as
multiples of the best posted price. Half the mean of a policy's regrets counts, and half the mean of its highest fifth.

Give rises by at least one percent in each step, so that the price moves whenever the buyer does.

The tables show what would be earned from buyers that nobody modeled: a curve is chosen without a family, and plays with it; and for each
part that families are made of, a curve is chosen without all families that have it, and plays with them. The built-in policy was chosen so, and rounded. It takes some minutes.`
}

func (c curveCmd) Run(ctx context.Context) error {
	config := simulating.FamilyConfig{
		Seed:     c.Seed,
		Buyers:   c.Buyers,
		Families: market.Families(),
		Settings: market.Settings(),
	}
	report, err := simulating.ChooseCurve(ctx, simulating.RobustConfig{
		FamilyConfig: config,
		Policy:       negotiation.Builtin(),
		Random:       c.Random,
		Steps:        c.Steps,
		Tail:         c.Tail,
	})
	if err != nil {
		return fmt.Errorf("the search failed: %w", err)
	}
	if c.HTML != "" {
		if err := c.writePage(ctx, config, report); err != nil {
			return err
		}
	}
	return writeCurve(os.Stdout, report)
}

// writePage plays the chosen policy with the same other buyers as those that were left out.
func (c curveCmd) writePage(ctx context.Context, config simulating.FamilyConfig, r *simulating.RobustReport) error {
	config = config.OtherBuyers()
	config.SellerOf = simulating.SellersOf(r.Policy)
	played, err := simulating.PlayFamilies(ctx, config)
	if err != nil {
		return err
	}
	page := marketreport.Families{
		Report:   played,
		LeftOut:  r.Alone,
		Parts:    r.Parts,
		Settings: config.Settings,
		Policy:   "chosen from " + fmt.Sprint(r.Tried),
		Seed:     config.Seed,
		Buyers:   config.Buyers,
		Visitors: usualVisitors,
	}
	return writeFile(c.HTML, func(w io.Writer) error { return marketreport.WriteFamilies(w, &page) })
}

func writeCurve(to io.Writer, r *simulating.RobustReport) error {
	fmt.Fprintf(to, "%d policies were tried. The worst-case regret of the built-in policy is %.3f, that of the chosen one %.3f:\n%s\n\n", r.Tried, r.Given, r.Worst, curveText(r.Policy))
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "left out\tfamilies\twith the others\twith those left out\tworst\tfamily and setting")
	for _, one := range r.LeftOut {
		worst := one.Out.Worst
		fmt.Fprintf(w, "%s\t%d\t%.3f\t%s\t%.2f\t%s, %s\n",
			one.Part, len(one.Families), one.In.OfPosted.Value, ratioText(one.Out.OfPosted), worst.OfPosted.Value, worst.Family, worst.Setting)
	}
	writeLeftOut(w, "family", "in setting", r.Alone.Families, r.Parts.Families, func(cell simulating.FamilyCell) string { return cell.Setting })
	writeLeftOut(w, "setting", "with family", r.Alone.Settings, r.Parts.Settings, func(cell simulating.FamilyCell) string { return cell.Family })
	for _, of := range []struct {
		what string
		*simulating.FamilyReport
	}{{"each family left out alone", r.Alone}, {"left out with all that share a part", r.Parts}} {
		fmt.Fprintf(w, "\n%s: mean %s, %.0f %% of full info, worst %.2f: %s buyers in the setting %s",
			of.what, ratioText(of.Mean), 100*of.Optimum.Value, of.Worst.OfPosted.Value, of.Worst.Family, of.Worst.Setting)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func writeLeftOut(w io.Writer, what, where string, alone, parts []simulating.FamilySummary, of func(simulating.FamilyCell) string) {
	fmt.Fprintf(w, "\n%s\tleft out alone\tworst\t%s\tleft out with its parts\tworst\t%s\n", what, where, where)
	for _, a := range alone {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%s", a.Name, ratioText(a.OfPosted), a.Worst.OfPosted.Value, of(a.Worst))
		for _, p := range parts {
			if p.Name == a.Name {
				fmt.Fprintf(w, "\t%s\t%.2f\t%s", ratioText(p.OfPosted), p.Worst.OfPosted.Value, of(p.Worst))
			}
		}
		fmt.Fprintln(w)
	}
}

func curveText(p negotiation.Policy) string {
	steps := func(all [negotiation.Steps]money.Percent) string {
		var texts []string
		for _, one := range all {
			texts = append(texts, one.Decimal())
		}
		return strings.Join(texts, " ")
	}
	c := p.Curve
	return fmt.Sprintf("reach %s, markup %s, high margin %s\ngive  %s\ntake  %s", c.Reach.Decimal(), c.Markup.Decimal(), p.Leanings.HighMargin.Decimal(), steps(c.Give), steps(c.Take))
}
