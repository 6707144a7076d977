package porttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// QueueSuite is the contract of ports.Queue, run with every queue of a store.
type QueueSuite struct {
	Open OpenPublishing
	// Spoil makes a row of a queue unreadable, or readable again. It reports false if every row of the queue can
	// be read. Nil: so can every row of the store.
	Spoil func(s PublishingStores, queue, key string, spoilt bool) bool
	// Work runs a worker until ctx ends. done is closed once it has ended, wake wakes it.
	Work func(ctx context.Context, q ports.Queue[any], work func(context.Context, ports.Leased[any]) error) (wake func(), done <-chan struct{})
}

// queueCase is one queue of one store.
type queueCase struct {
	*testing.T
	stores PublishingStores
	suite  QueueSuite
	name   string
	queue  ports.Queue[any]
	// add adds work to a group and returns its key. It is due at queueStart.
	add func(group int) string
	// record records that claimed work is done.
	record func(ports.Leased[any]) error
	// room is how many rows a group has at most; 0: any number.
	room int
	// unfenced is set if the recorded result is a provider's fact, which is accepted without the lease.
	unfenced bool
}

// queueStart is when all added work is due.
var queueStart = Noon.Add(time.Hour)

const queueLease = 15 * time.Second

// Run runs the suite with the queues that the store has.
func (suite QueueSuite) Run(t *testing.T) {
	for name, build := range queueCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for rule, test := range map[string]func(queueCase){
				"a claim is exclusive":                      queueExclusive,
				"a lease ends by the store's clock":         queueLeaseEnds,
				"the first claimant is fenced":              queueFenced,
				"each group has its share":                  queueFair,
				"work is set aside for longer each time":    queueAside,
				"an unreadable row is claimed with its Err": queueUnreadable,
				"an empty queue":                            queueEmpty,
				"a panic is set aside, the rest is done":    queuePanic,
				"a worker that is woken":                    queueWoken,
				"a worker that is stopped finishes":         queueStopped,
			} {
				t.Run(rule, func(t *testing.T) {
					t.Parallel()
					c := queueCase{
						T:      t,
						stores: suite.Open(t),
						suite:  suite,
						name:   name,
					}
					if !build(&c) {
						t.Skip("the store has no such queue")
					}
					test(c)
				})
			}
		})
	}
}

// erased lets one suite run with queues of any item.
type erased[T any] struct{ ports.Queue[T] }

func (q erased[T]) Claim(ctx context.Context, lease time.Duration, shares []ports.Share) ([]ports.Leased[any], error) {
	claimed, err := q.Queue.Claim(ctx, lease, shares)
	list := make([]ports.Leased[any], len(claimed))
	for i, l := range claimed {
		list[i] = ports.Leased[any]{
			Held: l.Held,
			Item: l.Item,
			Err:  l.Err,
		}
	}
	return list, err
}

func nameOf(h ports.Held) string { return h.Project.String() + "/" + h.Key }

// fill adds work to one group, or to several where a group has no room for it.
func (c queueCase) fill(n int) {
	c.Helper()
	for i := range n {
		c.add(i / cmp.Or(c.room, n))
	}
	c.at(queueStart)
}

func (c queueCase) at(now time.Time) { c.stores.SetClock(now) }

func (c queueCase) claim(most int) []ports.Leased[any] {
	c.Helper()
	list, err := claimUpTo(c.Context(), c.queue, queueLease, most)
	c.must(err)
	return list
}

// one claims the only work there is.
func (c queueCase) one(when string) ports.Leased[any] {
	c.Helper()
	list := c.claim(1)
	if len(list) != 1 {
		c.Fatalf("%d claimed %s, want 1", len(list), when)
	}
	return list[0]
}

func (c queueCase) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func queueExclusive(c queueCase) {
	const all = 8
	c.fill(all)
	claims := make([][]ports.Leased[any], Racers)
	c.must(AtOnce(Racers, func(i int) (err error) {
		claims[i], err = claimUpTo(c.Context(), c.queue, queueLease, 2)
		return err
	}))
	seen := map[string]int{}
	for _, l := range append(slices.Concat(claims...), c.claim(all)...) { // claims that skipped locked rows left some
		seen[nameOf(l.Held)]++
	}
	for name, times := range seen {
		Same(c, "claims of "+name, times, 1)
	}
	Same(c, "claimed", len(seen), all)
}

