package simulation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/custom"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/syncing"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	world "github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

// Three changes of one product happen in a merchant's system, which calls its webhook for each. The test tries every
// interleaving of what follows, within the bounds of budget: calls arrive in any order, one of them twice; a server claims and
// applies what is due, is killed at any of its calls of the store, or is stopped there for longer than its lease and continues;
// meanwhile a page of a sync run, read at any moment, is imported. In the end the product has the price of the last change.
func TestWebhooksOfOneProduct(t *testing.T) {
	budgets := []budget{{works: 1}, {repeats: 1, pages: 1}}
	if os.Getenv("SCHEDULES") != "" && os.Getenv("SEED") == "" {
		budgets = append(budgets, budget{works: 1, repeats: 1}, budget{works: 1, pages: 1})
	}
	for name, changedAt := range map[string][3]string{
		"milliseconds apart":                {"12:00:00.997", "12:00:00.998", "12:00:00.999"},
		"the first on a whole second":       {"12:00:01.000", "12:00:01.001", "12:00:01.002"},
		"the second on a whole second":      {"12:00:00.999", "12:00:01.000", "12:00:01.001"},
		"the last on a whole second":        {"12:00:00.998", "12:00:00.999", "12:00:01.000"},
		"told to the second, seconds apart": {"12:00:01", "12:00:02", "12:00:03"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, bounds := range budgets {
				exploreWebhooks(t, changedAt, bounds)
			}
		})
	}
}

// exploreWebhooks tries every schedule within bounds.
func exploreWebhooks(t *testing.T, changedAt [3]string, bounds budget) {
	schedules := 0
	for path := []int(nil); ; {
		m := &webhookModel{
			changedAt: changedAt,
			budget:    bounds,
			choices:   chooser{path: path},
		}
		synctest.Test(t, func(t *testing.T) { m.run(t) })
		if !m.redundant {
			schedules++
		}
		if m.wrong != "" {
			t.Fatalf("%s\n%s", m.wrong, strings.Join(m.trace, "\n"))
		}
		if path = m.choices.next(); path == nil {
			break
		}
	}
	t.Logf("%+v: %d schedules", bounds, schedules)
}

// budget limits what happens before all calls have arrived.
type budget struct {
	works   int // runs of a worker
	repeats int // calls that arrive twice
	pages   int // pages of sync runs
}

// chooser follows a path of choices, and takes the first choice after the path's end, so that next enumerates all paths.
type chooser struct {
	path, width []int
	at          int
}

func (c *chooser) choose(n int) int {
	if c.at == len(c.path) {
		c.path = append(c.path, 0)
	}
	if c.at == len(c.width) {
		c.width = append(c.width, n)
	}
	c.at++
	return c.path[c.at-1]
}

// next returns the path after this one, or nil after the last one.
func (c *chooser) next() []int {
	for last := c.at - 1; last >= 0; last-- {
		if c.path[last]+1 < c.width[last] {
			return append(c.path[:last:last], c.path[last]+1)
		}
	}
	return nil
}

// webhookModel is one schedule.
type webhookModel struct {
	changedAt [3]string
	budget    budget
	choices   chooser
	trace     []string
	wrong     string
	redundant bool // the worker finished before it was killed or stopped, so another schedule is the same

	world   *world.World
	system  *custom.Connector
	webhook *integration.Webhook
	entropy *world.Entropy
	came    [3]bool
	page    *syncrun.Record // read and not imported yet
	stopped chan struct{}   // closing it resumes the stopped worker; nil if none is stopped
	done    chan struct{}
}

var prices = [3]string{"10.00", "20.00", "30.00"}

func (m *webhookModel) note(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf(format, args...))
}

