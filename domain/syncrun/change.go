package syncrun

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Change is a row of the list that shows what a preview would do to a record, or a conflict.
type Change struct {
	Run      id.Sync // zero: a webhook's record
	Preview  bool    // nothing of it was stored
	Resource Resource
	Remote   string // the platform's id of the record
	Local    string // the product's or order's id here; "": there is none
	Title    string // a product's name; "" for customers and orders, whose values are not stored
	Kind     ChangeKind
	// Fields are those that differ. A conflict has one. What is created, and records of customers and orders, have none.
	Fields []FieldChange
	At     time.Time
}

// ChangeKind is what would become of a record, or Conflict.
type ChangeKind struct{ name string }

var (
	Create   = ChangeKind{"created"}
	Modify   = ChangeKind{"changed"}
	Archive  = ChangeKind{"archived"} // or, of a customer, forgotten
	Conflict = ChangeKind{"conflict"} // both sides had changed a field since they last agreed
)

// ChangeKinds are all of them by name.
var ChangeKinds = map[string]ChangeKind{"created": Create, "changed": Modify, "archived": Archive, "conflict": Conflict}

func (k ChangeKind) String() string { return k.name }

// FieldChange is a field with its value here and at the platform.
type FieldChange struct {
	Field  string // as the API names it
	Ours   Value
	Theirs Value
	// Rule says who won a conflict. It is zero for what is none.
	Rule Rule
}

// Rule decides a conflict.
type Rule struct{ name string }

var (
	// EditedHere keeps the merchant's value of a field that was edited here since both sides last agreed.
	EditedHere = Rule{"edited_here"}
	// FullSync takes the platform's value of every field.
	FullSync = Rule{"full_sync"}
)

// Rules are all of them by name. "" is of what is no conflict.
var Rules = map[string]Rule{"": {}, "edited_here": EditedHere, "full_sync": FullSync}

func (r Rule) String() string { return r.name }

// Winner is the side whose value is used.
func (r Rule) Winner() string {
	switch r {
	case EditedHere:
		return "ours"
	case FullSync:
		return "theirs"
	}
	return ""
}

// MaxChanges are listed of a run.
const MaxChanges = 1000

// Found is how many changes a step has found, listed or not. A preview's created and changed records are those of its
// counters.
type Found struct {
	Archived  int // of a preview, among the updated ones
	Conflicts int // fields
	Listed    int
}

// Listable returns those of some changes for which the run's list has room.
func (r *Run) Listable(found []Change) []Change {
	listed := 0
	for i := range r.Steps {
		listed += r.Steps[i].Found.Listed
	}
	return found[:min(len(found), max(MaxChanges-listed, 0))]
}

// CountChanges adds changes that were found to the counts of the current step.
func (r *Run) CountChanges(found []Change) {
	s := r.Current()
	if s == nil {
		return
	}
	s.Found.Listed += len(r.Listable(found))
	for _, c := range found {
		switch c.Kind {
		case Archive:
			s.Found.Archived++
		case Conflict:
			s.Found.Conflicts++
		}
	}
}

// Changes is how many changes of a kind the run has found, and AllListed whether its list has all of them.
func (r *Run) Changes() (counts map[ChangeKind]int, allListed bool) {
	counts = map[ChangeKind]int{}
	all, listed := 0, 0
	for _, s := range r.Steps {
		counts[Conflict] += s.Found.Conflicts
		if r.Preview {
			counts[Create] += s.Created
			counts[Modify] += s.Updated - s.Found.Archived
			counts[Archive] += s.Found.Archived
		}
		listed += s.Found.Listed
	}
	for _, n := range counts {
		all += n
	}
	return counts, listed >= all
}
