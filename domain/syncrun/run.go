// Package syncrun defines the import of an external platform's data: runs that go through a platform's records page by
// page, the records, which of their fields are imported, and conflicts with fields that the merchant edited here. It
// makes no requests.
//
//	(none) ── Start ──> running ── Advance, Sweep (the last one) ──> completed
//	                       ├── Fail ──> failed
//	                       └── Cancel ──> canceled
//
// A page's records and the run that has advanced past it are stored together, so the next worker of the run
// continues after the last page that was stored.
package syncrun

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Status of a run.
type Status struct{ name string }

var (
	Running   = Status{"running"}
	Completed = Status{"completed"}
	Failed    = Status{"failed"}
	Canceled  = Status{"canceled"}
)

func (s Status) String() string { return s.name }

// Statuses are all statuses by name.
var Statuses = map[string]Status{"running": Running, "completed": Completed, "failed": Failed, "canceled": Canceled}

const (
	// MaxFailures is the number of consecutive failures after which the run fails.
	MaxFailures = 8
	// MaxAge is the age at which a run fails instead of being postponed.
	MaxAge = 24 * time.Hour
	// MaxPages is the largest number of pages of a resource: a platform with more counts as endless.
	MaxPages = 20_000
	// Overlap is the time range that the next run reads again, because a platform may show a change
	// a little later than the change's time.
	Overlap = time.Minute
)

// Counters count records by outcome. Each record is counted once.
type Counters struct{ Created, Updated, Unchanged, Errors int }

// Total returns the number of records.
func (c Counters) Total() int { return c.Created + c.Updated + c.Unchanged + c.Errors }

// Plus returns the sum of both.
func (c Counters) Plus(o Counters) Counters {
	return Counters{c.Created + o.Created, c.Updated + o.Updated, c.Unchanged + o.Unchanged, c.Errors + o.Errors}
}

// Step is a run's import of one resource.
type Step struct {
	Resource Resource
	Since    time.Time // records changed earlier are left out; zero: none are
	Cursor   string    // of the next page; "" is the first
	Pages    int       // number of pages done
	Mark     string    // an earlier cursor, to detect a cycle
	High     time.Time // the latest change seen
	Blind    bool      // some records had no usable id
	Sweeping bool      // all pages are done; records that they did not have were deleted at the platform
	Done     bool
	Expected Total // as reported by the platform
	Read     int   // number of records read
	Pace     Pace
	Waited   Waited
	Found    Found
	Counters
}

// Run is one import of a platform's data.
type Run struct {
	ID          id.Sync
	Project     id.Project
	Integration id.Integration
	Full        bool // reads all records, and the platform's value wins for every field
	Preview     bool // stores only counters and changes: what a run would do
	Status      Status
	Steps       []Step // in the order in which they run
	Error       string // why it failed or was postponed, in words for the merchant
	Notices     []Notice
	Failures    int // since the last page
	StartedAt   time.Time
	EndedAt     time.Time // zero while it runs
	DueAt       time.Time // when a worker may continue it; while one does, the end of its lease
}

// Previewed returns the resources that a preview supports. It excludes inventory, because stock changes by the
// difference since the last run, and the stock of new products is set after they are created.
func Previewed(resources []Resource) []Resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r Resource) bool { return r == Inventory })
}

// ErrEnded refuses to continue a run that has ended.
var ErrEnded = fault.New(fault.Conflict, "sync_ended", "The sync has ended.")

// ErrCircle means that a platform's cursors have a cycle.
var ErrCircle = fault.New(fault.Unavailable, "platform_failed", "The platform's pages form a loop.")

// ErrEndless means that a platform always has one more page.
var ErrEndless = fault.New(fault.Unavailable, "platform_failed", "The platform's pages do not end.")

// Start starts a run over some resources, each from its watermark, or over all records if full.
func Start(name id.Sync, p id.Project, i id.Integration, resources []Resource, full bool, marks Watermarks, now time.Time) *Run {
	r := &Run{
		ID:          name,
		Project:     p,
		Integration: i,
		Full:        full,
		Status:      Running,
		StartedAt:   now,
		DueAt:       now,
	}
	for _, resource := range Resources {
		if !slices.Contains(resources, resource) {
			continue
		}
		step := Step{Resource: resource}
		if since := marks[resource]; !full && !since.IsZero() {
			step.Since = since.Add(-Overlap)
		}
		r.Steps = append(r.Steps, step)
	}
	return r
}

// Current returns the next step; nil: there is none.
func (r *Run) Current() *Step {
	for i := range r.Steps {
		if r.Status == Running && !r.Steps[i].Done {
			return &r.Steps[i]
		}
	}
	return nil
}

