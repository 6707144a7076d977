package order

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// MaxNote is the largest length of a note in characters.
	MaxNote = 2000
	// MaxNotes is the largest number of notes of an order.
	MaxNotes = 100
)

// Note is a note on an order by the merchant's people. Buyers never see it. It may name the buyer, so it is erased with
// the buyer's data.
type Note struct {
	ID        id.Note
	Project   id.Project
	Order     id.Order
	Member    id.Member // the author; zero: a program, with Key
	Key       id.APIKey
	Text      string // empty: erased
	CreatedAt time.Time
}

// Check validates a new note.
func (n Note) Check() error {
	c := fault.NewCheck()
	c.That(strings.TrimSpace(n.Text) != "", "text", "must not be empty")
	c.That(utf8.RuneCountInString(n.Text) <= MaxNote, "text", "must have at most 2,000 characters")
	return c.Err()
}

// ErrTooManyNotes refuses more than MaxNotes.
var ErrTooManyNotes = fault.New(fault.Conflict, "too_many_notes", "The order has 100 notes.")
