package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/cmd/boot"
)

type agentsCmd struct {
	List   listAgentsCmd `cmd:"" help:"List a project's agents."`
	Tune   tuneCmd       `cmd:"" help:"Have an agent learn from its recorded negotiations, and propose a policy."`
	Verify verifyLogCmd  `cmd:"" help:"Check that no decision of a project was changed, removed or put in after it was sealed."`
}

// onProject has the flags of commands that work on a project's agents.
type onProject struct {
	database
	Project string `required:"" placeholder:"NAME" help:"Slug or id of the project."`
}

type listAgentsCmd struct{ onProject }

func (c listAgentsCmd) Run(ctx context.Context) error {
	return c.with(ctx, func(app *boot.App) error {
		all, err := app.AgentsOf(ctx, c.Project)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		for _, a := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\tpolicy %d of %d\n", a.ID, a.Status, a.Name, a.Policy.Version, a.Latest)
		}
		return table.Flush()
	})
}

type tuneCmd struct {
	onProject
	Agent        string `placeholder:"ID" help:"The agent; the active one if none is named."`
	Negotiations int    `default:"5000" help:"The newest negotiations to learn from: 200 to 5000."`
	Activate     bool   `help:"Put the proposal in force if it is better with near certainty."`
}

// Help is shown below the flags' summary.
func (tuneCmd) Help() string {
	return `Learns from offers, answers and outcomes, and from nothing else: how buyers come from their first offer to their last, what they would
pay at most, and when they give up. Then it looks for the concession curve that earns most from buyers like these, and says what
that would have earned: by simulation, with a 95 % interval, and by replay of the very negotiations. Floor, discounts and every
other bound stay as they are. The proposal becomes a version of the agent's policy, which is not in force until it is activated:
here with --activate, or by POST /v1/agents/{id}/policies/{version}/activate. Where nothing better is found nothing is written.`
}

func (c tuneCmd) Run(ctx context.Context) error {
	if c.Negotiations < tuning.Fewest || c.Negotiations > agents.MostTuned {
		return fmt.Errorf("--negotiations must be %d to %d", tuning.Fewest, agents.MostTuned)
	}
	return c.with(ctx, func(app *boot.App) error {
		tuned, err := app.Tune(ctx, c.Project, c.Agent, agents.TuneRequest{
			Limit:    c.Negotiations,
			Activate: c.Activate,
			Note:     "Tuned on the command line.",
		})
		if err != nil {
			return err
		}
		return printTuned(os.Stdout, tuned)
	})
}

// printTuned prints what was learned, in words and as shares of the list price.
func printTuned(w io.Writer, t agents.Tuned) error {
	p, table := t.Proposal, tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Learnt from %d negotiations. The buyers:\n", p.Records)
	for _, s := range p.Buyers {
		if s.Share >= .01 {
			fmt.Fprintf(table, "  %.0f %%\t%s\n", 100*s.Share, manner(s))
		}
	}
	fmt.Fprintf(table, "\nPer buyer, in percent of list\tnow\tproposed\n")
	fmt.Fprintf(table, "deals\t%.1f %%\t%.1f %%\n", 100*p.Before.Deals, 100*p.After.Deals)
	fmt.Fprintf(table, "price of a deal\t%.1f\t%.1f\n", 100*p.Before.Price, 100*p.After.Price)
	fmt.Fprintf(table, "margin\t%.2f\t%.2f\n", 100*p.Before.Margin, 100*p.After.Margin)
	fmt.Fprintf(table, "gain\t\t%+.2f, between %+.2f and %+.2f in 95 of 100 cases\n", 100*p.Gain, 100*p.GainLow, 100*p.GainHigh)
	r := t.Replay
	fmt.Fprintf(table, "\nReplay of the same negotiations\tthen\tproposed\n")
	fmt.Fprintf(table, "deals\t%d\t%d certain, %d possible\n", r.Before.Deals, r.Certain.Deals, r.Possible.Deals)
	fmt.Fprintf(table, "revenue\t%s\t%s certain\n", r.Before.Revenue, r.Certain.Revenue)
	if r.Before.Costed > 0 {
		fmt.Fprintf(table, "margin\t%s\t%s certain\n", r.Before.Margin, r.Certain.Margin)
	}
	switch {
	case t.Version == nil:
		fmt.Fprintf(table, "\nNothing better was found with near certainty: the policy stays as it is.\n")
	case t.InForce:
		fmt.Fprintf(table, "\nVersion %d of the policy is in force.\n", t.Version.Policy.Version)
	default:
		fmt.Fprintf(table, "\nVersion %d of the policy is ready. It is not in force.\n", t.Version.Policy.Version)
	}
	return table.Flush()
}

func manner(s tuning.Share) string {
	switch s.Manner {
	case tuning.Firm:
		return "hold firm"
	case tuning.Reactive:
		return "give as much as they are given"
	case tuning.Probing:
		return "feel for the floor: halfway between what was rejected and what was countered"
	case tuning.Splitting:
		return "come a share of the way to the price that stands"
	case tuning.Erratic:
		return "haggle in some other way"
	}
	switch {
	case s.Beta < 1:
		return fmt.Sprintf("hold out and give way late (β %.2g)", s.Beta)
	case s.Beta > 1:
		return fmt.Sprintf("give way early (β %.2g)", s.Beta)
	}
	return "give way evenly (β 1)"
}

type verifyLogCmd struct{ onProject }

func (c verifyLogCmd) Run(ctx context.Context) error {
	return c.with(ctx, func(app *boot.App) error {
		chain, err := app.VerifyDecisions(ctx, c.Project)
		if err != nil {
			return err
		}
		return printChain(os.Stdout, chain)
	})
}

func printChain(w io.Writer, v agents.Verified) error {
	if v.BrokenAt > 0 {
		fmt.Fprintf(w, "fail  decision %d is not as it was sealed, or is missing\n", v.BrokenAt)
		return errDoesNotHold
	}
	fmt.Fprintf(w, "ok    %d decisions are as they were sealed; %d are not sealed yet\n", v.Decisions, v.Head.Unsealed)
	if v.Decisions > 0 {
		fmt.Fprintf(w, "      the chain ends with %s: note it elsewhere, and nobody can seal the record anew unseen\n", v.Head.Hash)
	}
	return nil
}
