package agent

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/patch"
)

const (
	// MostHeld is the largest share of sessions that may stay with the baseline policy.
	MostHeld money.Percent = 500

	longestName = 200
	longestNote = 2_000
)

// Rules are those of the installation: where requests may go, and which programs there are beside the house's.
type Rules struct {
	Addresses event.Rules
	Programs  []string
}

// Change is what a merchant writes about an agent. What is left out stays as it is; null is as a new agent has it.
type Change struct {
	Name     patch.Field[string]
	Handlers HandlersChange
	Model    ModelChange
	Tuning   TuningChange
}

// HandlersChange says who serves the events. Null is the house.
type HandlersChange struct{ Search, Quote, Checkout, Finalize patch.Field[HandlerDraft] }

// HandlerDraft is a handler in the merchant's words. A program is the house's where none is named.
type HandlerDraft struct{ Type, Program, URL string }

// ModelChange says how a language model is used.
type ModelChange struct {
	Provider, Name             patch.Field[string]
	MaxTokens, Temperature     patch.Field[int]
	Wording, Strategy, Reasons patch.Field[bool]
	Templates                  patch.Field[[]Template]
}

// TuningChange says how the agent learns by itself.
type TuningChange struct {
	Automatic patch.Field[bool]
	Holdout   patch.Field[money.Percent]
}

// Open makes a draft of an agent, and the first version of its policy. What is left out is the house's.
func Open(name id.Agent, project id.Project, c Change, p negotiation.Policy, sealed []byte, r Rules, now time.Time) (*Agent, Version, error) {
	a := &Agent{
		ID:        name,
		Project:   project,
		Status:    Draft,
		Handlers:  Handlers{InHouse, InHouse, InHouse, InHouse},
		Model:     Model{Temperature: -1},
		Secret:    sealed,
		CreatedAt: now,
		UpdatedAt: now,
	}
	check, origin := fault.NewCheck(), ByMerchant
	check.That(c.Name.Given(), "name", "is required")
	if p.Version = negotiation.Builtin().Version; reflect.DeepEqual(p, negotiation.Builtin()) {
		origin = ByHouse
	}
	first := a.write(p, origin, "", check, now)
	a.PutInForce(&first, now)
	a.change(c, r, check)
	return a, first, check.Err()
}

// Change changes what is given.
func (a *Agent) Change(c Change, r Rules, now time.Time) error {
	next, check := *a, fault.NewCheck()
	next.change(c, r, check)
	if err := check.Err(); err != nil {
		return err
	}
	if next.Handlers.remote() && len(next.Secret) == 0 {
		return errNoSecret
	}
	next.UpdatedAt = now
	*a = next
	return nil
}

// errNoSecret is for the agent that a project begins with: nobody has seen a secret of it.
var errNoSecret = fault.New(fault.Conflict, "secret_required",
	"The agent has no secret to sign requests with. Get one with POST /v1/agents/{id}/rotate-secret.")

func (h Handlers) remote() bool {
	return h.Search.Kind == Remote || h.Quote.Kind == Remote || h.Checkout.Kind == Remote || h.Finalize.Kind == Remote
}

func (a *Agent) change(c Change, r Rules, check fault.Check) {
	check.That(!isNull(c.Name), "name", "must not be null")
	c.Name.Apply(&a.Name, "")
	check.That(strings.TrimSpace(a.Name) != "", "name", "must not be empty")
	text(check, "name", a.Name, longestName)
	a.Handlers.change(c.Handlers, r, check.In("handlers"))
	a.Model.change(c.Model, check.In("model"))
	a.tune(c.Tuning, check.In("tuning"))
}

func text(check fault.Check, field, value string, most int) {
	check.That(utf8.RuneCountInString(value) <= most, field, "must have at most "+strconv.Itoa(most)+" characters")
	check.That(strings.IndexByte(value, 0) < 0, field, "must not contain a NUL character")
}

func isNull[T any](f patch.Field[T]) bool {
	_, value := f.Value()
	return f.Given() && !value
}

func (h *Handlers) change(c HandlersChange, r Rules, check fault.Check) {
	for _, one := range []struct {
		event   string
		handler *Handler
		draft   patch.Field[HandlerDraft]
	}{
		{"search", &h.Search, c.Search}, {"quote", &h.Quote, c.Quote}, {"checkout", &h.Checkout, c.Checkout}, {"finalize", &h.Finalize, c.Finalize},
	} {
		if draft, given := one.draft.Value(); given {
			*one.handler = draft.handler(r, check.In(one.event))
		} else if one.draft.Given() {
			*one.handler = InHouse
		}
	}
}

func (d HandlerDraft) handler(r Rules, check fault.Check) Handler {
	switch d.Type {
	case Builtin.name:
		h := Handler{Kind: Builtin, Program: d.Program}
		if h.Program == "" {
			h.Program = House
		}
		check.That(h.Program == House || slices.Contains(r.Programs, h.Program), "program", "is not a program of this server")
		check.That(d.URL == "", "url", "is for a remote handler")
		return h
	case Remote.name:
		check.That(d.Program == "", "program", "is for a builtin handler")
		r.Addresses.CheckURL(check, "url", d.URL)
		return Handler{Kind: Remote, URL: d.URL}
	}
	check.That(false, "type", "must be builtin or remote")
	return Handler{}
}