func (m *webhookModel) run(t *testing.T) {
	m.world, m.entropy = world.New(integration.Custom), &world.Entropy{}
	m.system = custom.New(custom.Config{Clock: m.world})
	i := m.world.Integrated()
	m.webhook = &integration.Webhook{
		ID:          id.New[id.Webhook](m.entropy.Bits128()),
		Project:     m.world.Project.ID,
		Integration: m.world.Integration,
		Type:        i.Type,
		Topic:       "products/update",
		Status:      integration.WebhookActive,
		CreatedAt:   m.world.Now(),
	}
	if err := m.world.Replica(0).Webhooks().(interface {
		Add(context.Context, *integration.Webhook) error
	}).Add(t.Context(), m.webhook); err != nil {
		t.Fatal(err)
	}
	for !m.redundant && m.act(t) {
	}
	m.settle(t)
	m.judge()
}

// act performs one action, and reports whether calls are still to arrive.
func (m *webhookModel) act(t *testing.T) bool {
	var actions []func()
	left := 0
	for n := range prices {
		if !m.came[n] {
			left++
			actions = append(actions, func() { m.arrive(t, n) })
		}
	}
	if left == 0 {
		return false
	}
	for n := range prices {
		if m.came[n] && m.budget.repeats > 0 {
			actions = append(actions, func() { m.budget.repeats--; m.arrive(t, n) })
		}
	}
	if left < len(prices) && m.budget.works > 0 {
		actions = append(actions, func() { m.budget.works--; m.work(t) })
	}
	if m.page == nil && m.budget.pages > 0 {
		for n := range prices {
			actions = append(actions, func() { m.budget.pages--; m.read(t, n) })
		}
	}
	if m.page != nil {
		actions = append(actions, func() { m.take(t) })
	}
	if m.stopped != nil {
		actions = append(actions, func() { m.resume() })
	}
	actions[m.choices.choose(len(actions))]()
	return true
}

// payload returns the nth call's body.
func (m *webhookModel) payload(n int) []byte {
	at := "2026-03-01T" + m.changedAt[n] + "Z"
	return fmt.Appendf(nil, `{"type": "products/update", "timestamp": %q, "data": {"id": "p-1", "sku": "TENT", "name": "Tent", "price": %s, "updated_at": %q}}`,
		at, prices[n], at)
}

// arrive stores a call as the receiver does. A repeated call has the same platform id.
func (m *webhookModel) arrive(t *testing.T, n int) {
	m.note("call %d arrives", n+1)
	m.came[n] = true
	m.world.Pass(time.Millisecond)
	at, err := time.Parse(time.RFC3339, "2026-03-01T"+m.changedAt[n]+"Z")
	if err != nil {
		t.Fatal(err)
	}
	d := m.webhook.Receive(id.New[id.WebhookLog](m.entropy.Bits128()), fmt.Sprint("msg_", n), at, m.payload(n), m.world.Now())
	if err := m.world.Replica(0).Inbox().Keep(t.Context(), []*integration.Delivery{d}); err != nil {
		t.Fatal(err)
	}
}

// mostCalls is more than the calls of the store that a worker makes for three deliveries.
const mostCalls = 24

// work starts a worker that handles what is due, and is killed or stopped at a call of the store.
func (m *webhookModel) work(t *testing.T) {
	switch m.choices.choose(3) {
	case 0:
		m.note("a worker works")
		m.serve(t, m.world.Replica(0))
	case 1:
		at := 1 + m.choices.choose(mostCalls)
		m.note("a worker is killed at its call %d of the store", at)
		r := m.world.Replica(at)
		m.serve(t, r)
		m.redundant = !r.Dead()
		m.pass()
	default:
		if m.redundant = m.stopped != nil; m.redundant {
			return
		}
		at := 1 + m.choices.choose(mostCalls)
		m.note("a worker is stopped at its call %d of the store", at)
		m.stop(t, at)
		m.pass()
	}
}

// pass may let leases expire.
func (m *webhookModel) pass() {
	if !m.redundant && m.choices.choose(2) == 1 {
		m.note("leases end")
		m.world.Pass(time.Minute)
	}
}

