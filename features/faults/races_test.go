package faults

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// races lets many buyers pay concurrently at two replicas: one checkout many times, and many checkouts of scarce goods.
func (l *harness) races(t *testing.T) {
	servers := &replicas{}
	defer servers.kill()
	database, drop, err := l.database(postgres)
	if err == nil {
		defer drop()
		err = l.serveEach(servers, database, database)
	}
	if err != nil {
		t.Error(err)
		return
	}
	for n := range l.pick(10, 200) {
		violations := l.oneCheckout(servers)
		if n%10 == 9 {
			violations = append(violations, l.verify(database, soon)...)
		}
		l.judge(t, "fifty finalizes of one checkout", fmt.Sprint(n), violations, servers.running[0].Output())
	}
	buyers, units := l.pick(200, 1000), l.pick(20, 100)
	name := fmt.Sprintf("%d buyers for %d", buyers, units)
	l.judge(t, "more buyers than stock", name, append(l.rush(servers, buyers, units), l.verify(database, soon)...), servers.running[0].Output())
}

// oneCheckout pays one checkout fifty times concurrently.
func (l *harness) oneCheckout(servers *replicas) (violations []string) {
	const clients = 50
	urls := servers.alive()
	shop, err := openShop(urls[0], 5)
	buyer := shop.payer("spt_sandbox_ok")
	if err == nil {
		err = buyer.haggle(urls[0])
	}
	if err != nil {
		return []string{"opening a checkout: " + err.Error()}
	}
	orders, errs := make([]string, clients), make([]error, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			orders[i], errs[i] = buyer.pay(soon, func() []string { return []string{urls[i%2], urls[1-i%2]} })
		})
	}
	all.Wait()
	return append(agree(orders, errs), shop.addUp(urls[0], 1)...)
}

// rush has many more buyers than units.
func (l *harness) rush(servers *replicas, buyers, units int) (violations []string) {
	urls := servers.alive()
	shop, err := openShop(urls[0], units)
	if err != nil {
		return []string{err.Error()}
	}
	waiting := make([]*payer, buyers)
	for i := range waiting {
		waiting[i] = shop.payer("spt_sandbox_ok")
	}
	var mu sync.Mutex
	sold, tooLate := 0, 0
	note := func(format string, args ...any) { violations = append(violations, fmt.Sprintf(format, args...)) }
	ready := make([]*payer, 0, buyers)
	together(waiting, 16, func(p *payer) {
		err := p.haggle(urls[0])
		mu.Lock()
		defer mu.Unlock()
		if ready = append(ready, p); err != nil {
			note("opening a checkout: %v", err)
		}
	})
	together(ready, 200, func(p *payer) {
		_, err := p.pay(2*time.Minute, func() []string { return servers.alive() })
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			sold++
		case acp.CodeOf(err) == "out_of_stock":
			tooLate++
		default:
			note("%v", err)
		}
	})
	if sold != units || tooLate != buyers-units {
		note("%d of %d were sold, %d came too late", sold, units, tooLate)
	}
	return append(violations, shop.addUp(urls[0], units)...)
}
