// Package retention removes what projects keep for some time only: what buyers and platforms leave behind, as long as no
// order came of it. How long is the project's setting; what refers to what is the store's to know.
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
	// together is how many projects are worked on in turns.
	together = 50
	// turns is how many a project has before others are looked for. What is left then waits behind them.
	turns = 20
	// most is how many projects one run lists, so that it ends.
	most = 5_000
)

// slotsKept is how long analytics keep quarters of an hour; it is more than a year, so that one can be compared with the
// last.
const slotsKept = 400 * 24 * time.Hour

// Service removes what is over.
type Service struct {
	Store ports.Retention
	Vault ports.Vault
}

// Run works on the projects that are due. One that fails does not keep the others waiting.
func (s *Service) Run(ctx context.Context) error {
	var failed error
	for range turns {
		more, err := s.Store.RemoveAuditEvents(ctx)
		failed = errors.Join(failed, err)
		if !more {
			break
		}
	}
	for listed := 0; listed < most; {
		due, err := s.Store.Due(ctx, together)
		failed = errors.Join(failed, err)
		if listed += len(due); len(due) == 0 || ctx.Err() != nil {
			return failed
		}
		failed = errors.Join(failed, s.work(ctx, due))
	}
	return failed
}

// work gives each project a turn after the other, until it has nothing left or had its turns.
func (s *Service) work(ctx context.Context, due []ports.Keeping) error {
	var failed error
	for range turns {
		var busy []ports.Keeping
		for _, k := range due {
			more := false
			err := fault.Survive(func() (err error) {
				more, err = s.turn(ctx, k)
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

// turn removes some of everything.
func (s *Service) turn(ctx context.Context, k ports.Keeping) (more bool, err error) {
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
