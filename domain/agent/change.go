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
	// MostCanary is the largest share of sessions that a learned policy may serve first, and UsualCanary that of new agents.
	MostCanary, UsualCanary money.Percent = 500, 100

	longestName = 200
	longestNote = 2_000
)

// Rules are those of the installation: where requests may go, and the programs other than the built-in one.
type Rules struct {
	Addresses event.Rules
	Programs  []string
}

// Change is an update of an agent. Fields that are left out stay as they are, and null restores a new agent's value.
type Change struct {
	Name     patch.Field[string]
	Handlers HandlersChange
	Model    ModelChange
	Tuning   TuningChange
}

// HandlersChange sets the handlers of events. Null restores the built-in handler.
type HandlersChange struct{ Search, Quote, Checkout, Finalize patch.Field[HandlerDraft] }

// HandlerDraft is a handler as the merchant writes it. Without a program it is the built-in one.
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
	Canary    patch.Field[money.Percent]
}

// Open returns a draft of an agent and the first version of its policy. Settings that are left out have their defaults.
func Open(name id.Agent, project id.Project, c Change, p negotiation.Policy, sealed []byte, r Rules, now time.Time) (*Agent, Version, error) {
	a := &Agent{
		ID:        name,
		Project:   project,
		Status:    Draft,
		Handlers:  Handlers{InHouse, InHouse, InHouse, InHouse},
		Model:     Model{Temperature: -1},
		Tuning:    Tuning{Canary: UsualCanary},
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

// Change applies the given fields.
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

// errNoSecret is returned for the agent that a project begins with, because its secret was never shown to anybody.
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
		check.That(d.URL == "", "url", "must be omitted for a builtin handler")
		return h
	case Remote.name:
		check.That(d.Program == "", "program", "must be omitted for a remote handler")
		r.Addresses.CheckURL(check, "url", d.URL)
		return Handler{Kind: Remote, URL: d.URL}
	}
	check.That(false, "type", "must be builtin or remote")
	return Handler{}
}

// providers are the supported ones. openai stands for any server with the same API.
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

// tune sets the tuning. A new holdout begins with the policy in force as its baseline.
func (a *Agent) tune(c TuningChange, check fault.Check) {
	c.Automatic.Apply(&a.Tuning.Automatic, false)
	c.Holdout.Apply(&a.Tuning.Holdout, 0)
	check.That(a.Tuning.Holdout >= 0 && a.Tuning.Holdout <= MostHeld, "holdout_percent", "must be between 0 and 50")
	c.Canary.Apply(&a.Tuning.Canary, UsualCanary)
	check.That(a.Tuning.Canary >= 0 && a.Tuning.Canary <= MostCanary, "canary_percent", "must be between 0 and 50")
	switch {
	case a.Tuning.Kept() <= 0:
		a.release()
	case a.Held == nil:
		a.hold()
	}
}

// release ends the trial, and without a holdout the baseline.
func (a *Agent) release() {
	if a.Tuning.Trial = 0; a.Tuning.Holdout <= 0 {
		a.Tuning.Baseline, a.Held = 0, nil
	}
}

// hold makes the policy in force the holdout's.
func (a *Agent) hold() {
	policy := a.Policy
	a.Tuning.Baseline, a.Held = policy.Version, &policy
}

// sameBounds reports whether two policies differ only in what tuning learns.
func sameBounds(a, b negotiation.Policy) bool {
	b.Version, b.Curve, b.Segments = a.Version, a.Curve, a.Segments
	return reflect.DeepEqual(a, b)
}

// MaxVersions is the largest number of policy versions of an agent. Rollbacks by tuning may exceed it.
const MaxVersions = 1_000

// Room returns an error if the agent has MaxVersions of its policy already.
func (a *Agent) Room() error {
	if a.Latest >= MaxVersions {
		return account.Full(MaxVersions, "policy versions", "an agent")
	}
	return nil
}

// WritePolicy stores a policy as the agent's next version, without putting it in force.
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

// PutInForce makes v the agent's policy, and ends a trial. Bounds apply to every session: if v changes them, v becomes the
// holdout's policy too, and there is nothing to compare until another curve is in force.
func (a *Agent) PutInForce(v *Version, now time.Time) {
	a.release()
	a.put(v, now)
}

// Try makes v, which the agent has learned by itself, its policy for the canary's share of sessions. The others keep the policy
// that was in force if it is proven, or else the baseline.
func (a *Agent) Try(v *Version, proven bool, now time.Time) {
	if a.Tuning.Canary > 0 && a.Status == Active {
		if proven || a.Held == nil {
			a.hold()
		}
		a.Tuning.Trial = a.Tuning.Canary
	}
	a.put(v, now)
}

// Extend doubles the share of sessions that the policy on trial serves. From all but the holdout's on it is no longer on trial.
// v is the same policy as another version, so that the record shows the share, and the comparison begins again.
func (a *Agent) Extend(v *Version, now time.Time) {
	if a.Tuning.Trial *= 2; a.Tuning.Trial >= money.Whole-a.Tuning.Holdout {
		a.release()
	}
	a.put(v, now)
}

func (a *Agent) put(v *Version, now time.Time) {
	a.Policy, a.UpdatedAt = v.Policy, now
	if a.Held != nil && !sameBounds(*a.Held, v.Policy) {
		a.hold()
	}
	if a.Status == Active {
		v.ActivatedAt = now
	}
}

// TakeBack replaces a learnt policy with v and turns automatic tuning off.
func (a *Agent) TakeBack(v *Version, now time.Time) {
	a.PutInForce(v, now)
	a.Tuning.Automatic = false
}

// Activate makes the agent serve its project.
func (a *Agent) Activate(now time.Time) {
	if a.Status != Active {
		a.Status, a.UpdatedAt = Active, now
	}
}

// Rotate replaces the secret. The previous one signs no more requests.
func (a *Agent) Rotate(sealed []byte, now time.Time) { a.Secret, a.UpdatedAt = sealed, now }
