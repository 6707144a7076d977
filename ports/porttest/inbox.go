package porttest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Inbox is the contract of ports.Inbox and ports.InboxQueue.
func Inbox(t *testing.T, open Open) {
	for name, test := range map[string]func(*mailbox){
		"a delivery comes back as it was kept":       inboxRoundTrip,
		"the first of a call's repeated ones stays":  inboxRepeatedAtOnce,
		"what is known is repeated":                  inboxRepeatedLater,
		"of sixteen calls with the same, one has it": inboxRace,
		"however many, they are kept at once":        inboxMany,
		"all are kept, or none":                      inboxAllOrNone,
		"kept again, nothing is new":                 inboxKeptAgain,
		"a claim leases what waits":                  inboxClaim,
		"what was done counts while the lease does":  inboxRecord,
		"a failed one is tried again":                inboxRetry,
		"a failed change leaves no trace":            inboxFailedChange,
		"the log is newest first, and filtered":      inboxLog,
		"unknown and foreign deliveries":             inboxUnknown,
		"nothing of a deleted project is left":       inboxDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t, open(t))
			test(s.mailbox())
		})
	}
}

// mailbox is a shop with a webhook, as those who call it know it.
type mailbox struct {
	*shop
	hook *integration.Webhook
}

func (s *shop) mailbox() *mailbox {
	return &mailbox{s, s.hook(&integration.Integration{
		Project: s.project.ID, ID: random[id.Integration](), Type: integration.Shopify}, "orders/create")}
}

// letter is a delivery that is not kept yet.
func (m *mailbox) letter(remote string, at time.Time) *integration.Delivery {
	return m.hook.Receive(random[id.WebhookLog](), remote, at.Add(-time.Minute), []byte("{\"é\": \x00\xff}"), at)
}

func (m *mailbox) keep(list ...*integration.Delivery) {
	m.t.Helper()
	m.must(m.Inbox.Keep(m.ctx, list))
}

func (m *mailbox) log(f ports.LogFilter) []*integration.Delivery {
	m.t.Helper()
	list, total, err := m.Inbox.Log(m.ctx, m.project.ID, m.hook.Integration, f, ports.Page{Limit: 10_000})
	m.must(err)
	same(m.t, "total", total, len(list))
	return list
}

// count is how many of a status are in the log.
func (m *mailbox) count(status integration.LogStatus) int {
	m.t.Helper()
	return len(m.log(ports.LogFilter{Status: status}))
}

// stored is a delivery with its payload.
func (m *mailbox) stored(d *integration.Delivery) (found *integration.Delivery) {
	m.t.Helper()
	_, err := m.Inbox.Update(m.ctx, d.Project, d.Integration, d.ID, func(stored *integration.Delivery) error {
		found = stored
		return errPlain
	})
	same(m.t, "error", err, errPlain)
	return found
}

func (m *mailbox) claim(now time.Time, n int) []*integration.Delivery {
	m.t.Helper()
	claimed, err := claimAt(m.Stores, m.InboxQueue, now, lease, n)
	m.must(err)
	list := make([]*integration.Delivery, len(claimed))
	for i, l := range claimed {
		m.must(l.Err)
		same(m.t, "the lease", l.Until, l.Item.DueAt)
		list[i] = l.Item
	}
	slices.SortFunc(list, func(a, b *integration.Delivery) int { return a.ReceivedAt.Compare(b.ReceivedAt) })
	return list
}

func withoutPayload(list ...*integration.Delivery) []*integration.Delivery {
	plain := make([]*integration.Delivery, len(list))
	for n, d := range list {
		one := *d
		one.Payload = nil
		plain[n] = &one
	}
	return plain
}

func inboxRoundTrip(m *mailbox) {
	full := m.letter("Ægir's \\ 1", noon.Add(3*time.Millisecond))
	bare := m.hook.Receive(random[id.WebhookLog](), "", time.Time{}, []byte("x"), noon.Add(2*time.Millisecond))
	rejected := m.hook.Reject(random[id.WebhookLog](), "Its signature is wrong.", 77, noon)
	want := []*integration.Delivery{full, bare, rejected}
	m.keep(rejected, full, bare)
	same(m.t, "log", m.log(ports.LogFilter{}), withoutPayload(want...))
	for _, d := range want {
		same(m.t, "stored", m.stored(d), d)
	}
}

