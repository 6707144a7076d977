package agents_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// chained seals n decisions.
func (o *office) chained(n int) {
	end := negotiation.ChainEnd{}
	for i := range n {
		l := end.Seal(negotiation.Entry{Seq: i + 1, Outcome: negotiation.OutcomeQuoted}, "salt")
		o.chain = append(o.chain, l)
		end = negotiation.ChainEnd{Position: l.Position, Hash: l.Hash}
	}
	o.head = ports.ChainHead{Position: end.Position, Hash: end.Hash}
}

func TestVerifying(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil     func(*office)
		from      int64
		decisions int
		broken    int64
	}{
		"whole":              {func(*office) {}, 1, 5, 0},
		"from nowhere":       {func(*office) {}, 0, 5, 0},
		"from the middle":    {func(*office) {}, 3, 3, 0},
		"from beyond":        {func(*office) {}, 9, 0, 0},
		"from right after":   {func(*office) {}, 6, 0, 0},
		"nothing":            {func(o *office) { o.chain, o.head = nil, ports.ChainHead{} }, 1, 0, 0},
		"an entry":           {func(o *office) { o.chain[2].Outcome = negotiation.OutcomeAccepted }, 1, 5, 3},
		"a hash":             {func(o *office) { o.chain[2].Hash = o.chain[1].Hash }, 1, 5, 3},
		"a link lost":        {func(o *office) { o.chain = slices.Delete(o.chain, 1, 2) }, 1, 4, 2},
		"the first lost":     {func(o *office) { o.chain = o.chain[1:] }, 1, 4, 1},
		"the end lost":       {func(o *office) { o.chain = o.chain[:4] }, 1, 4, 5},
		"all lost":           {func(o *office) { o.chain = nil }, 1, 0, 1},
		"the one before":     {func(o *office) { o.chain = o.chain[2:] }, 2, 0, 1},
		"the head":           {func(o *office) { o.head.Hash = o.chain[0].Hash }, 1, 5, 5},
		"before the reading": {func(o *office) { o.chain[0].Outcome = negotiation.OutcomeAccepted }, 3, 3, 0},
	} {
		o := newOffice(t)
		o.chained(5)
		c.spoil(o)
		v, err := o.Verify(o.ctx, o.project, o.first, c.from)
		if err != nil || v.BrokenAt != c.broken || v.Decisions != c.decisions || v.Next != 0 {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if _, err := newOffice(t).Verify(context.Background(), &project.Project{}, id.Agent{}, 1); named(err) != "agent_not_found" {
		t.Error(err)
	}
}

// folded has the chain begin after a checkpoint.
func (o *office) folded(n int) {
	at := o.chain[n-1]
	o.head.Checkpoint = negotiation.Checkpoint{
		ChainEnd: negotiation.ChainEnd{Position: at.Position, Hash: at.Hash},
		Until:    midday,
	}
	o.head.Seal = string(o.Vault.Seal([]byte(o.head.Checkpoint.Text()), negotiation.CheckpointPurpose+o.project.ID.String()))
	o.chain = o.chain[n:]
}

// What is left of a chain is verified from its checkpoint on, which cannot be moved without the installation's key.
func TestVerifying_checkpoint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil     func(*office)
		from      int64
		decisions int
		broken    int64
	}{
		"as it was folded":    {func(*office) {}, 1, 3, 0},
		"from before it":      {func(*office) {}, 2, 3, 0},
		"from right after it": {func(*office) {}, 3, 3, 0},
		"from the middle":     {func(*office) {}, 4, 2, 0},
		"folded to the end":   {func(o *office) { o.folded(3) }, 1, 0, 0},
		"an entry":            {func(o *office) { o.chain[1].Outcome = negotiation.OutcomeAccepted }, 1, 3, 4},
		"the first lost":      {func(o *office) { o.chain = o.chain[1:] }, 1, 2, 3},
		"the end lost":        {func(o *office) { o.chain = o.chain[:2] }, 1, 2, 5},
		"all lost":            {func(o *office) { o.chain = nil }, 1, 0, 3},
		"its hash":            {func(o *office) { o.head.Checkpoint.Hash = o.chain[0].Hash }, 1, 0, 2},
		"its time":            {func(o *office) { o.head.Checkpoint.Until = midday.Add(time.Hour) }, 1, 0, 2},
		"no seal":             {func(o *office) { o.head.Seal = "" }, 1, 0, 2},
		"moved behind links that were removed": {func(o *office) {
			o.head.Checkpoint.ChainEnd = negotiation.ChainEnd{Position: 3, Hash: o.chain[0].Hash}
			o.chain = o.chain[1:]
		}, 1, 0, 3},
		"taken away":                {func(o *office) { o.head.Checkpoint, o.head.Seal = negotiation.Checkpoint{}, "" }, 1, 3, 1},
		"taken away, but its seal":  {func(o *office) { o.head.Checkpoint = negotiation.Checkpoint{} }, 1, 0, 1},
		"another project's, sealed": {func(o *office) { o.project.ID = id.New[id.Project]([16]byte{99}) }, 1, 0, 2},
	} {
		o := newOffice(t)
		o.chained(5)
		o.folded(2)
		c.spoil(o)
		v, err := o.Verify(o.ctx, o.project, o.first, c.from)
		if err != nil || v.BrokenAt != c.broken || v.Decisions != c.decisions || v.Next != 0 {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

func TestVerifyingGoesOn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.chained(2*agents.MostVerified + 3)
	var looked []int
	for next := int64(1); next > 0; {
		v, err := o.Verify(o.ctx, o.project, o.first, next)
		if err != nil || v.BrokenAt != 0 {
			t.Fatalf("%+v, %v", v, err)
		}
		looked, next = append(looked, v.Decisions), v.Next
	}
	if want := []int{agents.MostVerified, agents.MostVerified, 3}; !reflect.DeepEqual(looked, want) {
		t.Errorf("%v", looked)
	}
}

// talk is a negotiation that ended at once, by an agent's policy.
func talk(a *agent.Agent, list, offer int64) ports.Negotiation {
	p := a.Policy.Under(project.DefaultSettings())
	s := negotiation.Signals{
		List:       usd(list),
		Negotiable: true,
		Quantity:   1,
		Stock:      9,
		CartValue:  usd(0),
	}
	q, o := negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, midday), usd(offer)
	table := q.Table(p.Terms(s), &o)
	d := negotiation.Decide(table)
	q.Record(table, d, midday)
	e := negotiation.NewEntry(id.Decision{}, 1, q, table, s, d, "", midday)
	e.Agent = a.ID
	return ports.Negotiation{Entries: []negotiation.Entry{e}, Bought: true}
}

