package events

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// ofActiveProjects leaves out rows of projects that are closing or closed.
const ofActiveProjects = "\n  AND project_id IN (SELECT id FROM projects WHERE status = 'active')"

const selectNoted = `
SELECT project_id, row_id, failures, due_at
FROM jobs_set_aside
WHERE queue = 'events'
  AND project_id IN `

type router = func(ports.Announced, ports.Audience) []*event.Delivery

func (o Outbox) FanOut(ctx context.Context, limit int, route router) (events int, aside []ports.SetAside, err error) {
	projects, err := dueEvents.Waiting(ctx, o.Store)
	if err != nil || len(projects) == 0 {
		return 0, nil, err
	}
	projects = projects[:min(len(projects), limit)]
	var f *fanOut
	err = o.Store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		f = &fanOut{Tx: t}
		return f.run(ctx, projects, (limit+len(projects)-1)/len(projects), route)
	})
	if err != nil {
		return 0, nil, err
	}
	return len(f.events), f.aside, nil
}

// fanOut makes the deliveries of some events, in one transaction.
type fanOut struct {
	*db.Tx
	now       time.Time
	events    []ports.Announced
	audiences map[id.Project]ports.Audience
	inactive  map[id.Project]bool  // projects that are closing or closed
	broken    map[id.Project]error // why the projects that cannot be read cannot be
	noted     map[rowKey]notedRow  // projects and events that were set aside before
	aside     []ports.SetAside
}

// notedRow is an entry of jobs_set_aside of a project, by its id, or of an event.
type notedRow struct {
	ProjectID string
	RowID     string
	Failures  int
	DueAt     time.Time
}

func (f *fanOut) run(ctx context.Context, projects []string, each int, route router) error {
	if err := f.load(ctx, projects, each); err != nil || len(f.events) == 0 {
		return err
	}
	if err := failpoint.At(ctx, failpoint.OutboxClaimed); err != nil {
		return err
	}
	var made []*event.Delivery
	var done []rowKey
	bad := make(map[rowKey][]rowKey) // events that cannot be routed, by what is to blame
	for _, e := range f.events {
		deliveries, blame, err := f.route(e, route)
		key := rowKey{e.Project.String(), e.ID.String()}
		if err == nil {
			made, done = append(made, deliveries...), append(done, key)
			continue
		}
		if len(bad[blame]) == 0 {
			f.aside = append(f.aside, ports.SetAside{Held: f.held(e.Project, blame), Err: err})
		}
		bad[blame] = append(bad[blame], key)
	}
	if err := insertAll(ctx, f.Tx, made); err != nil {
		return err
	}
	if err := f.due(ctx, nil, done); err != nil {
		return err
	}
	if err := f.putAside(ctx, bad); err != nil {
		return err
	}
	return cmp.Or(f.restore(ctx, done), failpoint.At(ctx, failpoint.OutboxFannedOut))
}

// load locks due events, and then reads their possible recipients.
func (f *fanOut) load(ctx context.Context, projects []string, each int) error {
	var (
		now    int64
		rows   = make([][]ports.Announced, len(projects))
		noted  []notedRow
		shops  []accounts.ProjectRow
		active []db.Decoded[event.Subscription]

		args      db.Args
		in        = args.List(projects)
		statement = fmt.Sprintf(selectDueEvents, f.Dialect.Moment(), f.Dialect.SkipLocked)
		b         = &db.Batch{}
	)
	b.Query(&now, "SELECT "+f.Dialect.Moment())
	for i, project := range projects {
		b.Query(&rows[i], statement, project, each)
	}
	b.Query(&noted, selectNoted+in, args...)
	b.Query(&shops, accounts.SelectProject+"\nWHERE id IN "+in, args...)
	b.Query(&active, subscriptions.Select()+"\nWHERE status = 'active'\n  AND project_id IN "+in+ofActiveProjects, args...)
	if err := f.Run(ctx, b); err != nil {
		return err
	}
	f.now, f.events, f.noted = db.Time(now), slices.Concat(rows...), make(map[rowKey]notedRow, len(noted))
	for _, r := range noted {
		f.noted[rowKey{r.ProjectID, r.RowID}] = r
	}
	f.loadAudiences(shops, active)
	return nil
}

