package catalogue

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// remembered is the maximum number of places.
const remembered = 2_000

// places remembers where pages of lists ended, so that reading the next page begins there. They are hints: a reader
// compares the list's state in its own transaction, and ignores a place that was remembered in another state. A view of
// an open transaction has places of its own, because its states may never be committed.
type places struct {
	once  sync.Once
	cache *lru.Cache[place, beginning]
}

func (p *places) known() *lru.Cache[place, beginning] {
	p.once.Do(func() { p.cache, _ = lru.New[place, beginning](remembered) }) // fails where the size is not positive
	return p.cache
}

// place is where a part of a list begins.
type place struct {
	project id.Project
	filter  ports.ProductFilter
	offset  int
}

// beginning is what is remembered of a list at a place.
type beginning struct {
	state state
	total int
	// after is the last row before the place, by the two columns that the list is ordered by; nil: it is not known.
	after []any
}

// state identifies exactly one order of a list's rows.
type state struct{ version, rows int64 }

// part is a part of a list, and the state in which it was read.
type part[T any] struct {
	state state
	total int
	rows  []T
}

// readPart reads the part of a list that begins at a place, and remembers where it ended. If the list has changed since
// the part before was read, it reads again from the start of the list, with a nil beginning.
func readPart[T any](m *places, at place, read func(*beginning) (part[T], error), last func(T) []any) ([]T, int, error) {
	from, known := m.known().Get(at)
	if !known {
		from, known = m.known().Get(place{at.project, at.filter, 0})
	}
	var p part[T]
	var err error
	if known {
		p, err = read(&from)
	}
	if err == nil && (!known || p.state != from.state) {
		p, err = read(nil)
	}
	if err != nil {
		return nil, 0, err
	}
	m.known().Add(place{at.project, at.filter, 0}, beginning{state: p.state, total: p.total})
	if n := len(p.rows); n > 0 {
		at.offset += n
		m.known().Add(at, beginning{p.state, p.total, last(p.rows[n-1])})
	}
	return p.rows, p.total, nil
}
