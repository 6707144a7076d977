// Package syncrun is how the data of an outside platform comes here: runs that go through a platform's
// records page by page, what the records say, and what of it is taken.
//
//	(none) ── Start ──> running ── Advance, Sweep (the last one) ──> completed
//	                       ├── Fail ──> failed
//	                       └── Cancel ──> canceled
//
// A page's records and the run that has advanced past it are stored together, so whoever takes the run up
// again goes on after the last page that was stored.
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

// Statuses are all of them by name.
var Statuses = map[string]Status{"running": Running, "completed": Completed, "failed": Failed, "canceled": Canceled}

const (
	// MaxFailures in a row are too many: the run fails with the last one.
	MaxFailures = 8
	// MaxAge of a run that is put off.
	MaxAge = 24 * time.Hour
	// MaxPages of a resource: a platform that has more has no end.
	MaxPages = 20_000
	// Overlap is how much of what was read is read again by the next run: a platform may show a change
	// a little later than the time it gives it.
	Overlap = time.Minute
)

// Counters tell what became of records. Each is counted once.
type Counters struct{ Created, Updated, Unchanged, Errors int }

// Total is how many records there were.
func (c Counters) Total() int { return c.Created + c.Updated + c.Unchanged + c.Errors }

// Plus is both.
func (c Counters) Plus(o Counters) Counters {
	return Counters{c.Created + o.Created, c.Updated + o.Updated, c.Unchanged + o.Unchanged, c.Errors + o.Errors}
}

// Step is a run's way through one resource.
type Step struct {
	Resource Resource
	Since    time.Time // what changed earlier is left out; zero: nothing is
	Cursor   string    // of the page that is next; "" is the first
	Pages    int       // that are done
	Mark     string    // a cursor of the past, to notice a platform that leads in circles
	High     time.Time // the latest change seen
	Blind    bool      // some records had no id that can be used: who they are nobody knows
	Sweeping bool      // all pages are done; what they did not have is gone at the platform
	Done     bool
	Expected Total // as the platform said
	Read     int   // records that its pages had
	Pace     Pace
	Waited   Waited
	Found    Found
	Counters
}

// Run is one reading of a platform's data.
type Run struct {
	ID          id.Sync
	Project     id.Project
	Integration id.Integration
	Full        bool // all records, and the platform's word counts for every field
	Preview     bool // nothing is stored but the counters: what a run would do
	Status      Status
	Steps       []Step // in the order in which they are taken
	Error       string // why it failed, or was put off, in words for the merchant
	Notices     []Notice
	Failures    int // since the last page
	StartedAt   time.Time
	EndedAt     time.Time // zero while it runs
	DueAt       time.Time // when it is to be worked on: what is in hand is due when its lease ends
}

// Previewed are the resources of which it can be told what a run would do. Stock moves by what changed since the run before, and
// that of new products comes after them.
func Previewed(resources []Resource) []Resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r Resource) bool { return r == Inventory })
}

// ErrEnded is the answer to whoever wants to go on with a run that has ended.
var ErrEnded = fault.New(fault.Conflict, "sync_ended", "The sync has ended.")

// ErrCircle means that a platform's pages lead back to one that was read.
var ErrCircle = fault.New(fault.Unavailable, "platform_failed", "The platform's pages lead in a circle.")

// ErrEndless means that a platform always has one more page.
var ErrEndless = fault.New(fault.Unavailable, "platform_failed", "The platform has too many pages, or no end of them.")

// Start starts a run over some resources, each since its watermark, or over everything.
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

// Current is the step that is next; nil: there is none.
func (r *Run) Current() *Step {
	for i := range r.Steps {
		if r.Status == Running && !r.Steps[i].Done {
			return &r.Steps[i]
		}
	}
	return nil
}

// Advance records that the page at the step's cursor is done: what became of its records, the latest change
// among them, and the cursor of the next page, "" after the last. Whoever did it may go on until the lease.
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
	if s.Pages++; s.Pages&(s.Pages-1) == 0 { // as Brent finds a cycle
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

// Hidden notes that some of the records of the current step have no id that can be used: what is missing among
// the others is not gone.
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

// end completes a run without a step left.
func (r *Run) end(now time.Time) {
	if r.Current() == nil {
		r.Status, r.EndedAt = Completed, now
	}
}

// Postpone puts the run off. A failure counts, and too many in a row end the run; a platform that asks for
// patience does not fail.
func (r *Run) Postpone(until time.Time, failure string, now time.Time) error {
	if r.Status != Running {
		return ErrEnded
	}
	if now.Sub(r.StartedAt) > MaxAge {
		return r.Fail(cmp.Or(failure, "The platform asked for patience for a day."), now)
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

// Fail ends the run. What it has taken stays.
func (r *Run) Fail(why string, now time.Time) error {
	if r.Status != Running {
		return ErrEnded
	}
	r.Status, r.Error, r.EndedAt = Failed, why, now
	return nil
}

// Cancel ends the run. Once more it changes nothing. What has ended otherwise: ErrEnded.
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

// Watermarks are those after the run, which is completed: those before, moved on. What changed while it ran
// may have been read too early, and is read again.
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

// Problem is a record that was not taken, and why.
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

	// Items are not read by themselves: they are what a platform calls the variants that its stock is of.
	Items = Resource{"items"}
)

// Resources are those that can be read, in the order in which a run takes them: stock needs its products.
var Resources = []Resource{Products, Inventory, Customers, Orders}

func (r Resource) String() string { return r.name }

// Swept reports whether what a full reading did not find is removed here.
func (r Resource) Swept() bool { return r == Products || r == Customers }

// ParseResource knows those that can be read.
func ParseResource(name string) (Resource, bool) {
	r := Resource{name}
	return r, slices.Contains(Resources, r)
}

// StoredResource trusts text that this system wrote.
func StoredResource(name string) Resource { return Resource{name} }

// Names are the resources' names, in their order.
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
