package syncing_test

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func inboxClaim(m *porttest.Mailbox) {
	late, early, later := m.Letter("1", porttest.Noon.Add(2*time.Second)), m.Letter("2", porttest.Noon), m.Letter("3", porttest.Noon.Add(time.Minute))
	foreign := porttest.OpenShop(m.T, m.Stores).Mailbox().Letter("4", porttest.Noon.Add(time.Second))
	m.Keep(late, early, later, foreign, m.Hook.Reject(porttest.Random[id.WebhookLog](), "Wrong.", 1, porttest.Noon))
	now := porttest.Noon.Add(2 * time.Second)
	want := []*integration.Delivery{early, foreign, late}
	for _, d := range want {
		d.DueAt = now.Add(porttest.Lease)
	}
	porttest.Same(m.T, "the longest waiting of each integration", claim(m, now, 1), want[:2])
	porttest.Same(m.T, "the next", claim(m, now, 9), want[2:])
	porttest.Same(m.T, "leased", stored(m, early).DueAt, now.Add(porttest.Lease))
}

// The deliveries of one claim have a limited number of bytes, no matter how many wait; a larger one is claimed alone.
func inboxClaimBytes(m *porttest.Mailbox) {
	const kB = 1 << 10
	var list []*integration.Delivery
	for n, size := range []int{3000 * kB, 2000 * kB, kB, 9000 * kB, kB} {
		list = append(list, m.Hook.Receive(porttest.Random[id.WebhookLog](), "", porttest.Noon, make([]byte, size), porttest.Noon.Add(time.Duration(n)*time.Second)))
	}
	m.Keep(list...)
	now := porttest.Noon.Add(time.Minute)
	for _, want := range [][]*integration.Delivery{list[:1], list[1:3], list[3:4], list[4:]} {
		var got []id.WebhookLog
		for _, d := range claim(m, now, 9) {
			got = append(got, d.ID)
		}
		ids := make([]id.WebhookLog, len(want))
		for n, d := range want {
			ids[n] = d.ID
		}
		porttest.Same(m.T, "claimed", got, ids)
	}
}

func inboxRecord(m *porttest.Mailbox) {
	m.Keep(m.Letter("1", porttest.Noon), m.Letter("2", porttest.Noon.Add(time.Millisecond)), m.Letter("3", porttest.Noon.Add(2*time.Millisecond)))
	list := claim(m, porttest.Noon.Add(time.Second), 9)
	lease := list[0].DueAt
	done, failed, hopeless := list[0], list[1], list[2]
	done.Done()
	failed.Failed("No answer.", porttest.Noon)
	hopeless.GiveUp("It is no JSON.")
	for _, d := range list {
		m.Must(m.Inbox.Record(m.Ctx, d, lease))
		porttest.Same(m.T, "recorded", stored(m, d), d)
	}
	porttest.Same(m.T, "the payload of what is done", done.Payload == nil, true)
	porttest.Same(m.T, "the payload of what failed", len(failed.Payload), failed.Size)

	again := claim(m, failed.DueAt, 9)
	porttest.Same(m.T, "due again", len(again), 1)
	stale := *failed
	stale.Done()
	m.Must(m.Inbox.Record(m.Ctx, &stale, lease))
	m.Must(m.Inbox.Record(m.Ctx, &stale, failed.DueAt))
	porttest.Same(m.T, "after a lease that was lost", stored(m, failed), again[0])
	stale.Project = porttest.OpenShop(m.T, m.Stores).Project.ID
	m.Must(m.Inbox.Record(m.Ctx, &stale, again[0].DueAt))
	porttest.Same(m.T, "after another project's", stored(m, failed), again[0])
}

func inboxRetry(m *porttest.Mailbox) {
	m.Keep(m.Letter("1", porttest.Noon))
	d := claim(m, porttest.Noon, 1)[0]
	lease := d.DueAt
	d.GiveUp("It is no JSON.")
	m.Must(m.Inbox.Record(m.Ctx, d, lease))
	porttest.Same(m.T, "waiting", len(claim(m, porttest.Noon.Add(time.Hour), 9)), 0)
	won := m.Race("delivery_not_failed", func(int) error {
		_, err := m.Inbox.Update(m.Ctx, m.Project.ID, d.Integration, d.ID, func(stored *integration.Delivery) error {
			return stored.Retry(porttest.Noon.Add(time.Hour))
		})
		return err
	})
	porttest.Same(m.T, "winners", won, 1)
	m.Must(d.Retry(porttest.Noon.Add(time.Hour)))
	porttest.Same(m.T, "due again", stored(m, d), d)
	porttest.Same(m.T, "its payload", string(claim(m, porttest.Noon.Add(time.Hour), 9)[0].Payload), string(d.Payload))
}

