package syncing

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// ExternalRecords stores external records: what is known of the records of platforms.
type ExternalRecords struct{ Store *db.DB }

var (
	_ ports.ExternalRecords      = ExternalRecords{}
	_ ports.ExternalRecordReader = ExternalRecords{}
)

const (
	ofRecordSet = `
WHERE project_id = $1
  AND integration_id = $2
  AND resource = $3`

	markSeen = `
UPDATE copies
SET seen = $4` + ofRecordSet + `
  AND remote IN `

	countNotSeen = `
SELECT count(*) FILTER (WHERE seen <> $4) AS unseen, count(*) AS total
FROM copies` + ofRecordSet + `
  AND NOT removed`

	// selectCustomers begins with those that were changed last.
	selectCustomers = `
SELECT content
FROM copies
WHERE project_id = $1
  AND resource = 'customers'
  AND email <> ''
  AND email = $2
  AND NOT removed
  AND integration_id IN (SELECT id FROM integrations WHERE project_id = $1 AND status <> 'disconnected' AND type IN `
)

var (
	upsertRecords  = "INSERT INTO copies (" + externalRecords.Columns() + ")\nVALUES "
	replaceRecords = `
ON CONFLICT (project_id, integration_id, resource, remote) DO UPDATE
SET ` + db.Excluded("local", "sku", "digest", "prints", "quantity", "changed_at", "seen", "removed", "email", "content", "updated_at")
)

func (v ExternalRecords) Find(ctx context.Context, of ports.RecordSet, remotes []string) ([]*syncrun.ExternalRecord, error) {
	return v.among(ctx, of, "remote", remotes, "")
}

func (v ExternalRecords) Of(ctx context.Context, of ports.RecordSet, locals []string) ([]*syncrun.ExternalRecord, error) {
	return v.among(ctx, of, "local", locals, "\n  AND NOT removed")
}

// among returns the records whose column has one of the values.
func (v ExternalRecords) among(ctx context.Context, of ports.RecordSet, column string, values []string, and string) ([]*syncrun.ExternalRecord, error) {
	if len(values) == 0 {
		return nil, nil
	}
	chunks := slices.Collect(slices.Chunk(slices.Compact(slices.Sorted(slices.Values(values))), db.Listed))
	rows := make([][]copyRow, len(chunks))
	b := v.Store.Read(of.Project)
	for i, some := range chunks {
		args := keyOf(of)
		query, err := selectAmong(v.Store.Dialect, &args, column, some, and)
		if err != nil {
			return nil, err
		}
		b.Query(&rows[i], query, args...)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return fromCopyRows(slices.Concat(rows...))
}

// selectAmong looks up each value separately on PostgreSQL. Before the first ANALYZE, which may come after a first
// import, the planner takes the leading columns for selective enough and filters all records of the integration (50,000
// records, 500 values: 14 ms instead of 1.7 ms). OFFSET prevents that.
func selectAmong(d db.Dialect, args *db.Args, column string, values []string, and string) (string, error) {
	if !d.OneTrip {
		list, err := d.In(args, values)
		return externalRecords.Select() + ofRecordSet + "\n  AND " + column + " IN " + list + and, err
	}
	wanted := make([]string, len(values))
	for i, value := range values {
		wanted[i] = args.Row(value)
	}
	return `
SELECT found.*
FROM (VALUES ` + strings.Join(wanted, ", ") + `) AS wanted (value)
CROSS JOIN LATERAL (` + externalRecords.Select() + ofRecordSet + "\n  AND " + column + " = wanted.value" + and + `
OFFSET 0) AS found`, nil
}

// keyOf are the values of ofRecordSet.
func keyOf(of ports.RecordSet) db.Args {
	return db.Args{of.Project, of.Integration, of.Resource}
}

// Save stores the last one of records that are given twice. All are of one project, whose row it locks, so that none is
// left behind when the project is deleted.
func (v ExternalRecords) Save(ctx context.Context, list []*syncrun.ExternalRecord) error {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.Reverse(list)
	slices.SortStableFunc(list, inOrder)
	list = slices.CompactFunc(list, func(a, b *syncrun.ExternalRecord) bool { return inOrder(a, b) == 0 }) // keeps the last one given
	project, rows := list[0].Project, make([][]any, len(list))
	for i, c := range list {
		var err error
		if rows[i], err = toCopyArgs(c); err != nil {
			return err
		}
	}
	return v.Store.InTx(ctx, project, func(t *db.Tx) error {
		if there, err := db.ProjectStays(ctx, t, project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		return t.Insert(ctx, upsertRecords, rows, replaceRecords)
	})
}

// inOrder is the order in which rows are locked.
func inOrder(a, b *syncrun.ExternalRecord) int {
	return cmp.Or(
		cmp.Compare(a.Integration.String(), b.Integration.String()),
		cmp.Compare(a.Resource.String(), b.Resource.String()),
		cmp.Compare(a.Remote, b.Remote),
	)
}

func (v ExternalRecords) MarkSeen(ctx context.Context, of ports.RecordSet, run id.Sync, remotes []string) error {
	if len(remotes) == 0 {
		return nil
	}
	b := v.Store.Write(of.Project)
	for some := range slices.Chunk(remotes, db.Listed) {
		args := append(keyOf(of), run)
		list, err := v.Store.Dialect.In(&args, some)
		if err != nil {
			return err
		}
		b.Exec(markSeen+list, args...)
	}
	return b.Run(ctx)
}

func (v ExternalRecords) NotSeenIn(ctx context.Context, of ports.RecordSet, run id.Sync, n int) (list []*syncrun.ExternalRecord, notSeen, all int, err error) {
	var rows []copyRow
	var counts struct{ Unseen, Total int }
	args := append(keyOf(of), run)
	b := v.Store.Read(of.Project)
	b.Query(&counts, countNotSeen, args...)
	b.Query(&rows, externalRecords.Select()+ofRecordSet+`
  AND NOT removed
  AND seen <> $4
ORDER BY remote
LIMIT $5`, append(args, n)...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, 0, err
	}
	list, err = fromCopyRows(rows)
	return list, counts.Unseen, counts.Total, err
}

func (v ExternalRecords) List(ctx context.Context, of ports.RecordSet, page ports.Page) ([]*syncrun.ExternalRecord, int, error) {
	rows, total, err := db.Page[copyRow](ctx, v.Store.Read(of.Project), externalRecords.Columns(), "\nFROM copies"+ofRecordSet,
		db.Conditions{Args: keyOf(of)}, "remote", page)
	if err != nil {
		return nil, 0, err
	}
	list, err := fromCopyRows(rows)
	return list, total, err
}

func (v ExternalRecords) Customer(ctx context.Context, project id.Project, email string) (*syncrun.Customer, error) {
	args := db.Args{project, email}
	query := selectCustomers + args.List(withCustomers()) + ")\nORDER BY updated_at DESC, integration_id, remote"
	contents, err := db.All[string](ctx, v.Store.Read(project), query, args...)
	if err != nil {
		return nil, err
	}
	var best *syncrun.Customer
	for _, content := range contents {
		var c syncrun.ExternalRecord
		if err := fromContent(content, &c); err != nil {
			return nil, err
		}
		if c.Customer != nil && (best == nil || c.Customer.Purchases > best.Purchases) {
			best = c.Customer
		}
	}
	return best, nil
}

// withCustomers returns the types of platforms that know a shop's customers.
func withCustomers() (types []string) {
	for _, t := range integration.Types {
		switch t.Kind() {
		case integration.CRM, integration.ECommerce, integration.Own:
			types = append(types, t.String())
		}
	}
	return types
}