// Advance records that the page at the step's cursor is done: the counts of its records, the latest change among them,
// and the cursor of the next page, "" after the last. The same worker may continue until lease.
func (r *Run) Advance(page Counters, high time.Time, next string, lease, now time.Time) error {
	s := r.Current()
	if s == nil || s.Sweeping {
		return ErrEnded
	}
	if next != "" && (next == s.Cursor || next == s.Mark) {
		return ErrCircle
	}
	if s.Pages >= MaxPages && next != "" {
		return ErrEndless
	}
	if s.Pages++; s.Pages&(s.Pages-1) == 0 { // Brent's cycle detection
		s.Mark = next
	}
	s.Counters, s.Cursor = s.Plus(page), next
	s.paced(page.Total(), now)
	if high.After(s.High) {
		s.High = high
	}
	r.Failures, r.Error, r.DueAt = 0, "", lease
	if next == "" {
		s.Sweeping = r.Full && s.Resource.Swept() && !s.Blind
		s.Done = !s.Sweeping
	}
	r.end(now)
	return nil
}

// Hidden records that some records of the current step have no usable ID. The step is then not swept, because a missing
// record may be one of them.
func (r *Run) Hidden() {
	if s := r.Current(); s != nil {
		s.Blind = true
	}
}

// Sweep records that records which the platform no longer has were removed here, and whether there are more.
func (r *Run) Sweep(removed int, more bool, lease, now time.Time) error {
	s := r.Current()
	if s == nil || !s.Sweeping {
		return ErrEnded
	}
	s.Updated += removed
	s.Done = !more
	r.Failures, r.Error, r.DueAt = 0, "", lease
	r.end(now)
	return nil
}

// end completes a run that has no step left.
func (r *Run) end(now time.Time) {
	if r.Current() == nil {
		r.Status, r.EndedAt = Completed, now
	}
}

// Postpone postpones the run. With a failure, it counts towards MaxFailures, which ends the run. Waiting for a
// platform's rate limit is not a failure.
func (r *Run) Postpone(until time.Time, failure string, now time.Time) error {
	if r.Status != Running {
		return ErrEnded
	}
	if now.Sub(r.StartedAt) > MaxAge {
		return r.Fail(cmp.Or(failure, "The platform's rate limit has delayed the sync for a day."), now)
	}
	if failure != "" {
		if r.Failures++; r.Failures >= MaxFailures {
			return r.Fail(failure, now)
		}
		r.Error = failure
	}
	r.DueAt = until
	return nil
}

// Fail ends the run. The records that it has imported are kept.
func (r *Run) Fail(why string, now time.Time) error {
	if r.Status != Running {
		return ErrEnded
	}
	r.Status, r.Error, r.EndedAt = Failed, why, now
	return nil
}

// Cancel ends the run. It does nothing if the run is canceled, and returns ErrEnded if it has ended otherwise.
func (r *Run) Cancel(now time.Time) error {
	switch r.Status {
	case Canceled:
		return nil
	case Running:
		r.Status, r.Error, r.EndedAt = Canceled, "", now
		return nil
	}
	return ErrEnded
}

// Watermarks are how far each resource has been read.
type Watermarks map[Resource]time.Time

// Watermarks returns the watermarks after the completed run. They are at most the run's start, because records that
// changed during the run may have been read too early and must be read again.
func (r *Run) Watermarks(before Watermarks) Watermarks {
	after := Watermarks{}
	maps.Copy(after, before)
	for _, s := range r.Steps {
		high := s.High
		if high.After(r.StartedAt) {
			high = r.StartedAt
		}
		if high.After(after[s.Resource]) {
			after[s.Resource] = high
		}
	}
	return after
}

// Problem is a record that could not be imported, and why.
type Problem struct {
	Resource Resource
	Remote   string // the platform's id of it
	Reason   string
	At       time.Time
}

// Resource is a kind of data.
type Resource struct{ name string }

var (
	Products  = Resource{"products"}
	Inventory = Resource{"inventory"}
	Orders    = Resource{"orders"}
	Customers = Resource{"customers"}

	// Items are the platform's IDs of variants in its inventory. They are not read as a resource of their own.
	Items = Resource{"items"}
)

// Resources are those that can be read, in the order in which a run reads them: inventory needs its products.
var Resources = []Resource{Products, Inventory, Customers, Orders}

func (r Resource) String() string { return r.name }

// Swept reports whether records that a full run did not find are removed here.
func (r Resource) Swept() bool { return r == Products || r == Customers }

// ParseResource reads the name of a resource that can be read.
func ParseResource(name string) (Resource, bool) {
	r := Resource{name}
	return r, slices.Contains(Resources, r)
}

// StoredResource returns a stored resource without validating it.
func StoredResource(name string) Resource { return Resource{name} }

// Names returns the resources' names in the order of Resources, separated by commas.
func Names(list []Resource) string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Resource) int {
		return cmp.Compare(slices.Index(Resources, a), slices.Index(Resources, b))
	})
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = r.name
	}
	return strings.Join(names, ",")
}
