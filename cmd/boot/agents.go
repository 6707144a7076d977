package boot

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/llm"
	"github.com/haggle-commerce/haggle/adapters/remoteagent"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// openAgents creates what serves the agent events: the programs, the merchants' remote handlers, and the language models
// if any is configured. It sends no request yet.
func (a *App) openAgents() error {
	handlers := remoteagent.New(delivery.SafeClient(a.config.AllowLoopback), a.clock, system.Entropy{}, "Haggle/"+Version)
	a.rooms["handlers"], a.suspended["handlers"] = handlers.Room(), handlers.Suspended
	a.router = &agents.Router{
		Active:   a.store.Agents(),
		Vault:    a.vault,
		Log:      a.log,
		Programs: map[string]*agent.Program{agent.House: agents.Builtin},
		Remote:   handlers,
	}
	for _, p := range a.config.Programs {
		if a.router.Programs[p.Name()] != nil {
			return fmt.Errorf("two agent programs have the name %q", p.Name())
		}
		a.router.Programs[p.Name()] = p
	}
	c := a.config
	if c.OpenAIURL+c.OpenAIKey+c.AnthropicURL+c.AnthropicKey != "" {
		models := llm.New(llm.Options{
			OpenAIURL:    c.OpenAIURL,
			OpenAIKey:    c.OpenAIKey,
			AnthropicURL: c.AnthropicURL,
			AnthropicKey: c.AnthropicKey,
		})
		a.router.Wording, a.router.Strategy = agents.WithModel(models, a.clock, a.log)
		a.rooms["models"], a.suspended["models"] = a.router.Wording.Room(), models.Suspended
	}
	return nil
}

// openTuning creates the service that manages agents, and the one that tunes them.
func (a *App) openTuning(s *ports.Stores) {
	rules := event.Rules{AllowLoopback: a.config.AllowLoopback}
	a.Agents = &agents.Service{
		Stores:    s,
		Serving:   a.router,
		Vault:     a.vault,
		Addresses: delivery.Addresses{AllowLoopback: a.config.AllowLoopback},
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Rules:     agent.Rules{Addresses: rules, Programs: slices.Sorted(maps.Keys(a.router.Programs))},
		Busy:      make(chan struct{}, 1),
		Reading:   make(chan struct{}, 1),
	}
	a.selfTuner = &agents.SelfTuner{
		Service:  a.Agents,
		Active:   a.store.Agents(),
		Projects: a.store.ActiveProjects(),
		TookBack: a.logRollback,
		Extended: a.logExtension,
		Drifted:  a.logDrift,
	}
}

// logRollback logs that a learned policy was rolled back because it earned less than its holdout.
func (a *App) logRollback(of *agent.Agent, h agents.Holdout) {
	a.log.Warn("a tuned policy earned less than the holdout: the server rolled it back and turned automatic tuning off for the agent",
		"project", of.Project, "agent", of.ID, "version", h.InForce, "baseline", h.Baseline, "gain", h.Gain, "error", h.Error)
}

// logExtension logs that a learned policy on trial earned more than its baseline, and serves more sessions.
func (a *App) logExtension(of *agent.Agent, h agents.Holdout) {
	a.log.Info("a tuned policy on trial earned more than the baseline: it serves twice as many sessions",
		"project", of.Project, "agent", of.ID, "version", h.InForce, "baseline", h.Baseline, "gain", h.Gain, "error", h.Error, "served", h.Trial)
}

// logDrift logs that buyers pay more or less than before: once a day while the agent learns from negotiations before the change.
func (a *App) logDrift(of *agent.Agent, d tuning.Drift) {
	a.log.Info("what buyers pay has changed: the agent gives earlier negotiations less weight",
		"project", of.Project, "agent", of.ID, "segment", d.Segment, "since", d.Since, "before", d.Before, "after", d.After)
}

// sealBatch is the number of decisions that one call seals.
const sealBatch = 1000

// seal adds decisions to their projects' hash chains until none is left.
func (a *App) seal(ctx context.Context) error {
	for {
		if n, err := a.store.Decisions().Seal(ctx, sealBatch); err != nil || n < sealBatch {
			return err
		}
	}
}

// AgentsOf returns the agents of the project with the slug or id, the active one first.
func (a *App) AgentsOf(ctx context.Context, named string) ([]*agent.Agent, error) {
	p, err := a.projectNamed(ctx, named)
	if err != nil {
		return nil, err
	}
	all, _, err := a.store.Agents().List(ctx, p.ID, ports.Page{Limit: 100})
	return all, err
}

// Tune tunes an agent of the project: the active one if which is empty.
func (a *App) Tune(ctx context.Context, named, which string, r agents.TuneRequest) (agents.Tuned, error) {
	p, err := a.projectNamed(ctx, named)
	if err != nil {
		return agents.Tuned{}, err
	}
	of, err := id.Parse[id.Agent](which)
	switch {
	case which == "":
		active, err := a.store.Agents().Active(ctx, p.ID)
		if err != nil {
			return agents.Tuned{}, err
		}
		of = active.ID
	case err != nil:
		return agents.Tuned{}, fault.Missing("agent")
	}
	return a.Agents.Tune(ctx, p, of, r)
}

// ExplainNegotiation explains the decisions of a negotiation of the project with the slug or id.
func (a *App) ExplainNegotiation(ctx context.Context, named, which string) ([]agents.Explanation, error) {
	p, err := a.projectNamed(ctx, named)
	if err != nil {
		return nil, err
	}
	of, err := id.Parse[id.Negotiation](which)
	if err != nil {
		return nil, fault.Missing("negotiation")
	}
	return a.Agents.Explain(ctx, p, of)
}

// VerifyDecisions verifies the whole decision chain of the project with the slug or id.
func (a *App) VerifyDecisions(ctx context.Context, named string) (agents.Verified, error) {
	p, err := a.projectNamed(ctx, named)
	if err != nil {
		return agents.Verified{}, err
	}
	active, err := a.store.Agents().Active(ctx, p.ID)
	if err != nil {
		return agents.Verified{}, err
	}
	for all, from := 0, int64(1); ; {
		v, err := a.Agents.Verify(ctx, p, active.ID, from)
		if all += v.Decisions; err != nil || v.Next == 0 {
			v.Decisions = all
			return v, err
		}
		from = v.Next
	}
}
