package syncing_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Inbox is the contract of ports.Inbox and ports.InboxQueue.
func Inbox(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*porttest.Mailbox){
		"a delivery comes back as it was kept":       inboxRoundTrip,
		"the first of a call's repeated ones stays":  inboxRepeatedAtOnce,
		"what is known is repeated":                  inboxRepeatedLater,
		"of sixteen calls with the same, one has it": inboxRace,
		"however many, they are kept at once":        inboxMany,
		"all are kept, or none":                      inboxAllOrNone,
		"kept again, nothing is new":                 inboxKeptAgain,
		"a claim leases what waits":                  inboxClaim,
		"a claim has few bytes, or one delivery":     inboxClaimBytes,
		"what was done counts while the lease does":  inboxRecord,
		"a failed one is tried again":                inboxRetry,
		"a failed change leaves no trace":            inboxFailedChange,
		"the log is newest first, and filtered":      inboxLog,
		"unknown and foreign deliveries":             inboxUnknown,
		"nothing of a deleted project is left":       inboxDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := porttest.OpenShop(t, open(t))
			test(s.Mailbox())
		})
	}
}

func log(m *porttest.Mailbox, f ports.LogFilter) []*integration.Delivery {
	m.T.Helper()
	list, total, err := m.Inbox.Log(m.Ctx, m.Project.ID, m.Hook.Integration, f, ports.Page{Limit: 10_000})
	m.Must(err)
	porttest.Same(m.T, "total", total, len(list))
	return list
}

// count is how many of a status are in the log.
func count(m *porttest.Mailbox, status integration.LogStatus) int {
	m.T.Helper()
	return len(log(m, ports.LogFilter{Status: status}))
}

// stored is a delivery with its payload.
func stored(m *porttest.Mailbox, d *integration.Delivery) (found *integration.Delivery) {
	m.T.Helper()
	_, err := m.Inbox.Update(m.Ctx, d.Project, d.Integration, d.ID, func(stored *integration.Delivery) error {
		found = stored
		return porttest.ErrPlain
	})
	porttest.Same(m.T, "error", err, porttest.ErrPlain)
	return found
}

