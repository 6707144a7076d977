package discovery

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// LearnSales reads the sales of the last 90 days, of each project at most every ten minutes.
const (
	salesDays  = 90
	salesEvery = 10 * time.Minute
	// maxCompanions is how many products that were bought together with another one are learned for it.
	maxCompanions = 20
)

// AvailabilityChangesKept is how long the store must keep availability changes. A process that runs no UpdateStock for longer misses some.
const AvailabilityChangesKept = 24 * time.Hour

// LearnSales passes sales on to the index for every project that is loaded. A project without sales in the index is read at
// once, because its index may have been dropped and rebuilt. A failed project is tried again in the next run.
func (s *Service) LearnSales(ctx context.Context) error {
	return s.eachLoaded(ctx, func(project id.Project) error {
		now := s.Clock.Now()
		if now.Sub(lastDone(&s.learned, project)) < salesEvery && s.Learner.State(project).Sold {
			return nil
		}
		sales, err := s.Sales.Sales(ctx, project, now.AddDate(0, 0, -salesDays), maxCompanions)
		if err != nil {
			return err
		}
		s.Learner.Learn(project, sales)
		s.learned.Store(project, now)
		return nil
	})
}

// lateCommitsEvery is how often UpdateStock reads availability changes whose transactions took long to commit. It reads the others
// in every run. An import of 100,000 products is as many changes, and reading them is most of a run's work.
const lateCommitsEvery = 15 * time.Second

// stockCursor is the time up to which UpdateStock has read availability changes, by the database's clock.
type stockCursor struct {
	upTo time.Time
	late time.Time // up to which it has read late commits, too
}

// UpdateStock passes variants whose stock changed to or from zero on to the index, including changes by other processes. After a
// failure the next run reads the same changes again.
func (s *Service) UpdateStock(ctx context.Context) error {
	return s.eachLoaded(ctx, func(project id.Project) error {
		last, _ := s.stockRead.Load(project)
		next, _ := last.(stockCursor)
		late := next.upTo.Sub(next.late) >= lateCommitsEvery
		since := next.upTo
		if late {
			since = next.late
		}
		totals, upTo, err := s.AvailabilityChanges.ChangedSince(ctx, project, since, late)
		if err != nil {
			return err
		}
		if next.upTo = upTo; since.IsZero() || late || upTo.Before(next.late) { // or the clock was set back
			next.late = upTo
		}
		if len(totals) > 0 {
			s.Index.Restock(project, totals)
		}
		s.stockRead.Store(project, next)
		return nil
	})
}

// eachLoaded calls do for every project that the index has loaded, and returns all errors.
func (s *Service) eachLoaded(ctx context.Context, do func(id.Project) error) error {
	if s.Learner == nil {
		return nil
	}
	var failed []error
	for _, project := range s.Learner.Loaded() {
		if ctx.Err() != nil {
			return errors.Join(append(failed, ctx.Err())...)
		}
		if err := fault.Survive(func() error { return do(project) }); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", project, err))
		}
	}
	return errors.Join(failed...)
}

// lastDone returns when something was last done for a project; zero: never.
func lastDone(of *sync.Map, project id.Project) time.Time {
	at, _ := of.Load(project)
	last, _ := at.(time.Time)
	return last
}
