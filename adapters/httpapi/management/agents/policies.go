package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerPolicies(g operation.Group) {
	const all, one = oneAgent + "/policies", oneAgent + "/policies/{version}"
	operation.Register(g, "list-agent-policies", "GET "+all, "List the versions of an agent's policy, newest first",
		operation.HandleList(h.listPolicies, wire.Identity))
	operation.Register(g, "create-agent-policy", "POST "+all, "Create a version of the policy without activating it",
		h.createPolicy, operation.Created)
	operation.Register(g, "get-agent-policy", "GET "+one, "Get a version of the policy", wire.HandleOne(h.getPolicy, wire.Identity))
	operation.Register(g, "activate-agent-policy", "POST "+one+"/activate", "Activate a version of the policy",
		operation.HandleUpdate(h.activatePolicy, wire.Identity))
	operation.Register(g, "list-policy-presets", "GET /v1/agents/policy-presets", "List policy presets, the one with the smallest discounts first",
		h.listPresets)
	operation.RegisterPhased(g, "dry-run-agent-policy", "POST "+all+"/dry-run", "Compare prices under a policy with the current ones, without storing it",
		h.dryRunPolicy, operation.Scope("agents:read"))
}

// PolicyVersionView is a version of a policy. It never changes.
type PolicyVersionView struct {
	Version     int            `json:"version"`
	Origin      string         `json:"origin" enum:"builtin,merchant,tuned"`
	Note        string         `json:"note"`
	InForce     bool           `json:"in_force"`
	Policy      policyDocument `json:"policy"`
	CreatedAt   wire.Time      `json:"created_at"`
	ActivatedAt *wire.Time     `json:"activated_at" nullable:"true" doc:"The last time that it was activated. Null: never."`
}

func toAPIVersion(v agent.Version, a *agent.Agent, c money.Currency) PolicyVersionView {
	return PolicyVersionView{
		Version:     v.Policy.Version,
		Origin:      v.Origin.String(),
		Note:        v.Note,
		InForce:     v.Policy.Version == a.Policy.Version,
		Policy:      toAPIPolicy(v.Policy, c),
		CreatedAt:   wire.ToTime(v.CreatedAt),
		ActivatedAt: wire.ToKnownTime(v.ActivatedAt),
	}
}

// presetView is a named policy. The project's settings bound it, as they do every policy.
type presetView struct {
	Name     string         `json:"name" enum:"keep_margin,balanced,clear_stock"`
	Title    string         `json:"title" example:"Keep margin"`
	Sentence string         `json:"sentence" doc:"A description of the policy in plain words."`
	Policy   policyDocument `json:"policy" doc:"The whole policy. max_discount_percent is the policy's own limit: the project's setting limits it further."`
}

type presetsView struct {
	Data []presetView `json:"data"`
}

func (h *handlers) listPresets(_ context.Context, rq operation.Request, _ *struct{}) (*wire.Output[presetsView], error) {
	c := rq.Caller.Project.Settings.Currency
	return &wire.Output[presetsView]{Body: presetsView{wire.Each(negotiation.Presets(), func(p negotiation.Preset) presetView {
		return presetView{
			Name:     p.Name,
			Title:    p.Title,
			Sentence: p.Sentence,
			Policy:   toAPIPolicy(p.Policy, c),
		}
	})}}, nil
}

type listPoliciesInput struct {
	OnAgent
	operation.Paging
}

func (h *handlers) listPolicies(ctx context.Context, rq operation.Request, in *listPoliciesInput) ([]PolicyVersionView, int, error) {
	p := rq.Caller.Project
	a, err := h.findAgent(ctx, rq, in.OnAgent)
	if err != nil {
		return nil, 0, err
	}
	found, total, err := rq.Stores.Versions.Versions(ctx, p.ID, a.ID, in.Page())
	return wire.Each(found, func(v agent.Version) PolicyVersionView { return toAPIVersion(v, a, p.Settings.Currency) }), total, err
}

type createPolicyInput struct {
	OnAgent
	Body struct {
		Policy policyPatch `json:"policy" doc:"Omitted fields take the value of the built-in policy."`
		Note   string      `json:"note,omitempty" doc:"The reason for the change; at most 2,000 characters."`
	}
}

