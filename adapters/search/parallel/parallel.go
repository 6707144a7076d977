// Package parallel distributes work to all processors. It starts no background work: Each returns when the work has ended.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each splits 0…n into ranges of at most size, and calls work for them on all processors, until ctx ends. The ranges, and so sums
// over them, do not depend on the number of processors.
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
