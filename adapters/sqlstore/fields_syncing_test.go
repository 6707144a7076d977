package sqlstore_test

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/delivery/payload"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// integration connects one full of values.
func (s *fieldShop) integration() *integration.Integration {
	s.Helper()
	i := fill[integration.Integration]()
	i.Project = s.project.ID
	s.must(s.Integrations().Connect(s.Context(), &i, func(*project.Project) error { return nil }))
	return &i
}

func integrationFields(s *fieldShop) {
	connected, changed := s.integration(), fill[integration.Integration](another, integration.Connected, integration.HookActive, integration.HubSpot)
	readings := func(hook integration.Hook) []any {
		return []any{
			read(s.Integrations().ByID(s.Context(), s.project.ID, connected.ID))(s),
			only(s.Integrations().List(s.Context(), s.project.ID, firstPage))(s),
			read(s.Integrations().Use(s.Context(), s.project.ID, connected.ID))(s),
			read(s.Integrations().ByWebhook(s.Context(), hook.ID))(s),
		}
	}
	s.survives(nil, connected, readings(connected.Hook)...)
	read(s.Integrations().Update(s.Context(), s.project.ID, connected.ID, func(i *integration.Integration) error {
		*i, i.ID, i.Project, i.Hook.ID = changed, connected.ID, s.project.ID, connected.Hook.ID
		return nil
	}))(s)
	except := fieldtest.Reasons{}
	for _, path := range []string{"ID", "Project", "Type", "Config.Account", "Hook.ID", "CreatedAt"} {
		except["integration.Integration."+path] = lasting
	}
	s.survives(except, &changed, readings(connected.Hook)...)
}

func authorizationFields(s *fieldShop) {
	begun, used := fill[integration.Authorization](), fill[integration.Authorization](another)
	begun.Account, begun.Project, begun.UsedAt = s.owner, s.project.ID, time.Time{}
	s.must(s.Authorizations().Begin(s.Context(), &begun))
	var pairs []fieldtest.Pair
	for range 2 {
		read(s.Authorizations().Change(s.Context(), begun.State, func(a *integration.Authorization) error {
			pairs = append(pairs, fieldtest.Pair{Sent: begun, Got: *a})
			a.UsedAt = used.UsedAt
			return nil
		}))(s)
		begun.UsedAt = used.UsedAt
	}
	fieldtest.Survive(s, nil, pairs...)
}

// webhook stores one full of values, of an integration.
func (s *fieldShop) webhook(of *integration.Integration) *integration.Webhook {
	s.Helper()
	w := fill[integration.Webhook]()
	w.Project, w.Integration, w.Type = s.project.ID, of.ID, of.Type
	s.must(s.Webhooks().Add(s.Context(), &w))
	return &w
}

func webhookFields(s *fieldShop) {
	of := s.integration()
	want := s.webhook(of)
	called, with, err := s.Webhooks().Called(s.Context(), want.ID)
	s.must(err)
	s.survives(nil, want, called, only(read(s.Webhooks().List(s.Context(), s.project.ID, of.ID))(s), 0, nil)(s))
	s.survives(nil, of, with)
}

func inboxFields(s *fieldShop) {
	of := s.integration()
	kept, changed := fill[integration.Delivery](integration.Received), fill[integration.Delivery](another, integration.Undone)
	kept.Project, kept.Integration, kept.Webhook = s.project.ID, of.ID, s.webhook(of).ID
	s.must(s.Inbox().Keep(s.Context(), []*integration.Delivery{&kept}))
	listed := only(s.Inbox().Log(s.Context(), s.project.ID, of.ID, ports.LogFilter{}, firstPage))(s)
	s.survives(fieldtest.Reasons{"integration.Delivery.Payload": "the log leaves payloads out"}, &kept, listed)
	read(s.Inbox().Update(s.Context(), s.project.ID, of.ID, kept.ID, func(d *integration.Delivery) error {
		s.survives(nil, &kept, d)
		*d, d.ID, d.Project, d.Integration, d.Webhook, d.DueAt = changed, kept.ID, kept.Project, kept.Integration, kept.Webhook, time.Time{}
		return nil
	}))(s)
	except := fieldtest.Reasons{
		"integration.Delivery.DueAt":   "what is failed is not due",
		"integration.Delivery.Payload": "it is forgotten once it is of no use, and never changed",
	}
	for _, path := range []string{"ID", "Project", "Integration", "Webhook", "Topic", "Remote", "At", "Size", "ReceivedAt"} {
		except["integration.Delivery."+path] = lasting
	}
	read(s.Inbox().Update(s.Context(), s.project.ID, of.ID, kept.ID, func(d *integration.Delivery) error {
		s.survives(except, &changed, d)
		return nil
	}))(s)
}

