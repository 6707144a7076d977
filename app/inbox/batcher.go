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
	// maxWait is how long the first delivery of a group waits for others.
	maxWait = 2 * time.Millisecond
	// maxGroup bounds the deliveries of a group.
	maxGroup = 64
	// writers is how many groups are stored concurrently. Meanwhile the next group grows.
	writers = 2
	// storeTimeout bounds the storing of a group, which continues when callers give up.
	storeTimeout = 10 * time.Second
)

// batcher stores concurrent deliveries in one transaction, so that a thousand deliveries per second are not a thousand commits.
// A caller waits until its delivery is stored.
type batcher struct {
	store   func(context.Context, []*integration.Delivery) error
	writers chan struct{}
	mu      *sync.Mutex
	open    *group // accepts more deliveries; nil: none
}

type group struct {
	list   []*integration.Delivery
	errs   []error // of each delivery, set before done is closed
	filled chan struct{}
	done   chan struct{}
}

func newBatcher(store func(context.Context, []*integration.Delivery) error) batcher {
	return batcher{
		store:   store,
		writers: make(chan struct{}, writers),
		mu:      &sync.Mutex{},
	}
}

// add stores a delivery. If ctx ends, the delivery may still be stored.
func (b *batcher) add(ctx context.Context, d *integration.Delivery) error {
	in, at := b.join(ctx, d)
	select {
	case <-in.done:
		return in.errs[at]
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *batcher) join(ctx context.Context, d *integration.Delivery) (in *group, at int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = &group{filled: make(chan struct{}), done: make(chan struct{})}
		go b.commit(context.WithoutCancel(ctx), b.open)
	}
	in, at = b.open, len(b.open.list)
	if in.list = append(in.list, d); len(in.list) == maxGroup {
		b.open = nil
		close(in.filled)
	}
	return in, at
}

// commit stores a group when it is full, or when it has waited and a writer is free.
func (b *batcher) commit(ctx context.Context, in *group) {
	wait := time.NewTimer(maxWait)
	defer wait.Stop()
	select {
	case <-in.filled:
	case <-wait.C:
	}
	b.writers <- struct{}{}
	defer func() { <-b.writers }()
	b.mu.Lock()
	if b.open == in {
		b.open = nil
	}
	b.mu.Unlock()
	defer close(in.done)
	in.errs = make([]error, len(in.list))
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := b.store(ctx, in.list)
	for i := range in.list {
		in.errs[i] = err
		if err != nil && len(in.list) > 1 && fault.KindOf(err) != fault.Unavailable && ctx.Err() == nil { // one delivery must not make the others fail
			in.errs[i] = b.store(ctx, in.list[i:i+1])
		}
	}
}

// remoteID returns the platform's id of a delivery in a form that every database can store.
func remoteID(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) > maxRemoteID {
		return id.Hash(text)
	}
	return text
}
