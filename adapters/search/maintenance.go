package search

import (
	"context"
	"errors"
	"sync"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// maintenance is the background work on one replica. It runs in at most one goroutine, which ends when nothing is due.
type maintenance struct {
	mu      sync.Mutex
	running bool
	again   bool
	idle    chan struct{} // closed when the running work is done
}

// maintain starts background work if some is due and none is running.
func (x *Index) maintain(c *replica) {
	x.closing.RLock()
	defer x.closing.RUnlock()
	t := &c.maintenance
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running {
		t.again = true
		return
	}
	if x.life.Err() != nil || !c.due() {
		return
	}
	t.running, t.again, t.idle = true, false, make(chan struct{})
	x.tended.Go(func() { x.work(c) })
}

// work runs until nothing is due.
func (x *Index) work(c *replica) {
	t := &c.maintenance
	for {
		err := fault.Survive(func() error { return c.improve(x.life) })
		if err != nil && !errors.Is(err, context.Canceled) {
			x.log.Error("an index could not be improved", "error", err)
		}
		t.mu.Lock()
		if err != nil || !t.again && !c.due() {
			t.running = false
			close(t.idle)
			t.mu.Unlock()
			return
		}
		t.again = false
		t.mu.Unlock()
	}
}

// Settle waits until no background work is running.
func (x *Index) Settle(ctx context.Context) error {
	for {
		busy := x.busy()
		if busy == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-busy:
		}
	}
}

func (x *Index) busy() (idle chan struct{}) {
	x.projects.Range(func(_, c any) bool {
		t := &c.(*replica).maintenance
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.running {
			idle = t.idle
		}
		return idle == nil
	})
	return idle
}

// due reports whether background work is due.
func (c *replica) due() bool {
	s := c.current.Load()
	return s != nil && (c.overgrown() || mergeFrom(s.parts) < len(s.parts) || s.unlearned() || c.embedded.waiting())
}

// overgrown reports whether the registers have too many unused names.
func (c *replica) overgrown() bool { return c.names.Load() > c.mostNames.Load() }

// unlearned reports whether a tenth of the catalogue was added after the vectors were learned.
func (s *snapshot) unlearned() bool {
	n := live(s.parts)
	return n >= leastDocuments && s.unlearnt*share > n
}

// improve does one task that is due.
func (c *replica) improve(ctx context.Context) error {
	s := c.current.Load()
	switch {
	case c.overgrown():
		c.relabel()
	case mergeFrom(s.parts) < len(s.parts):
		return c.merge(ctx)
	case s.unlearned():
		return c.learn(ctx)
	case c.embedded.waiting():
		return c.embed(ctx)
	}
	return nil
}

// merge merges the last parts while other goroutines read and write.
func (c *replica) merge(ctx context.Context) error {
	c.applying.Lock()
	s := c.current.Load()
	from := mergeFrom(s.parts)
	c.frozen = len(s.parts)
	c.applying.Unlock()
	defer c.unfreeze()

	merging := s.parts[from:]
	var merged []part
	var j *joining
	if live(merging) > 0 {
		j = join(merging, s.limits)
		p := j.part()
		if err := seal(ctx, p.latent, p.embedded); err != nil {
			return err
		}
		merged = []part{p}
	}

	c.applying.Lock()
	defer c.applying.Unlock()
	next := c.current.Load().copy()
	now := next.parts[from : from+len(merging)]
	if j != nil {
		j.markDeadAgain(&merged[0], now)
	}
	next.parts = append(append(next.parts[:from:from], merged...), next.parts[from+len(merging):]...)
	next.measure()
	c.publish(next, func() {
		if j != nil {
			j.refresh()
		}
	})
	return nil
}

func (c *replica) unfreeze() {
	c.applying.Lock()
	defer c.applying.Unlock()
	c.frozen = 0
}

// learn trains a new model and computes the vectors of all documents.
func (c *replica) learn(ctx context.Context) error {
	s := c.current.Load()
	learnt, err := s.train(ctx)
	if err != nil {
		return err
	}
	sets := make(map[*segment.Segment]*vectors.Set, len(s.parts))
	for i := range s.parts {
		set := learnt.fold(s.parts[i].Segment)
		if err := seal(ctx, set); err != nil {
			return err
		}
		sets[s.parts[i].Segment] = set
	}
	c.applying.Lock()
	defer c.applying.Unlock()
	next := c.current.Load().copy()
	next.latent, next.unlearnt = learnt, next.unlearnt-s.unlearnt
	for i := range next.parts {
		p := &next.parts[i]
		if set, done := sets[p.Segment]; done {
			p.latent = set
		} else {
			p.latent = learnt.fold(p.Segment)
		}
	}
	c.publish(next, func() {})
	return nil
}

// seal makes sets of vectors faster to search, before they are shared. It skips those that are sealed already.
func seal(ctx context.Context, sets ...*vectors.Set) error {
	for _, set := range sets {
		if set == nil || !set.Stale() {
			continue
		}
		if err := set.Seal(ctx, latentSeed); err != nil {
			return err
		}
	}
	return nil
}
