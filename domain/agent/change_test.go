package agent_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/patch"
)

var (
	morning  = time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)
	noon     = morning.Add(4 * time.Hour)
	rules    = agent.Rules{Programs: []string{"mine"}}
	houseOwn = agent.Handler{Kind: agent.Builtin, Program: agent.House}
)

// named returns a change of the name only.
func named(name string) agent.Change { return agent.Change{Name: patch.To(name)} }

// by returns a change of the handler of quotes.
func by(kind, program, url string) agent.Change {
	return agent.Change{Handlers: agent.HandlersChange{Quote: patch.To(agent.HandlerDraft{
		Type:    kind,
		Program: program,
		URL:     url,
	})}}
}

func opened(t *testing.T) *agent.Agent {
	t.Helper()
	a, _, err := agent.Open(id.New[id.Agent]([16]byte{1}), id.New[id.Project]([16]byte{2}), named("Ann"), negotiation.Builtin(), []byte("sealed"), rules, morning)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// fieldsOf returns the fields that an error names, sorted.
func fieldsOf(err error) []string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	var names []string
	for _, d := range f.Details {
		names = append(names, d.Field)
	}
	slices.Sort(names)
	return names
}

// A new agent is a draft with the built-in handlers, and its first policy version is a copy of the given policy.
func TestOpen_draft(t *testing.T) {
	t.Parallel()
	mine := negotiation.Builtin()
	mine.Version, mine.MaxDiscount = 7, 150
	for name, c := range map[string]struct {
		policy negotiation.Policy
		origin agent.Origin
	}{"the built-in policy": {negotiation.Builtin(), agent.ByHouse}, "one of the merchant's": {mine, agent.ByMerchant}} {
		a, first, err := agent.Open(id.New[id.Agent]([16]byte{1}), id.New[id.Project]([16]byte{2}), named("Ann"), c.policy, []byte("sealed"), rules, morning)
		if err != nil {
			t.Fatal(name, err)
		}
		want := c.policy
		want.Version = 1
		if a.Name != "Ann" || a.Status != agent.Draft || a.Handlers != (agent.Handlers{
			Search:   houseOwn,
			Quote:    houseOwn,
			Checkout: houseOwn,
			Finalize: houseOwn,
		}) ||
			!reflect.DeepEqual(a.Model, agent.Model{Temperature: -1}) || a.Latest != 1 || a.CreatedAt != morning || string(a.Secret) != "sealed" {
			t.Errorf("%s: %+v", name, a)
		}
		if !reflect.DeepEqual(a.Policy, want) || !reflect.DeepEqual(first.Policy, want) || first.Origin != c.origin ||
			first.Agent != a.ID || first.Project != a.Project || !first.ActivatedAt.IsZero() {
			t.Errorf("%s: %+v", name, first)
		}
	}
}

