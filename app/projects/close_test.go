package projects_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeClosings has projects that take a number of steps to close.
type fakeClosings struct {
	order   []id.Project
	steps   map[id.Project]int
	settled map[id.Project]ports.Settled
	broken  id.Project
	expired map[id.Project]bool // closed projects, and whether their credentials have expired
	erased  []id.Project
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

func (f *fakeClosings) CredentialsDue(context.Context, int) ([]id.Project, error) {
	return slices.SortedFunc(maps.Keys(f.expired), func(a, b id.Project) int { return strings.Compare(a.String(), b.String()) }), nil
}

func (f *fakeClosings) ExpireCredentials(_ context.Context, p id.Project, kept time.Duration) (bool, error) {
	if kept != projects.CredentialsKept {
		return false, errors.New("another time")
	}
	return f.expired[p], nil
}

func (f *fakeClosings) CredentialsErased(_ context.Context, p id.Project) error {
	f.erased = append(f.erased, p)
	return nil
}

// fakeIntegrations has the integrations of every project.
type fakeIntegrations struct {
	ports.Integrations
	of map[id.Project][]*integration.Integration
}

func (f *fakeIntegrations) List(_ context.Context, p id.Project, page ports.Page) ([]*integration.Integration, int, error) {
	all := f.of[p]
	return all[min(page.Offset, len(all)):], len(all), nil
}

// fakeDisconnecter records the disconnected integrations.
type fakeDisconnecter struct{ list []id.Integration }

func (f *fakeDisconnecter) Disconnect(_ ports.Outbound, _ id.Project, of id.Integration) error {
	f.list = append(f.list, of)
	return nil
}

func TestCloser(t *testing.T) {
	t.Parallel()
	broken, waiting, closing, deleting := id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2}), id.New[id.Project]([16]byte{3}), id.New[id.Project]([16]byte{4})
	closed, expired := id.New[id.Project]([16]byte{5}), id.New[id.Project]([16]byte{6})
	connected := func(n byte, p id.Project, kind integration.Type) *integration.Integration {
		return &integration.Integration{
			ID:      id.New[id.Integration]([16]byte{n}),
			Project: p,
			Type:    kind,
			Status:  integration.Connected,
		}
	}
	stripe, shopify := connected(1, closing, integration.Stripe), connected(2, closing, integration.Shopify)
	other, kept, old := connected(3, deleting, integration.Stripe), connected(4, closed, integration.PayPal), connected(5, expired, integration.PayPal)
	f := &fakeClosings{
		order: []id.Project{broken, waiting, closing, deleting},
		steps: map[id.Project]int{
			broken:   1,
			waiting:  5,
			closing:  3,
			deleting: 100_000,
		},
		settled: map[id.Project]ports.Settled{
			waiting:  {Books: true},
			closing:  {Books: true, Ready: true},
			deleting: {Ready: true},
		},
		broken:  broken,
		expired: map[id.Project]bool{closed: false, expired: true},
	}
	all := &fakeIntegrations{of: map[id.Project][]*integration.Integration{
		closing:  {stripe, shopify},
		deleting: {other},
		closed:   {kept},
		expired:  {old},
	}}
	gone := &fakeDisconnecter{}
	c := &projects.Closer{
		Closings:     f,
		Connected:    all,
		Disconnecter: gone,
	}
	if err := c.Run(ports.NewOutbound(t.Context()), projects.Quiet); err == nil || !strings.Contains(err.Error(), "closing "+broken.String()) {
		t.Errorf("the project that fails is not named: %v", err)
	}
	if f.steps[waiting] != 5 {
		t.Error("a project with an undecided payment was changed")
	}
	if f.steps[closing] != 0 || f.steps[deleting] == 100_000 || f.steps[deleting] < 90_000 {
		t.Errorf("steps left: %v; a large project may not keep the others waiting, nor a broken one", f.steps)
	}
	if !slices.Equal(gone.list, []id.Integration{shopify.ID, other.ID, old.ID}) {
		t.Errorf("disconnected: %v; payment providers stay as long as credentials are kept", gone.list)
	}
	if !slices.Equal(f.erased, []id.Project{expired}) {
		t.Errorf("credentials erased of %v", f.erased)
	}
}
