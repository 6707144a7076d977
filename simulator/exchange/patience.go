package exchange

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Patience lets a client wait when a server refuses a request with Retry-After, and then send it again. That is safe
// after a 429, because a server that refuses a request by a rate limit has not processed it. Patience counts the waits.
// Clients may share one.
type Patience struct {
	// Longest limits the waiting time of one request. If Retry-After exceeds it, the refusal is returned.
	Longest time.Duration
	// Busy also waits after a 503, although the server may have processed the request. Set it if requests may be sent
	// twice.
	Busy bool

	waits  atomic.Int64
	waited atomic.Int64
}

// Waited returns how often clients waited, and the total time.
func (p *Patience) Waited() (times int, total time.Duration) {
	return int(p.waits.Load()), time.Duration(p.waited.Load())
}

// wait waits as long as the response's Retry-After says and reports whether the request should be sent again. It should
// not if there is no patience, no valid Retry-After, one longer than what is left, or if ctx ended; only the last is an
// error.
func (p *Patience) wait(ctx context.Context, response Response, left *time.Duration) (bool, error) {
	retryAfter := p.retryAfter(response)
	if retryAfter == 0 || retryAfter > *left {
		return false, nil
	}
	*left -= retryAfter
	p.waits.Add(1)
	began := time.Now()
	defer func() { p.waited.Add(int64(time.Since(began))) }()
	timer := time.NewTimer(retryAfter)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
		return true, nil
	}
}

// longest returns the time that a request may wait.
func (p *Patience) longest() time.Duration {
	if p == nil {
		return 0
	}
	return p.Longest
}

// retryAfter returns how long a refusal says to wait, or zero.
func (p *Patience) retryAfter(response Response) time.Duration {
	if p == nil || response.Status != http.StatusTooManyRequests && (response.Status != http.StatusServiceUnavailable || !p.Busy) {
		return 0
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return max(0, time.Duration(seconds)*time.Second)
}