func claim(m *porttest.Mailbox, now time.Time, n int) []*integration.Delivery {
	m.T.Helper()
	claimed, err := porttest.ClaimAt(m.Stores, m.InboxQueue, now, porttest.Lease, n)
	m.Must(err)
	list := make([]*integration.Delivery, len(claimed))
	for i, l := range claimed {
		m.Must(l.Err)
		porttest.Same(m.T, "the lease", l.Until, l.Item.DueAt)
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

func inboxRoundTrip(m *porttest.Mailbox) {
	full := m.Letter("Ægir's \\ 1", porttest.Noon.Add(3*time.Millisecond))
	bare := m.Hook.Receive(porttest.Random[id.WebhookLog](), "", time.Time{}, []byte("x"), porttest.Noon.Add(2*time.Millisecond))
	rejected := m.Hook.Reject(porttest.Random[id.WebhookLog](), "Its signature is wrong.", 77, porttest.Noon)
	want := []*integration.Delivery{full, bare, rejected}
	m.Keep(rejected, full, bare)
	porttest.Same(m.T, "log", log(m, ports.LogFilter{}), withoutPayload(want...))
	for _, d := range want {
		porttest.Same(m.T, "stored", stored(m, d), d)
	}
}

func inboxRepeatedAtOnce(m *porttest.Mailbox) {
	first, again, third := m.Letter("b", porttest.Noon), m.Letter("b", porttest.Noon.Add(time.Second)), m.Letter("b", porttest.Noon.Add(-time.Second))
	other, nameless, alike := m.Letter("a", porttest.Noon), m.Letter("", porttest.Noon), m.Letter("", porttest.Noon)
	rejected := m.Hook.Reject(porttest.Random[id.WebhookLog](), "Wrong.", 1, porttest.Noon)
	list := []*integration.Delivery{nameless, first, again, other, rejected, third, alike}
	order := slices.Clone(list)
	m.Keep(list...)
	porttest.Same(m.T, "the list's order", list, order)
	for d, status := range map[*integration.Delivery]integration.LogStatus{
		first:    integration.Received,
		again:    integration.Duplicate,
		third:    integration.Duplicate,
		other:    integration.Received,
		nameless: integration.Received,
		alike:    integration.Received,
		rejected: integration.Rejected,
	} {
		porttest.Same(m.T, "status", d.Status, status)
		porttest.Same(m.T, "waits", !d.DueAt.IsZero(), status == integration.Received)
		porttest.Same(m.T, "stored", stored(m, d), d)
	}
}

func inboxRepeatedLater(m *porttest.Mailbox) {
	first, again, fresh := m.Letter("b", porttest.Noon), m.Letter("b", porttest.Noon), m.Letter("c", porttest.Noon)
	stranger := porttest.OpenShop(m.T, m.Stores).Mailbox()
	twin := *m.Hook
	twin.ID = porttest.Random[id.Webhook]()
	foreign, sister := stranger.Letter("b", porttest.Noon), twin.Receive(porttest.Random[id.WebhookLog](), "b", porttest.Noon, nil, porttest.Noon)
	m.Keep(first)
	m.Keep(again, fresh, foreign, sister)
	for d, status := range map[*integration.Delivery]integration.LogStatus{
		first:   integration.Received,
		again:   integration.Duplicate,
		fresh:   integration.Received,
		foreign: integration.Received,
		sister:  integration.Received,
	} {
		porttest.Same(m.T, "status", d.Status, status)
		porttest.Same(m.T, "stored", stored(m, d), d)
	}
	done := claim(m, porttest.Noon, 9)[0]
	done.Done()
	m.Must(m.Inbox.Record(m.Ctx, done, porttest.Noon.Add(porttest.Lease)))
	for _, d := range []*integration.Delivery{m.Letter("b", porttest.Noon), m.Letter("c", porttest.Noon)} {
		m.Keep(d)
		porttest.Same(m.T, "one that was done, or is in hand", d.Status, integration.Duplicate)
	}
}

func inboxRace(m *porttest.Mailbox) {
	const names = 8
	kept := make([][]*integration.Delivery, porttest.Racers)
	m.Must(porttest.AtOnce(porttest.Racers, func(n int) error {
		for i := range names { // each in another order
			kept[n] = append(kept[n], m.Letter(fmt.Sprint((i+n)%names), porttest.Noon))
		}
		return m.Inbox.Keep(m.Ctx, kept[n])
	}))
	received := make(map[string]int)
	for _, d := range slices.Concat(kept...) {
		porttest.Same(m.T, "stored", stored(m, d), d)
		if d.Status == integration.Received {
			received[d.Remote]++
		}
	}
	for i := range names {
		porttest.Same(m.T, "winners", received[fmt.Sprint(i)], 1)
	}
	porttest.Same(m.T, "duplicates", count(m, integration.Duplicate), names*(porttest.Racers-1))
}

func inboxMany(m *porttest.Mailbox) {
	const many = 1010
	var list []*integration.Delivery
	for n := range many {
		list = append(list, m.Letter(fmt.Sprint(n%(many-10)), porttest.Noon))
	}
	m.Keep(list...)
	for n, d := range list {
		if (d.Status == integration.Duplicate) != (n >= many-10) {
			m.T.Errorf("the %dth is %s", n, d.Status)
		}
	}
	porttest.Same(m.T, "received", count(m, integration.Received), many-10)
	porttest.Same(m.T, "repeated", count(m, integration.Duplicate), 10)
	m.Keep()
}

func inboxAllOrNone(m *porttest.Mailbox) {
	m.Keep(m.Letter("known", porttest.Noon))
	fine, repeated, broken := m.Letter("a", porttest.Noon), m.Letter("known", porttest.Noon), m.Letter("z", porttest.Noon)
	broken.Status = integration.LogStatus{}
	if err := m.Inbox.Keep(m.Ctx, []*integration.Delivery{fine, repeated, broken}); err == nil {
		m.T.Error("a delivery without a status was kept")
	}
	porttest.Same(m.T, "kept", len(log(m, ports.LogFilter{})), 1)
	porttest.Same(m.T, "the repeated one's status", repeated.Status, integration.Received)
}

// A caller that did not learn whether its deliveries were stored stores them once more.
func inboxKeptAgain(m *porttest.Mailbox) {
	named, nameless := m.Letter("a", porttest.Noon), m.Letter("", porttest.Noon)
	m.Keep(named, nameless)
	m.Keep(named, nameless)
	porttest.Same(m.T, "status", named.Status, integration.Received)
	porttest.Same(m.T, "kept", len(log(m, ports.LogFilter{})), 2)
	porttest.Same(m.T, "stored", stored(m, named), named)
}