func runFields(s *fieldShop) {
	of := s.integration()
	ended, running := fill[syncrun.Run](), fill[syncrun.Run](another, syncrun.Running)
	started := running
	for _, r := range []*syncrun.Run{&started, &running, &ended} {
		r.ID, r.Project, r.Integration = running.ID, s.project.ID, of.ID
	}
	started.EndedAt, ended.StartedAt = time.Time{}, started.StartedAt
	s.must(s.SyncRuns().Start(s.Context(), &started))
	readings := func() []any {
		return []any{
			read(s.SyncRuns().ByID(s.Context(), s.project.ID, of.ID, running.ID))(s),
			only(s.SyncRuns().List(s.Context(), s.project.ID, of.ID, firstPage))(s),
		}
	}
	s.survives(fieldtest.Reasons{"syncrun.Run.EndedAt": "it is running"}, &started, readings()...)
	read(s.SyncRuns().Update(s.Context(), s.project.ID, running.ID, func(r *syncrun.Run) error { *r = ended; return nil }))(s)
	s.survives(nil, &ended, readings()...)

	noted := fill[syncrun.Problem]()
	s.must(s.SyncRuns().Note(s.Context(), s.project.ID, running.ID, []syncrun.Problem{noted}))
	s.survives(nil, noted, only(s.SyncRuns().Problems(s.Context(), s.project.ID, running.ID, firstPage))(s))

	found := fill[syncrun.Change](syncrun.Products)
	found.Run, found.Preview = running.ID, false
	s.must(s.SyncChanges().Add(s.Context(), s.project.ID, of.ID, []syncrun.Change{found}))
	s.survives(fieldtest.Reasons{"syncrun.Change.Preview": "conflicts of previews are listed with their run alone"}, found,
		only(s.SyncChanges().List(s.Context(), s.project.ID, of.ID, running.ID, ports.ChangeFilter{}, firstPage))(s),
		only(s.SyncChanges().Conflicts(s.Context(), s.project.ID, of.ID, firstPage))(s))
}

func copyFields(s *fieldShop) {
	of := s.integration()
	ofOrders := ports.RecordSet{
		Project:     s.project.ID,
		Integration: of.ID,
		Resource:    syncrun.Orders,
	}
	saved, changed := fill[syncrun.ExternalRecord](), fill[syncrun.ExternalRecord](another)
	for _, c := range []*syncrun.ExternalRecord{&saved, &changed} {
		c.Project, c.Integration, c.Remote = s.project.ID, of.ID, "remote"
		s.must(s.ExternalRecords().Save(s.Context(), []*syncrun.ExternalRecord{c}))
		s.survives(nil, c,
			only(read(s.ExternalRecords().Find(s.Context(), ofOrders, []string{"remote"}))(s), 0, nil)(s),
			only(s.ExternalRecords().List(s.Context(), ofOrders, firstPage))(s))
	}
}

func subscriptionFields(s *fieldShop) {
	added, changed := fill[event.Subscription](), fill[event.Subscription](another, event.Disabled)
	added.Project = s.project.ID
	s.must(s.Events().Add(s.Context(), &added))
	readings := func() []any {
		return []any{
			read(s.Events().ByID(s.Context(), s.project.ID, added.ID))(s),
			only(s.Events().List(s.Context(), s.project.ID, firstPage))(s),
		}
	}
	s.survives(nil, &added, readings()...) // ActiveSince too: Add sets it by the store's clock
	read(s.Events().Update(s.Context(), s.project.ID, added.ID, func(e *event.Subscription) error {
		*e, e.ID, e.Project, e.CreatedAt = changed, added.ID, s.project.ID, added.CreatedAt
		return nil
	}))(s)
	changed.ID, changed.Project, changed.CreatedAt = added.ID, s.project.ID, added.CreatedAt
	s.survives(fieldtest.Reasons{"event.Subscription.ActiveSince": "the store's clock says since when"}, &changed, readings()...)
}

