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
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// openAgents puts together what serves the agent events: the programs, the merchants' handlers, and language models
// where any is configured. Nothing is asked yet.
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
			return fmt.Errorf("two agent programs are named %q", p.Name())
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

// openTuning puts together what manages agents, and has them learn.
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
	a.tunes = &agents.SelfTuner{
		Service:  a.Agents,
		Active:   a.store.Agents(),
		Projects: a.store.ActiveProjects(),
		TookBack: a.tookBack,
	}
}

// tookBack tells operators of a learnt policy that did worse than the one before.
func (a *App) tookBack(of *agent.Agent, h agents.Holdout) {
	a.log.Warn("a learnt policy earned less than the holdout and was taken back: the agent no longer tunes itself",
		"project", of.Project, "agent", of.ID, "version", h.InForce, "baseline", h.Baseline, "gain", h.Gain, "error", h.Error)
}

// sealed is how many decisions are sealed at a time.
const sealed = 1000

// seal adds decisions to their projects' chains until none is left.
func (a *App) seal(ctx context.Context) error {
	for {
		if n, err := a.store.Decisions().Seal(ctx, sealed); err != nil || n < sealed {
			return err
		}
	}
}

// AgentsOf are the agents of the project with the slug or id, the active one first.
func (a *App) AgentsOf(ctx context.Context, named string) ([]*agent.Agent, error) {
	p, err := a.projectNamed(ctx, named)
	if err != nil {
		return nil, err
	}
	all, _, err := a.store.Agents().List(ctx, p.ID, ports.Page{Limit: 100})
	return all, err
}

// Tune has an agent of the project learn, the active one if none is named.
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

// VerifyDecisions walks the chain of the project with the slug or id from its beginning.
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
