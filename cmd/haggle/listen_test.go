package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver is a local program that verifies what is posted to it.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	secret string
	types  map[string]string // by event id
	bad    []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, _ := io.ReadAll(request.Body)
	key, err := standardwebhooks.NewWebhook(r.secret)
	if err == nil {
		err = key.Verify(body, request.Header)
	}
	var e struct{ ID, Type string }
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil || r.types[e.ID] != "" {
		r.bad = append(r.bad, fmt.Sprint(err, string(body)))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.types[e.ID] = e.Type
}

func (r *receiver) got() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.types)
}

// Every event that happens while the command runs is posted once, signed with the printed secret, even if the local program was
// down in between. No subscription is left at the server. Ctrl-C ends the command with exit code 0.
func TestListenCmd_Run(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	before := c.orderEvents(t)
	local := &receiver{types: map[string]string{}}
	local.Server = httptest.NewUnstartedServer(local)
	address := local.Listener.Addr().String()
	local.Listener.Close() // nothing listens there yet
	t.Cleanup(local.Close)

	listen := command(t, c.database, "listen", "--project=demo", "--forward-to=http://"+address+"/hook", "--events=order.*,checkout.abandoned")
	listen.Env = append(listen.Env, "HAGGLE_API_KEY="+c.key, "HAGGLE_URL="+c.url)
	var printed strings.Builder
	listen.Stdout = &printed
	stderr, err := listen.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := listen.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listen.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	lines.Scan() // Ready.
	lines.Scan()
	local.mu.Lock()
	local.secret = lines.Text()
	local.mu.Unlock()
	if out, err := simulate(t, "--buyers=30", "--seed=7", "--url", c.url).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines.Scan()
	if !strings.Contains(lines.Text(), "does not respond (") {
		t.Errorf("nothing listens, and it says %q", lines.Text())
	}
	go func() {
		for lines.Scan() {
		}
	}()
	if local.Listener, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	local.Start()
	var wanted map[string]bool
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		wanted = c.orderEvents(t)
		maps.DeleteFunc(wanted, func(id string, _ bool) bool { return before[id] })
		if local.got() >= len(wanted) {
			break
		}
	}
	if err := listen.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := listen.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	local.mu.Lock()
	defer local.mu.Unlock()
	if len(local.types) != len(wanted) || len(wanted) < 5 || len(local.bad) > 0 {
		t.Errorf("%d of %d events were posted, %d were not understood: %v", len(local.types), len(wanted), len(local.bad), local.bad)
	}
	for id, of := range local.types {
		if !wanted[id] || !strings.HasPrefix(of, "order.") || !strings.Contains(printed.String(), id) {
			t.Errorf("%s %s was posted and not wanted, or not printed", of, id)
		}
	}
	if got := c.works(t, "api", "/v1/event-subscriptions", "--project=demo", "--jq=.meta.total"); got != "0\n" {
		t.Errorf("%s subscriptions are left", got)
	}
}

// orderEvents returns the ids of all events about orders.
func (c client) orderEvents(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, id := range strings.Fields(c.works(t, "api", "/v1/events", "--project=demo", "--paginate", "-f", "limit=100",
		`--jq=.data[] | select(.type | startswith("order.")) | .id`)) {
		all[id] = true
	}
	return all
}

func TestListenCmd_Run_errors(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	for says, args := range map[string][]string{
		`--events: "order.complete" must be one of order.completed`: {"listen", "--project=demo", "--events=order.complete"},
		"--forward-to is": {"listen", "--project=demo", "--forward-to=localhost:3000"},
		"--secret must be whsec_ followed by base64": {"listen", "--project=demo", "--secret=!"},
	} {
		if out, said, code := c.run(t, args...); code != 2 || out != "" || !strings.Contains(said, says) {
			t.Errorf("%v: %d, %s%s", args, code, out, said)
		}
	}
	reader := c
	reader.key = strings.TrimSpace(c.works(t, "keys", "create", "--scopes=catalog:read"))
	if _, said, code := reader.run(t, "listen", "--project=demo"); code != 1 || !strings.Contains(said, "The API key needs the scope events:read") {
		t.Errorf("without the scope: %d, %s", code, said)
	}
}

// An event that commits after a poll began is found by the next poll, because that reads back.
func TestEventLog_news(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Second)
	var log []loggedEvent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var page []map[string]any
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		for i := offset; i < min(len(log), offset+atOnce); i++ {
			page = append(page, map[string]any{"id": log[i].ID, "type": log[i].Type, "created_at": log[i].At})
		}
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		_ = json.NewEncoder(w).Encode(map[string]any{"data": page})
	}))
	t.Cleanup(server.Close)
	events := &eventLog{server: atServer{URL: server.URL}, seen: map[string]time.Time{}}
	look := func(want ...string) {
		t.Helper()
		slices.SortFunc(log, func(a, b loggedEvent) int { return b.At.Compare(a.At) })
		list, err := events.news(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, e.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	add := func(id string, at time.Duration) {
		log = append(log, loggedEvent{
			ID:   id,
			Type: "order.completed",
			At:   now.Add(at),
		})
	}
	add("before", -time.Second)
	look()
	look()
	add("second", 2*time.Second)
	add("first", time.Second)
	look("first", "second")
	now = now.Add(10 * time.Second)
	for i := range 3 * atOnce {
		add(fmt.Sprintf("many %03d", i), time.Duration(i)*time.Millisecond)
	}
	add("late", -20*time.Second) // committed long after it was written
	var want []string
	want = append(want, "late")
	for i := range 3 * atOnce {
		want = append(want, fmt.Sprintf("many %03d", i))
	}
	look(want...)
	now = now.Add(time.Hour)
	look()
	if len(events.seen) != 0 {
		t.Errorf("%d events of long ago are kept in mind", len(events.seen))
	}
	add("later", 0)
	look("later")
}