func TestAgentRules(t *testing.T) {
	t.Parallel()
	tokens := func(n int) agent.Change { return agent.Change{Model: agent.ModelChange{MaxTokens: patch.To(n)}} }
	heat := func(n int) agent.Change { return agent.Change{Model: agent.ModelChange{Temperature: patch.To(n)}} }
	held := func(p money.Percent) agent.Change {
		return agent.Change{Tuning: agent.TuningChange{Holdout: patch.To(p)}}
	}
	for name, c := range map[string]struct {
		change agent.Change
		want   []string
	}{
		"200 characters":       {named(strings.Repeat("é", 200)), nil},
		"201 characters":       {named(strings.Repeat("é", 201)), []string{"name"}},
		"no name":              {named(""), []string{"name"}},
		"the name null":        {agent.Change{Name: patch.Null[string]()}, []string{"name"}},
		"NUL":                  {named("a\x00"), []string{"name"}},
		"the house":            {by("builtin", "haggle", ""), nil},
		"a program":            {by("builtin", "mine", ""), nil},
		"no program":           {by("builtin", "", ""), nil},
		"another program":      {by("builtin", "yours", ""), []string{"handlers.quote.program"}},
		"a program with a URL": {by("builtin", "mine", "https://example.com"), []string{"handlers.quote.url"}},
		"a URL":                {by("remote", "", "https://example.com/quote"), nil},
		"a URL and a program":  {by("remote", "mine", "https://example.com"), []string{"handlers.quote.program"}},
		"no URL":               {by("remote", "", ""), []string{"handlers.quote.url"}},
		"plain http":           {by("remote", "", "http://example.com"), []string{"handlers.quote.url"}},
		"plain http nearby":    {by("remote", "", "http://localhost:9000"), []string{"handlers.quote.url"}},
		"a user in the URL":    {by("remote", "", "https://me@example.com"), []string{"handlers.quote.url"}},
		"no type":              {by("", "", "https://example.com"), []string{"handlers.quote.type"}},
		"a type unheard of":    {by("lambda", "", ""), []string{"handlers.quote.type"}},
		"one token":            {tokens(1), nil},
		"no token":             {tokens(0), []string{"model.max_tokens"}},
		"a million tokens":     {tokens(1_000_000), nil},
		"a token more":         {tokens(1_000_001), []string{"model.max_tokens"}},
		"cold":                 {heat(0), nil},
		"hot":                  {heat(2000), nil},
		"too hot":              {heat(2001), []string{"model.temperature"}},
		"below zero":           {heat(-1), []string{"model.temperature"}},
		"a long model":         {agent.Change{Model: agent.ModelChange{Name: patch.To(strings.Repeat("x", 201))}}, []string{"model.name"}},
		"a long provider":      {agent.Change{Model: agent.ModelChange{Provider: patch.To(strings.Repeat("x", 201))}}, []string{"model.provider"}},
		"half held":            {held(500), nil},
		"more than half held":  {held(501), []string{"tuning.holdout_percent"}},
		"less than none held":  {held(-1), []string{"tuning.holdout_percent"}},
		"half try a policy":    {agent.Change{Tuning: agent.TuningChange{Canary: patch.To[money.Percent](500)}}, nil},
		"more than half try":   {agent.Change{Tuning: agent.TuningChange{Canary: patch.To[money.Percent](501)}}, []string{"tuning.canary_percent"}},
		"less than none try":   {agent.Change{Tuning: agent.TuningChange{Canary: patch.To[money.Percent](-1)}}, []string{"tuning.canary_percent"}},
	} {
		a := opened(t)
		before := *a
		err := a.Change(c.change, rules, noon)
		if got := fieldsOf(err); !slices.Equal(got, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v names %q, want %q", name, err, got, c.want)
		}
		if changed := !reflect.DeepEqual(*a, before); changed != (err == nil) {
			t.Errorf("%s: changed %v in spite of %v", name, changed, err)
		}
	}
	loopback := agent.Rules{Addresses: event.Rules{AllowLoopback: true}}
	if err := opened(t).Change(by("remote", "", "http://localhost:9000"), loopback, noon); err != nil {
		t.Error(err)
	}
}

func TestOpen_invalid(t *testing.T) {
	t.Parallel()
	c := by("remote", "", "ftp://example.com")
	c.Model.MaxTokens = patch.To(0)
	p := negotiation.Builtin()
	p.MaxDiscount = 2000
	_, _, err := agent.Open(id.Agent{}, id.Project{}, c, p, nil, rules, morning)
	if got := fieldsOf(err); !slices.Equal(got, []string{"handlers.quote.url", "model.max_tokens", "name", "policy.max_discount_percent"}) {
		t.Errorf("%q", got)
	}
}

