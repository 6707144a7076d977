package exchange

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Patience is how a client takes a refusal that says when to come back: it waits as long as Retry-After tells and
// sends the request again, which a server that refused it by a limit has not begun. It counts, and is shared by any number of
// clients.
type Patience struct {
	// Longest is how much waiting one request is worth. A refusal that asks for more is an answer like any other.
	Longest time.Duration
	// Busy is to wait for a busy server (503) as for a limit (429), although it may have begun. It is for requests
	// that do no more when they are sent twice.
	Busy bool

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
	told := p.told(response)
	if told == 0 || told > *left {
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

// told is how long a refusal says to wait, or zero.
func (p *Patience) told(response Response) time.Duration {
	if p == nil || response.Status != http.StatusTooManyRequests && (response.Status != http.StatusServiceUnavailable || !p.Busy) {
		return 0
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return max(0, time.Duration(seconds)*time.Second)
}
