package cluster

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/faults"
)

// sentinels are three Redis nodes, the first of which starts as primary, and three sentinels.
type sentinels struct {
	*folder
	redis, watch   []*process
	listen, called []string // their addresses
}

func newSentinels(f *folder) *sentinels {
	f.t.Helper()
	s := &sentinels{
		folder: f,
		redis:  make([]*process, 3),
		watch:  make([]*process, 3),
		listen: []string{f.address(11), f.address(12), f.address(13)},
		called: []string{f.address(21), f.address(22), f.address(23)},
	}
	for i := range s.redis {
		s.run(i)
	}
	for i := range s.watch {
		name := fmt.Sprint("sentinel", i+1)
		s.watch[i] = s.start(name, "redis-sentinel", s.render("sentinel.conf", s.mkdir(name), map[string]any{
			"Listen":    s.called[i],
			"Dir":       s.mkdir(name),
			"Primary":   s.listen[0],
			"Passwords": s.Passwords,
		}))
	}
	if !within(time.Minute, s.whole) {
		f.t.Fatalf("Redis did not start: %s%s", s.redis[0].output(), s.watch[0].output())
	}
	return s
}

// run starts or restarts a node. Sentinel makes a former primary a replica.
func (s *sentinels) run(i int) {
	name, primary := fmt.Sprint("redis", i+1), ""
	if i > 0 {
		primary = s.listen[0]
	}
	dir := s.mkdir(name)
	s.redis[i] = s.start(name, "redis-server", s.render("redis.conf", dir, map[string]any{
		"Listen":    s.listen[i],
		"Dir":       dir,
		"Primary":   primary,
		"Passwords": s.Passwords,
	}))
}

// url returns the HAGGLE_REDIS_URL for these sentinels.
func (s *sentinels) url() string {
	return fmt.Sprintf("redis://:%s@%s:26379/0?master_name=haggle&addr=%s:26379&addr=%s:26379&password=%s",
		s.Passwords.Sentinel, s.called[0], s.called[1], s.called[2], s.Passwords.Redis)
}

// ask runs redis-cli.
func (s *sentinels) ask(address, port, password string, args ...string) string {
	c := exec.Command("redis-cli", append([]string{"-h", address, "-p", port}, args...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "REDISCLI_AUTH=" + password}
	out, _ := c.Output() // empty if it does not respond
	return string(out)
}

// primary returns the node that most sentinels name, or -1 if there is no majority.
func (s *sentinels) primary() int {
	votes := map[string]int{}
	for _, at := range s.called {
		answer, _, _ := strings.Cut(s.ask(at, "26379", s.Passwords.Sentinel, "SENTINEL", "get-master-addr-by-name", "haggle"), "\n")
		votes[answer]++
	}
	for i, at := range s.listen {
		if votes[at] >= 2 {
			return i
		}
	}
	return -1
}

// whole reports whether the primary has two replicas that all sentinels know.
func (s *sentinels) whole() bool {
	at := s.primary()
	if at < 0 || strings.Count(s.ask(s.listen[at], "6379", s.Passwords.Redis, "INFO", "replication"), "state=online") != 2 {
		return false
	}
	for _, watch := range s.called {
		known := s.ask(watch, "26379", s.Passwords.Sentinel, "SENTINEL", "master", "haggle")
		if !strings.Contains(known, "num-slaves\n2\n") || !strings.Contains(known, "num-other-sentinels\n2\n") {
			return false
		}
	}
	return true
}

// perSecond and burst are the rate limit of a buyer's address in this test.
const perSecond, burst = 5, 10

// greedy is a client with one address that sends requests to both servers continuously.
type greedy struct {
	allowed, refused, failed atomic.Int64
	stop                     chan struct{}
	asks                     sync.WaitGroup
}

func (s *shop) greedy() *greedy {
	g := &greedy{stop: make(chan struct{})}
	for _, server := range s.servers {
		g.asks.Go(func() { g.ask(server.URL + "/p/" + s.slug + "/acp/products/" + s.product) })
	}
	return g
}

func (g *greedy) ask(url string) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-g.stop:
			return
		case <-tick.C:
		}
		request, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			g.failed.Add(1)
			continue
		}
		request.Header.Set("X-Forwarded-For", "192.0.2.1")
		response, err := client.Do(request)
		if err != nil {
			g.failed.Add(1)
			continue
		}
		_ = response.Body.Close() // only the status counts
		switch response.StatusCode {
		case http.StatusOK:
			g.allowed.Add(1)
		case http.StatusTooManyRequests:
			g.refused.Add(1)
		default:
			g.failed.Add(1)
		}
	}
}

