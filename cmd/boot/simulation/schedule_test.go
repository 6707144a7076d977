package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// scheduler decides, at random from a seed, which of the goroutines that wait at an outside call continues, and how the call
// fails. One goroutine runs at a time, and only once all others wait, so that the same seed gives the same schedule.
type scheduler struct {
	chance  *rand.Rand
	mu      sync.Mutex
	waiting []*waitingCall
	ready   []*waitingCall
	spare   []*waitingCall // for reuse
	arrived chan struct{}
	begun   time.Time
	calm    bool // no more failures
	rate    int  // failures per thousand calls
	steps   int
	stepsOf map[string]int // steps of work for a buyer, by the buyer's name
	trace   []string       // nil unless it is printed
	keep    bool
	sum     uint64
	stopped bool // the schedule has ended
	instant bool // calls do not wait; for setup without a schedule
}

// process is one run of a server. Its calls wait while it is stopped. Once it is dead they fail without an effect, so that its
// goroutines end without a trace.
type process struct {
	name  string
	fails bool      // its calls may fail
	until time.Time // it is stopped until then
	dead  bool
	ends  []func() // called when it dies, and at the end
}

// end kills the process.
func (p *process) end() {
	p.dead = true
	for _, end := range p.ends {
		end()
	}
}

type waitingCall struct {
	of    *process
	name  string
	order int
	grant chan verdict
}

// verdict is what happens to a call.
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
		chance:  rand.New(rand.NewPCG(seed, 17)),
		arrived: make(chan struct{}, 1),
		begun:   time.Now(),
		keep:    keep,
		stepsOf: map[string]int{},
	}
}

// wait blocks a call until its turn, and returns what happens to it.
func (s *scheduler) wait(of *process, name string) verdict {
	s.mu.Lock()
	if s.stopped || s.instant {
		s.mu.Unlock()
		if s.instant {
			return pass
		}
		return killBefore
	}
	c := s.newCall()
	c.of, c.name, c.order = of, name, s.steps
	s.waiting = append(s.waiting, c)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	v := <-c.grant
	s.mu.Lock()
	s.spare = append(s.spare, c)
	s.mu.Unlock()
	return v
}

// newCall returns a new or reused call. The caller holds the lock.
func (s *scheduler) newCall() *waitingCall {
	n := len(s.spare)
	if n == 0 {
		return &waitingCall{grant: make(chan verdict, 1)}
	}
	c := s.spare[n-1]
	s.spare = s.spare[:n-1]
	return c
}

// tag identifies what a context's work is for. It distinguishes calls that wait at the same time, because the order in which
// two of them arrived does not come from the seed.
type tag struct{}

type tagText struct{ who, what string }

func tagged(ctx context.Context, what string) context.Context {
	t := tagText{what, what}
	if before, ok := ctx.Value(tag{}).(tagText); ok {
		t = tagText{before.who, before.what + " " + what}
	}
	return context.WithValue(ctx, tag{}, t)
}

// call makes an outside call of a process: effect happens once or not at all.
func (s *scheduler) call(ctx context.Context, of *process, name string, effect func() error) error {
	if of.dead {
		return errDead
	}
	if t, ok := ctx.Value(tag{}).(tagText); ok {
		name = t.what + ": " + name
		s.mu.Lock()
		s.stepsOf[t.who]++
		s.mu.Unlock()
	}
	v := s.wait(of, name)
	switch v {
	case killBefore:
		of.end()
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
		if !s.calm { // a slow receiver may outlast the failures, and nothing would restart the server then
			of.end()
			return errDead
		}
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

// again waits for another turn. The only failure it can meet is that the process is dead.
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

// sleep waits for some time, and reports whether ctx is still valid then.
func (s *scheduler) sleep(ctx context.Context) bool {
	most := []int{50, 3_000, 12_000, 40_000}[s.chance.IntN(4)]
	timer := time.NewTimer(time.Duration(1+s.chance.IntN(most))*time.Millisecond + time.Duration(s.chance.IntN(1000))*time.Nanosecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
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

// next removes and returns a waiting call that may continue, or nil.
func (s *scheduler) next() *waitingCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	ready := s.ready[:0]
	for _, c := range s.waiting {
		if c.of.dead || !now.Before(c.of.until) || s.calm {
			ready = append(ready, c)
		}
	}
	s.ready = ready
	if len(ready) == 0 {
		return nil
	}
	c := ready[0]
	if len(ready) > 1 {
		slices.SortStableFunc(ready, func(a, b *waitingCall) int {
			return cmp.Or(strings.Compare(a.of.name, b.of.name), strings.Compare(a.name, b.name), cmp.Compare(a.order, b.order))
		})
		c = ready[s.chance.IntN(len(ready))]
	}
	at := slices.Index(s.waiting, c)
	s.waiting = slices.Delete(s.waiting, at, at+1)
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
	s.hash(c.of.name)
	s.hash(c.name)
	s.sum = (s.sum ^ uint64(v)) * fnvPrime
	if s.keep {
		s.trace = append(s.trace, fmt.Sprintf("%12s %s: %s %s", time.Since(s.begun), c.of.name, c.name, verdictNames[v]))
	}
	c.grant <- v
}

// hash adds text to the schedule's checksum (FNV-1a).
func (s *scheduler) hash(text string) {
	for i := range len(text) {
		s.sum = (s.sum ^ uint64(text[i])) * fnvPrime
	}
}

const fnvPrime = 1099511628211

func (s *scheduler) note(format string, args ...any) {
	if s.keep {
		s.trace = append(s.trace, fmt.Sprintf("%12s ", time.Since(s.begun))+fmt.Sprintf(format, args...))
	}
}

// pause waits, and reports whether the schedule continues.
func (s *scheduler) pause(d time.Duration) bool {
	time.Sleep(d)
	return !s.stopped
}

// longestPause is the longest pause of any goroutine.
const longestPause = 10 * time.Minute

// finish ends all goroutines: waiting ones immediately, sleeping ones when they wake up.
func (s *scheduler) finish() {
	s.mu.Lock()
	s.stopped = true
	waiting := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for _, c := range waiting {
		c.grant <- killBefore
	}
	time.Sleep(longestPause + time.Minute)
}

// grow makes room for deep calls on a goroutine's stack at once. Growing it step by step took a sixth of a
// schedule's time.
//
//go:noinline
func grow() byte {
	var room [6 << 10]byte
	return room[runtime.NumCPU()]
}
