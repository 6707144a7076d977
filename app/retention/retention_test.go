package retention

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeStore has a number of chunks of expired sessions for each project.
type fakeStore struct {
	ports.Retention
	due    [][]id.Project
	left   map[id.Project]int
	rounds []id.Project // the projects whose sessions were removed, in order
	again  []id.Project
	keeps  map[ports.Leftover]time.Duration
	fold   time.Duration
	audit  int
	bad    id.Project
}

func (s *fakeStore) Due(context.Context, int) ([]ports.Keeping, error) {
	if len(s.due) == 0 {
		return nil, nil
	}
	var list []ports.Keeping
	for _, p := range s.due[0] {
		r := project.Retention{
			Messages:   1,
			Sessions:   2,
			Decisions:  3,
			Events:     4,
			Deliveries: 5,
			Logs:       6,
		}
		list = append(list, ports.Keeping{Project: p, Retention: r})
	}
	s.due = s.due[1:]
	return list, nil
}

func (s *fakeStore) Again(_ context.Context, p id.Project) error {
	s.again = append(s.again, p)
	return nil
}

func (s *fakeStore) Remove(_ context.Context, p id.Project, what ports.Leftover, keep time.Duration, _ ports.Seals) (bool, error) {
	s.keeps[what] = keep
	if p == s.bad {
		panic("unreadable")
	}
	if what != ports.OldSessions {
		return false, nil
	}
	s.rounds = append(s.rounds, p)
	s.left[p]--
	return s.left[p] > 0, nil
}

// RemoveAuditEvents reports more on its first call only.
func (s *fakeStore) RemoveAuditEvents(context.Context) (bool, error) {
	s.audit++
	return s.audit == 1, nil
}

func (s *fakeStore) Fold(_ context.Context, _ id.Project, keep time.Duration, _ ports.Seals) (bool, error) {
	s.fold = keep
	return false, nil
}

func named(n byte) id.Project { return id.New[id.Project]([16]byte{n}) }

// A project with much to remove does not delay others: rounds alternate, and after maxRounds it waits behind later projects.
func TestRun_fair(t *testing.T) {
	t.Parallel()
	huge, small, late := named(1), named(2), named(3)
	s := &fakeStore{
		due: [][]id.Project{{huge, small}, {late}},
		left: map[id.Project]int{
			huge:  1_000,
			small: 2,
			late:  1,
		},
		keeps: map[ports.Leftover]time.Duration{},
	}
	if err := (&Service{Store: s}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.rounds[:4]; !slices.Equal(got, []id.Project{huge, small, huge, small}) {
		t.Errorf("rounds begin with %v", got)
	}
	if n := len(s.rounds); n != maxRounds+2+1 || s.rounds[n-1] != late {
		t.Errorf("%d rounds", n)
	}
	if !slices.Equal(s.again, []id.Project{huge}) {
		t.Errorf("listed again: %v", s.again)
	}
	day := 24 * time.Hour
	want := map[ports.Leftover]time.Duration{
		ports.OldMessages:   day,
		ports.OldSessions:   2 * day,
		ports.OldLostDeals:  3 * day,
		ports.OldEvents:     4 * day,
		ports.OldDeliveries: 5 * day,
		ports.OldLogs:       6 * day,
		ports.OldSlots:      400 * day,
	}
	for what, keep := range want {
		if s.keeps[what] != keep {
			t.Errorf("%d is kept for %s, want %s", what, s.keeps[what], keep)
		}
	}
	if s.audit != 2 {
		t.Errorf("audit events are removed %d times", s.audit)
	}
	if s.fold != 3*day {
		t.Errorf("decisions are kept for %s", s.fold)
	}
}

func TestRun_oneProjectFails(t *testing.T) {
	t.Parallel()
	bad, good := named(1), named(2)
	s := &fakeStore{
		due:   [][]id.Project{{bad, good}},
		left:  map[id.Project]int{good: 3},
		keeps: map[ports.Leftover]time.Duration{},
		bad:   bad,
	}
	err := (&Service{Store: s}).Run(t.Context())
	if err == nil || s.left[good] != 0 {
		t.Errorf("%v, %d left of the good one", err, s.left[good])
	}
}

func TestRun_ends(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &fakeStore{
		due:   [][]id.Project{{named(1)}, {named(1)}},
		left:  map[id.Project]int{},
		keeps: map[ports.Leftover]time.Duration{},
	}
	if err := (&Service{Store: s}).Run(ctx); err != nil && !errors.Is(err, context.Canceled) || len(s.due) != 1 {
		t.Errorf("%v, %d lists are left", err, len(s.due))
	}
}