// loadAudiences reads projects row by row, so that one that cannot be read does not hold back the events of others.
func (f *fanOut) loadAudiences(shops []accounts.ProjectRow, active []db.Decoded[event.Subscription]) {
	f.audiences, f.broken = make(map[id.Project]ports.Audience, len(shops)), make(map[id.Project]error)
	f.inactive = make(map[id.Project]bool)
	for _, r := range shops {
		of := r.Project.ID
		if err := fault.Survive(func() error {
			p, err := accounts.FromProjectRow(f.Dialect, r)
			if err == nil {
				f.audiences[of] = ports.Audience{Settings: p.Settings, Now: f.now}
				f.inactive[of] = p.Status != project.Active
			}
			return err
		}); err != nil {
			f.broken[of] = err
		}
	}
	for _, r := range active {
		s := &r.Value
		if r.Err != nil {
			f.broken[s.Project] = fmt.Errorf("subscription %s: %w", s.ID, r.Err)
			continue
		}
		open(f.Dialect, s)
		to := f.audiences[s.Project]
		s.Secret, s.Previous = nil, nil
		to.Subscriptions = append(to.Subscriptions, s)
		f.audiences[s.Project] = to
	}
}

// route returns the deliveries of an event, or why it has to wait and which row causes that: its project or itself. An
// event of a project that is gone has none, and of one that is closing or closed most have none.
func (f *fanOut) route(e ports.Announced, route router) (list []*event.Delivery, blame rowKey, err error) {
	if err := f.broken[e.Project]; err != nil {
		return nil, rowKey{e.Project.String(), e.Project.String()}, err
	}
	to, there := f.audiences[e.Project]
	if !there || f.inactive[e.Project] && !e.Type.AfterClosing() {
		return nil, rowKey{}, nil
	}
	err = fault.Survive(func() error {
		list = route(e, to)
		return nil
	})
	return list, rowKey{e.Project.String(), e.ID.String()}, err
}

func (f *fanOut) held(project id.Project, blame rowKey) ports.Held {
	return ports.Held{
		Project:  project,
		Key:      blame.name,
		Group:    project.String(),
		Failures: f.noted[blame].Failures,
	}
}

// putAside makes events due again together with the row that causes the failure. A row that is set aside already is not
// counted again for each event that arrives meanwhile.
func (f *fanOut) putAside(ctx context.Context, bad map[rowKey][]rowKey) error {
	reported := f.aside
	f.aside = nil
	for _, a := range reported {
		blame := rowKey{a.Project.String(), a.Key}
		until := f.noted[blame].DueAt
		if !until.After(f.now) {
			until = f.now.Add(a.Pause())
			if err := queue.NoteAside(ctx, f.Tx, dueEvents.Name, a.Held, a.Err.Error()); err != nil {
				return err
			}
			f.aside = append(f.aside, a)
		}
		if err := f.due(ctx, &until, bad[blame]); err != nil {
			return err
		}
	}
	return nil
}

// due sets when events are due; nil: they are done.
func (f *fanOut) due(ctx context.Context, at *time.Time, events []rowKey) error {
	if len(events) == 0 {
		return nil
	}
	names := make(map[string][]string)
	for _, e := range events {
		names[e.project] = append(names[e.project], e.name)
	}
	b := &db.Batch{}
	for _, project := range slices.Sorted(maps.Keys(names)) {
		args := db.Args{at, project}
		in, err := f.Dialect.In(&args, names[project])
		if err != nil {
			return f.Note(ctx, err)
		}
		b.Exec("UPDATE outbox\nSET due_at = $1\nWHERE project_id = $2\n  AND id IN "+in, args...)
	}
	return f.Run(ctx, b)
}

// restore deletes the entries of rows that are done now. With a project, all of its events are due at once.
func (f *fanOut) restore(ctx context.Context, done []rowKey) error {
	for _, key := range slices.Collect(maps.Keys(f.noted)) {
		project := rowKey{key.project, key.project}
		switch {
		case slices.Contains(done, key):
		case key == project && slices.ContainsFunc(done, func(e rowKey) bool { return e.project == key.project }):
			if _, err := f.Exec(ctx, "UPDATE outbox\nSET due_at = $2\nWHERE project_id = $1\n  AND due_at > $2",
				key.project, f.now); err != nil {
				return err
			}
		default:
			continue
		}
		if _, err := f.Exec(ctx, queue.DeleteSetAside, key.project, dueEvents.Name, key.name); err != nil {
			return err
		}
	}
	return nil
}
