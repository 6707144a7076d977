package syncing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// Importer imports a platform's records in the caller's transaction.
type Importer struct {
	Clock   ports.Clock
	Entropy ports.Entropy
}

// maxRemoteID bounds the platform's id of a record, in bytes.
const maxRemoteID = 500

// batch is a set of records that are being imported.
type batch struct {
	ports.SyncStores
	ports.ImportScope
	ids
	of       *integration.Integration
	now      time.Time
	records  []syncrun.Record
	outcomes []syncrun.Outcome
	saved    map[recordKey]bool
	changed  []id.Product
	changes  []syncrun.Change
	hidden   bool // some records have no usable id
}

type recordKey struct {
	resource syncrun.Resource
	remote   string
}

// ids makes ids from random bits.
type ids struct{ entropy ports.Entropy }

func (i ids) Product() id.Product { return id.New[id.Product](i.entropy.IDBits()) }
func (i ids) Variant() id.Variant { return id.New[id.Variant](i.entropy.IDBits()) }

// Import imports records. It locks the integration until the transaction ends, so that concurrent imports wait. If the
// integration is disconnected, it returns Conflict integration_disconnected. Any other error comes from the stores, and the
// transaction cannot go on. A record that cannot be imported is not an error but an outcome.
func (t *Importer) Import(ctx context.Context, stores ports.SyncStores, on ports.ImportScope, records []syncrun.Record) (ports.ImportResult, error) {
	of, err := lockIntegration(ctx, stores, on)
	if err != nil {
		return ports.ImportResult{}, err
	}
	b := &batch{
		SyncStores:  stores,
		ImportScope: on,
		ids:         ids{t.Entropy},
		of:          of,
		now:         t.Clock.Now(),
		records:     slices.Clone(records),
		outcomes:    make([]syncrun.Outcome, len(records)),
		saved:       map[recordKey]bool{},
	}
	b.sort()
	for _, step := range []func(context.Context) error{b.importProducts, b.importLevels, b.importCustomers, b.importOrders, b.markSeen} {
		if err := step(ctx); err != nil {
			return ports.ImportResult{}, err
		}
	}
	return b.result(), nil
}

// lockIntegration locks an integration against concurrent imports, and adds the wanted resources to it.
func lockIntegration(ctx context.Context, s ports.SyncStores, on ports.ImportScope) (*integration.Integration, error) {
	return s.Integrations.Update(ctx, on.Project.ID, on.Integration, func(i *integration.Integration) error {
		if i.Status == integration.Disconnected {
			return integration.ErrDisconnected()
		}
		i.Want(on.Want...)
		return nil
	})
}

// maxClockSkew is by how much a platform's clock may be ahead.
const maxClockSkew = 5 * time.Minute

// sort decides the outcomes that need no stored data: records that cannot be read, that are not wanted, or that a later record
// of the batch supersedes.
func (b *batch) sort() {
	last := map[recordKey]int{}
	for n := range b.records {
		r := &b.records[n]
		if r.At.After(b.now.Add(maxClockSkew)) { // otherwise no newer record could replace it
			r.At = b.now
		}
		switch {
		case r.Remote == "" || len(r.Remote) > maxRemoteID || !storable(r.Remote):
			b.fail(n, "The record has no usable id.")
			b.hidden = true
			continue
		case b.Run.IsZero() && !b.of.Config.Syncs(r.Resource):
			b.outcomes[n].Verdict = syncrun.Unchanged
			continue
		}
		key := recordKey{r.Resource, r.Remote}
		before, again := last[key]
		switch {
		case !again:
			last[key] = n
		case (&syncrun.ExternalRecord{At: b.records[before].At}).Late(*r):
			b.outcomes[n].Verdict = syncrun.Unchanged
			continue
		default:
			b.outcomes[before].Verdict, last[key] = syncrun.Unchanged, n
		}
		if reason := whyUnreadable(*r); reason != "" {
			b.fail(n, reason)
		}
	}
}

func whyUnreadable(r syncrun.Record) string {
	said := map[syncrun.Resource]bool{
		syncrun.Products: r.Product != nil, syncrun.Inventory: r.Level != nil, syncrun.Customers: r.Customer != nil, syncrun.Orders: r.Order != nil,
	}
	switch {
	case r.Problem != "":
		return r.Problem
	case !said[r.Resource] && !r.Deleted:
		return "The record is empty."
	}
	return ""
}

// undecided returns the records of a resource that have no outcome yet.
func (b *batch) undecided(of syncrun.Resource) (list []int) {
	for n, r := range b.records {
		if r.Resource == of && b.outcomes[n].Verdict == (syncrun.Verdict{}) {
			list = append(list, n)
		}
	}
	return list
}

func (b *batch) fail(n int, reason string) {
	b.outcomes[n] = syncrun.Outcome{Verdict: syncrun.Refused, Reason: sanitize(reason)}
}

func (b *batch) recordSet(of syncrun.Resource) ports.RecordSet {
	return ports.RecordSet{
		Project:     b.Project.ID,
		Integration: b.Integration,
		Resource:    of,
	}
}

