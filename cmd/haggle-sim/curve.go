package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

type curveCmd struct {
	Seed   uint64  `default:"1" help:"Seed of the random numbers. The same seed produces the same results on any number of processors."`
	Buyers int     `default:"100" placeholder:"N" help:"Number of buyers of each family in each setting, for each policy."`
	Random int     `default:"100" placeholder:"N" help:"Number of random policies to begin with."`
	Steps  int     `default:"30" placeholder:"N" help:"Steps of each search that leaves a part out. The first search, with all families, has four times as many."`
	Tail   float64 `default:"0.2" placeholder:"SHARE" help:"Share of the regrets that are the highest."`
}

// Help is shown below the flags' summary.
func (curveCmd) Help() string {
	return `Searches for the curve with the least worst-case regret over the families of buyers and settings of "simulate families". A scenario is a
family in a setting. The regret of a policy in a scenario is the most that any tried policy earns there, less what this one earns, both as
multiples of the best posted price. Half the mean of a policy's regrets counts, and half the mean of its highest fifth.

The table shows what would be earned from buyers that nobody modeled: for each part that families are made of, a curve is chosen without
all families that have it, and plays with them. The built-in policy was chosen so, and rounded. It takes some minutes.`
}

func (c curveCmd) Run(ctx context.Context) error {
	report, err := simulating.ChooseCurve(ctx, simulating.RobustConfig{
		FamilyConfig: simulating.FamilyConfig{
			Seed:     c.Seed,
			Buyers:   c.Buyers,
			Families: market.Families(),
			Settings: market.Settings(),
		},
		Policy: negotiation.Builtin(),
		Random: c.Random,
		Steps:  c.Steps,
		Tail:   c.Tail,
	})
	if err != nil {
		return fmt.Errorf("the search failed: %w", err)
	}
	return writeCurve(os.Stdout, report)
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
	whole := r.Whole
	fmt.Fprintf(w, "\nfamilies when left out: mean %s, %.0f %% of full info, worst %.2f: %s buyers in the setting %s\n",
		ratioText(whole.OfPosted), 100*whole.OfOptimum.Value, whole.Worst.OfPosted.Value, whole.Worst.Family, whole.Worst.Setting)
	return w.Flush()
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
