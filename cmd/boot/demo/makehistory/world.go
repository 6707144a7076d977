package main

import (
	"container/heap"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// The history begins on a Monday and ends in the morning, so that the last events are still unanswered. It is in a year without
// real timestamps, so that a timestamp of this machine's clock among the rows is noticed.
var (
	begin = time.Date(2031, time.March, 3, 0, 0, 0, 0, time.UTC)
	end   = begin.AddDate(0, 0, days).Add(9*time.Hour + 30*time.Minute)
)

const days = 90

// world is the shop, its buyers, its merchant and the agenda of future events.
type world struct {
	ctx         context.Context
	lapse       *boot.Lapse
	handler     http.Handler
	chance      *rand.Rand
	now         time.Time
	agenda      agenda
	added       int
	connections int // number of connections so far
	failed      error

	manifest acp.Manifest
	shelf    []*good
	buyers   int
	known    []*person
	happened map[string]int
}

func open(ctx context.Context, database string, seed uint64) (*world, error) {
	lapse, err := boot.NewLapse(ctx, database, begin, slices.Collect(maps.Keys(profiles)))
	if err != nil {
		return nil, err
	}
	w := &world{
		ctx:      ctx,
		lapse:    lapse,
		handler:  lapse.Handler(),
		chance:   rand.New(rand.NewPCG(seed, 20)),
		now:      begin,
		happened: map[string]int{},
	}
	if err := w.stockShelf(); err != nil {
		return nil, err
	}
	w.manifest, err = w.shop("192.0.2.1", "").Manifest(ctx)
	return w, err
}

// live runs all events on the agenda.
func (w *world) live() error {
	for day := range days + 1 {
		w.plan(day)
	}
	for w.agenda.Len() > 0 && w.failed == nil {
		next := heap.Pop(&w.agenda).(event)
		if next.at.After(end) {
			break
		}
		if next.at.After(w.now) {
			w.moveTo(next.at)
		}
		next.happens()
	}
	if w.failed == nil {
		w.moveTo(end)
		w.check(w.lapse.Work(w.ctx))
	}
	return w.failed
}

// moveTo advances the clock. Background work runs if hours pass.
func (w *world) moveTo(at time.Time) {
	for hour := w.now.Truncate(time.Hour).Add(time.Hour); hour.Before(at); hour = hour.Add(time.Hour) {
		w.now = hour
		w.lapse.MoveTo(hour)
		w.check(w.lapse.Work(w.ctx))
	}
	w.now = at
	w.lapse.MoveTo(at)
}

func (w *world) check(err error) {
	if err != nil && w.failed == nil {
		w.failed = fmt.Errorf("on %s: %w", w.now.Format(time.DateTime), err)
	}
}

// count counts something that happened, for the report.
func (w *world) count(what string) { w.happened[what]++ }

func (w *world) report() string {
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(w.happened)) {
		fmt.Fprintf(&text, "%6d %s\n", w.happened[what], what)
	}
	return text.String()
}

// event is a future event.
type event struct {
	at      time.Time
	number  int // keeps the order of events at the same time
	happens func()
}

type agenda []event

func (a agenda) Len() int      { return len(a) }
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a agenda) Less(i, j int) bool {
	if !a[i].at.Equal(a[j].at) {
		return a[i].at.Before(a[j].at)
	}
	return a[i].number < a[j].number
}
func (a *agenda) Push(e any) { *a = append(*a, e.(event)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

func (w *world) at(at time.Time, happens func()) {
	w.added++
	heap.Push(&w.agenda, event{
		at:      at,
		number:  w.added,
		happens: happens,
	})
}

// visitor sends requests from an address and lets time pass for each.
type visitor struct {
	w       *world
	address string
}

func (v visitor) RoundTrip(r *http.Request) (*http.Response, error) {
	v.w.moveTo(v.w.now.Add(time.Duration(1500+v.w.chance.IntN(6000)) * time.Millisecond))
	served := r.Clone(r.Context())
	served.RequestURI, served.RemoteAddr = r.URL.RequestURI(), v.address+":40000"
	if r.Body == nil {
		served.Body = http.NoBody
	}
	answer := httptest.NewRecorder()
	v.w.handler.ServeHTTP(answer, served)
	return answer.Result(), nil
}

func (w *world) connection(address string, header http.Header) *exchange.Client {
	w.connections++
	return exchange.NewClient(exchange.Config{
		URL:        "http://127.0.0.1:8080",
		HTTP:       &http.Client{Transport: visitor{w, address}},
		Header:     header,
		Transcript: exchange.NewTranscript(30),
		RequestIDs: fmt.Sprintf("demo-%d", w.connections),
	})
}

// shop returns a client of Haggle's own protocol for an agent with a profile.
func (w *world) shop(address, profile string) *acp.Client {
	header := http.Header{}
	if profile != "" {
		header.Set("UCP-Agent", fmt.Sprintf("profile=%q", profile))
	}
	return acp.New(w.connection(address, header), "demo")
}

// merchant returns a client of the shop's owner, who signs in for each piece of work.
func (w *world) merchant() *merchant.Client {
	token, err := w.lapse.SignIn(w.ctx)
	w.check(err)
	return merchant.New(w.connection("192.0.2.10", nil), token, w.lapse.Shop.Project.String())
}
