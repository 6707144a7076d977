package agents_test

import (
	"context"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Create and Rotate return a new secret, and store it sealed for its agent.
func TestNewSecret_sealedForAgent(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	a, secret, err := o.Create(o.ctx)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := o.Vault.Open(a.Secret, agent.SecretPurpose(a.ID))
	if err != nil || string(opened) != secret || !strings.HasPrefix(secret, "whsec_") || len(secret) < 38 {
		t.Errorf("%q, %v, want %q", opened, err, secret)
	}
	rotated, next, err := o.Rotate(o.ctx, o.project, a.ID)
	if err != nil || next == secret || string(rotated.Secret) == string(a.Secret) {
		t.Errorf("%q after %q, %v", next, secret, err)
	}
}

// Create makes another draft.
func (f *fixture) Create(ctx context.Context) (*agent.Agent, string, error) {
	return f.Service.Create(ctx, f.project, remoteDraft("https://example.com"), negotiation.Builtin())
}

func TestRefusePrivate_handlerURL(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	if _, _, err := o.Service.Create(o.ctx, o.project, remoteDraft("https://db.internal/q"), negotiation.Builtin()); faultFields(err) != "handlers.quote.url" {
		t.Error(err)
	}
	wrong := remoteDraft("https://db.internal/q")
	wrong.Name = patch.To("")
	if _, _, err := o.Change(o.ctx, o.project, o.first, agents.Change{Change: wrong}); faultFields(err) != "name handlers.quote.url" {
		t.Error(err)
	}
	wrong = remoteDraft("http://db.internal/q") // one problem per field is reported
	if _, _, err := o.Change(o.ctx, o.project, o.first, agents.Change{Change: wrong}); faultFields(err) != "handlers.quote.url" {
		t.Error(err)
	}
	if _, _, err := o.Change(o.ctx, o.project, id.Agent{}, agents.Change{Change: remoteDraft("https://db.internal/q")}); faultFields(err) != "agent_not_found" {
		t.Error(err)
	}
}

// Change, WritePolicy and PutInForce number the versions. A changed policy is in force at once.
func TestService_Change_policyVersions(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	less := func(p negotiation.Policy) negotiation.Policy { p.MaxDiscount -= 100; return p }
	for _, want := range []money.Percent{800, 700} {
		_, after, err := o.Change(o.ctx, o.project, o.first, agents.Change{Policy: less})
		if err != nil || after.Policy.MaxDiscount != want {
			t.Fatalf("%+v, %v", after, err)
		}
	}
	before, after, err := o.PutInForce(o.ctx, o.project, o.first, 2)
	if err != nil || before.Policy.Version != 3 || after.Policy.Version != 2 || after.Policy.MaxDiscount != 800 || len(o.versions) != 3 {
		t.Errorf("%+v, %d versions, %v", after, len(o.versions), err)
	}
	if _, _, err := o.PutInForce(o.ctx, o.project, o.first, 9); faultFields(err) != "policy_not_found" {
		t.Error(err)
	}
	if _, _, err := o.PutInForce(o.ctx, o.project, id.Agent{}, 1); faultFields(err) != "agent_not_found" {
		t.Error(err)
	}
	bad := func(p negotiation.Policy) negotiation.Policy { p.RoundCap = 0; return p }
	if _, _, err := o.Change(o.ctx, o.project, o.first, agents.Change{Policy: bad}); faultFields(err) != "policy.round_cap" || len(o.versions) != 3 {
		t.Error(err)
	}
	if _, v, err := o.WritePolicy(o.ctx, o.project, o.first, negotiation.Builtin(), "why"); err != nil || v.Policy.Version != 4 || o.agents[o.first].Policy.Version != 2 {
		t.Errorf("%+v, %v", v, err)
	}
}
