package simulation

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// active is how long buyers buy and servers fail.
const active = 45 * time.Second

// simulation is one schedule: shops with their buyers and payment providers, and their servers. Providers, receivers and rows
// fail for the first shop only.
type simulation struct {
	*scheduler
	seed      uint64
	store     *memstore.Store
	shops     []*shop
	replicas  []*replica
	actors    uint64
	trouble   int                             // failures per thousand requests at the first shop's provider
	carding   bool                            // stolen cards are tested all at once
	received  map[string]map[string]time.Time // when a receiver first got an event, by its URL
	calmSince time.Time                       // when failures ended
	untold    int                             // provider reports that are not recorded yet
	broken    []string
}

// replica is a server that is restarted when it dies.
type replica struct {
	*server
	number int
	lives  int
}

func simulate(seed uint64, keep bool) *simulation {
	s := &simulation{
		scheduler: newScheduler(seed, keep),
		seed:      seed,
		received:  map[string]map[string]time.Time{},
	}
	s.open()
	s.start()
	s.run(s.begun.Add(active))
	s.settle()
	s.checkAtRest()
	for _, r := range s.replicas {
		r.of.end()
	}
	s.finish()
	return s
}

func (s *simulation) violated(invariant, format string, args ...any) {
	s.broken = append(s.broken, invariant+": "+fmt.Sprintf(format, args...))
	s.note("violated: %s", s.broken[len(s.broken)-1])
}

// own returns a random source for one actor.
func (s *simulation) own() *rand.Rand {
	s.actors++
	return rand.New(rand.NewPCG(s.seed, 1000+s.actors))
}

var noReason = context.Background()

func (s *simulation) must(err error) {
	if err != nil {
		panic(err)
	}
}

// open opens the shops. Every fourth schedule has a second one.
func (s *simulation) open() {
	s.rate = []int{0, 15, 40, 80, 160}[s.chance.IntN(5)]
	s.carding = s.chance.IntN(128) == 0
	s.store = memstore.New(time.Now)
	s.store.Committed = s.checkCommit
	var bits entropy
	checkouts := 1 + s.chance.IntN(2)
	if s.carding {
		checkouts = checkout.MostDeclined + 4
	}
	s.openShop("tents", providerOf(s.seed), checkouts, &bits).afflict()
	if s.chance.IntN(4) == 0 {
		s.openShop("lamps", "stripe", 1, &bits)
	}
}

// start starts the servers, the buyers and all other actors.
func (s *simulation) start() {
	for n := range 2 + s.chance.IntN(4)/3 {
		off := clock(0)
		if s.chance.IntN(2) == 0 {
			off = clock(time.Duration(s.chance.IntN(4200)-600) * time.Second)
		}
		r := &replica{number: n, server: &server{
			scheduler: s.scheduler,
			store:     s.store,
			posts:     s.post,
			off:       off,
			last:      &s.actors,
		}}
		s.replicas = append(s.replicas, r)
		s.live(r)
	}
	for _, h := range s.shops {
		h.subscribe()
		for i, c := range h.opened {
			buyers := 1
			if h == s.shops[0] {
				buyers += s.chance.IntN(2)
			}
			for n := range buyers {
				chance := s.own()
				go h.buy(fmt.Sprintf("buyer %s %d.%d", h.name, i, n), c.ID(), chance)
			}
		}
	}
	go s.operate(s.own())
}

// live starts a replica's background work in a new process.
func (s *simulation) live(r *replica) {
	r.lives++
	fresh := *r.server
	fresh.of = &process{name: fmt.Sprintf("replica %d.%d", r.number, r.lives), fails: true}
	all := gateways{}
	for _, h := range s.shops {
		all[h.project.ID] = h.gateway(&fresh)
	}
	fresh.provider = all
	r.server = &fresh
	s.note("%s starts, its clock off by %s", r.of.name, time.Duration(r.off))
	lapsed, refunds, outbox := s.store.Lapsed(), s.store.DueRefunds(), s.store.Outbox()
	background := []work{
		works(s, r.of, r.purchase().Reconciliation(), func() bool { return due(lapsed) }),
		works(s, r.of, r.aftersales().Refunding(), func() bool { return due(refunds) }),
		works(s, r.of, r.publisher().Job(), func() bool { return due(outbox) || s.store.EventsDue() }),
	}
	if s.shops[0].breaksPromise {
		orphans := s.store.DueOrphans()
		background = append(background, works(s, r.of, r.purchase().OrphanRefunds(), func() bool { return due(orphans) }))
	}
	s.poll(r.of, background)
}

// work is a background job of a server. wake is called when it is due.
type work struct {
	due  func() bool
	wake func()
}

func due[T any](q ports.Queue[T]) bool {
	groups, err := q.Waiting(noReason)
	return err == nil && len(groups) > 0
}