func TestReplaying(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for range 3 {
		o.talks = append(o.talks, talk(o.agents[o.first], 100_00, 93_00))
	}
	policy, report, err := o.Replay(o.ctx, o.project, o.first, agents.Rerun{})
	if err != nil || policy.Version != 1 || report.Negotiations != 3 || report.Identical != 3 || report.Bought != 3 || o.asked.limit != agents.MostReplayed {
		t.Errorf("%+v, %v", report, err)
	}
	stiff := negotiation.Builtin()
	stiff.MaxDiscount, stiff.Version = 0, 1 // a version's number does not make it one
	policy, report, err = o.Replay(o.ctx, o.project, o.first, agents.Rerun{Chosen: agents.Chosen{Policy: &stiff}, Limit: 2})
	if err != nil || policy.Version != 0 || report.Negotiations != 2 || report.Identical != 0 || report.Certain.Deals != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	few, many := make([]id.Negotiation, ports.MostNamed), make([]id.Negotiation, ports.MostNamed+1)
	if _, _, err := o.Replay(o.ctx, o.project, o.first, agents.Rerun{Sessions: few}); err != nil || len(o.asked.sessions) != len(few) {
		t.Errorf("%d sessions asked for, %v", len(o.asked.sessions), err)
	}
	o.project.Settings.MaxDiscount = 0 // the shop's settings hold a policy too
	other, _, err := o.Create(o.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, report, err = o.Replay(o.ctx, o.project, other.ID, agents.Rerun{}); err != nil || report.Certain.Deals != 0 || report.Before.Deals != 3 {
		t.Errorf("%+v, %v", report, err)
	}
	for want, r := range map[string]agents.Rerun{
		"to":               {From: midday, To: midday},
		"negotiation_ids":  {Sessions: many},
		"policy_version":   {Chosen: agents.Chosen{Policy: &stiff, Version: 1}},
		"policy_not_found": {Chosen: agents.Chosen{Version: 7}},
	} {
		if _, _, err := o.Replay(o.ctx, o.project, o.first, r); named(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestADryRunShowsFullBounds(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.stock()
	o.talks = append(o.talks, talk(o.agents[o.first], 100_00, 85_00))
	wide := negotiation.Builtin()
	wide.MinMargin = 500
	effects, report, err := o.DryRun(o.ctx, o.project, o.first, wide, []id.Product{o.product.ID})
	if err != nil || len(effects) != 1 || report.Negotiations != 1 || o.asked.limit != 1000 {
		t.Fatalf("%+v, %+v, %v", effects, report, err)
	}
	if e := effects[0]; e.Before.Floor() != usd(80_00) || e.After.Floor() != usd(90_00) || e.After.Target() != usd(96_25) {
		t.Errorf("%+v", e)
	}
	if _, _, err := o.DryRun(o.ctx, o.project, o.first, wide, make([]id.Product, 11)); named(err) != "product_ids" {
		t.Error(err)
	}
	wide.Depth = -1
	if _, _, err := o.DryRun(o.ctx, o.project, o.first, wide, nil); named(err) != "policy.depth_percent" || len(o.versions) != 1 {
		t.Error(err)
	}
}

// stock puts a tent of 100.00, which cost 60.00, on the shelf: seven of them at two places.
func (o *office) stock() {
	cost := usd(60_00)
	o.product = &catalog.Product{
		ID:         id.New[id.Product]([16]byte{5}),
		Name:       "Tent",
		Price:      usd(100_00),
		Cost:       &cost,
		Negotiable: true,
		Variants:   []catalog.Variant{{ID: id.New[id.Variant]([16]byte{6})}},
	}
}

func offers(minor ...int64) []*money.Amount {
	all := make([]*money.Amount, len(minor))
	for i, m := range minor {
		if m >= 0 {
			price := usd(m)
			all[i] = &price
		}
	}
	return all
}

func TestSimulatingEndsWithTheDeal(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.stock()
	got, err := o.Simulate(ports.NewOutbound(o.ctx), o.project, o.first, agents.Simulation{
		Product:  o.product.ID,
		Quantity: 1,
		Offers:   offers(-1, 75_00, 79_00, 82_00, 90_00),
	})
	if err != nil || len(got.Steps) != 4 || got.Policy.Version != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if deal, ok := got.Steps[3].Decision.(negotiation.Accepted); !ok || deal.Price != usd(82_00) {
		t.Errorf("%+v", got.Steps[3])
	}
	in := o.serving.asked[2]
	if in.Signals.Stock != 7 || *in.Signals.Cost != usd(60_00) || in.Session == nil || in.Table.Progress.Moves != 1 || in.Product.Name != "Tent" {
		t.Errorf("it was told %+v", in)
	}
	if said, err := in.Past(o.ctx); err != nil || len(said) != 4 {
		t.Errorf("%d entries, %v", len(said), err)
	}
	if len(o.versions) != 1 || len(o.agents) != 1 {
		t.Error("something was stored")
	}
}

// Whatever the agent proposes is held to the guardrails, as for buyers.
func TestASimulatedAgentIsGuarded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.serving.answer = func(agent.QuoteInput) agent.QuoteAnswer {
		return agent.QuoteAnswer{Decision: negotiation.Countered{Price: usd(1), By: negotiation.AgentAnswer}, Answered: agent.Answered{Handler: "remote"}}
	}
	list := usd(100_00)
	got, err := o.Simulate(ports.NewOutbound(o.ctx), o.project, o.first, agents.Simulation{
		MadeUp:   agents.MadeUp{List: &list},
		Quantity: 1,
		Offers:   offers(85_00),
	})
	if err != nil {
		t.Fatal(err)
	}
	step := got.Steps[0]
	if c, ok := step.Decision.(negotiation.Countered); !ok || c.Price != usd(94_35) || step.Proposal == nil || *step.Proposal != usd(1) || step.Answered.Handler != "remote" {
		t.Errorf("%+v", step)
	}
}

func TestOnlyAWishAsksElsewhere(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	a, _, err := o.Create(o.ctx)
	if err != nil {
		t.Fatal(err)
	}
	list := usd(100_00)
	for _, wish := range []bool{false, true} {
		sim := agents.Simulation{
			MadeUp:   agents.MadeUp{List: &list},
			Quantity: 20,
			Offers:   offers(50_00),
			Remote:   wish,
		}
		if _, err := o.Simulate(ports.NewOutbound(o.ctx), o.project, a.ID, sim); err != nil {
			t.Fatal(err)
		}
		in := o.serving.asked[len(o.serving.asked)-1]
		if elsewhere := in.Mandate.Agent.Handlers.Quote.Kind == agent.Remote; elsewhere != wish || in.Signals.Stock != 30 {
			t.Errorf("wished %v, asked elsewhere %v, %d in stock", wish, elsewhere, in.Signals.Stock)
		}
	}
	if o.agents[a.ID].Handlers.Quote.Kind != agent.Remote {
		t.Error("the agent was changed")
	}
}

// Simulations leave half of the day's tokens to buyers, and ask nothing once nobody waits.
func TestSimulationsLeaveTokensToBuyers(t *testing.T) {
	t.Parallel()
	o, x := newOffice(t), newExchange(inHouse)
	g := &ghost{writes: always(`{"action": "accept"}`), cost: agents.DailyTokens / 10}
	x.Wording, x.Strategy = with(g)
	o.Service.Serving, o.agents[o.first].Model = x.Router, on
	simulate := func(ctx context.Context, list int64) string {
		price := usd(list)
		got, err := o.Simulate(ports.NewOutbound(ctx), o.project, o.first, agents.Simulation{
			MadeUp:   agents.MadeUp{List: &price},
			Quantity: 1,
			Offers:   offers(list * 85 / 100),
			Remote:   true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return got.Steps[0].Answered.Fallback
	}
	gone, leave := context.WithCancel(o.ctx)
	leave()
	if simulate(gone, 90_00); len(g.questions()) != 0 {
		t.Errorf("%d questions that nobody waits for", len(g.questions()))
	}
	for n := range int64(10) {
		want := ""
		if n >= 5 {
			want = "model_budget"
		}
		if why := simulate(o.ctx, 100_00+n*10_00); why != want {
			t.Errorf("simulation %d: %q, want %q", n, why, want)
		}
	}
	if len(g.questions()) != 5 {
		t.Errorf("%d questions", len(g.questions()))
	}
	x.project, x.employer.agent.Model = o.project, on
	if answer, err := x.Quote(ports.NewOutbound(t.Context()), x.input(offer)); err != nil || answer.Answered.Fallback != "" || len(g.questions()) != 6 {
		t.Errorf("a buyer has %+v, %v after %d questions", answer.Answered, err, len(g.questions()))
	}
}