func inboxFailedChange(m *porttest.Mailbox) {
	d := m.Letter("1", porttest.Noon)
	m.Keep(d)
	got, err := m.Inbox.Update(m.Ctx, m.Project.ID, d.Integration, d.ID, func(stored *integration.Delivery) error {
		stored.Done()
		return porttest.ErrPlain
	})
	porttest.Same(m.T, "error", err, porttest.ErrPlain)
	porttest.Same(m.T, "answer", got == nil, true)
	porttest.Same(m.T, "as before", stored(m, d), d)
}

func inboxLog(m *porttest.Mailbox) {
	first, second := m.Letter("1", porttest.Noon), m.Letter("2", porttest.Noon.Add(time.Second))
	third := m.Hook.Reject(porttest.Random[id.WebhookLog](), "Wrong.", 1, porttest.Noon.Add(2*time.Second))
	elsewhere := m.Shop.Mailbox().Letter("1", porttest.Noon)
	m.Keep(third, first, second, elsewhere)
	all := withoutPayload(third, second, first)
	for _, c := range []struct {
		what   string
		filter ports.LogFilter
		page   ports.Page
		want   []*integration.Delivery
		total  int
	}{
		{"all", ports.LogFilter{}, ports.Page{Limit: 9}, all, 3},
		{"a page", ports.LogFilter{}, ports.Page{Limit: 1, Offset: 1}, all[1:2], 3},
		{"since", ports.LogFilter{Since: second.ReceivedAt}, ports.Page{Limit: 9}, all[:2], 2},
		{"since and status", ports.LogFilter{Since: second.ReceivedAt, Status: integration.Received}, ports.Page{Limit: 9}, all[1:2], 1},
		{"status", ports.LogFilter{Status: integration.Received}, ports.Page{Limit: 1}, all[1:2], 2},
		{"none", ports.LogFilter{Status: integration.Processed}, ports.Page{Limit: 9}, []*integration.Delivery{}, 0},
	} {
		got, total, err := m.Inbox.Log(m.Ctx, m.Project.ID, m.Hook.Integration, c.filter, c.page)
		m.Must(err)
		porttest.Same(m.T, c.what, got, c.want)
		porttest.Same(m.T, c.what+" in total", total, c.total)
	}
}

func inboxUnknown(m *porttest.Mailbox) {
	d, foreign := m.Letter("1", porttest.Noon), porttest.OpenShop(m.T, m.Stores).Mailbox().Letter("1", porttest.Noon)
	m.Keep(d, foreign)
	for _, c := range []struct {
		through  id.Integration
		delivery id.WebhookLog
	}{
		{m.Hook.Integration, porttest.Random[id.WebhookLog]()}, {m.Hook.Integration, foreign.ID},
		{foreign.Integration, foreign.ID}, {porttest.Random[id.Integration](), d.ID},
	} {
		_, err := m.Inbox.Update(m.Ctx, m.Project.ID, c.through, c.delivery, func(*integration.Delivery) error { return nil })
		porttest.WantFault(m.T, err, fault.NotFound, "delivery_not_found")
	}
	list, total, err := m.Inbox.Log(m.Ctx, m.Project.ID, foreign.Integration, ports.LogFilter{}, ports.Page{Limit: 9})
	m.Must(err)
	porttest.Same(m.T, "a foreign log", len(list)+total, 0)
}

func inboxDelete(m *porttest.Mailbox) {
	m.Keep(m.Letter("1", porttest.Noon))
	m.DeleteProject()
	porttest.Same(m.T, "logged", len(log(m, ports.LogFilter{})), 0)
	porttest.Same(m.T, "waiting", len(claim(m, porttest.Noon, 9)), 0)
}
