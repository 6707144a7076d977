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

// Taker takes what a platform says of its records, within a transaction of the caller's.
type Taker struct {
	Clock   ports.Clock
	Entropy ports.Entropy
}

// longestName bounds the id of a platform's record.
const longestName = 500

// batch is records on their way.
type batch struct {
	ports.SyncStores
	ports.Taking
	ids
	of       *integration.Integration
	now      time.Time
	records  []syncrun.Record
	outcomes []syncrun.Outcome
	saved    map[copyKey]bool
	changed  []id.Product
	changes  []syncrun.Change
	hidden   bool // some records have no id
}

type copyKey struct {
	resource syncrun.Resource
	remote   string
}

// ids makes ids of random bits.
type ids struct{ entropy ports.Entropy }

func (i ids) Product() id.Product { return id.New[id.Product](i.entropy.IDBits()) }
func (i ids) Variant() id.Variant { return id.New[id.Variant](i.entropy.IDBits()) }

// Take takes records. It holds the integration until the transaction ends, so that others who take records of
// it wait. A disconnected one: Conflict integration_disconnected. Any other error is one of the stores': then
// the transaction is of no more use. A record that cannot be taken is no error.
func (t *Taker) Take(ctx context.Context, stores ports.SyncStores, on ports.Taking, records []syncrun.Record) (ports.Taken, error) {
	of, err := hold(ctx, stores, on)
	if err != nil {
		return ports.Taken{}, err
	}
	b := &batch{
		SyncStores: stores,
		Taking:     on,
		ids:        ids{t.Entropy},
		of:         of,
		now:        t.Clock.Now(),
		records:    slices.Clone(records),
		outcomes:   make([]syncrun.Outcome, len(records)),
		saved:      map[copyKey]bool{},
	}
	b.sort()
	for _, step := range []func(context.Context) error{b.takeProducts, b.takeLevels, b.takeCustomers, b.takeOrders, b.see} {
		if err := step(ctx); err != nil {
			return ports.Taken{}, err
		}
	}
	return b.taken(), nil
}

// hold keeps an integration from others who would take its records, and notes what is wanted of it.
func hold(ctx context.Context, s ports.SyncStores, on ports.Taking) (*integration.Integration, error) {
	return s.Integrations.Update(ctx, on.Project.ID, on.Integration, func(i *integration.Integration) error {
		if i.Status == integration.Disconnected {
			return integration.ErrDisconnected()
		}
		i.Want(on.Want...)
		return nil
	})
}

// fast is by how much a platform's clock may be.
const fast = 5 * time.Minute

// sort decides about what nothing has to be known for: records that cannot be read, that are not wanted, and
// those of which a later one says more.
func (b *batch) sort() {
	last := map[copyKey]int{}
	for n := range b.records {
		r := &b.records[n]
		if r.At.After(b.now.Add(fast)) { // else nothing newer could ever win
			r.At = b.now
		}
		switch {
		case r.Remote == "" || len(r.Remote) > longestName || !storable(r.Remote):
			b.fail(n, "The record has no id that can be used.")
			b.hidden = true
			continue
		case b.Run.IsZero() && !b.of.Config.Syncs(r.Resource):
			b.outcomes[n].Verdict = syncrun.Unchanged
			continue
		}
		key := copyKey{r.Resource, r.Remote}
		before, again := last[key]
		switch {
		case !again:
			last[key] = n
		case (&syncrun.Copy{At: b.records[before].At}).Late(*r):
			b.outcomes[n].Verdict = syncrun.Unchanged
			continue
		default:
			b.outcomes[before].Verdict, last[key] = syncrun.Unchanged, n
		}
		if reason := unreadable(*r); reason != "" {
			b.fail(n, reason)
		}
	}
}

func unreadable(r syncrun.Record) string {
	said := map[syncrun.Resource]bool{
		syncrun.Products: r.Product != nil, syncrun.Inventory: r.Level != nil, syncrun.Customers: r.Customer != nil, syncrun.Orders: r.Order != nil,
	}
	switch {
	case r.Problem != "":
		return r.Problem
	case !said[r.Resource] && !r.Deleted:
		return "The record says nothing."
	}
	return ""
}

// waiting are the records of a resource that are not decided.
func (b *batch) waiting(of syncrun.Resource) (list []int) {
	for n, r := range b.records {
		if r.Resource == of && b.outcomes[n].Verdict == (syncrun.Verdict{}) {
			list = append(list, n)
		}
	}
	return list
}

