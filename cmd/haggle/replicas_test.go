package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
)

// replica is one of several running `haggle serve`. Its log goes to a file.
type replica struct {
	process  *exec.Cmd
	url, ops string
	client   *http.Client
	log      string // the file's path
}

func startReplica(t *testing.T, databaseURL string, flags ...string) *replica {
	t.Helper()
	r := &replica{client: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	r.process = command(t, databaseURL, append([]string{"serve", "--addr=127.0.0.1:0", "--ops-addr=127.0.0.1:0"}, flags...)...)
	r.log = filepath.Join(t.TempDir(), "log")
	file, err := os.Create(r.log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r.process.Stderr = file
	out, err := r.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 2 && words[0] == "API":
			r.url = strings.TrimSuffix(words[1], "/v1")
		case len(words) == 2 && words[0] == "Health":
			r.ops = strings.TrimSuffix(words[1], "/readyz")
		case strings.HasPrefix(lines.Text(), "Stop with"):
			go func() { _, _ = io.Copy(io.Discard, out) }() // discards the rest of the output
			return r
		}
	}
	t.Fatalf("the server did not start:\n%s", r.logged())
	return nil
}

func (r *replica) kill() { _, _ = r.process.Process.Kill(), r.process.Wait() } // SIGKILL

func (r *replica) logged() string {
	text, err := os.ReadFile(r.log)
	return cmp.Or(string(text), fmt.Sprint(err))
}

// said is a response.
type said struct {
	status int
	header http.Header
	body   []byte
}

func (s said) code() string {
	var management struct{ Error struct{ Code string } }
	var acp struct{ Error string }
	_, _ = json.Unmarshal(s.body, &management), json.Unmarshal(s.body, &acp) // one of the two formats matches
	return cmp.Or(management.Error.Code, acp.Error)
}

// number returns a header's integer value.
func (s said) number(name string) int {
	n, err := strconv.Atoi(s.header.Get(name))
	if err != nil {
		return -1
	}
	return n
}

