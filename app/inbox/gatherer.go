package inbox

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

const (
	// window is how long the first delivery of a group waits for others.
	window = 2 * time.Millisecond
	// most are in a group.
	most = 64
	// writers are how many groups are stored at once. While they are, the next one grows.
	writers = 2
	// storing bounds the storing of a group, which nobody's giving up ends.
	storing = 10 * time.Second
)

// gatherer stores deliveries that come at the same time in one transaction, so that a thousand of them a
// second are not a thousand commits. Whoever brings one waits until it is stored.
type gatherer struct {
	store   func(context.Context, []*integration.Delivery) error
	writers chan struct{}
	mu      *sync.Mutex
	open    *group // takes more; nil: there is none
}

type group struct {
	list   []*integration.Delivery
	errs   []error // once done, of each
	filled chan struct{}
	done   chan struct{}
}

func newGatherer(store func(context.Context, []*integration.Delivery) error) gatherer {
	return gatherer{
		store:   store,
		writers: make(chan struct{}, writers),
		mu:      &sync.Mutex{},
	}
}

// keep stores a delivery. Given up, it may be stored all the same.
func (g *gatherer) keep(ctx context.Context, d *integration.Delivery) error {
	in, at := g.join(ctx, d)
	select {
	case <-in.done:
		return in.errs[at]
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gatherer) join(ctx context.Context, d *integration.Delivery) (in *group, at int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = &group{filled: make(chan struct{}), done: make(chan struct{})}
		go g.commit(context.WithoutCancel(ctx), g.open)
	}
	in, at = g.open, len(g.open.list)
	if in.list = append(in.list, d); len(in.list) == most {
		g.open = nil
		close(in.filled)
	}
	return in, at
}

// commit stores a group once it is full, or has waited and there is a writer for it.
func (g *gatherer) commit(ctx context.Context, in *group) {
	wait := time.NewTimer(window)
	defer wait.Stop()
	select {
	case <-in.filled:
	case <-wait.C:
	}
	g.writers <- struct{}{}
	defer func() { <-g.writers }()
	g.mu.Lock()
	if g.open == in {
		g.open = nil
	}
	g.mu.Unlock()
	defer close(in.done)
	in.errs = make([]error, len(in.list))
	ctx, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	err := g.store(ctx, in.list)
	for i := range in.list {
		in.errs[i] = err
		if err != nil && len(in.list) > 1 && fault.KindOf(err) != fault.Unavailable && ctx.Err() == nil { // none is to fail because of another
			in.errs[i] = g.store(ctx, in.list[i:i+1])
		}
	}
}

// name is the platform's id of a delivery, as every database takes it.
func name(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) > longestName {
		return id.Hash(text)
	}
	return text
}
