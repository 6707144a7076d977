// Package parallel shares work out to all processors.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each hands out ranges of up to size of n to all processors, until ctx ends. The ranges do not depend on how
// many processors there are, so neither do sums over them.
func Each(ctx context.Context, n, size int, work func(from, to int)) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+size-1)/size) {
		workers.Go(func() {
			for ctx.Err() == nil {
				to := int(next.Add(int64(size)))
				if to-size >= n {
					return
				}
				work(to-size, min(to, n))
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}
