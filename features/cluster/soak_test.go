package cluster

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/haggle-commerce/haggle/simulator/faults"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const (
	// shortestSoak is long enough for two windows with some samples, and for each fault.
	shortestSoak = 3 * time.Minute
	// samplesOfSoak is the number of samples.
	samplesOfSoak = 60
	// printed is the interval, in samples, at which a sample is printed during the soak.
	printed = 5
	// leastGrace is the minimum time after a fault and the restart of all servers in which requests may fail.
	leastGrace = 15 * time.Second
	mostGrace  = time.Minute
)

// limits say which quantities are flat. The memory of a replica is bounded: its search indexes by HAGGLE_SEARCH_MEMORY, its
// caches by their numbers of entries, and its metrics by the number of routes. After the first quarter only caches that are not
// full yet still grow, such as search results with a megabyte per shop and the ids of received webhooks. A leak of 1 kB per
// order is found in an hour.
var limits = []limit{
	{"heap, lowest after a collection", lowest(heapBytes), 1.05, 2e6, 1e6},
	// GOGC is 400, so resident memory is mostly garbage and depends on the time of the last collection.
	{"resident memory, median", median(residentBytes), 1.15, 16e6, 1e6},
	{"anonymous memory, median", median(anonymousBytes), 1.15, 16e6, 1e6},
	{"goroutines, lowest", lowest(goroutineCount), 1, 10, 1},
	{"threads, lowest", lowest(threadCount), 1, 10, 1},
	{"open files, lowest", lowest(fileCount), 1, 10, 1},
	// An order adds rows and index entries. Index pages are split now and then, and PostgreSQL extends files in steps.
	{"kB of database an order", perOrder(databaseBytes), 1.5, 5e3, 1e3},
	{"kB of log A an order", perOrder(logBytesA), 1.3, 500, 1e3},
	{"kB of log B an order", perOrder(logBytesB), 1.3, 500, 1e3},
}

const (
	// mostWAL is what PostgreSQL keeps with max_wal_size of 1 GB (its default) and wal_keep_size of 128 MB (Patroni's), plus
	// what is written during a checkpoint.
	mostWAL = 1.5e9
	// mostConnections is HAGGLE_DATABASE_CONNECTIONS, whose default is 20. The pool keeps as many connections as were needed at
	// once, and reopens them after a failover, so they are not compared with the middle.
	mostConnections = 20
	// mostPadding is the maximum ratio of the database's size to its size after VACUUM FULL, which leaves no dead rows and no
	// free space: index pages are split in halves, and autovacuum waits until a fifth of a table is dead. In a soak of four
	// minutes the ratio is 1.25.
	mostPadding = 2.0
)

// replica is a server that keeps its address, folder and log when it is restarted.
type replica struct {
	name, dir, log string
	process        *faults.Process
}

func (r *replica) temporary() string { return filepath.Join(r.dir, "tmp") }

// soak is a shop under a constant load.
type soak struct {
	*shop
	t             *testing.T
	db            *database
	a, b          *replica
	js            jetstream.JetStream
	bus           *bus
	webhooks      *faults.Receiver
	length, grace time.Duration
	perSecond     float64

	began   time.Time
	stop    func()
	outages []outage

	mu      sync.Mutex
	samples []sample
	missed  []string // errors of failed samples
	once    sync.Once
}

