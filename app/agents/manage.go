package agents

import (
	"context"
	"encoding/base64"
	"reflect"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service manages agents, tries policies out on recorded negotiations (replay.go) and on simulated ones (simulate.go), and
// lets agents learn from the record of their decisions (tune.go). Callers use Agents, Versions and Record directly for plain
// reads.
type Service struct {
	*ports.Stores

	// Serving answers simulated quotes just as it answers buyers.
	Serving   ports.Agent
	Vault     ports.Vault
	Addresses ports.Addresses
	Clock     ports.Clock
	Entropy   ports.Entropy
	Rules     agent.Rules
	// Busy limits tunings to one at a time, because they use a processor; Reading does so for holdout comparisons.
	Busy, Reading chan struct{}
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Change is a partial change of an agent. Policy returns the policy that replaces the one in force; nil keeps it. Policy may
// be called more than once.
type Change struct {
	agent.Change
	Policy func(negotiation.Policy) negotiation.Policy
}

// Create makes a draft. It returns the agent's secret, which is shown once.
func (s *Service) Create(ctx context.Context, p *project.Project, c agent.Change, policy negotiation.Policy) (*agent.Agent, string, error) {
	name := id.New[id.Agent](s.Entropy.IDBits())
	secret, sealed := s.newSecret(name)
	made, first, err := agent.Open(name, p.ID, c, policy, sealed, s.Rules, s.Clock.Now())
	if err = s.refusePrivate(c.Handlers, err); err != nil {
		return nil, "", err
	}
	return made, secret, s.Agents.Create(ctx, made, first)
}

// Change changes an agent. It returns the agent before and after the change.
func (s *Service) Change(ctx context.Context, p *project.Project, of id.Agent, c Change) (before, after *agent.Agent, err error) {
	after, err = s.Agents.Update(ctx, p.ID, of, func(current *agent.Agent) (v *agent.Version, err error) {
		was, now := *current, s.Clock.Now()
		before = &was
		if err = s.refusePrivate(c.Handlers, current.Change(c.Change, s.Rules, now)); err != nil || c.Policy == nil {
			return nil, err
		}
		policy := c.Policy(current.Policy)
		if policy.Version = current.Policy.Version; reflect.DeepEqual(policy, current.Policy) {
			return nil, nil // unchanged
		}
		v, err = current.WritePolicy(policy, agent.ByMerchant, "", now)
		if err == nil {
			current.PutInForce(v, now)
		}
		return v, err
	})
	return before, after, err
}

// Activate makes an agent the project's active one in place of the current one.
func (s *Service) Activate(ctx context.Context, p *project.Project, of id.Agent) (before, after *agent.Agent, err error) {
	after, err = s.Agents.Update(ctx, p.ID, of, func(current *agent.Agent) (*agent.Version, error) {
		was := *current
		before = &was
		current.Activate(s.Clock.Now())
		return nil, nil
	})
	return before, after, err
}

// Rotate replaces an agent's secret. The old secret stops signing at once.
func (s *Service) Rotate(ctx context.Context, p *project.Project, of id.Agent) (*agent.Agent, string, error) {
	secret, sealed := s.newSecret(of)
	changed, err := s.Agents.Update(ctx, p.ID, of, func(current *agent.Agent) (*agent.Version, error) {
		current.Rotate(sealed, s.Clock.Now())
		return nil, nil
	})
	return changed, secret, err
}

// WritePolicy adds a policy version without putting it in force.
func (s *Service) WritePolicy(ctx context.Context, p *project.Project, of id.Agent, policy negotiation.Policy, note string) (a *agent.Agent, written *agent.Version, err error) {
	a, err = s.Agents.Update(ctx, p.ID, of, func(current *agent.Agent) (*agent.Version, error) {
		written, err = current.WritePolicy(policy, agent.ByMerchant, note, s.Clock.Now())
		return written, err
	})
	return a, written, err
}

// PutInForce puts one of an agent's versions in force. It returns the agent before and after the change.
func (s *Service) PutInForce(ctx context.Context, p *project.Project, of id.Agent, number int) (before, after *agent.Agent, err error) {
	if _, err := s.Agents.ByID(ctx, p.ID, of); err != nil {
		return nil, nil, err // a missing agent is another error than a missing version
	}
	chosen, err := s.Versions.Version(ctx, p.ID, of, number)
	if err != nil {
		return nil, nil, err
	}
	after, err = s.Agents.Update(ctx, p.ID, of, func(current *agent.Agent) (*agent.Version, error) {
		was := *current
		before = &was
		current.PutInForce(&chosen, s.Clock.Now())
		return nil, nil
	})
	return before, after, err
}

// Decisions returns an agent's decisions, the newest first. It also finds those that a deleted agent has left.
func (s *Service) Decisions(ctx context.Context, p *project.Project, f ports.DecisionFilter, page ports.Page) ([]negotiation.Link, int, error) {
	if err := checkPeriod(f.From, f.To); err != nil {
		return nil, 0, err
	}
	_, missing := s.Agents.ByID(ctx, p.ID, f.Agent)
	if missing != nil && fault.KindOf(missing) != fault.NotFound {
		return nil, 0, missing
	}
	found, total, err := s.Record.Decisions(ctx, p.ID, f, page)
	if err == nil && total == 0 && missing != nil {
		return nil, 0, missing
	}
	return found, total, err
}

func checkPeriod(from, to time.Time) error {
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return fault.Field("to", "must be after from")
	}
	return nil
}

// newSecret returns 256 random bits in the format of Standard Webhooks, in plain text and sealed.
func (s *Service) newSecret(of id.Agent) (text string, sealed []byte) {
	one, two := s.Entropy.Bits128(), s.Entropy.Bits128()
	text = "whsec_" + base64.StdEncoding.EncodeToString(append(one[:], two[:]...))
	return text, s.Vault.Seal([]byte(text), agent.SecretPurpose(of))
}

// refusePrivate adds a field error to err for each handler URL that leads into a private network.
func (s *Service) refusePrivate(c agent.HandlersChange, err error) error {
	for _, one := range []struct {
		event   string
		handler patch.Field[agent.HandlerDraft]
	}{
		{"search", c.Search}, {"quote", c.Quote}, {"checkout", c.Checkout}, {"finalize", c.Finalize},
	} {
		if draft, _ := one.handler.Value(); s.Addresses.LeadsInside(draft.URL) {
			err = fault.AddField(err, "handlers."+one.event+".url", "must not lead to a private address")
		}
	}
	return err
}
