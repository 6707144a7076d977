package catalog

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Synonym means that words have the same meaning in a shop. Without an Input, each of Words finds the others. With an
// Input it is one-way: a search for Input also finds Words, but not the reverse.
type Synonym struct {
	ID        id.Synonym
	Project   id.Project
	Input     string
	Words     []string
	CreatedAt time.Time
	UpdatedAt time.Time
}
