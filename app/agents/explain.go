package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Explanation explains a recorded decision to the merchant. It follows from the record, the policies and the project's
// limits, and names the floor.
type Explanation struct {
	Entry  negotiation.Entry
	Text   string // one paragraph
	Inputs []Input
	Others []OtherAnswer
}

// Input is an input of a decision. Its name is that of the Management API.
type Input struct{ Name, Value string }

// OtherAnswer is what another policy would have answered at the same point, after the same offers.
type OtherAnswer struct {
	// Preset is the name of a preset; "" is the policy in force, with Version.
	Preset  string
	Title   string
	Version int
	Answer  negotiation.Decision // nil: the buyer's deal would have come earlier
}

// Explain explains the decisions of a buyer's session, oldest first, at most ports.MostDecisions.
func (s *Service) Explain(ctx context.Context, p *project.Project, of id.Negotiation) ([]Explanation, error) {
	found, err := s.Threads.Session(ctx, p.ID, of)
	if err != nil {
		return nil, err
	}
	others, err := s.otherPolicies(ctx, p)
	if err != nil {
		return nil, err
	}
	recorded := recordedPolicies{service: s, project: p}
	byItem := map[negotiation.Item][]negotiation.Entry{}
	for _, link := range found.Decisions {
		byItem[link.Entry.Item] = append(byItem[link.Entry.Item], link.Entry)
	}
	answers := map[negotiation.Item][][]OtherAnswer{} // that are left to explain
	for item, entries := range byItem {
		answers[item] = answersOf(others, entries)
	}
	list := make([]Explanation, len(found.Decisions))
	for i, link := range found.Decisions {
		e := link.Entry
		policy, err := recorded.of(ctx, &e)
		if err != nil {
			return nil, err
		}
		answered := answers[e.Item][0]
		answers[e.Item] = answers[e.Item][1:]
		list[i] = Explanation{
			Entry:  e,
			Text:   paragraph(&e, e.Account(policy), answered),
			Inputs: inputsOf(e.Signals),
			Others: answered,
		}
	}
	return list, nil
}

// otherPolicy is a policy to compare with.
type otherPolicy struct {
	OtherAnswer
	agent  id.Agent
	policy negotiation.Policy
}

// otherPolicies returns the presets and the policy in force, under the project's settings.
func (s *Service) otherPolicies(ctx context.Context, p *project.Project) ([]otherPolicy, error) {
	var list []otherPolicy
	for _, preset := range negotiation.Presets() {
		policy := preset.Policy.Under(p.Settings)
		policy.Version = 0 // not one of the recorded versions
		list = append(list, otherPolicy{OtherAnswer: OtherAnswer{Preset: preset.Name, Title: preset.Title}, policy: policy})
	}
	found, _, err := s.Agents.List(ctx, p.ID, ports.Page{Limit: 1}) // the active one comes first
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if a.Status == agent.Active {
			list = append(list, otherPolicy{
				OtherAnswer: OtherAnswer{Version: a.Policy.Version},
				agent:       a.ID,
				policy:      a.Policy.Under(p.Settings),
			})
		}
	}
	return list, nil
}

// answersOf returns what policies would have answered to each entry of a negotiation.
func answersOf(policies []otherPolicy, entries []negotiation.Entry) [][]OtherAnswer {
	list := make([][]OtherAnswer, len(entries))
	for _, other := range policies {
		for i, answer := range negotiation.Answers(other.agent, other.policy, entries) {
			one := other.OtherAnswer
			one.Answer = answer
			list[i] = append(list[i], one)
		}
	}
	return list
}

// recordedPolicies reads each policy version once.
type recordedPolicies struct {
	service *Service
	project *project.Project
	known   map[policyKey]*negotiation.Policy
}

type policyKey struct {
	agent   id.Agent
	version int
}

// of returns the policy that decided, or nil if it is no longer kept.
func (r *recordedPolicies) of(ctx context.Context, e *negotiation.Entry) (*negotiation.Policy, error) {
	key := policyKey{e.Agent, e.PolicyVersion}
	if policy, known := r.known[key]; known || e.Agent.IsZero() {
		return policy, nil
	}
	if r.known == nil {
		r.known = map[policyKey]*negotiation.Policy{}
	}
	r.known[key] = nil
	v, err := r.service.Versions.Version(ctx, r.project.ID, key.agent, key.version)
	switch {
	case err == nil:
		r.known[key] = new(v.Policy.Under(r.project.Settings))
	case fault.KindOf(err) != fault.NotFound:
		return nil, err
	}
	return r.known[key], nil
}

// inputsOf lists the known signals.
func inputsOf(s negotiation.Signals) []Input {
	var list []Input
	text := func(name, value string) {
		if value != "" {
			list = append(list, Input{name, value})
		}
	}
	amount := func(name string, a *money.Amount) {
		if a != nil {
			text(name, agent.FormatAmount(*a))
		}
	}
	positive := func(a money.Amount) *money.Amount {
		if a.IsPositive() {
			return &a
		}
		return nil
	}
	number := func(name string, n int) {
		if n > 0 {
			text(name, decimal(n))
		}
	}
	amount("list_price", &s.List)
	amount("cost", s.Cost)
	amount("competitor_price", s.Competitor)
	number("quantity", s.Quantity)
	if s.Stock != negotiation.Uncounted {
		text("stock", decimal(s.Stock))
	}
	amount("cart_value", positive(s.CartValue))
	amount("cart_at_list", positive(s.CartAtList))
	text("category", s.Category)
	text("member.loyalty_tier", s.Member.Tier.String())
	number("member.purchase_history", s.Member.Purchases)
	text("claims.loyalty_tier", s.Claims.Tier.String())
	number("claims.purchase_history", s.Claims.Purchases)
	text("claims.urgency", s.Claims.Urgency.String())
	number("probed.session", s.Probed.Session)
	number("probed.client", s.Probed.Client)
	number("probed.product", s.Probed.Product)
	return list
}
