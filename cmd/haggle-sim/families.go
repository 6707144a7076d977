package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/cmd/haggle-sim/marketreport"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

type familiesCmd struct {
	Seed        uint64   `default:"1" help:"Seed of the random numbers. The same seed produces the same results on any number of processors."`
	Buyers      int      `placeholder:"N" help:"Number of buyers of each family in each setting (default 2000; with --url 20)."`
	Setting     []string `placeholder:"NAME" help:"Only these settings, such as tent or stove. Default: all."`
	Learn       int      `placeholder:"N" help:"Judge learning instead: for each family and setting, tune the policy with about N negotiations of all other families, and then play the family that was left out. Takes seconds for each pair."`
	Family      []string `placeholder:"NAME" help:"With --learn: family to leave out. Repeatable. Default: each in turn."`
	Preset      string   `default:"balanced" help:"Policy: keep_margin, balanced (the built-in policy) or clear_stock."`
	HTML        string   `name:"html" placeholder:"FILE" help:"Write a report with charts to this HTML file, a single page without external resources."`
	Visitors    int      `default:"1000" placeholder:"N" help:"With --html: visitors in a month who negotiate, for which the report names money."`
	URL         string   `placeholder:"URL" help:"URL of a running server to negotiate with, in a new project for each setting. Default: negotiate in this process."`
	Key         string   `placeholder:"KEY" help:"With --url: API key that may create projects and products."`
	Concurrency int      `placeholder:"N" help:"With --url: number of concurrent buyers (default 8)."`
}

// Help is shown below the flags' summary.
func (familiesCmd) Help() string {
	return `Simulates a policy with families of buyers in settings. The families are written from the literature on people, software agents and language
models that bargain, and the settings are cheap and expensive goods with costs of 30 to 85 percent, discounts of 10 to 35 percent and
quantities of one and more. For the formulas, run go doc github.com/haggle-commerce/haggle/domain/market.

A family's result is the margin as a multiple of the best posted price that the policy may name, for what that family would pay. The first
table has a line for each family: its mean over the settings, its worst setting, and the share of what a seller earns who knows every buyer.
The second has a line for each setting. The third compares buyers who know of other sessions with buyers who bargain evenly: what the same
buyers pay. ± is a 95 % interval.

With --url, the same buyers negotiate over HTTP with the built-in policy of a running server:

  haggle simulate families --url http://127.0.0.1:8080 --key hk_test_… --setting tent --setting stove

The exit code is 1 if the pricing rules violated an invariant, or the server did not respond to a buyer.`
}

func (c familiesCmd) Run(ctx context.Context) error {
	settings := market.Settings()
	if len(c.Setting) > 0 {
		var err error
		if settings, err = market.SettingsNamed(c.Setting...); err != nil {
			return err
		}
	}
	if c.Visitors < 1 || c.Visitors > 100_000_000 {
		return errors.New("--visitors must be between 1 and 100,000,000")
	}
	policy, err := presetNamed(c.Preset)
	if err != nil {
		return err
	}
	config := simulating.FamilyConfig{
		Seed:     c.Seed,
		Buyers:   cmp.Or(c.Buyers, 2000),
		Families: market.Families(),
		Settings: settings,
		SellerOf: simulating.SellersOf(policy),
	}
	var report *simulating.FamilyReport
	switch {
	case c.Learn != 0:
		return c.learn(ctx, config, policy)
	case c.URL != "":
		report, err = c.live(ctx, config)
	case c.Key != "" || c.Concurrency != 0:
		return errors.New("--key and --concurrency require --url")
	default:
		report, err = simulating.PlayFamilies(ctx, config)
	}
	if err != nil {
		return fmt.Errorf("the simulation failed: %w", err)
	}
	if err := c.write(report, config); err != nil {
		return err
	}
	for _, cell := range report.Cells {
		if cell.Broken > 0 {
			return fmt.Errorf("%d negotiations with %s buyers in the setting %s violated an invariant", cell.Broken, cell.Family, cell.Setting)
		}
		if cell.Lost > 0 {
			return fmt.Errorf("%d %s buyers in the setting %s had no response", cell.Lost, cell.Family, cell.Setting)
		}
	}
	return nil
}

func (c familiesCmd) write(report *simulating.FamilyReport, config simulating.FamilyConfig) error {
	if c.HTML != "" {
		page := marketreport.Families{
			Report:   report,
			Settings: config.Settings,
			Policy:   c.policyName(),
			Seed:     c.Seed,
			Buyers:   config.Buyers,
			Visitors: c.Visitors,
		}
		if err := writeFile(c.HTML, func(w io.Writer) error { return marketreport.WriteFamilies(w, &page) }); err != nil {
			return err
		}
	}
	return writeFamilies(os.Stdout, report)
}

