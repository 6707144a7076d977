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

// Sales are learned of the last 90 days, of each project at most every ten minutes.
const (
	salesDays  = 90
	salesEvery = 10 * time.Minute
	// mostCompanions is how many products bought along with another one are learned.
	mostCompanions = 20
)

// TurnsKept is how long turns of stock have to be remembered: who hears nothing for longer misses some.
const TurnsKept = 24 * time.Hour

// LearnSales tells the index what was sold, of the projects that it has copies of: at once of those that know
// of no sales yet, for a copy may have been dropped and built again. One that fails is left to the next run.
func (s *Service) LearnSales(ctx context.Context) error {
	return s.eachLoaded(ctx, func(project id.Project) error {
		now := s.Clock.Now()
		if now.Sub(moment(&s.learned, project)) < salesEvery && s.Learner.State(project).Sold {
			return nil
		}
		sales, err := s.Sales.Sales(ctx, project, now.AddDate(0, 0, -salesDays), mostCompanions)
		if err != nil {
			return err
		}
		s.Learner.Learn(project, sales)
		s.learned.Store(project, now)
		return nil
	})
}

// hearLateEvery is how often HearStock asks for turns whose transactions took long to commit. It asks for the others in
// every run. An import of 100,000 products is as many turns, and reading them is most of a run's work.
const hearLateEvery = 15 * time.Second

// heard is up to when HearStock did, by the database's clock.
type heard struct {
	upTo time.Time
	late time.Time // what was committed late, too
}

// HearStock tells the index of stock that turned to or from zero, whoever moved it. What a failure keeps
// from it is told by the next run.
func (s *Service) HearStock(ctx context.Context) error {
	return s.eachLoaded(ctx, func(project id.Project) error {
		last, _ := s.heard.Load(project)
		next, _ := last.(heard)
		late := next.upTo.Sub(next.late) >= hearLateEvery
		since := next.upTo
		if late {
			since = next.late
		}
		totals, upTo, err := s.StockNews.Turned(ctx, project, since, late)
		if err != nil {
			return err
		}
		if next.upTo = upTo; since.IsZero() || late || upTo.Before(next.late) { // or the clock was set back
			next.late = upTo
		}
		if len(totals) > 0 {
			s.Index.Restock(project, totals)
		}
		s.heard.Store(project, next)
		return nil
	})
}

// eachLoaded does something for every project that the index has a copy of, and tells all that failed.
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

// moment is when something was last done for a project; zero: never.
func moment(of *sync.Map, project id.Project) time.Time {
	at, _ := of.Load(project)
	last, _ := at.(time.Time)
	return last
}
