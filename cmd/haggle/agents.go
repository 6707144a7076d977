package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/domain/agent"
)

type agentsCmd struct {
	List    listAgentsCmd `cmd:"" help:"List the agents of a project."`
	Tune    tuneCmd       `cmd:"" help:"Tune the policy of an agent with its recorded negotiations."`
	Explain explainCmd    `cmd:"" help:"Explain each decision of a negotiation, and what other policies would have answered."`
	Verify  verifyLogCmd  `cmd:"" help:"Check that the sealed decision records of a project are unchanged and complete."`
}

// onProject has the flags of commands that work on a project's agents.
type onProject struct {
	database
	Project string `required:"" placeholder:"NAME" help:"Slug or ID of the project."`
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
	Agent        string `placeholder:"ID" help:"ID of the agent. Default: the active agent."`
	Negotiations int    `default:"5000" help:"Number of most recent negotiations to learn from, 200 to 5000."`
	Activate     bool   `help:"Activate the proposed policy version if it is better with 95 % confidence."`
}

// Help is shown below the flags' summary.
func (tuneCmd) Help() string {
	return `The command estimates from recorded offers, answers and outcomes how buyers negotiate: how their offers rise, the most they would pay,
and when they stop. It then searches for the concession curve with the highest margin for such buyers, and prints the expected
result from a simulation (with a 95 % interval) and from a replay of the recorded negotiations. The floor, the discounts and all
other limits stay the same. If the command finds a better curve, it stores it as a new policy version of the agent. The version is
not active until you activate it, with --activate or POST /v1/agents/{id}/policies/{version}/activate.`
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
	fmt.Fprintf(table, "Learned from %d negotiations. Buyers by behavior:\n", p.Records)
	for _, s := range p.Buyers {
		if s.Share >= .01 {
			fmt.Fprintf(table, "  %.0f %%\t%s\n", 100*s.Share, manner(s))
		}
	}
	fmt.Fprintf(table, "\nPer buyer, in percent of list price\tcurrent\tproposed\n")
	fmt.Fprintf(table, "deals\t%.1f %%\t%.1f %%\n", 100*p.Before.Deals, 100*p.After.Deals)
	fmt.Fprintf(table, "price of a deal\t%.1f\t%.1f\n", 100*p.Before.Price, 100*p.After.Price)
	fmt.Fprintf(table, "margin\t%.2f\t%.2f\n", 100*p.Before.Margin, 100*p.After.Margin)
	fmt.Fprintf(table, "gain\t\t%+.2f, 95 %% interval %+.2f to %+.2f\n", 100*p.Gain.Mean, 100*p.Gain.Low, 100*p.Gain.High)
	if m := t.PerMonth; m != nil {
		fmt.Fprintf(table, "gain per month\t\t%s, 95 %% interval %s to %s, for your %d negotiations in 30 days\n",
			agent.FormatAmount(m.Expected), agent.FormatAmount(m.Low), agent.FormatAmount(m.High), m.Negotiations)
	}
	for _, tried := range p.Tried {
		fmt.Fprintf(table, "%s\t\t%+.2f, %s\n", cmp.Or(tried.Segment, "whole catalog"), 100*tried.Gain.Mean, reasonOf(tried))
	}
	for _, d := range p.Drifts {
		fmt.Fprintf(table, "drift since %s, %s\t%.1f\t%.1f\n", d.Since.Format(time.DateOnly), cmp.Or(d.Segment, "whole catalog"), 100*d.Before, 100*d.After)
	}
	e := t.Exploration
	fmt.Fprintf(table, "trying it with %s of %d negotiations in 30 days costs\t\tat most %s\n", e.Share, e.Negotiations, e.Cost)
	r := t.Replay
	fmt.Fprintf(table, "\nReplay of the same negotiations\trecorded\tproposed\n")
	fmt.Fprintf(table, "deals\t%d\t%d certain, %d possible\n", r.Before.Deals, r.Certain.Deals, r.Possible.Deals)
	fmt.Fprintf(table, "revenue\t%s\t%s certain\n", r.Before.Revenue, r.Certain.Revenue)
	if r.Before.Costed > 0 {
		fmt.Fprintf(table, "margin\t%s\t%s certain\n", r.Before.Margin, r.Certain.Margin)
	}
	if m := r.PerMonth; m != nil {
		of := "revenue"
		if m.Margin {
			of = "margin"
		}
		fmt.Fprintf(table, "change of %s per month\t\t%s certain, %s possible\n", of, agent.FormatAmount(m.Certain), agent.FormatAmount(m.Possible))
	}
	fmt.Fprintf(table, "Certain and possible are bounds from the record. They are no forecast, and not comparable with the gain.\n")
	switch {
	case t.Version == nil:
		fmt.Fprintf(table, "\nNo policy was found that is better with 95 %% confidence. The policy is unchanged.\n")
	case t.InForce:
		fmt.Fprintf(table, "\nVersion %d of the policy is active.\n", t.Version.Policy.Version)
	default:
		fmt.Fprintf(table, "\nVersion %d of the policy is stored. It is not active.\n", t.Version.Policy.Version)
	}
	return table.Flush()
}

// reasonOf returns why the proposal has, or does not have, a curve that was tried.
func reasonOf(t tuning.Trial) string {
	switch {
	case t.Kept:
		return "certain enough"
	case t.Loss != nil:
		return fmt.Sprintf("not used: %.2f less from %s buyers", 100*t.Loss.Margin, t.Loss.Buyers)
	}
	return "not used: too uncertain"
}

func manner(s tuning.Share) string {
	switch s.Manner {
	case tuning.Firm:
		return "repeat the same offer"
	case tuning.Reactive:
		return "concede as much as the shop conceded"
	case tuning.Probing:
		return "probe for the floor: offer halfway between a rejected and a countered price"
	case tuning.Splitting:
		return "close a fixed share of the gap to the current price"
	case tuning.Erratic:
		return "negotiate in another way"
	}
	switch {
	case s.Beta < 1:
		return fmt.Sprintf("concede late (β %.2g)", s.Beta)
	case s.Beta > 1:
		return fmt.Sprintf("concede early (β %.2g)", s.Beta)
	}
	return "concede evenly (β 1)"
}

type explainCmd struct {
	onProject
	Negotiation string `arg:"" placeholder:"ID" help:"ID of the negotiation (neg_…), as decisions, orders and the console's addresses show it."`
}

func (c explainCmd) Run(ctx context.Context) error {
	return c.with(ctx, func(app *boot.App) error {
		explained, err := app.ExplainNegotiation(ctx, c.Project, c.Negotiation)
		if err != nil {
			return err
		}
		return printExplanations(os.Stdout, explained)
	})
}

func printExplanations(w io.Writer, explained []agents.Explanation) error {
	for i, x := range explained {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintf(w, "%d  %s  %s\n%s\n", x.Entry.Seq, x.Entry.ID, x.Entry.At.UTC().Format(time.RFC3339), x.Text); err != nil {
			return err
		}
	}
	return nil
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
		fmt.Fprintf(w, "fail  decision record %d is missing or does not match its seal\n", v.BrokenAt)
		return errDoesNotHold
	}
	fmt.Fprintf(w, "ok    %d decision records match their seals; %d are not sealed yet\n", v.Decisions, v.Head.Unsealed)
	if v.Decisions > 0 {
		fmt.Fprintf(w, "      the last hash of the chain is %s: store it elsewhere to detect a chain that was rewritten and sealed again\n", v.Head.Hash)
	}
	return nil
}