func TestSoak(t *testing.T) {
	if os.Getenv("SOAK") == "" {
		t.Skip("the soak is only run with SOAK, its length (make soak)")
	}
	k := newSoak(t)
	defer k.report()
	k.began = time.Now()
	k.stop = k.pace(shoppers, k.perSecond)
	defer k.stop()
	sampling, sampled := context.WithCancel(t.Context())
	var samples sync.WaitGroup
	samples.Go(func() { k.sampleUntil(sampling) })
	defer samples.Wait()
	defer sampled()
	for _, p := range schedule(k.length) {
		k.wait(p.at)
		k.causeFault(p.fault)
	}
	k.wait(k.length)
	sampled()
	samples.Wait()
	k.stop()
	k.report()
	k.judgeAll()
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	k := &soak{t: t}
	var err error
	if k.length, err = time.ParseDuration(os.Getenv("SOAK")); err != nil || k.length < shortestSoak || k.length > 20*time.Hour {
		t.Fatalf("SOAK=%s: want a time from %s to 20h, such as 60m", os.Getenv("SOAK"), shortestSoak)
	}
	if k.perSecond, err = strconv.ParseFloat(cmp.Or(os.Getenv("SOAK_RATE"), "2"), 64); err != nil || k.perSecond <= 0 ||
		k.perSecond*k.length.Seconds() > stock {
		t.Fatalf("SOAK_RATE=%s: want purchases a second, %d at most in all", os.Getenv("SOAK_RATE"), stock)
	}
	k.grace = min(max(k.length/samplesOfSoak, leastGrace), mostGrace)
	f := newFolder(t)
	k.db, k.bus = newDatabase(f), newBus(f)
	redis := newSentinels(f)
	built := build(t)
	if out, err := built.run([]string{"HAGGLE_DATABASE_URL=" + k.db.direct()}, "migrate"); err != nil {
		t.Fatalf("haggle migrate: %v: %s", err, out)
	}
	built = built.with("HAGGLE_DATABASE_URL="+k.db.pooled(), "HAGGLE_DATABASE_POOLER=transaction", "HAGGLE_REDIS_URL="+redis.url(),
		"HAGGLE_NATS_URL="+k.bus.url(), "HAGGLE_ACP_RATE=600/900", "HAGGLE_PPROF=on")
	k.a, k.b = newReplica(f, "a"), newReplica(f, "b")
	for _, r := range []*replica{k.a, k.b} {
		k.start(built, r)
		t.Cleanup(func() { r.process.Kill() })
		built.servers = append(built.servers, r.process) // B keeps its address
	}
	k.openShop(built)
	return k
}

func newReplica(f *folder, name string) *replica {
	r := &replica{
		name: name,
		dir:  f.mkdir("haggle-" + name),
		log:  filepath.Join(f.logs, "haggle-"+name),
	}
	f.mkdir(filepath.Join("haggle-"+name, "tmp"))
	return r
}

// start starts or restarts a replica.
func (k *soak) start(p program, r *replica) {
	k.t.Helper()
	log, err := os.OpenFile(r.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		k.t.Fatal(err)
	}
	defer log.Close()
	address := k.db.address(100+int(r.name[0])) + ":8080"
	r.process, err = faults.Start(faults.Command{
		Path: p.path,
		Args: []string{"serve", "--addr=" + address, "--ops-addr=127.0.0.1:0"},
		Env:  append([]string{"FAULT_LIFELINE=1", "TMPDIR=" + r.temporary()}, p.env...),
		Dir:  r.dir,
		Log:  log,
	})
	if err != nil {
		k.t.Fatalf("replica %s: %v", r.name, err)
	}
}

// openShop creates the shop. Its orders are announced by webhook too.
func (k *soak) openShop(p program) {
	k.t.Helper()
	var err error
	if k.shop, err = openShop(p, "lanterns"); err == nil {
		err = k.fill()
	}
	if err == nil {
		k.webhooks, err = faults.NewReceiver()
	}
	if err != nil {
		k.t.Fatal(err)
	}
	k.kills = true
	k.t.Cleanup(k.webhooks.Close)
	_, err = k.management().Subscribe(context.Background(), merchant.NewSubscription{
		URL:        k.webhooks.URL + "/" + k.slug,
		EventTypes: []string{"order.completed"},
	})
	if err != nil {
		k.t.Fatal(err)
	}
	conn, err := nats.Connect(k.bus.url(), nats.MaxReconnects(-1))
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(conn.Close)
	if k.js, err = jetstream.New(conn); err != nil {
		k.t.Fatal(err)
	}
}

