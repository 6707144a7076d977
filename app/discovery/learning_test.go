package discovery_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeLearner is an index with loaded projects, and the store of the sales and availability changes that it learns from.
type fakeLearner struct {
	ports.Index
	ports.Learner
	ports.AvailabilityChanges
	now      time.Time
	loaded   []id.Project
	broken   id.Project // whose reads fail
	asked    map[id.Project][]time.Time
	late     []id.Project // whose late commits were read, too
	learned  map[id.Project][]ports.Sales
	unsold   map[id.Project]bool // whose index was dropped and rebuilt
	restocks map[id.Project][]map[id.Variant]int
	totals   map[id.Variant]int
}

func (p *fakeLearner) Now() time.Time       { return p.now }
func (p *fakeLearner) Loaded() []id.Project { return p.loaded }

func (p *fakeLearner) Learn(project id.Project, s ports.Sales) {
	p.learned[project] = append(p.learned[project], s)
	delete(p.unsold, project)
}

func (p *fakeLearner) State(project id.Project) ports.IndexState {
	return ports.IndexState{Sold: len(p.learned[project]) > 0 && !p.unsold[project]}
}

func (p *fakeLearner) Restock(project id.Project, totals map[id.Variant]int) {
	p.restocks[project] = append(p.restocks[project], totals)
}

func (p *fakeLearner) ask(project id.Project, since time.Time) error {
	p.asked[project] = append(p.asked[project], since)
	if project == p.broken {
		return errGone
	}
	return nil
}

func (p *fakeLearner) Sales(_ context.Context, project id.Project, since time.Time, limit int) (ports.Sales, error) {
	return ports.Sales{Sold: map[id.Product]int{{}: limit}}, p.ask(project, since)
}

func (p *fakeLearner) ChangedSince(_ context.Context, project id.Project, since time.Time, late bool) (map[id.Variant]int, time.Time, error) {
	if late {
		p.late = append(p.late, project)
	}
	return p.totals, p.now, p.ask(project, since)
}

// openLearner returns a service whose index has loaded two projects.
func openLearner() (*discovery.Service, *fakeLearner) {
	p := &fakeLearner{
		now:      noon,
		loaded:   []id.Project{id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2})},
		asked:    map[id.Project][]time.Time{},
		learned:  map[id.Project][]ports.Sales{},
		unsold:   map[id.Project]bool{},
		restocks: map[id.Project][]map[id.Variant]int{},
		totals:   map[id.Variant]int{id.New[id.Variant]([16]byte{3}): 4},
	}
	return discovery.New(discovery.Service{
		Stores:              &ports.Stores{},
		Index:               p,
		Learner:             p,
		Sales:               p,
		AvailabilityChanges: p,
		Clock:               p,
	}), p
}

func TestLearnSales(t *testing.T) {
	t.Parallel()
	service, p := openLearner()
	one, two := p.loaded[0], p.loaded[1]
	p.broken = one
	steps := []struct {
		after    time.Duration
		one, two int // how often they have learned
	}{
		{0, 0, 1},
		{10*time.Minute - 1, 1, 1}, // one, which no longer fails, does not have to wait
		{1, 1, 2},
		{10*time.Minute - 2, 1, 2},
		{1, 2, 2},
	}
	for i, step := range steps {
		p.now = p.now.Add(step.after)
		if err := service.LearnSales(t.Context()); errors.Is(err, errGone) != (i == 0) || err != nil && i > 0 {
			t.Errorf("step %d: %v", i, err)
		}
		p.broken = id.Project{}
		if len(p.learned[one]) != step.one || len(p.learned[two]) != step.two {
			t.Errorf("step %d: taught %d and %d times, want %d and %d", i, len(p.learned[one]), len(p.learned[two]), step.one, step.two)
		}
	}
	if since := p.asked[two][0]; !since.Equal(noon.AddDate(0, 0, -90)) {
		t.Errorf("sales since %v", since)
	}
	if sold := p.learned[two][0].Sold[id.Product{}]; sold != 20 {
		t.Errorf("up to %d companions", sold)
	}
}