// serve runs a worker until nothing is due.
func (m *webhookModel) serve(t *testing.T, r *world.Replica) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.worker(r).Run(ctx)
	}()
	synctest.Wait()
	cancel()
	<-done
}

// stop runs a worker that stops before one of its calls, if that call is outside of a transaction: the database would end a
// transaction.
func (m *webhookModel) stop(t *testing.T, at int) {
	r := m.world.Replica(0)
	resume, done, calls, inTx := make(chan struct{}), make(chan struct{}), 0, false
	r.Before = func(call string) {
		if calls++; calls == at && !inTx {
			m.stopped, m.done = resume, done
			<-resume
		}
		switch call {
		case "begin":
			inTx = true
		case "committed":
			inTx = false
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(done)
		m.worker(r).Run(ctx)
	}()
	synctest.Wait()
	cancel()
	m.redundant = m.stopped == nil
}

func (m *webhookModel) resume() {
	m.note("the stopped worker goes on")
	close(m.stopped)
	<-m.done
	m.stopped = nil
}

func (m *webhookModel) worker(r *world.Replica) *jobs.Worker[*integration.Delivery] {
	return jobs.NewWorker((&inbox.Worker{
		Queue:        r.InboxQueue(),
		Inbox:        r.Inbox(),
		Webhooks:     r.Webhooks(),
		Integrations: r.Integrations(),
		Projects:     r,
		Unit:         r,
		Platforms:    map[string]ports.CalledConnector{"custom": m.system},
		Accounts:     anyAccount{},
		Importer:     &syncing.Importer{Clock: m.world, Entropy: m.entropy},
		Clock:        m.world,
		Log:          slog.New(slog.NewTextHandler(io.Discard, nil)),
		Changed:      func(context.Context, id.Project, []id.Product) {},
		Wanted:       func() {},
	}).Job())
}

type anyAccount struct{}

func (anyAccount) Use(_ ports.Outbound, _ *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{})
}

// read reads a page of a sync run while the nth change is the latest.
func (m *webhookModel) read(t *testing.T, n int) {
	m.note("a page is read after change %d", n+1)
	records, err := m.system.News(ports.NewOutbound(t.Context()), ports.Connection{}, "products/update", time.Time{}, m.payload(n))
	if err != nil {
		t.Fatal(err)
	}
	m.page = &records[0]
}

// take imports the page that was read, as part of a full or an incremental run.
func (m *webhookModel) take(t *testing.T) {
	full := m.choices.choose(2) == 1
	m.note("the page is taken, full: %v", full)
	r := m.world.Replica(0)
	err := r.InTx(t.Context(), m.world.Project.ID, func(s ports.SyncStores) error {
		on := ports.ImportScope{
			Project:     m.world.Project,
			Integration: m.world.Integration,
			Run:         id.New[id.Sync](m.entropy.Bits128()),
			Full:        full,
		}
		_, err := (&syncing.Importer{Clock: m.world, Entropy: m.entropy}).Import(t.Context(), s, on, []syncrun.Record{*m.page})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	m.page = nil
}

// settle lets all work finish.
func (m *webhookModel) settle(t *testing.T) {
	before := m.stopped != nil && !m.redundant && m.choices.choose(2) == 0
	if before {
		m.resume()
	}
	for range 2 {
		m.world.Pass(time.Minute)
		m.serve(t, m.world.Replica(0))
	}
	if m.page != nil {
		m.take(t)
	}
	if m.stopped != nil {
		m.resume()
	}
}

func (m *webhookModel) judge() {
	if m.redundant {
		return
	}
	for _, d := range m.world.Deliveries() {
		if d.Status != integration.Processed && d.Status != integration.Duplicate {
			m.wrong += fmt.Sprintf("a delivery is %s: %s\n", d.Status, d.Error)
		}
	}
	p := m.world.Product("TENT")
	if p == nil || p.Price.String() != prices[2] {
		m.wrong += fmt.Sprintf("the product is %+v, its price should be %s\n", p, prices[2])
	}
}