func TestAgent_Change_nullRestoresDefaults(t *testing.T) {
	t.Parallel()
	a := opened(t)
	set := by("remote", "", "https://example.com")
	set.Model = agent.ModelChange{
		Provider:    patch.To("openai"),
		Name:        patch.To("small"),
		MaxTokens:   patch.To(5),
		Temperature: patch.To(5),
		Wording:     patch.To(true),
		Strategy:    patch.To(true),
		Reasons:     patch.To(true),
	}
	set.Tuning = agent.TuningChange{Automatic: patch.To(true), Holdout: patch.To(money.Percent(100))}
	if err := a.Change(set, rules, noon); err != nil {
		t.Fatal(err)
	}
	if a.Handlers.Quote.URL == "" || a.Handlers.Search != houseOwn || !a.Model.Strategy || a.Tuning.Baseline != 1 || a.Held == nil || a.UpdatedAt != noon {
		t.Errorf("%+v", a)
	}
	unset := agent.Change{
		Handlers: agent.HandlersChange{Quote: patch.Null[agent.HandlerDraft]()},
		Model: agent.ModelChange{
			Provider:    patch.Null[string](),
			Name:        patch.Null[string](),
			MaxTokens:   patch.Null[int](),
			Temperature: patch.Null[int](),
			Wording:     patch.Null[bool](),
			Strategy:    patch.Null[bool](),
			Reasons:     patch.Null[bool](),
		},
		Tuning: agent.TuningChange{Automatic: patch.Null[bool](), Holdout: patch.Null[money.Percent]()},
	}
	if err := a.Change(unset, rules, noon); err != nil {
		t.Fatal(err)
	}
	fresh := opened(t)
	fresh.UpdatedAt = noon
	if !reflect.DeepEqual(a, fresh) {
		t.Errorf("%+v", a)
	}
}

func TestAgent_WritePolicy_thenPutInForce(t *testing.T) {
	t.Parallel()
	a, p := opened(t), negotiation.Builtin()
	p.MaxDiscount = 150
	v, err := a.WritePolicy(p, agent.ByTuning, "less", noon)
	if err != nil || v.Policy.Version != 2 || v.Policy.MaxDiscount != 150 || v.Origin != agent.ByTuning || v.Note != "less" || !v.ActivatedAt.IsZero() {
		t.Fatalf("%+v, %v", v, err)
	}
	if a.Policy.Version != 1 || a.Latest != 2 {
		t.Errorf("in force is %d of %d", a.Policy.Version, a.Latest)
	}
	a.PutInForce(v, noon.Add(time.Hour))
	if a.Policy.Version != 2 || a.Policy.MaxDiscount != 150 || a.UpdatedAt != noon.Add(time.Hour) || !v.ActivatedAt.IsZero() {
		t.Errorf("of a draft: %+v, %+v", a.Policy, v)
	}
	a.Activate(noon)
	if a.PutInForce(v, noon.Add(time.Hour)); v.ActivatedAt != noon.Add(time.Hour) {
		t.Errorf("of the active agent: %+v", v)
	}
	for field, write := range map[string]func() (*agent.Version, error){
		"note": func() (*agent.Version, error) {
			return a.WritePolicy(p, agent.ByMerchant, strings.Repeat("x", 2001), noon)
		},
		"policy.max_discount_percent": func() (*agent.Version, error) {
			p := p
			p.MaxDiscount = -1
			return a.WritePolicy(p, agent.ByMerchant, "", noon)
		},
	} {
		if v, err := write(); v != nil || !slices.Equal(fieldsOf(err), []string{field}) || a.Latest != 2 {
			t.Errorf("%v: %+v of %d", err, v, a.Latest)
		}
	}
}

// The baseline is the policy version that was in force when the holdout began.
func TestAgent_Change_holdoutBaseline(t *testing.T) {
	t.Parallel()
	a := opened(t)
	hold := func(share money.Percent) {
		if err := a.Change(agent.Change{Tuning: agent.TuningChange{Holdout: patch.To(share)}}, rules, noon); err != nil {
			t.Fatal(err)
		}
	}
	next := func() {
		v, err := a.WritePolicy(negotiation.Builtin(), agent.ByTuning, "", noon)
		if err != nil {
			t.Fatal(err)
		}
		a.PutInForce(v, noon)
	}
	for step, c := range []struct {
		do   func()
		want int
	}{
		{func() {}, 0}, {next, 0}, {func() { hold(100) }, 2}, {next, 2}, {func() { hold(200) }, 2},
		{func() { hold(0) }, 0}, {func() { hold(50) }, 3},
	} {
		c.do()
		if a.Tuning.Baseline != c.want || (a.Held == nil) != (c.want == 0) || a.Held != nil && a.Held.Version != c.want {
			t.Errorf("step %d: the baseline is %d, want %d", step, a.Tuning.Baseline, c.want)
		}
	}
}