// ask sends a request with a key and headers, given as alternating names and values.
func (r *replica) ask(key, method, path, body string, headers ...string) (said, error) {
	request, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		return said{}, err
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := r.client.Do(request)
	if err != nil {
		return said{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return said{response.StatusCode, response.Header, text}, err
}

// must is ask for a request that has to succeed.
func (r *replica) must(t *testing.T, status int, into any, key, method, path, body string, headers ...string) {
	t.Helper()
	s, err := r.ask(key, method, path, body, headers...)
	if err != nil || s.status != status {
		t.Fatalf("%s %s: %v, %d %s", method, path, err, s.status, s.body)
	}
	if into != nil {
		if err := json.Unmarshal(s.body, into); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *replica) openShop(t *testing.T, slug string) (project string) {
	t.Helper()
	var made struct{ ID string }
	r.must(t, 201, &made, boottest.Key, "POST", "/v1/projects", `{"name":"Shop","slug":"`+slug+`"}`)
	return made.ID
}

func (r *replica) metric(t *testing.T, name string) string {
	t.Helper()
	response, err := r.client.Get(r.ops + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), name+" "); found {
			return value
		}
	}
	return "nothing"
}

// loadResult counts the responses of a load, and has the reason of the last odd one.
type loadResult struct {
	accepted, refused atomic.Int64
	odd               atomic.Value
}

// hammerPatience is how long a slow machine may take to exceed a rate.
const hammerPatience = 2 * time.Minute

// hammer sends to both replicas, from eight clients each, for howLong and until a request is refused. judge returns what is odd
// about a response.
func hammer(both []*replica, howLong time.Duration, send func(*replica) (said, error), judge func(said) string) *loadResult {
	h := &loadResult{}
	var clients sync.WaitGroup
	start := time.Now()
	for i := range 16 {
		clients.Go(func() {
			for time.Since(start) < howLong || h.refused.Load() == 0 && time.Since(start) < hammerPatience {
				s, err := send(both[i%2])
				problem := ""
				switch {
				case err == nil && s.status == 200:
					h.accepted.Add(1)
					problem = judge(s)
				case err == nil && s.status == 429 && s.code() == "rate_limited":
					h.refused.Add(1)
					problem = judge(s)
				default:
					problem = fmt.Sprintf("%v, %d %s", err, s.status, s.body)
				}
				if problem != "" {
					h.odd.Store(problem)
				}
			}
		})
	}
	clients.Wait()
	return h
}

// headersFor returns a judge of the headers of a rate limit.
func headersFor(perMinute, burst int) func(said) string {
	policy := fmt.Sprintf("%d;w=60;burst=%d", perMinute, burst)
	rest := (burst*60 + perMinute - 1) / perMinute // seconds until the full burst is available again
	return func(s said) string {
		if s.status == 429 && s.number("RateLimit-Limit") == 10*burst && s.number("Retry-After") >= 1 {
			return "" // refused by the limit of one address over all shops
		}
		left, reset, retry := s.number("RateLimit-Remaining"), s.number("RateLimit-Reset"), s.number("Retry-After")
		fine := s.number("RateLimit-Limit") == burst && s.header.Get("RateLimit-Policy") == policy &&
			left >= 0 && left < burst && reset >= 1 && reset <= rest+1 &&
			(s.status == 200 && retry == -1 || s.status == 429 && left == 0 && retry >= 1 && retry <= 60/perMinute+2)
		if fine {
			return ""
		}
		return fmt.Sprintf("%d with %v", s.status, s.header)
	}
}

// patientURL returns a Redis URL whose timeouts are long enough for a busy machine.
func patientURL(s *redisserver.Server) string {
	return "--redis-url=" + s.URL() + "?dial_timeout=20s&read_timeout=20s&write_timeout=20s&pool_timeout=20s"
}

func TestServeCmd_Run_sharedRateLimit(t *testing.T) {
	t.Parallel()
	database, redis := boottest.Engines[1].URL(t), redisserver.Start(t)
	out, err := command(t, database, "keys", "create", "--plan=starter", "--new-account=Small").Output()
	if err != nil {
		t.Fatal(err)
	}
	starter := strings.TrimSpace(string(out))
	var both []*replica
	for range 2 {
		both = append(both, startReplica(t, database, patientURL(redis), "--acp-rate=60/20"))
	}
	both[0].openShop(t, "shop")
	for name, c := range map[string]struct {
		perMinute, burst int
		send             func(*replica) (said, error)
	}{
		"the starter plan": {100, 150, func(r *replica) (said, error) { return r.ask(starter, "GET", "/v1/account", "") }},
		"a buyer":          {60, 20, func(r *replica) (said, error) { return r.ask("", "GET", "/p/shop/.well-known/acp/manifest.json", "") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			h := hammer(both, 2*time.Second, c.send, headersFor(c.perMinute, c.burst))
			accepted := h.accepted.Load()
			most := int64(c.burst) + int64(time.Since(start))*int64(c.perMinute)/int64(time.Minute) + 1
			if accepted < int64(c.burst) || accepted > most || h.refused.Load() == 0 || h.odd.Load() != nil {
				t.Errorf("%d accepted, want %d to %d; %d refused; odd: %v", accepted, c.burst, most, h.refused.Load(), h.odd.Load())
			}
			t.Logf("%d accepted of at most %d, %d refused", accepted, most, h.refused.Load())
			for i := range 4 { // one request at a time, to alternating replicas
				var refused said
				for err := error(nil); err == nil && refused.status != 429; {
					refused, err = c.send(both[i%2])
				}
				time.Sleep(time.Duration(refused.number("Retry-After")) * time.Second)
				if s, err := c.send(both[(i+1)%2]); err != nil || s.status != 200 {
					t.Errorf("after the wait of %s s: %v, %d %s", refused.header.Get("Retry-After"), err, s.status, s.body)
				}
			}
		})
	}
}

// Redis is down for two seconds: requests under the rate still succeed, and metrics and logs report it.
func TestServeCmd_Run_withoutRedis(t *testing.T) {
	t.Parallel()
	const perMinute, burst, degraded = 120, 20, "haggle_rate_limit_degraded"
	database, redis := boottest.Engines[1].URL(t), redisserver.Start(t)
	var both []*replica
	for range 2 {
		both = append(both, startReplica(t, database, patientURL(redis), fmt.Sprintf("--enterprise-rate=%d/%d", perMinute, burst)))
	}
	steady := func(what string, howLong time.Duration) {
		t.Helper()
		start := time.Now()
		h := hammer(both, howLong, func(r *replica) (said, error) { return r.ask(boottest.Key, "GET", "/v1/account", "") },
			func(said) string { return "" })
		most := int64(burst) + int64(time.Since(start))*perMinute/int64(time.Minute) + 2
		if n := h.accepted.Load(); n > most || n == 0 || h.odd.Load() != nil || h.refused.Load() == 0 {
			t.Errorf("%s: %d accepted, want 1 to %d; %d refused; failed: %v", what, n, most, h.refused.Load(), h.odd.Load())
		}
	}
	steady("with Redis", 1500*time.Millisecond)
	for i, r := range both {
		if got := r.metric(t, degraded); got != "0" {
			t.Errorf("with Redis replica %d tells %s %s\n%s", i, degraded, got, r.logged())
		}
	}
	redis.Stop()
	steady("without Redis", 2*time.Second)
	for i, r := range both {
		if got := r.metric(t, degraded); got != "1" {
			t.Errorf("without Redis replica %d tells %s %s", i, degraded, got)
		}
	}
	redis.Restart()
	for i, r := range both { // even without requests
		back := time.Now()
		for ; r.metric(t, degraded) != "0"; time.Sleep(50 * time.Millisecond) {
			if time.Since(back) > 10*time.Second {
				t.Errorf("replica %d still tells %s 1, %v after Redis returned\n%s", i, degraded, time.Since(back), r.logged())
				break
			}
		}
	}
	steady("with Redis again", 1500*time.Millisecond) // Redis lost the counts
	for i, r := range both {
		for _, change := range []string{"Redis does not answer", "Redis answers again"} {
			if n := strings.Count(r.logged(), change); n != 1 {
				t.Errorf("replica %d logged %d times that %s:\n%s", i, n, change, r.logged())
			}
		}
	}
}
