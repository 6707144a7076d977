package fault

import "strconv"

// Check collects the problems of a request, so that a client gets all of them at once: the first problem of each field
// (features/MANAGEMENT.md#errors).
type Check struct {
	prefix string
	found  *problems
}

type problems struct {
	details []Detail
	fields  map[string]bool
}

// NewCheck returns a check without problems.
func NewCheck() Check { return Check{found: &problems{fields: map[string]bool{}}} }

// In returns the same check with a path before its fields: c.In("items").At(0) reports "items.0.…".
func (c Check) In(field string) Check { return Check{c.path(field) + ".", c.found} }

// At is In for an element of a list.
func (c Check) At(index int) Check { return c.In(strconv.Itoa(index)) }

// That records message for field unless ok or the field has a problem already. It returns ok.
func (c Check) That(ok bool, field, message string) bool {
	if path := c.path(field); !ok && !c.found.fields[path] {
		c.found.fields[path] = true
		c.found.details = append(c.found.details, Detail{path, message})
	}
	return ok
}

// Err returns nil, or one validation_error with every problem.
func (c Check) Err() error {
	if len(c.found.details) == 0 {
		return nil
	}
	e := New(Invalid, "validation_error", "The request has invalid values.")
	e.Details = c.found.details
	return e
}

func (c Check) path(field string) string { return c.prefix + field }