// works runs a worker as long as its process lives. It wakes the worker when something is due instead of polling, which saves
// most of a schedule's time.
func works[T any](s *simulation, of *process, j jobs.Job[T], due func() bool) work {
	j.Poll = 10_000 * time.Hour
	task := j.Work
	j.Work = func(ctx ports.Outbound, t jobs.Task[T]) error {
		grow()
		return task(ports.NewOutbound(ctx), t)
	}
	w := jobs.NewWorker(j)
	ctx, cancel := context.WithCancel(tagged(noReason, j.Name))
	of.ends = append(of.ends, cancel)
	go func() {
		grow()
		w.Run(ctx)
	}()
	return work{due, w.Wake}
}

// poll wakes due work as long as its process lives.
func (s *simulation) poll(of *process, works []work) {
	s.actors++
	often := 3*time.Second + time.Duration(s.actors*7)*time.Microsecond
	pause := often
	go func() {
		for s.pause(pause) && !of.dead {
			idle := true
			for _, w := range works {
				if w.due() {
					idle = false
					w.wake()
				}
			}
			switch {
			case !idle:
				pause = often
			case s.calm:
				pause = min(2*pause, longestPause)
			}
		}
	}()
}

// operate restarts dead servers, subscribes at a bad time, and corrupts rows of the first shop.
func (s *simulation) operate(chance *rand.Rand) {
	actor, h := &process{name: "operator"}, s.shops[0]
	poisonAt, unreadableAt := 1+chance.IntN(24), 1+chance.IntN(24)
	for n := 0; s.pause(4*time.Second + 13*time.Microsecond); n++ {
		dead := slices.ContainsFunc(s.replicas, func(r *replica) bool { return r.of.dead })
		if !dead && n != poisonAt && n != unreadableAt && n != poisonAt/2 && !s.calm {
			continue
		}
		s.wait(actor, "looks")
		s.restart()
		if n == poisonAt && !s.calm {
			h.poisoned = h.opened[chance.IntN(len(h.opened))].ID()
			s.note("%s cannot be read any more", h.poisoned)
			s.store.PoisonCheckout(h.project.ID, h.poisoned, true)
		}
		if n == unreadableAt && !s.calm {
			h.unreadable = true
			s.note("the settings of %s cannot be read any more", h.name)
			s.store.PoisonProject(h.project.ID, true)
		}
		if n == poisonAt/2 && len(h.subs) < 2 {
			h.subscribe()
		}
		if s.calm {
			return
		}
	}
}

func (s *simulation) restart() {
	for _, r := range s.replicas {
		if r.of.dead {
			s.live(r)
		}
	}
}

// post implements a receiver of events.
func (s *simulation) post(w ports.Webhook) event.Result {
	if first := s.shops[0]; first.deaf && !s.calm && strings.HasPrefix(w.URL, "https://"+first.name) {
		s.pause(15*time.Second + unlike(w.ID.String()+w.URL))
		return event.Result{Error: "no answer"}
	}
	if at := s.received[w.URL]; at[w.ID.String()].IsZero() {
		at[w.ID.String()] = s.store.Now()
	}
	return event.Result{Code: 200}
}

// unlike returns a short time that depends on the name, so that things that end together end in a fixed order.
func unlike(name string) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(name))
	return time.Duration(h.Sum32()%1_000_000) * time.Nanosecond
}

// settle lets all work finish. A row that cannot be read must not delay anything else by more than a quarter of an hour; after
// that it is repaired.
func (s *simulation) settle() {
	s.calm, s.calmSince = true, s.store.Now()
	s.restart()
	for _, r := range s.replicas {
		r.of.until = time.Time{}
	}
	s.note("nothing fails any more")
	s.runUntilRest(15*time.Minute, time.Minute)
	s.checkNeighbours()
	h := s.shops[0]
	if !h.poisoned.IsZero() {
		s.store.PoisonCheckout(h.project.ID, h.poisoned, false)
		s.note("%s can be read again", h.poisoned)
	}
	if h.unreadable {
		s.store.PoisonProject(h.project.ID, false)
		s.note("the settings of %s can be read again", h.name)
	}
	s.runUntilRest(30*time.Hour, 15*time.Minute)
}

func (s *simulation) runUntilRest(most, step time.Duration) {
	for end := time.Now().Add(most); time.Now().Before(end) && !s.atRest(); {
		s.run(time.Now().Add(step))
	}
}

func (s *simulation) atRest() bool {
	for _, h := range s.shops {
		for _, c := range h.opened {
			if now, err := (memstore.Checkouts{Store: s.store}).Get(noReason, h.project.ID, c.ID()); err != nil || now.Status() == checkout.Processing {
				return false
			}
		}
	}
	return s.untold == 0 && s.store.AtRest()
}

func (s *simulation) report() string {
	return fmt.Sprintf("seed %d, %s: %s\n%s", s.seed, providerOf(s.seed), strings.Join(s.broken, "\n"), strings.Join(s.trace, "\n"))
}
