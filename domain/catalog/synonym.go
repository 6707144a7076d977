package catalog

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Synonym says that words mean the same in a shop. Without an Input each of Words finds the others. With
// one it is a one-way street: a search for Input also finds Words, a search for Words not Input.
type Synonym struct {
	ID        id.Synonym
	Project   id.Project
	Input     string
	Words     []string
	CreatedAt time.Time
	UpdatedAt time.Time
}
