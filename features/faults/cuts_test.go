package faults

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/faults"
)

// cut is one failure of the database connection: at a COMMIT or at any statement of a finalize, given by the number of those
// before it.
type cut struct {
	text     string
	nth      int
	answered bool
	do       faults.Action
}

func (c cut) String() string {
	what, when := c.text, "before it arrives"
	if what == "" {
		what = "statement"
	}
	if c.answered {
		when = "after it was carried out"
	}
	return fmt.Sprintf("%s at %s %d, %s", c.do, what, c.nth, when)
}

// mostCommits and mostRequests are more than a finalize has.
const (
	mostCommits  = 4
	mostRequests = 14
)

func (l *harness) cuts(t *testing.T) {
	var cases []cut
	for text, most := range map[string]int{"COMMIT": mostCommits, "": mostRequests} {
		for nth := range most {
			for _, answered := range []bool{false, true} {
				for _, do := range []faults.Action{faults.CutFIN, faults.CutRST, faults.BlackHole, faults.Delay} {
					cases = append(cases, cut{text, nth + 1, answered, do})
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(l.report.Seed, 3))
	random.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	if !l.full {
		cases = fewCuts(cases)
	}
	const benches = 6
	queue := make(chan cut, len(cases))
	for _, c := range cases {
		queue <- c
	}
	close(queue)
	together(make([]struct{}, benches), benches, func(struct{}) { l.bench(t, queue) })
}

// fewCuts returns every kind of cut at COMMIT, and some at other statements.
func fewCuts(all []cut) []cut {
	var chosen []cut
	kinds, others := map[cut]bool{}, 0
	for _, c := range all {
		kind := cut{
			text:     c.text,
			answered: c.answered,
			do:       c.do,
		}
		switch {
		case c.text == "" && others < 10:
			others++
			chosen = append(chosen, c)
		case c.text != "" && !kinds[kind]:
			kinds[kind] = true
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// bench tests cuts with two replicas on one database, one of them behind a proxy.
func (l *harness) bench(t *testing.T, queue <-chan cut) {
	database, drop, err := l.database(postgres)
	if err != nil {
		t.Error(err)
		return
	}
	defer drop()
	address, err := url.Parse(database)
	if err != nil {
		t.Error(err)
		return
	}
	proxy, err := faults.NewProxy("unix", filepath.Join(address.Query().Get("host"), ".s.PGSQL.5432"))
	if err != nil {
		t.Error(err)
		return
	}
	defer proxy.Close()
	address.Host, address.RawQuery = proxy.Addr(), "sslmode=disable"
	servers := &replicas{}
	defer servers.kill()
	if err := l.serveEach(servers, address.String(), database); err != nil {
		t.Error(err)
		return
	}
	violations := l.lateCommit(proxy, servers.running[0], servers.running[1])
	l.judge(t, "an event commits after later ones", "settlement held up", violations, servers.logs()...)
	for c := range queue {
		violations := l.cutOne(c, database, proxy, servers.running[0], servers.running[1])
		l.judge(t, "database connection", c.String(), violations, servers.running[0].Output())
	}
}

// cutOne makes a purchase whose server loses its database connection at one point.
func (l *harness) cutOne(c cut, database string, proxy *faults.Proxy, cut, direct *faults.Process) (violations []string) {
	shop, err := openShop(direct.URL, 5)
	if err == nil {
		err = l.subscribe(direct.URL, shop)
	}
	buyer := shop.payer("spt_sandbox_ok")
	if err == nil {
		err = buyer.haggle(direct.URL)
	}
	if err != nil {
		return []string{"opening a checkout: " + err.Error()}
	}
	fired := proxy.Arm(faults.Rule{
		Text:     c.text,
		Within:   buyer.checkout,
		Nth:      c.nth,
		Answered: c.answered,
		Do:       c.do,
		For:      1500 * time.Millisecond,
	})
	defer proxy.Disarm()
	began := time.Now()
	order, err := buyer.pay(soon+5*time.Second, func() []string { return []string{cut.URL, direct.URL} })
	violations = append(violations, agree([]string{order}, []error{err})...)
	select {
	case <-fired:
		l.report.Count("database connections cut", 1)
		l.report.Decided(time.Since(began))
	default: // a finalize has fewer statements
	}
	if took := time.Since(began); took > soon {
		violations = append(violations, fmt.Sprintf("it took %s", took))
	}
	violations = append(violations, l.verify(database, soon)...)
	again, err := buyer.pay(soon, func() []string { return []string{direct.URL} })
	violations = append(violations, agree([]string{order, again}, []error{err})...)
	violations = append(violations, shop.addUp(direct.URL, 1)...)
	return append(violations, l.delivered(shop, 1, []string{order})...)
}

// lateCommit delays the COMMIT of one order while both servers complete and announce later ones.
func (l *harness) lateCommit(proxy *faults.Proxy, cut, direct *faults.Process) (violations []string) {
	const later = 4
	shop, err := openShop(direct.URL, 1+later)
	if err == nil {
		err = l.subscribe(direct.URL, shop)
	}
	buyers := make([]*payer, 1+later)
	for i := range buyers {
		if buyers[i] = shop.payer("spt_sandbox_ok"); err == nil {
			err = buyers[i].haggle(direct.URL)
		}
	}
	if err != nil {
		return []string{"opening checkouts: " + err.Error()}
	}
	fired := proxy.Arm(faults.Rule{
		Text:   "COMMIT",
		Within: "order.completed",
		Do:     faults.Delay,
		For:    3 * time.Second,
	})
	defer proxy.Disarm()
	orders, errs := make([]string, len(buyers)), make([]error, len(buyers))
	var all sync.WaitGroup
	for i, p := range buyers {
		at := []string{[]*faults.Process{cut, direct}[i%2].URL}
		all.Go(func() { orders[i], errs[i] = p.pay(soon, func() []string { return at }) })
		if i > 0 {
			continue
		}
		select {
		case <-fired:
		case <-time.After(soon):
			violations = append(violations, "no settlement was held up")
		}
	}
	all.Wait()
	for i := range buyers {
		violations = append(violations, agree(orders[i:i+1], errs[i:i+1])...)
	}
	violations = append(violations, shop.addUp(direct.URL, len(buyers))...)
	return append(violations, l.delivered(shop, len(buyers), orders)...)
}
