package faults

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/simulator/faults"
)

// replicas are the servers of a load. Some are added and removed during it.
type replicas struct {
	mu      sync.Mutex
	running []*faults.Process
}

func (r *replicas) alive() (urls []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.running {
		if p.Running() {
			urls = append(urls, p.URL)
		}
	}
	rand.Shuffle(len(urls), func(i, j int) { urls[i], urls[j] = urls[j], urls[i] })
	return urls
}

func (r *replicas) add(p *faults.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = append(r.running, p)
}

// replace replaces a server by a new one.
func (r *replicas) replace(i int, p *faults.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[i] = p
}

// removeFirst removes the server that was added first from the list.
func (r *replicas) removeFirst() *faults.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.running[0]
	r.running = r.running[1:]
	return first
}

func (r *replicas) logs() (logs []string) {
	for _, p := range r.running {
		logs = append(logs, p.Output())
	}
	return logs
}

// serveEach starts servers, each with its own URL of the database.
func (l *harness) serveEach(r *replicas, databases ...string) error {
	for _, database := range databases {
		p, err := l.serve(database)
		if err != nil {
			return err
		}
		r.add(p)
	}
	return nil
}

func (r *replicas) kill() {
	for _, p := range r.running {
		p.Kill()
	}
}

// mix are the payment tokens of buyers under load.
var mix = [][]string{
	{"spt_sandbox_ok"}, {"spt_sandbox_ok_again"}, {"spt_sandbox_lost_reply"}, {"spt_sandbox_outage_1"},
	{"spt_sandbox_decline_do_not_honor", "spt_sandbox_ok"},
}

// load is many buyers, each of whom retries a payment until it is decided, while something fails.
type load struct {
	harness *harness
	shop    shop
	servers *replicas
	stop    atomic.Bool
	buyers  sync.WaitGroup

	mu     sync.Mutex
	orders map[string]*payer
	broken []string
	begun  int // number of finalizes
}

// start starts buyers who pay one checkout after the other until stop.
func (l *load) start(buyers int) {
	l.orders = map[string]*payer{}
	for range buyers {
		l.buyers.Go(func() {
			for n := rand.IntN(len(mix)); !l.stop.Load(); n++ {
				l.trip(mix[n%len(mix)])
			}
		})
	}
}

// trip makes one purchase. A failure before its finalize costs nobody money.
func (l *load) trip(tokens []string) {
	urls := l.servers.alive()
	if len(urls) == 0 {
		time.Sleep(10 * time.Millisecond)
		return
	}
	p := l.shop.payer(tokens...)
	if p.haggle(urls[0]) != nil || p.checkout == "" {
		time.Sleep(10 * time.Millisecond)
		return
	}
	l.mu.Lock()
	l.begun++
	l.mu.Unlock()
	order, err := p.pay(2*soon, l.servers.alive)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil:
		l.broken = append(l.broken, "a finalize was not decided: "+err.Error())
	case l.orders[order] != nil:
		l.broken = append(l.broken, fmt.Sprintf("two checkouts have the order %s", order))
	default:
		l.orders[order] = p
	}
}

// paid returns the number of orders so far.
func (l *load) paid() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.orders)
}

// end waits for the buyers and checks the result.
func (l *load) end(database string) []string {
	l.stop.Store(true)
	l.buyers.Wait()
	began := time.Now()
	broken := append(l.broken, l.harness.verify(database, soon)...)
	l.harness.report.Decided(time.Since(began))
	urls := l.servers.alive()
	if len(urls) == 0 {
		return append(broken, "no server is left")
	}
	broken = append(broken, l.shop.addUp(urls[0], len(l.orders))...)
	confirmed := make([]string, 0, len(l.orders))
	for id, p := range l.orders {
		confirmed = append(confirmed, id)
		if len(confirmed)%20 == 1 { // a buyer who retries gets the same order
			again, err := p.pay(soon, l.servers.alive)
			broken = append(broken, agree([]string{id, again}, []error{err})...)
		}
	}
	l.harness.report.Count("orders under load", len(l.orders))
	return append(broken, l.harness.delivered(l.shop, len(l.orders), confirmed)...)
}
