package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// scheduler decides, by chance from a seed, which of the goroutines that wait at a call of the outside goes on,
// and what befalls the call. One goes on at a time, and only once all others wait, so that the same seed makes
// the same schedule.
type scheduler struct {
	chance  *rand.Rand
	mu      sync.Mutex
	waiting []*waitingCall
	arrived chan struct{}
	begun   time.Time
	calm    bool // nothing befalls calls any more
	rate    int  // of a thousand calls, how many something befalls
	steps   int
	trace   []string // nil unless it is wanted
	keep    bool
	sum     uint64
	stop    chan struct{}
}

// process is a server between its start and its end. Its calls wait while it is stopped. Once it is dead they
// fail and do nothing, so that its goroutines come to their end without a trace.
type process struct {
	name  string
	fails bool      // things befall its calls
	until time.Time // it is stopped until then
	dead  bool
}

type waitingCall struct {
	of    *process
	name  string
	order int
	grant chan verdict
}

// verdict is what befalls a call.
type verdict int

const (
	pass verdict = iota
	failBefore
	failAfter
	delayBefore
	delayAfter
	killBefore
	killAfter
	stopBefore
	stopAfter
	verdicts
)

var verdictNames = [verdicts]string{"", "fails before", "fails after", "is delayed before", "is delayed after", "is killed before",
	"is killed after", "is stopped before", "is stopped after"}

var errDead = errors.New("the process is dead")

var errLost = fault.New(fault.Unavailable, "connection_lost", "The connection was lost.")

func newScheduler(seed uint64, keep bool) *scheduler {
	return &scheduler{
		chance: rand.New(rand.NewPCG(seed, 17)), arrived: make(chan struct{}, 1), begun: time.Now(), keep: keep, stop: make(chan struct{}),
	}
}

// wait has a call wait for its turn.
func (s *scheduler) wait(of *process, name string) verdict {
	c := &waitingCall{of: of, name: name, grant: make(chan verdict, 1)}
	s.mu.Lock()
	c.order = s.steps
	s.waiting = append(s.waiting, c)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	select {
	case v := <-c.grant:
		return v
	case <-s.stop:
		return killBefore
	}
}

// tag is what a context's work is for. Calls that wait at the same time are told apart by it: which of two came
// first is chance of another kind.
type tag struct{}

func tagged(ctx context.Context, what string) context.Context {
	if before, ok := ctx.Value(tag{}).(string); ok {
		what = before + " " + what
	}
	return context.WithValue(ctx, tag{}, what)
}

// call makes a call of the outside by a process: effect happens once, or not at all.
func (s *scheduler) call(ctx context.Context, of *process, name string, effect func() error) error {
	if of.dead {
		return errDead
	}
	if what, ok := ctx.Value(tag{}).(string); ok {
		name = what + ": " + name
	}
	v := s.wait(of, name)
	switch v {
	case killBefore:
		of.dead = true
		return errDead
	case failBefore:
		return errLost
	case delayBefore, stopBefore:
		if v == stopBefore {
			s.stopProcess(of)
		}
		if v == delayBefore && !s.sleep(ctx) {
			return cmp.Or(ctx.Err(), errDead)
		}
		if err := s.again(of, name); err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
	}
	err := effect()
	switch v {
	case killAfter:
		of.dead = true
		return errDead
	case failAfter:
		if err == nil {
			err = errLost
		}
	case delayAfter, stopAfter:
		if v == stopAfter {
			s.stopProcess(of)
		} else {
			s.sleep(ctx)
		}
		err = cmp.Or(s.again(of, name+" returns"), err)
	}
	return err
}

// again waits for its turn, and nothing else befalls it.
func (s *scheduler) again(of *process, name string) error {
	if s.wait(of, name+" goes on") == killBefore {
		return errDead
	}
	return nil
}

// stopProcess stops a process for up to three leases.
func (s *scheduler) stopProcess(of *process) {
	of.until = time.Now().Add(time.Duration(1+s.chance.IntN(50_000)) * time.Millisecond)
}

// sleep waits for some time, and reports whether ctx lasted as long.
func (s *scheduler) sleep(ctx context.Context) bool {
	most := []int{50, 3_000, 12_000, 40_000}[s.chance.IntN(4)]
	timer := time.NewTimer(time.Duration(1+s.chance.IntN(most))*time.Millisecond + time.Duration(s.chance.IntN(1000))*time.Nanosecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	case <-s.stop:
		return false
	}
}

// run grants one call after the other until the end.
func (s *scheduler) run(end time.Time) {
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	for {
		synctest.Wait()
		if c := s.next(); c != nil {
			s.grant(c)
			continue
		}
		if !time.Now().Before(end) {
			return
		}
		var resumed <-chan time.Time
		if at := s.resumes(); !at.IsZero() {
			resumed = time.After(time.Until(at))
		}
		select {
		case <-s.arrived:
		case <-resumed:
		case <-timer.C:
			return
		}
	}
}

// next takes a call out of those that wait and may go on; nil: there is none.
func (s *scheduler) next() *waitingCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	var ready []*waitingCall
	for _, c := range s.waiting {
		if c.of.dead || !now.Before(c.of.until) || s.calm {
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	slices.SortStableFunc(ready, func(a, b *waitingCall) int {
		return cmp.Or(cmp.Compare(a.of.name, b.of.name), cmp.Compare(a.name, b.name), cmp.Compare(a.order, b.order))
	})
	c := ready[s.chance.IntN(len(ready))]
	s.waiting = slices.DeleteFunc(s.waiting, func(other *waitingCall) bool { return other == c })
	s.steps++
	return c
}

func (s *scheduler) resumes() (at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.waiting {
		if at.IsZero() || c.of.until.Before(at) {
			at = c.of.until
		}
	}
	return at
}

func (s *scheduler) grant(c *waitingCall) {
	v := pass
	again := len(c.name) > 8 && c.name[len(c.name)-8:] == " goes on"
	switch {
	case c.of.dead:
		v = killBefore
	case c.of.fails && !again && !s.calm && s.chance.IntN(1000) < s.rate:
		v = verdict(1 + s.chance.IntN(int(verdicts)-1))
	}
	if h := fnv.New64a(); true {
		fmt.Fprintf(h, "%x %s %s %d", s.sum, c.of.name, c.name, v)
		s.sum = h.Sum64()
	}
	if s.keep {
		s.trace = append(s.trace, fmt.Sprintf("%12s %s: %s %s", time.Since(s.begun), c.of.name, c.name, verdictNames[v]))
	}
	c.grant <- v
}

func (s *scheduler) note(format string, args ...any) {
	if s.keep {
		s.trace = append(s.trace, fmt.Sprintf("%12s ", time.Since(s.begun))+fmt.Sprintf(format, args...))
	}
}

// finish ends all goroutines: those that wait at once, and those that sleep when they wake up.
func (s *scheduler) finish() {
	close(s.stop)
	time.Sleep(10 * time.Minute)
}
