package syncrun

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Change is an entry of a run's list of changes: what a preview would do to a record, or a conflict.
type Change struct {
	Run      id.Sync // zero: a webhook's record
	Preview  bool    // it was not applied
	Resource Resource
	Remote   string // the platform's id of the record
	Local    string // the product's or order's id here; "": there is none
	Title    string // a product's name; "" for customers and orders, whose values are not stored
	Kind     ChangeKind
	// Fields are the fields that differ. A conflict has one. Created records, and records of customers and orders, have
	// none.
	Fields []FieldChange
	At     time.Time
}

// ChangeKind is the effect of a preview on a record, or Conflict.
type ChangeKind struct{ name string }

var (
	Create   = ChangeKind{"created"}
	Modify   = ChangeKind{"changed"}
	Archive  = ChangeKind{"archived"} // a customer is removed instead
	Conflict = ChangeKind{"conflict"} // both sides had changed a field since they last agreed
)

// ChangeKinds are all kinds by name.
var ChangeKinds = map[string]ChangeKind{"created": Create, "changed": Modify, "archived": Archive, "conflict": Conflict}

func (k ChangeKind) String() string { return k.name }

// FieldChange has the values of a field here and at the platform.
type FieldChange struct {
	Field  string // as the API names it
	Ours   Value
	Theirs Value
	// Rule is the rule that decided a conflict. It is zero if there is no conflict.
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

// Rules are all rules by name. "" is for changes without a conflict.
var Rules = map[string]Rule{"": {}, "edited_here": EditedHere, "full_sync": FullSync}

func (r Rule) String() string { return r.name }

// Winner returns the side whose value is used.
func (r Rule) Winner() string {
	switch r {
	case EditedHere:
		return "ours"
	case FullSync:
		return "theirs"
	}
	return ""
}

// MaxChanges is the largest number of changes in a run's list.
const MaxChanges = 1000

// Found counts the changes that a step has found, listed or not. Created and changed records of a preview are in its
// Counters.
type Found struct {
	Archived  int // of a preview, among the updated ones
	Conflicts int // fields
	Listed    int
}

// Listable returns the changes that still fit in the run's list.
func (r *Run) Listable(found []Change) []Change {
	listed := 0
	for i := range r.Steps {
		listed += r.Steps[i].Found.Listed
	}
	return found[:min(len(found), max(MaxChanges-listed, 0))]
}

// CountChanges adds found changes to the counts of the current step.
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

// Changes returns the number of changes by kind, and whether the run's list has all of them.
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