func deliveryFields(s *fieldShop) {
	to := fill[event.Subscription]()
	to.ID = newID[id.Subscription]()
	to.Project = s.project.ID
	s.must(s.Events().Add(s.Context(), &to))
	first, second := fill[event.Delivery](event.Pending, event.To(to.ID)), fill[event.Delivery](another, event.Delivered, event.Email)
	hook := event.ToHook(checkout.Hook{URL: "https://agent.example/orders"})
	announced := &event.Event{
		ID:      newID[id.Event](),
		Project: s.project.ID,
		At:      fieldtest.Start,
		Data:    fill[event.InventoryLow](),
		Hook:    hook,
	}
	s.must(s.Announcements().Announce(s.Context(), announced))
	for _, d := range []*event.Delivery{&first, &second} {
		d.Project, d.Event, d.Type = s.project.ID, announced.ID, announced.Data.Type()
	}
	first.Tries, second.Tries = first.Attempts-1, second.Attempts-1
	second.DueAt, second.Target = nil, event.To(newID[id.Subscription]())
	_, _, err := s.Outbox().FanOut(s.Context(), 1000, func(a ports.Announced, _ ports.Audience) []*event.Delivery {
		if a.ID != announced.ID {
			return nil
		}
		return []*event.Delivery{&first, &second}
	})
	s.must(err)
	var pairs []fieldtest.Pair
	for _, d := range []*event.Delivery{&first, &second} {
		pairs = append(pairs,
			fieldtest.Pair{Sent: d, Got: read(s.Events().Delivery(s.Context(), s.project.ID, d.Target.Subscription(), d.ID))(s)},
			fieldtest.Pair{Sent: d, Got: only(s.Events().Deliveries(s.Context(), s.project.ID, d.Target.Subscription(), event.DeliveryStatus{}, firstPage))(s)})
	}
	fieldtest.Survive(s, nil, pairs...)

	body, _, err := payload.EncodeEvent(announced)
	s.must(err)
	want := ports.Announced{
		ID:      announced.ID,
		Project: s.project.ID,
		Type:    announced.Data.Type(),
		Body:    []byte(body),
		Hook:    hook,
	}
	s.survives(fieldtest.Reasons{"ports.Announced.At": "the store's clock says when"}, want,
		read(s.Events().Event(s.Context(), s.project.ID, announced.ID))(s),
		only(s.Events().Events(s.Context(), s.project.ID, event.InventoryLowType, firstPage))(s))
}

func jobFields(s *fieldShop) {
	queued, running, ended := fill[job.Job](job.Queued), fill[job.Job](another, job.Running), fill[job.Job]()
	for _, j := range []*job.Job{&queued, &running, &ended} {
		j.Project, j.Request.Market.Policy.Version = s.project.ID, 0
	}
	queued.Status, queued.FinishedAt = job.Queued, time.Time{}
	running.Status, running.FinishedAt = job.Running, time.Time{}
	ended.ID, ended.Agent, ended.Kind, ended.Currency, ended.Request, ended.CreatedAt = running.ID, running.Agent, running.Kind, running.Currency, running.Request, running.CreatedAt
	s.must(s.Jobs().Start(s.Context(), &queued))
	s.must(s.Jobs().Start(s.Context(), &running))
	readings := func(of id.Job) []any {
		list, _, err := s.Jobs().List(s.Context(), s.project.ID, ports.JobFilter{}, firstPage)
		s.must(err)
		for _, j := range list {
			if j.ID == of {
				return []any{j, read(s.Jobs().ByID(s.Context(), s.project.ID, of))(s)}
			}
		}
		s.Fatalf("%s is not listed", of)
		return nil
	}
	without := fieldtest.Reasons{
		"job.Job.FinishedAt":                    "it is not finished",
		"job.Job.Request.Market.Policy.Version": "it is not written yet",
	}
	s.survives(without, &queued, readings(queued.ID)...)
	read(s.Jobs().Update(s.Context(), s.project.ID, running.ID, func(j *job.Job) error { *j = ended; return nil }))(s)
	delete(without, "job.Job.FinishedAt")
	s.survives(without, &ended, readings(ended.ID)...)
}