// providers are those that are spoken to; openai is any server that speaks like it.
var providers = []string{"openai", "anthropic"}

func (m *Model) change(c ModelChange, check fault.Check) {
	c.Provider.Apply(&m.Provider, "")
	c.Name.Apply(&m.Name, "")
	c.MaxTokens.Apply(&m.MaxTokens, 0)
	c.Temperature.Apply(&m.Temperature, -1)
	c.Wording.Apply(&m.Wording, false)
	c.Strategy.Apply(&m.Strategy, false)
	c.Reasons.Apply(&m.Reasons, false)
	if drafts, given := c.Templates.Value(); given || c.Templates.Given() {
		m.Templates = templatesOf(drafts, check)
	}
	check.That(m.Provider == "" || slices.Contains(providers, strings.ToLower(m.Provider)), "provider", "must be openai or anthropic")
	text(check, "name", m.Name, longestName)
	tokens, given := c.MaxTokens.Value()
	check.That(!given || tokens >= 1 && tokens <= 1_000_000, "max_tokens", "must be between 1 and 1,000,000")
	temperature, given := c.Temperature.Value()
	check.That(!given || temperature >= 0 && temperature <= 2000, "temperature", "must be between 0 and 2")
}

// tune sets a holdout against the policy that is in force when it begins.
func (a *Agent) tune(c TuningChange, check fault.Check) {
	c.Automatic.Apply(&a.Tuning.Automatic, false)
	c.Holdout.Apply(&a.Tuning.Holdout, 0)
	check.That(a.Tuning.Holdout >= 0 && a.Tuning.Holdout <= MostHeld, "holdout_percent", "must be between 0 and 50")
	switch {
	case a.Tuning.Holdout <= 0:
		a.Tuning.Baseline, a.Held = 0, nil
	case a.Held == nil:
		a.hold()
	}
}

// hold keeps the policy in force as the holdout's.
func (a *Agent) hold() {
	policy := a.Policy
	a.Tuning.Baseline, a.Held = policy.Version, &policy
}

// sameBounds reports whether policies differ in nothing but what is learnt.
func sameBounds(a, b negotiation.Policy) bool {
	b.Version, b.Curve, b.Segments = a.Version, a.Curve, a.Segments
	return reflect.DeepEqual(a, b)
}

// MaxVersions is how many versions of its policy an agent has at most. What tuning takes back may come on top.
const MaxVersions = 1_000

// Room refuses a further version of the policy where there are too many.
func (a *Agent) Room() error {
	if a.Latest >= MaxVersions {
		return account.Full(MaxVersions, "policy versions", "an agent")
	}
	return nil
}

// WritePolicy numbers a policy as the agent's next version. It is not in force by that.
func (a *Agent) WritePolicy(p negotiation.Policy, by Origin, note string, now time.Time) (*Version, error) {
	if err := a.Room(); err != nil && by == ByMerchant {
		return nil, err
	}
	check, next := fault.NewCheck(), *a
	v := next.write(p, by, note, check, now)
	if err := check.Err(); err != nil {
		return nil, err
	}
	*a = next
	return &v, nil
}

func (a *Agent) write(p negotiation.Policy, by Origin, note string, check fault.Check, now time.Time) Version {
	p.Version = a.Latest + 1
	p.Check(check.In("policy"))
	text(check, "note", note, longestNote)
	a.Latest, a.UpdatedAt = p.Version, now
	return Version{
		Agent:     a.ID,
		Project:   a.Project,
		Policy:    p,
		Origin:    by,
		Note:      note,
		CreatedAt: now,
	}
}

// PutInForce has the agent keep a version of its policy from now on. Bounds are for every session: where they change, the
// holdout keeps to this version too, and there is nothing to compare until another curve is in force.
func (a *Agent) PutInForce(v *Version, now time.Time) {
	a.Policy, a.UpdatedAt = v.Policy, now
	if a.Held != nil && !sameBounds(*a.Held, v.Policy) {
		a.hold()
	}
	if a.Status == Active {
		v.ActivatedAt = now
	}
}

// TakeBack puts a policy in force in the place of one that was learnt. The agent tunes itself no longer.
func (a *Agent) TakeBack(v *Version, now time.Time) {
	a.PutInForce(v, now)
	a.Tuning.Automatic = false
}

// Activate has the agent serve its project.
func (a *Agent) Activate(now time.Time) {
	if a.Status != Active {
		a.Status, a.UpdatedAt = Active, now
	}
}

// Rotate replaces the secret. The one before signs nothing any more.
func (a *Agent) Rotate(sealed []byte, now time.Time) { a.Secret, a.UpdatedAt = sealed, now }
