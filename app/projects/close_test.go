package projects_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeClosings are projects that take a number of steps.
type fakeClosings struct {
	order   []id.Project
	steps   map[id.Project]int
	settled map[id.Project]ports.Settled
	broken  id.Project
}

func (f *fakeClosings) Unfinished(_ context.Context, quiet time.Duration, _ int) ([]id.Project, error) {
	if quiet != projects.Quiet {
		return nil, errors.New("another quiet time")
	}
	return f.order, nil
}

func (f *fakeClosings) Settle(_ context.Context, p id.Project) (ports.Settled, error) {
	if p == f.broken {
		panic("a row that cannot be read")
	}
	return f.settled[p], nil
}

func (f *fakeClosings) Step(_ context.Context, p id.Project) (bool, error) {
	f.steps[p]--
	return f.steps[p] == 0, nil
}

// fakeIntegrations are those of every project.
type fakeIntegrations struct {
	ports.Integrations
	of map[id.Project][]*integration.Integration
}

func (f *fakeIntegrations) List(_ context.Context, p id.Project, page ports.Page) ([]*integration.Integration, int, error) {
	all := f.of[p]
	return all[min(page.Offset, len(all)):], len(all), nil
}

func (f *fakeIntegrations) Update(_ context.Context, p id.Project, of id.Integration, change func(*integration.Integration) error) (*integration.Integration, error) {
	for _, i := range f.of[p] {
		if i.ID == of {
			return i, change(i)
		}
	}
	return nil, errors.New("unknown")
}

// fakeDisconnecter notes what is disconnected.
type fakeDisconnecter struct{ list []id.Integration }

func (f *fakeDisconnecter) Disconnect(_ context.Context, _ id.Project, of id.Integration) error {
	f.list = append(f.list, of)
	return nil
}

// plainVault seals nothing.
type plainVault struct{}

func (plainVault) Seal(plain []byte, _ string) []byte           { return plain }
func (plainVault) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

func TestCloser(t *testing.T) {
	t.Parallel()
	broken, waiting, closing, deleting := id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2}), id.New[id.Project]([16]byte{3}), id.New[id.Project]([16]byte{4})
	connected := func(n byte, p id.Project, kind integration.Type, c integration.Credentials) *integration.Integration {
		i := &integration.Integration{ID: id.New[id.Integration]([16]byte{n}), Project: p, Type: kind, Status: integration.Connected}
		i.Sealed = integration.Seal(i.ID, c, plainVault{}.Seal)
		return i
	}
	stripe := connected(1, closing, integration.Stripe, integration.Credentials{Key: "sk_live_1", Signing: "whsec_1"})
	shopify := connected(2, closing, integration.Shopify, integration.Credentials{Key: "shpat_1"})
	other := connected(3, deleting, integration.Stripe, integration.Credentials{Key: "sk_test_1", Signing: "whsec_2"})
	f := &fakeClosings{
		order:   []id.Project{broken, waiting, closing, deleting},
		steps:   map[id.Project]int{broken: 1, waiting: 5, closing: 3, deleting: 100_000},
		settled: map[id.Project]ports.Settled{waiting: {Books: true}, closing: {Books: true, Ready: true}, deleting: {Ready: true}},
		broken:  broken,
	}
	all := &fakeIntegrations{of: map[id.Project][]*integration.Integration{closing: {stripe, shopify}, deleting: {other}}}
	gone := &fakeDisconnecter{}
	c := &projects.Closer{Closings: f, Connected: all, Disconnecter: gone, Vault: plainVault{}, Clock: &system{}}
	if err := c.Run(t.Context(), projects.Quiet); err == nil || !strings.Contains(err.Error(), "closing "+broken.String()) {
		t.Errorf("the project that fails is not named: %v", err)
	}
	if f.steps[waiting] != 5 {
		t.Error("a project with an undecided payment was changed")
	}
	if f.steps[closing] != 0 || f.steps[deleting] == 100_000 || f.steps[deleting] < 90_000 {
		t.Errorf("steps left: %v; a large project may not keep the others waiting, nor a broken one", f.steps)
	}
	if !slices.Equal(gone.list, []id.Integration{shopify.ID, other.ID}) {
		t.Errorf("disconnected: %v", gone.list)
	}
	kept, err := stripe.Open(plainVault{}.Open)
	if err != nil || kept != (integration.Credentials{Signing: "whsec_1"}) || !stripe.Retired() {
		t.Errorf("the payment provider's credentials are %+v, %v; only what its webhooks are signed with stays", kept, err)
	}
}
