package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// judgeAll checks a soak whose purchases are all decided.
func (k *soak) judgeAll() {
	k.t.Helper()
	k.judgeFailures()
	k.judgeGrowth()
	k.judgeCeilings()
	k.judgeAnnouncements()
	for _, broken := range k.judge() {
		k.t.Error(broken)
	}
	k.judgePadding()
	if k.t.Failed() {
		k.logTails()
	}
}

// judgeFailures reports requests that failed although no server was down.
func (k *soak) judgeFailures() {
	k.t.Helper()
	k.shop.mu.Lock()
	failures := k.failures
	k.shop.mu.Unlock()
	others, counts := unexplained(failures, k.outages)
	const shown = 20
	for _, f := range others[:min(shown, len(others))] {
		k.t.Errorf("failed outside of all outages, %s to %s: %s", f.began.Sub(k.began).Round(time.Second/10), f.ended.Sub(k.began).Round(time.Second/10), f.what)
	}
	var in time.Duration
	for i, o := range k.outages {
		fmt.Printf("%3d requests failed from %s to %s: %s\n", counts[i], o.from.Sub(k.began).Round(time.Second), o.until.Sub(k.began).Round(time.Second), o.fault)
		in += o.until.Sub(o.from)
	}
	fmt.Printf("%3d requests failed in the other %s of %s. Refusals: %s\n", len(others), max(0, k.length-in).Round(time.Second), k.length, k.refusalsText())
	if len(others) > shown {
		k.t.Errorf("%d requests failed outside of all outages", len(others))
	}
	// With fewer purchases the soak would say little.
	if want := int(k.perSecond * k.length.Seconds() / 2); k.paid() < want {
		k.t.Errorf("%d orders in %s, want %d at least: the machine is too slow for SOAK_RATE", k.paid(), k.length, want)
	}
}

// judgeGrowth compares the end of the soak with its middle.
func (k *soak) judgeGrowth() {
	k.t.Helper()
	for _, l := range limits {
		v, err := l.judge(k.samples, k.length)
		if err != nil {
			k.t.Error(err)
			continue
		}
		fmt.Println(v)
		if v.broken() {
			k.t.Errorf("not flat: %s", v)
		}
	}
}

// judgeCeilings checks the limits that do not depend on the middle.
func (k *soak) judgeCeilings() {
	k.t.Helper()
	if len(k.samples) == 0 {
		return // judgeGrowth has reported it
	}
	for _, wal := range []quantity{firstWALBytes, secondWALBytes, thirdWALBytes} {
		if most := highest(wal)(k.samples); most > mostWAL {
			k.t.Errorf("%s: %.0f at its highest, want %.0f at most", columns[wal].name, most/1e6, mostWAL/1e6)
		}
	}
	if most := highest(connectionCount)(k.samples); most > mostConnections {
		k.t.Errorf("%.0f connections to the database at their highest, want %d at most", most, mostConnections)
	}
	var now sample
	if err := k.disks(&now); err != nil || now.of[temporaryBytes] > 0 {
		k.t.Errorf("%.0f bytes of temporary files are left, %v", now.of[temporaryBytes], err)
	}
	// A replication slot without a consumer keeps all WAL.
	leader := k.db.leader()
	if leader == nil {
		k.t.Error("there is no leader at the end")
		return
	}
	if n, err := leader.query("haggle", "SELECT count(*) FROM pg_replication_slots WHERE NOT active"); err != nil || n != "0" {
		k.t.Errorf("%s replication slots are not read, %v", n, err)
	}
}

// judgeAnnouncements looks for each order in the NATS stream and at the webhook's receiver.
func (k *soak) judgeAnnouncements() {
	k.t.Helper()
	k.shop.mu.Lock()
	var problem []string
	for id := range k.orders {
		problem = append(problem, id)
	}
	k.shop.mu.Unlock()
	for way, heard := range map[string]func() map[string]int{
		"NATS":    func() map[string]int { return k.bus.announcedOrders(k.t, k.js, k.project) },
		"webhook": func() map[string]int { return k.webhooks.Deliveries(k.slug) },
	} {
		var found map[string]int
		silent := func(id string) bool { return found[id] == 0 }
		within(2*time.Minute, func() bool { found = heard(); return !slices.ContainsFunc(problem, silent) })
		twice := 0
		for _, n := range found {
			twice += n - 1
		}
		missing := slices.DeleteFunc(slices.Clone(problem), func(id string) bool { return !silent(id) })
		if len(missing) > 0 || len(found) != len(problem) {
			k.t.Errorf("by %s %d orders were announced, of %d; not announced: %v", way, len(found), len(problem), missing[:min(5, len(missing))])
		}
		fmt.Printf("%d orders announced by %s, %d announcements more than once\n", len(found), way, twice)
	}
}

// judgePadding compares the size of the database with its size after VACUUM FULL.
func (k *soak) judgePadding() {
	k.t.Helper()
	if len(k.samples) == 0 {
		return
	}
	var sizes [2]float64
	for i := range sizes {
		if i == 1 {
			if err := k.vacuumFull(); err != nil {
				k.t.Error(err)
				return
			}
		}
		leader := k.db.leader()
		if leader == nil {
			k.t.Error("there is no leader at the end")
			return
		}
		text, err := leader.query("haggle", "SELECT pg_database_size('haggle')")
		if err == nil {
			sizes[i], err = strconv.ParseFloat(text, 64)
		}
		if err != nil {
			k.t.Error(err)
			return
		}
	}
	was, orders := k.samples[0].of[databaseBytes], float64(k.paid())
	fmt.Printf("database: %.1f MB, %.1f MB after VACUUM FULL; %.1f kB an order, and %.1f\n", sizes[0]/1e6, sizes[1]/1e6,
		(sizes[0]-was)/orders/1e3, (sizes[1]-was)/orders/1e3)
	if sizes[0] > mostPadding*sizes[1] {
		k.t.Errorf("the database is %.1f times as large as after VACUUM FULL, want %.1f at most", sizes[0]/sizes[1], mostPadding)
	}
}