func queueLeaseEnds(c queueCase) {
	c.fill(2)
	var shares []ports.Share
	for _, l := range c.claim(2) {
		Same(c, "leased until", l.Until, queueStart.Add(queueLease))
		shares = append(shares, ports.Share{Group: l.Group, Most: 2})
	}
	c.at(queueStart.Add(queueLease - time.Millisecond))
	Same(c, "claimed while the leases last", len(c.claim(2)), 0)
	early, err := c.queue.Claim(c.Context(), queueLease, shares) // groups that were listed before the first claim
	c.must(err)
	Same(c, "claimed of these groups while the leases last", len(early), 0)
	c.at(queueStart.Add(queueLease))
	Same(c, "claimed when they have ended", len(c.claim(2)), 2)
}

func queueFenced(c queueCase) {
	c.fill(1)
	first := c.one("at first")
	c.at(queueStart.Add(queueLease))
	second := c.one("when the first lease has ended")
	if !c.unfenced {
		_ = c.record(first) // some say that the lease is lost, others do nothing
	}
	c.must(c.queue.SetAside(c.Context(), first.Held, "late"))
	c.at(second.Until)
	third := c.one("when the second lease has ended")
	Same(c, "failures", third.Failures, 0)
	c.must(c.record(third))
	c.at(queueStart.Add(48 * time.Hour))
	Same(c, "claimed once it is recorded", len(c.claim(1)), 0)
}

func queueFair(c queueCase) {
	large := min(cmp.Or(c.room, 5), 5)
	for range large {
		c.add(0)
	}
	c.add(1)
	c.at(queueStart)
	groups, err := c.queue.Waiting(c.Context())
	c.must(err)
	if len(groups) != 2 {
		c.Fatalf("two groups have work, %q are listed", groups)
	}
	counts := map[string]int{}
	for _, l := range c.claim(2) {
		counts[l.Group]++
	}
	Same(c, "of the large group and of the small one", counts[groups[0]]+counts[groups[1]], min(large, 2)+1)
	Same(c, "groups that were claimed of", len(counts), 2)
	only, err := c.queue.Claim(c.Context(), queueLease, []ports.Share{{Group: "another", Most: 9}})
	c.must(err)
	Same(c, "of a group without work", len(only), 0)
}

func queueAside(c queueCase) {
	c.fill(1)
	now := queueStart
	for failures, pause := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, time.Hour, time.Hour} {
		l := c.one(fmt.Sprint("before the pause of ", pause))
		Same(c, "failures", l.Failures, failures)
		c.must(c.queue.SetAside(c.Context(), l.Held, "It made the program panic.\nstack"))
		c.at(now.Add(pause - time.Millisecond))
		Same(c, fmt.Sprint("claimed within ", pause), len(c.claim(1)), 0)
		now = now.Add(pause)
		c.at(now)
	}
	l := c.one("after the last pause")
	c.must(c.queue.Restore(c.Context(), l.Held))
	c.at(now.Add(queueLease))
	Same(c, "failures once restored", c.one("once restored").Failures, 0)
}

func queueUnreadable(c queueCase) {
	spoil := func(key string, spoilt bool) bool {
		return c.suite.Spoil != nil && c.suite.Spoil(c.stores, c.name, key, spoilt)
	}
	bad := c.add(0)
	c.add(0)
	if !spoil(bad, true) {
		c.Skip("every row can be read")
	}
	c.at(queueStart)
	claimed := c.claim(2)
	Same(c, "claimed", len(claimed), 2)
	for _, l := range claimed {
		if errors.Is(l.Err, fault.ErrUnreadable) != (l.Key == bad) {
			c.Errorf("%s: %v", l.Key, l.Err)
		}
		if l.Key == bad {
			c.must(c.queue.SetAside(c.Context(), l.Held, l.Err.Error()))
		} else {
			c.must(c.record(l))
		}
	}
	spoil(bad, false)
	c.at(queueStart.Add(time.Minute))
	again := c.claim(2)
	if len(again) == 0 {
		c.Fatal("nothing is claimed after the repair")
	}
	Same(c, "claimed after the repair", []any{len(again), again[0].Key, again[0].Err, again[0].Failures}, []any{1, bad, error(nil), 1})
}

func queueEmpty(c queueCase) {
	c.at(queueStart)
	groups, err := c.queue.Waiting(c.Context())
	c.must(err)
	Same(c, "groups", len(groups), 0)
	claimed, err := c.queue.Claim(c.Context(), queueLease, nil)
	c.must(err)
	Same(c, "claimed", len(claimed), 0)
}