// A rebuilt index learns in the next run, while the other project still waits.
func TestLearnSales_rebuiltIndex(t *testing.T) {
	t.Parallel()
	service, p := openLearner()
	one, two := p.loaded[0], p.loaded[1]
	for i, want := range []int{1, 1, 2, 2} {
		p.unsold[one] = i == 2
		if err := service.LearnSales(t.Context()); err != nil {
			t.Error(err)
		}
		if len(p.learned[one]) != want || len(p.learned[two]) != 1 {
			t.Errorf("run %d: taught %d and %d times, want %d and 1", i, len(p.learned[one]), len(p.learned[two]), want)
		}
		p.now = p.now.Add(time.Second)
	}
}

func TestUpdateStock(t *testing.T) {
	t.Parallel()
	service, p := openLearner()
	one, two := p.loaded[0], p.loaded[1]
	run := func(want error) {
		t.Helper()
		if err := service.UpdateStock(t.Context()); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		p.now = p.now.Add(time.Second)
	}
	run(nil)
	p.broken = one
	run(errGone)
	p.broken, p.totals = id.Project{}, nil
	run(nil)
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	if want := []time.Time{{}, at(0), at(0)}; !reflect.DeepEqual(p.asked[one], want) {
		t.Errorf("asked for turns since %v, want %v", p.asked[one], want)
	}
	if want := []time.Time{{}, at(0), at(1)}; !reflect.DeepEqual(p.asked[two], want) {
		t.Errorf("asked for turns since %v, want %v", p.asked[two], want)
	}
	if len(p.restocks[one]) != 1 || len(p.restocks[two]) != 2 || p.restocks[two][0][id.New[id.Variant]([16]byte{3})] != 4 {
		t.Errorf("told the index %v", p.restocks)
	}
}

// Late commits are read every 15 seconds, from the time of their last read.
func TestUpdateStock_lateCommits(t *testing.T) {
	t.Parallel()
	service, p := openLearner()
	one := p.loaded[0]
	p.loaded = p.loaded[:1]
	for second := range 32 {
		before := len(p.late)
		p.broken = id.Project{}
		if second == 16 {
			p.broken = one // the next run reads them again
		}
		if err := service.UpdateStock(t.Context()); errors.Is(err, errGone) != (second == 16) {
			t.Error(err)
		}
		since, want := noon.Add(time.Duration(second-1)*time.Second), false
		switch second {
		case 0:
			since = time.Time{}
		case 16, 17:
			since, want = noon, true
		}
		if asked := p.asked[one][second]; len(p.late) > before != want || !asked.Equal(since) {
			t.Errorf("second %d: asked for turns since %v, late %t; want %v, %t", second, asked, len(p.late) > before, since, want)
		}
		p.now = p.now.Add(time.Second)
	}
}

// After the database's clock was set back, late commits are read by the new time.
func TestUpdateStock_clockSetBack(t *testing.T) {
	t.Parallel()
	service, p := openLearner()
	one := p.loaded[0]
	p.loaded = p.loaded[:1]
	for second := range 32 {
		if p.now = p.now.Add(time.Second); second == 2 {
			p.now = noon.Add(-time.Hour)
		}
		if err := service.UpdateStock(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if back := noon.Add(-time.Hour); len(p.late) != 1 || !p.asked[one][18].Equal(back) {
		t.Errorf("asked for late commits %d times, want once; then since %v, want %v", len(p.late), p.asked[one][18], back)
	}
}

func TestEachLoaded_noneOrCanceled(t *testing.T) {
	t.Parallel()
	service, _ := open(&fixture{})
	if err := errors.Join(service.LearnSales(t.Context()), service.UpdateStock(t.Context())); err != nil {
		t.Error(err)
	}
	service, p := openLearner()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := service.UpdateStock(gone); !errors.Is(err, context.Canceled) || len(p.asked) > 0 {
		t.Errorf("%v, asked %v", err, p.asked)
	}
}