func (c familiesCmd) policyName() string {
	if c.URL != "" {
		return "of new projects at " + c.URL
	}
	return c.Preset
}

// learn shows what was earned before and after learning from all other families.
func (c familiesCmd) learn(ctx context.Context, config simulating.FamilyConfig, policy negotiation.Policy) error {
	if c.Learn < 2*tuning.Fewest || c.Learn > agents.MostTuned {
		return fmt.Errorf("--learn must be between %d and %d", 2*tuning.Fewest, agents.MostTuned)
	}
	learning := simulating.LearnConfig{
		FamilyConfig: config,
		Policy:       policy,
		LeftOut:      config.Families,
		Records:      c.Learn,
		Show:         func(what string) { fmt.Fprintln(os.Stderr, what) },
	}
	if len(c.Family) > 0 {
		learning.LeftOut = slices.DeleteFunc(slices.Clone(config.Families), func(f market.Tactic) bool { return !slices.Contains(c.Family, f.Name) })
		if len(learning.LeftOut) != len(c.Family) {
			return errors.New("--family must name different families; haggle simulate families lists them")
		}
	}
	report, err := simulating.LearnFamilies(ctx, learning)
	if err != nil {
		return fmt.Errorf("the simulation failed: %w", err)
	}
	return writeLearned(os.Stdout, report)
}

func writeLearned(to io.Writer, r *simulating.LearnedReport) error {
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	row := func(before, after simulating.FamilySummary) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%.2f\n", before.Name, ratioText(before.OfPosted), ratioText(after.OfPosted),
			before.Worst.OfPosted.Value, after.Worst.OfPosted.Value)
	}
	fmt.Fprintln(w, "family left out\t× best posted\tlearned\tworst\tlearned")
	for i, f := range r.After.Families {
		row(r.Before.Families[i], f)
	}
	fmt.Fprintln(w, "\nsetting\t× best posted\tlearned\tworst\tlearned")
	for i, s := range r.After.Settings {
		row(r.Before.Settings[i], s)
	}
	fmt.Fprintf(w, "\n%d of %d proposals were certainly better\n", r.Proposals, len(r.After.Cells))
	fmt.Fprintf(w, "mean %s, learned %s, gain %+.3f\n", ratioText(r.Before.Mean), ratioText(r.After.Mean), r.Gain)
	for _, one := range []struct {
		name  string
		worst simulating.FamilyCell
	}{{"worst", r.Before.Worst}, {"worst, learned", r.After.Worst}} {
		fmt.Fprintf(w, "%s %.2f: %s buyers in the setting %s\n", one.name, one.worst.OfPosted.Value, one.worst.Family, one.worst.Setting)
	}
	fmt.Fprintf(w, "largest loss %+.3f: %s buyers in the setting %s\n", r.LowestGain, r.Lowest.Family, r.Lowest.Setting)
	return w.Flush()
}

func presetNamed(name string) (negotiation.Policy, error) {
	for _, p := range negotiation.Presets() {
		if p.Name == name {
			return p.Policy, nil
		}
	}
	return negotiation.Policy{}, fmt.Errorf("--preset is %q: it must be keep_margin, balanced or clear_stock", name)
}

func writeFamilies(to io.Writer, r *simulating.FamilyReport) error {
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "family\t× best posted\tworst\tin setting\tof full info")
	for _, f := range r.Families {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%s\t%.0f %%\n", f.Name, ratioText(f.OfPosted), f.Worst.OfPosted.Value, f.Worst.Setting, 100*f.OfOptimum.Value)
	}
	fmt.Fprintln(w, "\nsetting\t× best posted\tworst\twith family\tof full info")
	for _, s := range r.Settings {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%s\t%.0f %%\n", s.Name, ratioText(s.OfPosted), s.Worst.OfPosted.Value, s.Worst.Family, 100*s.OfOptimum.Value)
	}
	fmt.Fprintln(w, "\nbuyers who know of other sessions\tpay, of what plain buyers pay\tbuyers")
	for _, i := range r.Informed {
		fmt.Fprintf(w, "%s\t%.1f ± %.1f %%\t%d\n", i.Family, 100*i.Pays.Value, 196*i.Pays.Error, i.Buyers)
	}
	fmt.Fprintf(w, "\nmean %s, worst %.2f: %s buyers in the setting %s\n", ratioText(r.Mean), r.Worst.OfPosted.Value, r.Worst.Family, r.Worst.Setting)
	return w.Flush()
}

func ratioText(r market.Ratio) string { return fmt.Sprintf("%.3f ± %.3f", r.Value, 1.96*r.Error) }