func (b *batch) fail(n int, reason string) {
	b.outcomes[n] = syncrun.Outcome{Verdict: syncrun.Refused, Reason: plain(reason)}
}

func (b *batch) copies(of syncrun.Resource) ports.CopiesOf {
	return ports.CopiesOf{
		Project:     b.Project.ID,
		Integration: b.Integration,
		Resource:    of,
	}
}

// known are copies by the platform's ids.
func (b *batch) known(ctx context.Context, of syncrun.Resource, remotes []string) (map[string]*syncrun.Copy, error) {
	known := make(map[string]*syncrun.Copy, len(remotes))
	if len(remotes) == 0 {
		return known, nil
	}
	list, err := b.Copies.Find(ctx, b.copies(of), remotes)
	for _, c := range list {
		known[c.Remote] = c
	}
	return known, err
}

// item is a record on its way, with what was known of it and with what will be.
type item struct {
	at     int // among the records
	record syncrun.Record
	before *syncrun.Copy // nil: nothing was known
	after  *syncrun.Copy
}

// open finds what is known of a resource's records, and leaves those that say nothing new out. In a full
// run, what the platform says is news even where it has said so before, unless it is older.
func (b *batch) open(ctx context.Context, of syncrun.Resource, always bool) (list []*item, err error) {
	waiting := b.waiting(of)
	remotes := make([]string, len(waiting))
	for i, n := range waiting {
		remotes[i] = b.records[n].Remote
	}
	known, err := b.known(ctx, of, remotes)
	if err != nil {
		return nil, err
	}
	var older []*syncrun.Copy
	for _, n := range waiting {
		r := b.records[n]
		one := &item{
			at:     n,
			record: r,
			before: known[r.Remote],
		}
		if one.before == nil {
			one.after = &syncrun.Copy{
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
		if r.At.After(copied.At) { // what is older than this must not win from now on
			one.after.At = r.At
			older = append(older, one.after)
		}
	}
	return list, b.save(ctx, older)
}

// save stores copies, each as seen by the run.
func (b *batch) save(ctx context.Context, list []*syncrun.Copy) error {
	if len(list) == 0 {
		return nil
	}
	for _, c := range list {
		c.UpdatedAt = b.now
		if b.Full {
			c.Seen = b.Run
		}
		b.saved[copyKey{c.Resource, c.Remote}] = true
	}
	return b.Copies.Save(ctx, list)
}

// see notes what a full run saw, so that it is not taken for gone: records that could not be taken, too.
func (b *batch) see(ctx context.Context) error {
	if !b.Full || b.Run.IsZero() {
		return nil
	}
	seen := seenRemotes(b.records, false)
	for resource, remotes := range seen {
		seen[resource] = slices.DeleteFunc(remotes, func(remote string) bool { return b.saved[copyKey{resource, remote}] })
	}
	for _, resource := range syncrun.Resources {
		if remotes := seen[resource]; len(remotes) > 0 {
			if err := b.Copies.See(ctx, b.copies(resource), b.Run, remotes); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenRemotes returns the platform's ids, each once, of the records that a full run has found.
func seenRemotes(records []syncrun.Record, deletedToo bool) map[syncrun.Resource][]string {
	found := map[syncrun.Resource][]string{}
	known := map[copyKey]bool{}
	for _, r := range records {
		key := copyKey{r.Resource, r.Remote}
		if r.Resource.Swept() && (deletedToo || !r.Deleted) && r.Remote != "" && storable(r.Remote) && !known[key] {
			known[key] = true
			found[r.Resource] = append(found[r.Resource], r.Remote)
		}
	}
	return found
}

func (b *batch) taken() ports.Taken {
	t := ports.Taken{
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
				Remote:   plain(r.Remote),
				Reason:   o.Reason,
				At:       b.now,
			})
		}
	}
	if t.High.After(b.now) { // a platform whose clock is fast would hide what changes until then
		t.High = b.now
	}
	return t
}

// words say what is wrong with a record: "price must be more than zero".
func words(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind == fault.Internal {
		return "The record could not be stored."
	}
	return known.Description()
}

// storable reports whether every database takes the text.
func storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// plain makes text storable, and not too long.
func plain(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	for n := range text {
		if n > longestName {
			return text[:n] + "…"
		}
	}
	return text
}
