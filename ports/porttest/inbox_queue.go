package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

func inboxClaim(m *mailbox) {
	late, early, later := m.letter("1", noon.Add(2*time.Second)), m.letter("2", noon), m.letter("3", noon.Add(time.Minute))
	foreign := openShop(m.t, m.Stores).mailbox().letter("4", noon.Add(time.Second))
	m.keep(late, early, later, foreign, m.hook.Reject(random[id.WebhookLog](), "Wrong.", 1, noon))
	now := noon.Add(2 * time.Second)
	want := []*integration.Delivery{early, foreign, late}
	for _, d := range want {
		d.DueAt = now.Add(lease)
	}
	same(m.t, "the longest waiting of each integration", m.claim(now, 1), want[:2])
	same(m.t, "the next", m.claim(now, 9), want[2:])
	same(m.t, "leased", m.stored(early).DueAt, now.Add(lease))
}

func inboxRecord(m *mailbox) {
	m.keep(m.letter("1", noon), m.letter("2", noon.Add(time.Millisecond)), m.letter("3", noon.Add(2*time.Millisecond)))
	list := m.claim(noon.Add(time.Second), 9)
	lease := list[0].DueAt
	done, failed, hopeless := list[0], list[1], list[2]
	done.Done()
	failed.Failed("No answer.", noon)
	hopeless.GiveUp("It is no JSON.")
	for _, d := range list {
		m.must(m.Inbox.Record(m.ctx, d, lease))
		same(m.t, "recorded", m.stored(d), d)
	}
	same(m.t, "the payload of what is done", done.Payload == nil, true)
	same(m.t, "the payload of what failed", len(failed.Payload), failed.Size)

	again := m.claim(failed.DueAt, 9)
	same(m.t, "due again", len(again), 1)
	stale := *failed
	stale.Done()
	m.must(m.Inbox.Record(m.ctx, &stale, lease))
	m.must(m.Inbox.Record(m.ctx, &stale, failed.DueAt))
	same(m.t, "after a lease that was lost", m.stored(failed), again[0])
	stale.Project = openShop(m.t, m.Stores).project.ID
	m.must(m.Inbox.Record(m.ctx, &stale, again[0].DueAt))
	same(m.t, "after another project's", m.stored(failed), again[0])
}

func inboxRetry(m *mailbox) {
	m.keep(m.letter("1", noon))
	d := m.claim(noon, 1)[0]
	lease := d.DueAt
	d.GiveUp("It is no JSON.")
	m.must(m.Inbox.Record(m.ctx, d, lease))
	same(m.t, "waiting", len(m.claim(noon.Add(time.Hour), 9)), 0)
	won := m.race("delivery_not_failed", func(int) error {
		_, err := m.Inbox.Update(m.ctx, m.project.ID, d.Integration, d.ID, func(stored *integration.Delivery) error {
			return stored.Retry(noon.Add(time.Hour))
		})
		return err
	})
	same(m.t, "winners", won, 1)
	m.must(d.Retry(noon.Add(time.Hour)))
	same(m.t, "due again", m.stored(d), d)
	same(m.t, "its payload", string(m.claim(noon.Add(time.Hour), 9)[0].Payload), string(d.Payload))
}

func inboxFailedChange(m *mailbox) {
	d := m.letter("1", noon)
	m.keep(d)
	got, err := m.Inbox.Update(m.ctx, m.project.ID, d.Integration, d.ID, func(stored *integration.Delivery) error {
		stored.Done()
		return errPlain
	})
	same(m.t, "error", err, errPlain)
	same(m.t, "answer", got == nil, true)
	same(m.t, "as before", m.stored(d), d)
}

func inboxLog(m *mailbox) {
	first, second := m.letter("1", noon), m.letter("2", noon.Add(time.Second))
	third := m.hook.Reject(random[id.WebhookLog](), "Wrong.", 1, noon.Add(2*time.Second))
	elsewhere := m.shop.mailbox().letter("1", noon)
	m.keep(third, first, second, elsewhere)
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
		got, total, err := m.Inbox.Log(m.ctx, m.project.ID, m.hook.Integration, c.filter, c.page)
		m.must(err)
		same(m.t, c.what, got, c.want)
		same(m.t, c.what+" in total", total, c.total)
	}
}

func inboxUnknown(m *mailbox) {
	d, foreign := m.letter("1", noon), openShop(m.t, m.Stores).mailbox().letter("1", noon)
	m.keep(d, foreign)
	for _, c := range []struct {
		through  id.Integration
		delivery id.WebhookLog
	}{
		{m.hook.Integration, random[id.WebhookLog]()}, {m.hook.Integration, foreign.ID},
		{foreign.Integration, foreign.ID}, {random[id.Integration](), d.ID},
	} {
		_, err := m.Inbox.Update(m.ctx, m.project.ID, c.through, c.delivery, func(*integration.Delivery) error { return nil })
		wantFault(m.t, err, fault.NotFound, "delivery_not_found")
	}
	list, total, err := m.Inbox.Log(m.ctx, m.project.ID, foreign.Integration, ports.LogFilter{}, ports.Page{Limit: 9})
	m.must(err)
	same(m.t, "a foreign log", len(list)+total, 0)
}

func inboxDelete(m *mailbox) {
	m.keep(m.letter("1", noon))
	m.deleteProject()
	same(m.t, "logged", len(m.log(ports.LogFilter{})), 0)
	same(m.t, "waiting", len(m.claim(noon, 9)), 0)
}
