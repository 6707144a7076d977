package synctest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// queue leases rows of the state.
type queue[T any] struct {
	view
	name string
	// rows are those that wait, due or not.
	rows func(*state) []row
	// put stores when a row is due, and returns the row.
	put func(s *state, key string, due time.Time) T
}

type row struct {
	key, group string
	due        time.Time
}

// due are rows that are due, the longest waiting first.
func (q queue[T]) due(s *state) []row {
	list := slices.DeleteFunc(q.rows(s), func(r row) bool { return r.due.After(q.Now()) })
	slices.SortFunc(list, func(a, b row) int { return cmp.Or(a.due.Compare(b.due), strings.Compare(a.key, b.key)) })
	return list
}

func (q queue[T]) Waiting(context.Context) (groups []string, err error) {
	err = q.do(q.name+".waiting", func(s *state) error {
		for _, r := range q.due(s) {
			if !slices.Contains(groups, r.group) {
				groups = append(groups, r.group)
			}
		}
		return nil
	})
	return groups, err
}

func (q queue[T]) Claim(_ context.Context, lease time.Duration, shares []ports.Share) (list []ports.Leased[T], err error) {
	until := q.Now().Add(lease)
	err = q.do(q.name+".claim", func(s *state) error {
		for _, r := range q.due(s) {
			at := slices.IndexFunc(shares, func(share ports.Share) bool { return share.Group == r.group && share.Most > 0 })
			if at < 0 {
				continue
			}
			shares[at].Most--
			held := ports.Held{
				Project:  q.Project.ID,
				Key:      r.key,
				Group:    r.group,
				Until:    until,
				Failures: s.aside[r.key],
			}
			list = append(list, ports.Leased[T]{Held: held, Item: q.put(s, r.key, until)})
		}
		return nil
	})
	return list, err
}

func (q queue[T]) SetAside(_ context.Context, h ports.Held, _ string) error {
	return q.do(q.name+".set_aside", func(s *state) error {
		if slices.ContainsFunc(q.rows(s), func(r row) bool { return r.key == h.Key && r.due.Equal(h.Until) }) {
			q.put(s, h.Key, q.Now().Add(h.Pause()))
			s.aside[h.Key]++
		}
		return nil
	})
}

func (q queue[T]) Restore(_ context.Context, h ports.Held) error {
	return q.do(q.name+".restore", func(s *state) error {
		delete(s.aside, h.Key)
		return nil
	})
}

type inboxQueue struct {
	queue[*integration.Delivery]
}

// InboxQueue leases deliveries.
func (r *Replica) InboxQueue() ports.InboxQueue {
	return inboxQueue{queue[*integration.Delivery]{
		view: view{r, false},
		name: "inbox",
		rows: func(s *state) (list []row) {
			for d := range maps.Values(s.deliveries) {
				if !d.DueAt.IsZero() {
					list = append(list, row{d.ID.String(), d.Integration.String(), d.DueAt})
				}
			}
			return list
		},
		put: func(s *state, key string, due time.Time) *integration.Delivery {
			for d := range maps.Values(s.deliveries) {
				if d.ID.String() == key {
					d.DueAt = due
					s.deliveries[d.ID] = d
					return &d
				}
			}
			return nil
		},
	}}
}

// WebhookChecks leases webhooks.
func (r *Replica) WebhookChecks() ports.WebhookChecks {
	return queue[*integration.Webhook]{
		view: view{r, false},
		name: "webhooks",
		rows: func(s *state) (list []row) {
			for w := range maps.Values(s.webhooks) {
				list = append(list, row{w.ID.String(), w.Integration.String(), w.CheckAt})
			}
			return list
		},
		put: func(s *state, key string, due time.Time) *integration.Webhook {
			for w := range maps.Values(s.webhooks) {
				if w.ID.String() == key {
					w.CheckAt = due
					s.webhooks[w.ID] = w
					return &w
				}
			}
			return nil
		},
	}
}

type syncQueue struct{ queue[*syncrun.Run] }

// Queue leases runs.
func (r *Replica) Queue() ports.SyncQueue {
	return syncQueue{queue[*syncrun.Run]{
		view: view{r, false},
		name: "runs",
		rows: func(s *state) (list []row) {
			for run := range maps.Values(s.runs) {
				if run.Status == syncrun.Running {
					list = append(list, row{run.ID.String(), run.Project.String(), run.DueAt})
				}
			}
			return list
		},
		put: func(s *state, key string, due time.Time) *syncrun.Run {
			for run := range maps.Values(s.runs) {
				if run.ID.String() == key {
					run = copyRun(run)
					run.DueAt = due
					s.runs[run.ID] = copyRun(run)
					return &run
				}
			}
			return nil
		},
	}}
}
