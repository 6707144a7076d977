package order

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// MaxNote is how many characters a note has at most.
	MaxNote = 2000
	// MaxNotes is how many notes an order has at most.
	MaxNotes = 100
)

// Note is what the merchant's people write down about an order. Buyers never see it. It may name the buyer, so that it is erased
// with the buyer's data.
type Note struct {
	ID        id.Note
	Project   id.Project
	Order     id.Order
	Member    id.Member // who wrote it; zero: a program did, by Key
	Key       id.APIKey
	Text      string // empty: it was erased
	CreatedAt time.Time
}

// Check judges a note that is to be added.
func (n Note) Check() error {
	c := fault.NewCheck()
	c.That(strings.TrimSpace(n.Text) != "", "text", "must not be empty")
	c.That(utf8.RuneCountInString(n.Text) <= MaxNote, "text", "must have at most 2,000 characters")
	return c.Err()
}

// ErrTooManyNotes keeps what one order stores bounded.
var ErrTooManyNotes = fault.New(fault.Conflict, "too_many_notes", "The order has 100 notes.")