// findRecords finds external records by the platform's ids.
func (b *batch) findRecords(ctx context.Context, of syncrun.Resource, remotes []string) (map[string]*syncrun.ExternalRecord, error) {
	known := make(map[string]*syncrun.ExternalRecord, len(remotes))
	if len(remotes) == 0 {
		return known, nil
	}
	list, err := b.ExternalRecords.Find(ctx, b.recordSet(of), remotes)
	for _, c := range list {
		known[c.Remote] = c
	}
	return known, err
}

// recordImport is a record that is being imported, with the external record before and after.
type recordImport struct {
	at     int // index among the records
	record syncrun.Record
	before *syncrun.ExternalRecord // nil: nothing was known
	after  *syncrun.ExternalRecord
}

// open finds the stored external records of a resource, and drops records that are not news. If always is set, a full run keeps
// them even if they have not changed, unless they are older.
func (b *batch) open(ctx context.Context, of syncrun.Resource, always bool) (list []*recordImport, err error) {
	waiting := b.undecided(of)
	remotes := make([]string, len(waiting))
	for i, n := range waiting {
		remotes[i] = b.records[n].Remote
	}
	known, err := b.findRecords(ctx, of, remotes)
	if err != nil {
		return nil, err
	}
	var older []*syncrun.ExternalRecord
	for _, n := range waiting {
		r := b.records[n]
		one := &recordImport{
			at:     n,
			record: r,
			before: known[r.Remote],
		}
		if one.before == nil {
			one.after = &syncrun.ExternalRecord{
				Project:     b.Project.ID,
				Integration: b.Integration,
				Resource:    of,
				Remote:      r.Remote,
			}
			list = append(list, one)
			continue
		}
		copied := *one.before
		one.after = &copied
		if one.before.News(r) || always && b.Full && !r.Deleted && !one.before.Late(r) {
			list = append(list, one)
			continue
		}
		b.outcomes[n].Verdict = syncrun.Unchanged
		if r.At.After(copied.At) { // records older than this must not win later
			one.after.At = r.At
			older = append(older, one.after)
		}
	}
	return list, b.save(ctx, older)
}

// save stores external records. A full run marks them as seen.
func (b *batch) save(ctx context.Context, list []*syncrun.ExternalRecord) error {
	if len(list) == 0 {
		return nil
	}
	for _, c := range list {
		c.UpdatedAt = b.now
		if b.Full {
			c.Seen = b.Run
		}
		b.saved[recordKey{c.Resource, c.Remote}] = true
	}
	return b.ExternalRecords.Save(ctx, list)
}

// markSeen marks the records that a full run found, including those that could not be imported, so that sweep does not remove them.
func (b *batch) markSeen(ctx context.Context) error {
	if !b.Full || b.Run.IsZero() {
		return nil
	}
	seen := seenRemotes(b.records, false)
	for resource, remotes := range seen {
		seen[resource] = slices.DeleteFunc(remotes, func(remote string) bool { return b.saved[recordKey{resource, remote}] })
	}
	for _, resource := range syncrun.Resources {
		if remotes := seen[resource]; len(remotes) > 0 {
			if err := b.ExternalRecords.MarkSeen(ctx, b.recordSet(resource), b.Run, remotes); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenRemotes returns the platform's ids, each once, of the records that a full run has found.
func seenRemotes(records []syncrun.Record, deletedToo bool) map[syncrun.Resource][]string {
	found := map[syncrun.Resource][]string{}
	known := map[recordKey]bool{}
	for _, r := range records {
		key := recordKey{r.Resource, r.Remote}
		if r.Resource.Swept() && (deletedToo || !r.Deleted) && r.Remote != "" && storable(r.Remote) && !known[key] {
			known[key] = true
			found[r.Resource] = append(found[r.Resource], r.Remote)
		}
	}
	return found
}

func (b *batch) result() ports.ImportResult {
	t := ports.ImportResult{
		Outcomes:    b.outcomes,
		Products:    b.changed,
		Changes:     b.changes,
		Hidden:      b.hidden,
		Integration: b.of,
	}
	for n, r := range b.records {
		if at := r.At; at.After(t.High) {
			t.High = at
		}
		switch o := b.outcomes[n]; o.Verdict {
		case syncrun.Created:
			t.Created++
		case syncrun.Updated:
			t.Updated++
		case syncrun.Unchanged:
			t.Unchanged++
		default:
			t.Errors++
			t.Problems = append(t.Problems, syncrun.Problem{
				Resource: r.Resource,
				Remote:   sanitize(r.Remote),
				Reason:   o.Reason,
				At:       b.now,
			})
		}
	}
	if t.High.After(b.now) { // a time in the future would hide changes until then
		t.High = b.now
	}
	return t
}

// problemText returns what is wrong with a record: "price must be more than zero".
func problemText(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind == fault.Internal {
		return "The record could not be stored."
	}
	return known.Description()
}

// storable reports whether every database can store the text.
func storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// sanitize makes a text storable and shortens it.
func sanitize(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	for n := range text {
		if n > maxRemoteID {
			return text[:n] + "…"
		}
	}
	return text
}
