// Package retention removes expired records: messages, sessions, events, deliveries and logs that no order refers to. The
// project's settings say how long each kind is kept. The store knows which records refer to which.
package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/app/checkpoint"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// batchSize is how many projects are worked on round robin.
	batchSize = 50
	// maxRounds is how many rounds a project gets before it goes to the end of the queue with the records it has left.
	maxRounds = 20
	// maxProjects is how many projects one run lists, so that it ends.
	maxProjects = 5_000
)

// slotsKept is how long analytics keep figures per quarter of an hour. It is more than a year, so that a day can be compared
// with the one a year before.
const slotsKept = 400 * 24 * time.Hour

// Service removes expired records of all projects.
type Service struct {
	Store ports.Retention
	Vault ports.Vault
}

// Run removes expired records of the projects that are due. An error in one project does not stop the others.
func (s *Service) Run(ctx context.Context) error {
	var failed error
	for range maxRounds {
		more, err := s.Store.RemoveAuditEvents(ctx)
		failed = errors.Join(failed, err)
		if !more {
			break
		}
	}
	for listed := 0; listed < maxProjects; {
		due, err := s.Store.Due(ctx, batchSize)
		failed = errors.Join(failed, err)
		if listed += len(due); len(due) == 0 || ctx.Err() != nil {
			return failed
		}
		failed = errors.Join(failed, s.work(ctx, due))
	}
	return failed
}

// work goes round robin over projects until each has nothing left or has had maxRounds rounds.
func (s *Service) work(ctx context.Context, due []ports.Keeping) error {
	var failed error
	for range maxRounds {
		var busy []ports.Keeping
		for _, k := range due {
			more := false
			err := fault.Survive(func() (err error) {
				more, err = s.removeSome(ctx, k)
				return err
			})
			if ctx.Err() != nil {
				return errors.Join(failed, ctx.Err())
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("what %s keeps: %w", k.Project, err))
				continue
			}
			if more {
				busy = append(busy, k)
			}
		}
		if due = busy; len(due) == 0 {
			return failed
		}
	}
	for _, k := range due {
		failed = errors.Join(failed, s.Store.Again(ctx, k.Project))
	}
	return failed
}

// removeSome removes a limited number of expired records of each kind, and reports whether there may be more.
func (s *Service) removeSome(ctx context.Context, k ports.Keeping) (more bool, err error) {
	seals := checkpoint.Seals{Vault: s.Vault, Project: k.Project}
	for _, what := range ports.Leftovers {
		left, err := s.Store.Remove(ctx, k.Project, what, keep(k.Retention, what), seals)
		if err != nil {
			return false, err
		}
		more = more || left
	}
	left, err := s.Store.Fold(ctx, k.Project, project.Days(k.Retention.Decisions), seals)
	return more || left, err
}

// keep returns how long records of a kind are kept.
func keep(r project.Retention, what ports.Leftover) time.Duration {
	switch what {
	case ports.OldMessages:
		return project.Days(r.Messages)
	case ports.OldSessions:
		return project.Days(r.Sessions)
	case ports.OldLostDeals:
		return project.Days(r.Decisions)
	case ports.OldDeliveries:
		return project.Days(r.Deliveries)
	case ports.OldEvents:
		return project.Days(r.Events)
	case ports.OldSlots:
		return slotsKept
	}
	return project.Days(r.Logs)
}
