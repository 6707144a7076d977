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
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// sealChain fills the chain with n sealed decisions.
func (f *fixture) sealChain(n int) {
	end := negotiation.ChainEnd{}
	for i := range n {
		l := end.Seal(negotiation.Entry{Seq: i + 1, Outcome: negotiation.OutcomeQuoted}, "salt")
		f.chain = append(f.chain, l)
		end = negotiation.ChainEnd{Position: l.Position, Hash: l.Hash}
	}
	f.head = ports.ChainHead{Position: end.Position, Hash: end.Hash}
}

func TestService_Verify(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil     func(*fixture)
		from      int64
		decisions int
		broken    int64
	}{
		"whole":              {func(*fixture) {}, 1, 5, 0},
		"from nowhere":       {func(*fixture) {}, 0, 5, 0},
		"from the middle":    {func(*fixture) {}, 3, 3, 0},
		"from beyond":        {func(*fixture) {}, 9, 0, 0},
		"from right after":   {func(*fixture) {}, 6, 0, 0},
		"nothing":            {func(o *fixture) { o.chain, o.head = nil, ports.ChainHead{} }, 1, 0, 0},
		"an entry":           {func(o *fixture) { o.chain[2].Outcome = negotiation.OutcomeAccepted }, 1, 5, 3},
		"a hash":             {func(o *fixture) { o.chain[2].Hash = o.chain[1].Hash }, 1, 5, 3},
		"a link lost":        {func(o *fixture) { o.chain = slices.Delete(o.chain, 1, 2) }, 1, 4, 2},
		"the first lost":     {func(o *fixture) { o.chain = o.chain[1:] }, 1, 4, 1},
		"the end lost":       {func(o *fixture) { o.chain = o.chain[:4] }, 1, 4, 5},
		"all lost":           {func(o *fixture) { o.chain = nil }, 1, 0, 1},
		"the one before":     {func(o *fixture) { o.chain = o.chain[2:] }, 2, 0, 1},
		"the head":           {func(o *fixture) { o.head.Hash = o.chain[0].Hash }, 1, 5, 5},
		"before the reading": {func(o *fixture) { o.chain[0].Outcome = negotiation.OutcomeAccepted }, 3, 3, 0},
	} {
		o := newFixture(t)
		o.sealChain(5)
		c.spoil(o)
		v, err := o.Verify(o.ctx, o.project, o.first, c.from)
		if err != nil || v.BrokenAt != c.broken || v.Decisions != c.decisions || v.Next != 0 {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if _, err := newFixture(t).Verify(context.Background(), &project.Project{}, id.Agent{}, 1); faultFields(err) != "agent_not_found" {
		t.Error(err)
	}
}

// foldChain replaces the first n links of the chain by a checkpoint.
func (f *fixture) foldChain(n int) {
	at := f.chain[n-1]
	f.head.Checkpoint = negotiation.Checkpoint{
		ChainEnd: negotiation.ChainEnd{Position: at.Position, Hash: at.Hash},
		Until:    midday,
	}
	f.head.Seal = string(f.Vault.Seal([]byte(f.head.Checkpoint.Text()), negotiation.CheckpointPurpose+f.project.ID.String()))
	f.chain = f.chain[n:]
}

// The rest of a chain is verified from its checkpoint, which cannot be moved without the installation's key.
func TestService_Verify_checkpoint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil     func(*fixture)
		from      int64
		decisions int
		broken    int64
	}{
		"as it was folded":    {func(*fixture) {}, 1, 3, 0},
		"from before it":      {func(*fixture) {}, 2, 3, 0},
		"from right after it": {func(*fixture) {}, 3, 3, 0},
		"from the middle":     {func(*fixture) {}, 4, 2, 0},
		"folded to the end":   {func(o *fixture) { o.foldChain(3) }, 1, 0, 0},
		"an entry":            {func(o *fixture) { o.chain[1].Outcome = negotiation.OutcomeAccepted }, 1, 3, 4},
		"the first lost":      {func(o *fixture) { o.chain = o.chain[1:] }, 1, 2, 3},
		"the end lost":        {func(o *fixture) { o.chain = o.chain[:2] }, 1, 2, 5},
		"all lost":            {func(o *fixture) { o.chain = nil }, 1, 0, 3},
		"its hash":            {func(o *fixture) { o.head.Checkpoint.Hash = o.chain[0].Hash }, 1, 0, 2},
		"its time":            {func(o *fixture) { o.head.Checkpoint.Until = midday.Add(time.Hour) }, 1, 0, 2},
		"no seal":             {func(o *fixture) { o.head.Seal = "" }, 1, 0, 2},
		"moved behind links that were removed": {func(o *fixture) {
			o.head.Checkpoint.ChainEnd = negotiation.ChainEnd{Position: 3, Hash: o.chain[0].Hash}
			o.chain = o.chain[1:]
		}, 1, 0, 3},
		"taken away":                {func(o *fixture) { o.head.Checkpoint, o.head.Seal = negotiation.Checkpoint{}, "" }, 1, 3, 1},
		"taken away, but its seal":  {func(o *fixture) { o.head.Checkpoint = negotiation.Checkpoint{} }, 1, 0, 1},
		"another project's, sealed": {func(o *fixture) { o.project.ID = id.New[id.Project]([16]byte{99}) }, 1, 0, 2},
	} {
		o := newFixture(t)
		o.sealChain(5)
		o.foldChain(2)
		c.spoil(o)
		v, err := o.Verify(o.ctx, o.project, o.first, c.from)
		if err != nil || v.BrokenAt != c.broken || v.Decisions != c.decisions || v.Next != 0 {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

func TestService_Verify_next(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.sealChain(2*agents.MostVerified + 3)
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

// recorded is a negotiation of one offer, decided by an agent's policy.
func recorded(a *agent.Agent, list, offer int64) ports.Negotiation {
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

func TestService_Replay(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	for range 3 {
		o.negotiations = append(o.negotiations, recorded(o.agents[o.first], 100_00, 93_00))
	}
	policy, report, err := o.Replay(o.ctx, o.project, o.first, agents.Rerun{})
	if err != nil || policy.Version != 1 || report.Negotiations != 3 || report.Identical != 3 || report.Bought != 3 || o.asked.limit != agents.MostReplayed {
		t.Errorf("%+v, %v", report, err)
	}
	stiff := negotiationtest.Patient()
	stiff.MaxDiscount, stiff.Version = 0, 1 // the number does not make it a stored version
	policy, report, err = o.Replay(o.ctx, o.project, o.first, agents.Rerun{Chosen: agents.Chosen{Policy: &stiff}, Limit: 2})
	if err != nil || policy.Version != 0 || report.Negotiations != 2 || report.Identical != 0 || report.Certain.Deals != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	few, many := make([]id.Negotiation, ports.MostNamed), make([]id.Negotiation, ports.MostNamed+1)
	if _, _, err := o.Replay(o.ctx, o.project, o.first, agents.Rerun{Sessions: few}); err != nil || len(o.asked.sessions) != len(few) {
		t.Errorf("%d sessions asked for, %v", len(o.asked.sessions), err)
	}
	o.project.Settings.MaxDiscount = 0 // the project's settings bound a policy too
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
		if _, _, err := o.Replay(o.ctx, o.project, o.first, r); faultFields(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A replay of named negotiations does not represent the shop's month.
func TestService_Replay_perMonth(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	n := recorded(o.agents[o.first], 100_00, 93_00)
	n.Entries[0].At = midday.AddDate(0, 0, -10)
	o.negotiations = append(o.negotiations, n)
	stiff := negotiation.Builtin()
	stiff.MaxDiscount = 0
	stiffly := agents.Chosen{Policy: &stiff}
	_, report, err := o.Replay(o.ctx, o.project, o.first, agents.Rerun{Chosen: stiffly})
	if m := report.PerMonth; err != nil || m == nil || m.Negotiations != 3 || m.Margin || m.Certain != usd(-279_00) || m.Possible != usd(21_00) {
		t.Errorf("%+v, %v", m, err)
	}
	_, report, err = o.Replay(o.ctx, o.project, o.first, agents.Rerun{Chosen: stiffly, Sessions: make([]id.Negotiation, 1)})
	if err != nil || report.PerMonth != nil || report.Negotiations != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestService_DryRun(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.addTent()
	o.negotiations = append(o.negotiations, recorded(o.agents[o.first], 100_00, 85_00))
	wide := negotiationtest.Patient()
	wide.MinMargin = 500
	effects, report, err := o.DryRun(o.ctx, o.project, o.first, wide, []id.Product{o.product.ID})
	if err != nil || len(effects) != 1 || report.Negotiations != 1 || o.asked.limit != 1000 {
		t.Fatalf("%+v, %+v, %v", effects, report, err)
	}
	if e := effects[0]; e.Before.Floor() != usd(80_00) || e.After.Floor() != usd(90_00) || e.After.Target() != usd(96_25) {
		t.Errorf("%+v", e)
	}
	if _, _, err := o.DryRun(o.ctx, o.project, o.first, wide, make([]id.Product, 11)); faultFields(err) != "product_ids" {
		t.Error(err)
	}
	wide.Depth = -1
	if _, _, err := o.DryRun(o.ctx, o.project, o.first, wide, nil); faultFields(err) != "policy.depth_percent" || len(o.versions) != 1 {
		t.Error(err)
	}
}

// addTent adds a tent at 100.00, which cost 60.00: seven of them at two locations.
func (f *fixture) addTent() {
	cost := usd(60_00)
	f.product = &catalog.Product{
		ID:         id.New[id.Product]([16]byte{5}),
		Name:       "Tent",
		Price:      usd(100_00),
		Cost:       &cost,
		Negotiable: true,
		Variants:   []catalog.Variant{{ID: id.New[id.Variant]([16]byte{6})}},
	}
}

func offerList(minor ...int64) []*money.Amount {
	all := make([]*money.Amount, len(minor))
	for i, m := range minor {
		if m >= 0 {
			price := usd(m)
			all[i] = &price
		}
	}
	return all
}

func TestService_Simulate_endsWithDeal(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.addTent()
	got, err := o.Simulate(ports.NewOutbound(o.ctx), o.project, o.first, agents.Simulation{
		Product:  o.product.ID,
		Quantity: 1,
		Offers:   offerList(-1, 75_00, 79_00, 82_00, 90_00),
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

// The guardrails bound a simulated proposal as they do for buyers.
func TestService_Simulate_guarded(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.serving.answer = func(agent.QuoteInput) agent.QuoteAnswer {
		return agent.QuoteAnswer{Decision: negotiation.Countered{Price: usd(1), By: negotiation.AgentAnswer}, Answered: agent.Answered{Handler: "remote"}}
	}
	list := usd(100_00)
	got, err := o.Simulate(ports.NewOutbound(o.ctx), o.project, o.first, agents.Simulation{
		MadeUp:   agents.MadeUp{List: &list},
		Quantity: 1,
		Offers:   offerList(85_00),
	})
	if err != nil {
		t.Fatal(err)
	}
	step := got.Steps[0]
	if c, ok := step.Decision.(negotiation.Countered); !ok || c.Price != usd(94_35) || step.Proposal == nil || *step.Proposal != usd(1) || step.Answered.Handler != "remote" {
		t.Errorf("%+v", step)
	}
}

// A simulation calls a remote handler only if Remote is set.
func TestService_Simulate_remote(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	a, _, err := o.Create(o.ctx)
	if err != nil {
		t.Fatal(err)
	}
	list := usd(100_00)
	for _, wish := range []bool{false, true} {
		sim := agents.Simulation{
			MadeUp:   agents.MadeUp{List: &list},
			Quantity: 20,
			Offers:   offerList(50_00),
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

// Simulations leave half of the day's tokens to buyers, and send no request for a caller that is gone.
func TestService_Simulate_tokenLimit(t *testing.T) {
	t.Parallel()
	o, x := newFixture(t), newRouterFixture(builtinHandler)
	g := &fakeModel{writes: always(`{"action": "accept"}`), cost: agents.DailyTokens / 10}
	x.Wording, x.Strategy = withModel(g)
	o.Service.Serving, o.agents[o.first].Model = x.Router, allOn
	simulate := func(ctx context.Context, list int64) string {
		price := usd(list)
		got, err := o.Simulate(ports.NewOutbound(ctx), o.project, o.first, agents.Simulation{
			MadeUp:   agents.MadeUp{List: &price},
			Quantity: 1,
			Offers:   offerList(list * 85 / 100),
			Remote:   true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return got.Steps[0].Answered.Fallback
	}
	gone, leave := context.WithCancel(o.ctx)
	leave()
	if simulate(gone, 90_00); len(g.requests()) != 0 {
		t.Errorf("%d questions that nobody waits for", len(g.requests()))
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
	if len(g.requests()) != 5 {
		t.Errorf("%d questions", len(g.requests()))
	}
	x.project, x.active.agent.Model = o.project, allOn
	if answer, err := x.Quote(ports.NewOutbound(t.Context()), x.input(offer)); err != nil || answer.Answered.Fallback != "" || len(g.requests()) != 6 {
		t.Errorf("a buyer has %+v, %v after %d questions", answer.Answered, err, len(g.requests()))
	}
}
