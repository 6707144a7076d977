package catalogue

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// trails remember lists that were read in parts, so that the next part begins where the last one
// ended. They are hints: whoever follows one reads the list's state in the same transaction, and what
// was remembered of another state counts for nothing. So it does not matter who writes, in which
// process. They belong to one view of the store: a view of an open transaction, whose states may never
// come to be, has its own.
type trails struct {
	mu    sync.Mutex
	known *simplelru.LRU[trailKey, trail] // nil until something is
}

type trailKey struct {
	project id.Project
	filter  ports.ProductFilter
}

// trail is what is known of a list in one state.
type trail struct {
	state state
	total int
	marks map[int]mark // by offset / stride
}

// state stands for exactly one order of a list's rows.
type state struct{ version, rows int64 }

// mark says which row is the last before an offset, by the two columns that the list is ordered by.
type mark struct {
	offset int
	after  [2]any
}

const (
	mostTrails = 200
	stride     = 100   // rows from mark to mark
	mostMarks  = 2_000 // of one list
)

// find is what is known of a list, and the last mark at or before the offset; zero when there is none.
func (t *trails) find(key trailKey, offset int) (trail, mark, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		return trail{}, mark{}, false
	}
	found, ok := t.known.Get(key)
	for block := min(offset/stride, mostMarks); block >= 0 && ok; block-- {
		if m, marked := found.marks[block]; marked && m.offset <= offset {
			return found, m, true
		}
	}
	return found, mark{}, ok
}

// forget drops what turned out to be of another state, unless somebody learned the new one meanwhile.
func (t *trails) forget(key trailKey, old state) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		return
	}
	if found, ok := t.known.Peek(key); ok && found.state == old {
		t.known.Remove(key)
	}
}

// learn takes in the total of a list and, unless zero, a mark.
func (t *trails) learn(key trailKey, in state, total int, m mark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known, _ = simplelru.NewLRU[trailKey, trail](mostTrails, nil) // fails where the size is not positive
	}
	found, ok := t.known.Get(key)
	switch {
	case ok && found.state.version > in.version:
		return // a later state is known
	case !ok || found.state != in:
		found = trail{state: in, total: total, marks: make(map[int]mark)}
	}
	block := m.offset / stride
	if _, marked := found.marks[block]; m.offset > 0 && block < mostMarks && !marked {
		found.marks[block] = m
	}
	t.known.Add(key, found)
}