// together reports whether a server counts in Redis, according to its metrics.
func together(p *faults.Process) bool {
	response, err := impatient.Get(p.Ops + "/metrics")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 4<<20))
	return err == nil && strings.Contains(string(text), "rate_limit_degraded 0")
}

// The Redis primary is killed and stopped while a client exceeds its rate limit. The client is neither let through nor refused
// altogether, and buyers within the limit are not affected. The servers use the new primary's counts afterwards.
func TestCluster_redis(t *testing.T) {
	needs(t, "redis")
	r := newSentinels(newFolder(t))
	s, err := openShop(build(t).serve(t, "HAGGLE_DATABASE_URL="+boottest.Engines[1].URL(t), "HAGGLE_REDIS_URL="+r.url(),
		fmt.Sprintf("HAGGLE_ACP_RATE=%d/%d", 60*perSecond, burst)), "lanterns")
	if err != nil {
		t.Fatal(err)
	}
	s.open(shoppers)
	defer s.close()
	kill := func(i int) error { r.redis[i].kill(); return nil }
	run := func(i int) error { r.run(i); return nil }
	signal := func(with syscall.Signal) func(int) error {
		return func(i int) error { return r.redis[i].cmd.Process.Signal(with) }
	}
	for _, f := range []struct {
		name     string
		do, heal func(i int) error
	}{
		{"kill -9", kill, run},
		{"kill -9 again, and a sentinel", func(i int) error { r.watch[0].kill(); return kill(i) }, func(i int) error { r.watchAgain(0); return run(i) }},
		{"SIGSTOP", signal(syscall.SIGSTOP), signal(syscall.SIGCONT)},
	} {
		r.fault(t, s, f.name, f.do, f.heal)
	}
	s.close()
	for _, broken := range s.judge() {
		t.Error(broken)
	}
	if s.refusalsText() != "" {
		t.Errorf("buyers within the rate were refused: %s", s.refusalsText())
	}
	t.Logf("%d orders", s.paid())
}

// watchAgain restarts a sentinel with its own configuration file, in which it stores its state.
func (s *sentinels) watchAgain(i int) {
	name := fmt.Sprint("sentinel", i+1)
	s.watch[i] = s.start(name, "redis-sentinel", filepath.Join(s.dir, name, "sentinel.conf"))
}

// fault makes the primary fail and repairs it, and checks the number of requests that were allowed meanwhile against the rate
// limit.
func (s *sentinels) fault(t *testing.T, shop *shop, name string, do, heal func(int) error) {
	t.Helper()
	began, g := time.Now(), shop.greedy()
	old := s.primary()
	if old < 0 || !within(10*time.Second, func() bool { return g.refused.Load() > 20 }) {
		t.Fatalf("%s: before it, %d were refused, and the primary is %d", name, g.refused.Load(), old)
	}
	if err := do(old); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	killed := time.Now()
	if !within(time.Minute, func() bool { at := s.primary(); return at >= 0 && at != old }) {
		t.Fatalf("%s: the sentinels name no other primary", name)
	}
	named := time.Now()
	if !within(soon, func() bool { return together(shop.servers[0]) && together(shop.servers[1]) }) {
		t.Errorf("%s: the servers do not count together again", name)
		shop.tail(t)
	}
	counting := time.Since(named)
	if err := heal(old); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if !within(time.Minute, s.whole) {
		t.Errorf("%s: Redis is not whole again", name)
	}
	close(g.stop)
	g.asks.Wait()
	took := time.Since(began)
	// The primary's failure and its return may each allow another burst.
	most, least := int64(3*burst+perSecond*took.Seconds()), int64(perSecond*took.Seconds()/2)
	if n := g.allowed.Load(); n > most || n < least || g.failed.Load() > 0 {
		t.Errorf("%s: in %s %d were allowed and %d failed, want %d to %d and 0", name, took.Round(time.Second), n, g.failed.Load(), least, most)
	}
	t.Logf("%s: Sentinel's time %s, counting together %s later; %d of %d requests allowed in %s", name, named.Sub(killed).Round(100*time.Millisecond),
		counting.Round(100*time.Millisecond), g.allowed.Load(), g.allowed.Load()+g.refused.Load(), took.Round(time.Second))
}
