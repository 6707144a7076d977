// Package markets compares two policies of a shop: it simulates buyers who negotiate over the shop's products and stores what
// each policy would earn. A merchant starts a run as a job (Service), and any replica works on it (Runner). Package simulating
// has the simulation.
package markets

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service starts and cancels jobs.
type Service struct {
	*ports.Stores
	Clock   ports.Clock
	Entropy ports.Entropy
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Start starts a run for an agent. The default policy to try, and the default to compare with, is the one in force.
func (s *Service) Start(ctx context.Context, p *project.Project, of id.Agent, r job.MarketRequest) (*job.Job, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	a, err := s.Agents.ByID(ctx, p.ID, of)
	if err != nil {
		return nil, err
	}
	if r.Policy == nil && r.Version == 0 {
		r.Version = a.Policy.Version
	}
	if r.Against == 0 {
		r.Against = a.Policy.Version
	}
	for _, version := range []int{r.Version, r.Against} {
		if version == 0 || version == a.Policy.Version {
			continue
		}
		if _, err := s.Versions.Version(ctx, p.ID, of, version); err != nil {
			return nil, err
		}
	}
	for _, wanted := range r.Products {
		if _, err := s.Products.Get(ctx, p.ID, wanted); err != nil {
			return nil, err
		}
	}
	j := job.NewMarket(id.New[id.Job](s.Entropy.IDBits()), p.ID, of, r, p.Settings.Currency, s.Clock.Now())
	return j, s.Jobs.Start(ctx, j)
}

func check(r job.MarketRequest) error {
	c := fault.NewCheck()
	r.Check(c)
	c.That(r.Policy == nil || r.Version == 0, "policy_version", "must be omitted if policy is sent")
	if r.Policy != nil {
		r.Policy.Check(c.In("policy"))
	}
	return c.Err()
}

// Cancel ends a job that is not finished. It returns the job before and after.
func (s *Service) Cancel(ctx context.Context, project id.Project, wanted id.Job) (before, after *job.Job, err error) {
	after, err = s.Jobs.Update(ctx, project, wanted, func(j *job.Job) error {
		was := *j
		before = &was
		return j.Cancel(s.Clock.Now())
	})
	if err == nil && after.Kind == job.Import {
		err = s.Imports.Discard(ctx, project, wanted)
	}
	return before, after, err
}