// wait waits until a time of the soak. It fails if replica A has ended, because the test does not kill A.
func (k *soak) wait(until time.Duration) {
	timer := time.NewTimer(until - time.Since(k.began))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-k.a.process.Ended():
		k.logTails()
		k.t.Fatalf("replica A ended after %s", time.Since(k.began).Round(time.Second))
	}
}

// causeFault causes a fault and repairs it.
func (k *soak) causeFault(fault string) {
	o := outage{fault: fault, from: time.Now()}
	switch fault {
	case replicaKilled:
		k.b.process.Kill()
		k.start(k.program, k.b)
		o.note = fmt.Sprintf("ready again after %s", time.Since(o.from).Round(100*time.Millisecond))
	case leaderKilled:
		o.note = k.replaceLeader(killed)
	case leaderSwitched:
		o.note = k.replaceLeader(switchedOver)
	}
	o.until = time.Now().Add(k.grace)
	k.outages = append(k.outages, o)
	fmt.Printf("%s  %s: %s\n", time.Since(k.began).Round(time.Second), o.fault, o.note)
}

// replaceLeader makes PostgreSQL's leader fail, and waits until there is another leader, purchases succeed and the cluster is
// healthy.
func (k *soak) replaceLeader(f fault) (note string) {
	began, old := time.Now(), k.db.leader()
	if old == nil {
		k.db.fail(f.name + ": there is no leader")
	}
	if err := f.do(k.db, old); err != nil {
		k.t.Fatalf("%s: %v", f.name, err)
	}
	if !within(failover, func() bool { return k.db.leaderBut(old) != nil }) {
		_ = f.heal(old)
		k.db.fail(f.name + ": Patroni has no other leader")
	}
	led := time.Now()
	if !within(decided, func() bool { return !k.firstSince(led).IsZero() }) {
		k.t.Errorf("%s: nobody buys again", f.name)
	}
	bought := time.Since(led)
	if err := f.heal(old); err != nil {
		k.t.Errorf("%s: %v", f.name, err)
	}
	if !within(time.Minute, k.db.whole) && !k.db.repair() {
		k.db.fail(f.name + ": the cluster is not whole again")
	}
	return fmt.Sprintf("another leader after %s, a purchase %s later, whole again after %s", led.Sub(began).Round(100*time.Millisecond),
		bought.Round(100*time.Millisecond), time.Since(began).Round(100*time.Millisecond))
}

// sampleUntil takes samples at equal intervals.
func (k *soak) sampleUntil(ctx context.Context) {
	tick := time.NewTicker(k.length / samplesOfSoak)
	defer tick.Stop()
	for n := 0; ; n++ {
		s, err := k.sample(n)
		k.mu.Lock()
		if err != nil {
			k.missed = append(k.missed, fmt.Sprintf("%s: %v", s.at.Round(time.Second), err))
		} else {
			k.samples = append(k.samples, s)
		}
		k.mu.Unlock()
		if err == nil && n%printed == 0 {
			fmt.Print(text([]sample{s}))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// report prints and writes the samples once, even if the soak ended early.
func (k *soak) report() { k.once.Do(k.printSamples) }

func (k *soak) printSamples() {
	k.mu.Lock()
	defer k.mu.Unlock()
	fmt.Print(text(k.samples))
	for _, missed := range k.missed {
		fmt.Println("no sample at", missed)
	}
	if path := os.Getenv("SOAK_TABLE"); path != "" {
		if err := writeSamples(path, k.samples); err != nil {
			k.t.Errorf("SOAK_TABLE: %v", err)
		}
	}
}

// logTails logs the end of the replicas' logs.
func (k *soak) logTails() {
	for _, r := range []*replica{k.a, k.b} {
		k.t.Logf("replica %s:\n%s", r.name, (&process{log: r.log}).output())
	}
}

// vacuumFull runs VACUUM FULL on all tables.
func (k *soak) vacuumFull() error {
	leader := k.db.leader()
	if leader == nil {
		return fmt.Errorf("there is no leader")
	}
	out, err := exec.Command(k.db.programs+"/psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-c", "VACUUM FULL", leader.url("haggle")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("VACUUM FULL: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