// New bounds apply to the holdout too, because a merchant who stops a loss stops it for every buyer.
func TestAgent_PutInForce_holdoutBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*negotiation.Policy)
		held   int
	}{
		"curve": {func(p *negotiation.Policy) { p.Curve.Markup = 1500 }, 1},
		"segments": {func(p *negotiation.Policy) {
			p.Segments = []negotiation.Segment{{Name: "dear", CostFrom: 700, Curve: p.Curve}}
		}, 1},
		"enabled":  {func(p *negotiation.Policy) { p.Enabled = !p.Enabled }, 2},
		"margin":   {func(p *negotiation.Policy) { p.MinMargin = 900 }, 2},
		"discount": {func(p *negotiation.Policy) { p.MaxDiscount = 10 }, 2},
		"rounds":   {func(p *negotiation.Policy) { p.RoundCap = 1 }, 2},
	} {
		a := opened(t)
		if err := a.Change(agent.Change{Tuning: agent.TuningChange{Holdout: patch.To(money.Percent(500))}}, rules, noon); err != nil {
			t.Fatal(err)
		}
		p := a.Policy
		c.change(&p)
		v, err := a.WritePolicy(p, agent.ByMerchant, "", noon)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a.PutInForce(v, noon); a.Tuning.Baseline != c.held || a.Held.Version != c.held {
			t.Errorf("%s: the holdout keeps version %d, %+v", name, a.Tuning.Baseline, a.Held)
		}
	}
}

func TestAgent_TakeBack(t *testing.T) {
	t.Parallel()
	a, first := opened(t), &agent.Version{Policy: negotiation.Builtin()}
	if err := a.Change(agent.Change{Tuning: agent.TuningChange{Automatic: patch.To(true), Holdout: patch.To(money.Percent(100))}}, rules, noon); err != nil {
		t.Fatal(err)
	}
	v, err := a.WritePolicy(negotiation.Builtin(), agent.ByTuning, "", noon)
	if err != nil {
		t.Fatal(err)
	}
	a.PutInForce(v, noon)
	a.TakeBack(first, noon.Add(time.Hour))
	want := agent.Tuning{
		Holdout:  100,
		Baseline: 1,
		Canary:   agent.UsualCanary,
	}
	if a.Policy.Version != 1 || a.Latest != 2 || a.UpdatedAt != noon.Add(time.Hour) || a.Tuning != want {
		t.Errorf("%+v", a)
	}
}

func TestAgent_Activate_thenRotate(t *testing.T) {
	t.Parallel()
	a := opened(t)
	a.Activate(noon)
	a.Activate(noon.Add(time.Hour))
	if a.Status != agent.Active || a.UpdatedAt != noon {
		t.Errorf("%v since %v", a.Status, a.UpdatedAt)
	}
	a.Rotate([]byte("other"), noon.Add(2*time.Hour))
	if string(a.Secret) != "other" || a.UpdatedAt != noon.Add(2*time.Hour) {
		t.Errorf("%q since %v", a.Secret, a.UpdatedAt)
	}
}

// The first agent of a project has no secret, and every request to a remote handler must be signed.
func TestAgent_Change_remoteHandlerWithoutSecret(t *testing.T) {
	t.Parallel()
	a := &agent.Agent{Name: "Negotiator", Status: agent.Active}
	remote := agent.Change{Handlers: agent.HandlersChange{Quote: patch.To(agent.HandlerDraft{Type: "remote", URL: "https://shop.example/quote"})}}
	if err := a.Change(remote, agent.Rules{}, noon); !fault.Is(err, "secret_required") || a.Handlers.Quote.Kind == agent.Remote {
		t.Errorf("%v, %+v", err, a.Handlers)
	}
	a.Rotate([]byte("sealed"), noon)
	if err := a.Change(remote, agent.Rules{}, noon); err != nil || a.Handlers.Quote.Kind != agent.Remote {
		t.Errorf("%v, %+v", err, a.Handlers)
	}
}

