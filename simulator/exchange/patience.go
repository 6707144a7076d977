package exchange

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Patience is how a client takes a refusal that says when to come back: it waits as long as Retry-After tells and
// sends the request again, which a server that refused it has not begun. It counts, and is shared by any number of
// clients.
type Patience struct {
	// Longest is how much waiting one request is worth. A refusal that asks for more is an answer like any other.
	Longest time.Duration

	waits  atomic.Int64
	waited atomic.Int64
}

// Waited is how often clients were told to wait and did, and how long altogether.
func (p *Patience) Waited() (times int, total time.Duration) {
	return int(p.waits.Load()), time.Duration(p.waited.Load())
}

// wait waits as the response tells, within what is left of the patience. It reports whether it did: not if nobody
// is patient, nothing was told, too much was, or ctx ended, whose error it returns.
func (p *Patience) wait(ctx context.Context, response Response, left *time.Duration) (bool, error) {
	told := retryAfter(response)
	if p == nil || told == 0 || told > *left {
		return false, nil
	}
	*left -= told
	p.waits.Add(1)
	began := time.Now()
	defer func() { p.waited.Add(int64(time.Since(began))) }()
	timer := time.NewTimer(told)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
		return true, nil
	}
}

// longest is the patience that a request starts with.
func (p *Patience) longest() time.Duration {
	if p == nil {
		return 0
	}
	return p.Longest
}

// retryAfter is what a 429 tells, or zero.
func retryAfter(response Response) time.Duration {
	if response.Status != http.StatusTooManyRequests {
		return 0
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return max(0, time.Duration(seconds)*time.Second)
}
