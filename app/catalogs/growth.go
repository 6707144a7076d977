package catalogs

import (
	"context"
	"sync/atomic"
	"time"
)

// Growth has the database look at its tables after many products were created, where it would do so
// by itself only a minute later and plan queries blindly until then. It does so a second after the
// write, off the request's path, and half as often each time: after 1,000 products, 3,000, 7,000 …
type Growth struct {
	analyze func(context.Context) error
	after   func(time.Duration, func())
	created atomic.Int64
	due     atomic.Int64
}

const (
	firstLook   = 1_000 // products created
	lookDelay   = time.Second
	longestLook = time.Minute
)

// NewGrowth counts from now. A failure of analyze is harmless.
func NewGrowth(analyze func(context.Context) error) *Growth {
	g := &Growth{analyze: analyze, after: func(wait time.Duration, look func()) { time.AfterFunc(wait, look) }}
	g.due.Store(firstLook)
	return g
}

// note counts created products. A nil Growth counts nothing.
func (g *Growth) note(n int) {
	if g == nil {
		return
	}
	created, due := g.created.Add(int64(n)), g.due.Load()
	if created < due || !g.due.CompareAndSwap(due, 2*created+firstLook) {
		return
	}
	g.after(lookDelay, func() {
		ctx, cancel := context.WithTimeout(context.Background(), longestLook)
		defer cancel()
		_ = g.analyze(ctx)
	})
}