func (h *handlers) createPolicy(ctx context.Context, rq operation.Request, in *createPolicyInput) (*wire.Output[PolicyVersionView], error) {
	p := rq.Caller.Project
	policy, err := readPolicy(in.Body.Policy, p.Settings.Currency)
	if err != nil {
		return nil, err
	}
	a, v, err := h.Agents.In(rq.Stores).WritePolicy(ctx, p, in.Agent.ID, policy, in.Body.Note)
	if err != nil {
		return nil, err
	}
	out := &wire.Output[PolicyVersionView]{Body: toAPIVersion(*v, a, p.Settings.Currency)}
	operation.NoteChange(rq, nil, out.Body)
	return out, nil
}

func (h *handlers) findAgent(ctx context.Context, rq operation.Request, in OnAgent) (*agent.Agent, error) {
	return rq.Stores.Agents.ByID(ctx, rq.Caller.Project.ID, in.Agent.ID)
}

// readPolicy is a policy of its own.
func readPolicy(doc policyPatch, c money.Currency) (negotiation.Policy, error) {
	check := fault.NewCheck()
	policy := doc.over(negotiation.Builtin(), c, check.In("policy"))
	return policy, check.Err()
}

type OnPolicy struct {
	OnAgent
	Version int `path:"version" minimum:"1" maximum:"1000000000"`
}

func (h *handlers) getPolicy(ctx context.Context, rq operation.Request, in *OnPolicy) (view PolicyVersionView, err error) {
	p := rq.Caller.Project
	a, err := h.findAgent(ctx, rq, in.OnAgent)
	if err != nil {
		return view, err
	}
	v, err := rq.Stores.Versions.Version(ctx, p.ID, a.ID, in.Version)
	if err != nil {
		return view, err
	}
	return toAPIVersion(v, a, p.Settings.Currency), nil
}

func (h *handlers) activatePolicy(ctx context.Context, rq operation.Request, in *OnPolicy) (before, after AgentView, err error) {
	return views(rq)(h.Agents.In(rq.Stores).PutInForce(ctx, rq.Caller.Project, in.Agent.ID, in.Version))
}

type dryRunInput struct {
	OnAgent
	Body struct {
		Policy   policyPatch `json:"policy" doc:"Omitted fields take the value of the built-in policy."`
		Products []string    `json:"product_ids,omitempty" doc:"At most 10. Default: the 10 newest."`
	}
}

type dryRunOutput struct {
	Body struct {
		Policy   policyDocument `json:"policy" doc:"The whole policy, as it would be stored."`
		Products []effectView   `json:"products" doc:"Prices of each product's first variant, for one piece and an unknown buyer."`
		Record   replayView     `json:"record" doc:"The newest 1,000 negotiations under the policy."`
	}
}

type effectView struct {
	Product string     `json:"product_id"`
	Name    string     `json:"name"`
	Before  boundsView `json:"before" doc:"Under the policy in force."`
	After   boundsView `json:"after"`
}

// boundsView are an item's prices, per unit. Buyers see none of them but the list price, the opening and the hint.
type boundsView struct {
	List    wire.Money `json:"list"`
	Opening wire.Money `json:"opening" doc:"The first price."`
	Target  wire.Money `json:"target" doc:"A first offer at or above this price is accepted."`
	Floor   wire.Money `json:"floor" doc:"The lowest price at which it is sold."`
	Hint    wire.Money `json:"hint" doc:"The floor_hint of a rejection."`
}

func toAPIBounds(b negotiation.Bounds) boundsView {
	return boundsView{wire.ToMoney(b.List()), wire.ToMoney(b.Opening()), wire.ToMoney(b.Target()), wire.ToMoney(b.Floor()), wire.ToMoney(b.Hint())}
}

func (h *handlers) dryRunPolicy(ctx ports.Outbound, rq operation.Request, in *dryRunInput) (*dryRunOutput, error) {
	p := rq.Caller.Project
	policy, err := readPolicy(in.Body.Policy, p.Settings.Currency)
	if err != nil {
		return nil, err
	}
	products := make([]id.Product, len(in.Body.Products))
	for i, name := range in.Body.Products {
		if products[i], err = wire.ID[id.Product](name, "product"); err != nil {
			return nil, err
		}
	}
	effects, report, err := h.Agents.In(rq.Stores).DryRun(ctx, p, in.Agent.ID, policy, products)
	if err != nil {
		return nil, err
	}
	out := &dryRunOutput{}
	out.Body.Policy, out.Body.Record = toAPIPolicy(policy, p.Settings.Currency), toAPIReplay(report)
	out.Body.Products = wire.Each(effects, func(e agents.Effect) effectView {
		return effectView{e.Product.ID.String(), e.Product.Name, toAPIBounds(e.Before), toAPIBounds(e.After)}
	})
	return out, nil
}