// Tuning may exceed MaxVersions to roll a policy back, because a worse policy must not stay in force for lack of
// room.
func TestAgent_WritePolicy_maxVersions(t *testing.T) {
	t.Parallel()
	a, p := opened(t), negotiation.Builtin()
	a.Latest = agent.MaxVersions - 1
	if _, err := a.WritePolicy(p, agent.ByMerchant, "", noon); err != nil || a.Latest != agent.MaxVersions {
		t.Fatalf("the last one: %v", err)
	}
	if _, err := a.WritePolicy(p, agent.ByMerchant, "", noon); !fault.Is(err, "limit_reached") || a.Latest != agent.MaxVersions {
		t.Errorf("one more: %v", err)
	}
	if _, err := a.WritePolicy(p, agent.ByTuning, "", noon); err != nil {
		t.Errorf("taken back: %v", err)
	}
}

// A policy on trial serves the canary's share. It serves twice as many sessions with each Extend, until only the holdout is left.
func TestAgent_Try(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		canary, holdout money.Percent
		kept            []money.Percent // after Try and each Extend
	}{
		"no canary":               {0, 0, []money.Percent{0}},
		"no canary but a holdout": {0, 100, []money.Percent{100}},
		"a canary":                {100, 0, []money.Percent{900, 800, 600, 200, 0}},
		"both":                    {500, 100, []money.Percent{500, 100}},
	} {
		a := opened(t)
		a.Activate(noon)
		if err := a.Change(agent.Change{Tuning: agent.TuningChange{Canary: patch.To(c.canary), Holdout: patch.To(c.holdout)}}, rules, noon); err != nil {
			t.Fatal(err)
		}
		p := a.Policy
		p.Curve.Give[0] = 0
		v, err := a.WritePolicy(p, agent.ByTuning, "", noon)
		if err != nil {
			t.Fatal(err)
		}
		a.Try(v, true, noon)
		for i, want := range c.kept {
			if i > 0 {
				again, err := a.WritePolicy(a.Policy, agent.ByTuning, "", noon)
				if err != nil {
					t.Fatal(err)
				}
				a.Extend(again, noon)
			}
			if got := a.Tuning.Kept(); got != want || a.Policy.Version != 2+i || (a.Held == nil) != (want == 0) || a.Held != nil && a.Held.Version != 1 {
				t.Errorf("%s: after %d extensions %v keep the baseline, want %v: %+v", name, i, got, want, a.Tuning)
			}
		}
		if a.Tuning.Trial != 0 {
			t.Errorf("%s: the trial goes on: %+v", name, a.Tuning)
		}
	}
}

// A policy that replaces one on trial is compared with the proven one. The merchant's own policy, and a rollback, end a trial.
func TestAgent_Try_again(t *testing.T) {
	t.Parallel()
	a := opened(t)
	a.Activate(noon)
	write := func(give money.Percent) *agent.Version {
		p := a.Policy
		p.Curve.Give[0] = give
		v, err := a.WritePolicy(p, agent.ByTuning, "", noon)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	a.Try(write(0), true, noon)
	a.Extend(write(0), noon)
	a.Try(write(10), false, noon)
	if a.Policy.Version != 4 || a.Held == nil || a.Held.Version != 1 || a.Tuning.Trial != agent.UsualCanary {
		t.Errorf("on trial is %d against %+v: %+v", a.Policy.Version, a.Held, a.Tuning)
	}
	a.PutInForce(write(20), noon)
	if a.Policy.Version != 5 || a.Held != nil || a.Tuning.Kept() != 0 {
		t.Errorf("the merchant's own is on trial: %+v", a.Tuning)
	}
	a.Try(write(30), true, noon)
	if a.TakeBack(write(20), noon); a.Held != nil || a.Tuning.Kept() != 0 || a.Tuning.Automatic {
		t.Errorf("taken back: %+v", a.Tuning)
	}
}
