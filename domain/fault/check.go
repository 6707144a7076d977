package fault

import "strconv"

// Check gathers the problems of one request, so that a client learns all of them at once.
type Check struct {
	prefix  string
	details *[]Detail
}

// NewCheck starts empty.
func NewCheck() Check { return Check{details: new([]Detail)} }

// In is the same check with a path before its fields: c.In("items").At(0) names "items.0.…".
func (c Check) In(field string) Check { return Check{c.path(field) + ".", c.details} }

// At is In for an element of a list.
func (c Check) At(index int) Check { return c.In(strconv.Itoa(index)) }

// That records message for field unless ok. It returns ok.
func (c Check) That(ok bool, field, message string) bool {
	if !ok {
		*c.details = append(*c.details, Detail{c.path(field), message})
	}
	return ok
}

// Err is nil, or one validation_error with every problem.
func (c Check) Err() error {
	if len(*c.details) == 0 {
		return nil
	}
	e := New(Invalid, "validation_error", "The request has invalid values.")
	e.Details = *c.details
	return e
}

func (c Check) path(field string) string { return c.prefix + field }