func inboxRepeatedAtOnce(m *mailbox) {
	first, again, third := m.letter("b", noon), m.letter("b", noon.Add(time.Second)), m.letter("b", noon.Add(-time.Second))
	other, nameless, alike := m.letter("a", noon), m.letter("", noon), m.letter("", noon)
	rejected := m.hook.Reject(random[id.WebhookLog](), "Wrong.", 1, noon)
	list := []*integration.Delivery{nameless, first, again, other, rejected, third, alike}
	order := slices.Clone(list)
	m.keep(list...)
	same(m.t, "the list's order", list, order)
	for d, status := range map[*integration.Delivery]integration.LogStatus{
		first: integration.Received, again: integration.Duplicate, third: integration.Duplicate, other: integration.Received,
		nameless: integration.Received, alike: integration.Received, rejected: integration.Rejected,
	} {
		same(m.t, "status", d.Status, status)
		same(m.t, "waits", !d.DueAt.IsZero(), status == integration.Received)
		same(m.t, "stored", m.stored(d), d)
	}
}

func inboxRepeatedLater(m *mailbox) {
	first, again, fresh := m.letter("b", noon), m.letter("b", noon), m.letter("c", noon)
	stranger := openShop(m.t, m.Stores).mailbox()
	twin := *m.hook
	twin.ID = random[id.Webhook]()
	foreign, sister := stranger.letter("b", noon), twin.Receive(random[id.WebhookLog](), "b", noon, nil, noon)
	m.keep(first)
	m.keep(again, fresh, foreign, sister)
	for d, status := range map[*integration.Delivery]integration.LogStatus{
		first: integration.Received, again: integration.Duplicate, fresh: integration.Received, foreign: integration.Received,
		sister: integration.Received,
	} {
		same(m.t, "status", d.Status, status)
		same(m.t, "stored", m.stored(d), d)
	}
	done := m.claim(noon, 9)[0]
	done.Done()
	m.must(m.Inbox.Record(m.ctx, done, noon.Add(lease)))
	for _, d := range []*integration.Delivery{m.letter("b", noon), m.letter("c", noon)} {
		m.keep(d)
		same(m.t, "one that was done, or is in hand", d.Status, integration.Duplicate)
	}
}

func inboxRace(m *mailbox) {
	const names = 8
	kept := make([][]*integration.Delivery, racers)
	m.must(atOnce(racers, func(n int) error {
		for i := range names { // each in another order
			kept[n] = append(kept[n], m.letter(fmt.Sprint((i+n)%names), noon))
		}
		return m.Inbox.Keep(m.ctx, kept[n])
	}))
	received := make(map[string]int)
	for _, d := range slices.Concat(kept...) {
		same(m.t, "stored", m.stored(d), d)
		if d.Status == integration.Received {
			received[d.Remote]++
		}
	}
	for i := range names {
		same(m.t, "winners", received[fmt.Sprint(i)], 1)
	}
	same(m.t, "duplicates", m.count(integration.Duplicate), names*(racers-1))
}

func inboxMany(m *mailbox) {
	const many = 1010
	var list []*integration.Delivery
	for n := range many {
		list = append(list, m.letter(fmt.Sprint(n%(many-10)), noon))
	}
	m.keep(list...)
	for n, d := range list {
		if (d.Status == integration.Duplicate) != (n >= many-10) {
			m.t.Errorf("the %dth is %s", n, d.Status)
		}
	}
	same(m.t, "received", m.count(integration.Received), many-10)
	same(m.t, "repeated", m.count(integration.Duplicate), 10)
	m.keep()
}

func inboxAllOrNone(m *mailbox) {
	m.keep(m.letter("known", noon))
	fine, repeated, broken := m.letter("a", noon), m.letter("known", noon), m.letter("z", noon)
	broken.Status = integration.LogStatus{}
	if err := m.Inbox.Keep(m.ctx, []*integration.Delivery{fine, repeated, broken}); err == nil {
		m.t.Error("a delivery without a status was kept")
	}
	same(m.t, "kept", len(m.log(ports.LogFilter{})), 1)
	same(m.t, "the repeated one's status", repeated.Status, integration.Received)
}

// Whoever did not hear whether they were kept keeps them once more.
func inboxKeptAgain(m *mailbox) {
	named, nameless := m.letter("a", noon), m.letter("", noon)
	m.keep(named, nameless)
	m.keep(named, nameless)
	same(m.t, "status", named.Status, integration.Received)
	same(m.t, "kept", len(m.log(ports.LogFilter{})), 2)
	same(m.t, "stored", m.stored(named), named)
}
