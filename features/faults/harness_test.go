// Package faults kills, hangs and disconnects whole servers while buyers pay, on both engines, and then checks that money and
// goods add up: over HTTP as a client does, and with `haggle verify`.
//
//	go test ./features/faults                   a selection, in a minute or two
//	FAULTS=full go test -v ./features/faults    everything (make faults)
//	FAULTS_SEED=7 …                             the order and the random moments of an earlier run
//	FAULTS_ONLY=points,kills …                  only some groups: points doors kills database restarts races provider syncs syncpoints writes webhooks clocks
//	                                           stops poison disk upgrade
package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/faults"
)

// soon is the maximum time after a crash until every payment is decided: twice the promised 30 s, because other tests may keep
// the machine busy. The report has the actual time.
const soon = time.Minute

// harness is what all cases share: the program, a PostgreSQL server, and the report.
type harness struct {
	full    bool
	program string
	dir     string
	ctx     context.Context
	cluster *boottest.Cluster
	durable *boottest.Cluster // for crashes of PostgreSQL

	receiver *faults.Receiver
	report   *faults.Report
}

func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute or two")
	}
	l := openHarness(t)
	t.Cleanup(func() { fmt.Print(l.report) })
	groups := []group{
		{"points", (*harness).points}, {"doors", (*harness).agentCompletes}, {"kills", (*harness).kills}, {"database", (*harness).cuts}, {"restarts", (*harness).restarts}, {"races", (*harness).races},
		{"provider", (*harness).provider}, {"syncs", (*harness).syncs}, {"syncpoints", (*harness).syncPoints}, {"writes", (*harness).writes}, {"deals", (*harness).deals}, {"webhooks", (*harness).webhooks},
		{"clocks", (*harness).clocks}, {"stops", (*harness).stops}, {"poison", (*harness).poison}, {"disk", (*harness).disks},
		{"upgrade", (*harness).upgrade},
	}
	if only := os.Getenv("FAULTS_ONLY"); only != "" {
		groups = slices.DeleteFunc(groups, func(g group) bool { return !slices.Contains(strings.Split(only, ","), g.name) })
	}
	together(groups, l.pick(4, 2), func(g group) { g.run(l, t) })
	if l.report.Cases() == 0 {
		t.Error("nothing was tried")
	}
}

// group is a group of cases. Its cases run in goroutines, so none of them may call Fatal.
type group struct {
	name string
	run  func(*harness, *testing.T)
}

// pick returns few for the selection, and all for everything.
func (l *harness) pick(few, all int) int {
	if l.full {
		return all
	}
	return few
}

func openHarness(t *testing.T) *harness {
	t.Helper()
	seed := rand.Uint64N(1_000_000)
	if text := os.Getenv("FAULTS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("FAULTS_SEED: %v", err)
		}
	}
	l := &harness{
		ctx:    context.Background(),
		full:   os.Getenv("FAULTS") == "full",
		dir:    t.TempDir(),
		report: faults.NewReport(seed),
	}
	if testing.Verbose() {
		l.report.Progress = os.Stdout
	}
	l.program = filepath.Join(l.dir, "haggle")
	if err := faults.Build(l.dir); err != nil {
		t.Fatal(err)
	}
	var err error
	if l.receiver, err = faults.NewReceiver(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.receiver.Close)
	l.cluster, l.durable = boottest.StartCluster(t, false), boottest.StartCluster(t, true)
	l.migrated(t, l.cluster)
	l.migrated(t, l.durable)
	if out, err := l.haggle("sqlite://"+l.sqliteTemplate(), "migrate"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return l
}

func (l *harness) sqliteTemplate() string { return filepath.Join(l.dir, "template.db") }

// template is the database that the others are created from.
const template = "faults_template"

func (l *harness) migrated(t *testing.T, c *boottest.Cluster) {
	t.Helper()
	if err := c.CreateDatabase(template, ""); err != nil {
		t.Fatal(err)
	}
	if out, err := l.haggle(c.URL(template), "migrate"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

var databases atomic.Int64

// database creates an empty database with the current schema, and returns a function that drops it.
func (l *harness) database(engine string) (url string, drop func(), err error) {
	name := fmt.Sprintf("faults_%d", databases.Add(1))
	if engine == postgres {
		err := l.cluster.CreateDatabase(name, template)
		return l.cluster.URL(name), func() {
			_, _ = l.cluster.PSQL("postgres", "DROP DATABASE "+name+" WITH (FORCE)") // otherwise it is removed with the cluster
		}, err
	}
	content, err := os.ReadFile(l.sqliteTemplate())
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(l.dir, name+".db")
	return "sqlite://" + path, func() {
		for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
			_ = os.Remove(path + suffix)
		}
	}, os.WriteFile(path, content, 0o600)
}

// environment returns a server's environment. Rate limits are effectively off, and X-Forwarded-For gives each buyer its own address.
func environment(database string, extra ...string) []string {
	return append([]string{
		"HAGGLE_DATABASE_URL=" + database, "HAGGLE_DATABASE_CONNECTIONS=10", "HAGGLE_BOOTSTRAP_KEY=" + boottest.Key, "HAGGLE_ACP_RATE=off",
		"HAGGLE_ENTERPRISE_RATE=1000000/1000000", "HAGGLE_TRUSTED_PROXIES=127.0.0.0/8", "HAGGLE_ALLOW_LOOPBACK=1", "FAULT_LIFELINE=1",
	}, extra...)
}

// serve starts a server at a new address.
func (l *harness) serve(database string, extra ...string) (*faults.Process, error) {
	return l.serveAt(database, boottest.Address(), extra...)
}

func (l *harness) serveAt(database, address string, extra ...string) (*faults.Process, error) {
	l.report.Count("servers started", 1)
	return faults.Start(faults.Command{
		Path: l.program,
		Args: []string{"serve", "--addr=" + address, "--ops-addr=127.0.0.1:0"},
		Env:  environment(database, extra...),
	})
}

// haggle runs a command of the program on a database.
func (l *harness) haggle(database string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, l.program, args...)
	c.Env = []string{"HAGGLE_DATABASE_URL=" + database}
	out, err := c.CombinedOutput()
	return string(out), err
}

// verify waits until nothing is in progress, and returns the violated invariants.
func (l *harness) verify(database string, wait time.Duration) []string {
	out, err := l.haggle(database, "verify", "--wait="+wait.String())
	if err == nil {
		return nil
	}
	var broken []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "ok ") {
			broken = append(broken, strings.TrimSpace(line))
		}
	}
	return []string{fmt.Sprintf("haggle verify: %v: %s", err, strings.Join(broken, "; "))}
}

// together runs cases, up to atOnce concurrently, because most of their time is waiting.
func together[T any](cases []T, atOnce int, run func(T)) {
	var all sync.WaitGroup
	queue := make(chan T)
	for range atOnce {
		all.Go(func() {
			for c := range queue {
				run(c)
			}
		})
	}
	for _, c := range cases {
		queue <- c
	}
	close(queue)
	all.Wait()
}

// judge fails the test for the violations of a case, and prints the logs.
func (l *harness) judge(t *testing.T, group, name string, violations []string, logs ...string) {
	l.report.Case(group, name, violations...)
	for _, v := range violations {
		t.Errorf("%s: %s", name, v)
	}
	if len(violations) > 0 {
		for i, log := range logs {
			t.Logf("%s: server %d:\n%s", name, i, last(log, 4000))
		}
	}
}

func last(text string, n int) string { return text[max(0, len(text)-n):] }
