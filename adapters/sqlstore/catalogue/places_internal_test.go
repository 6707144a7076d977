package catalogue

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// No more than remembered places are kept, no matter how many lists and parts are read.
func TestReadPart_forgets(t *testing.T) {
	t.Parallel()
	var m places
	list := make([]int, 3*remembered)
	read := func(text string, offset int) (from *beginning) {
		t.Helper()
		at := place{id.Stored[id.Project]("proj_1"), ports.ProductFilter{Text: text}, offset}
		_, total, err := readPart(&m, at, func(b *beginning) (part[int], error) {
			from = b
			return part[int]{
				state: state{version: 1, rows: int64(len(list))},
				total: len(list),
				rows:  list[offset : offset+1],
			}, nil
		}, func(row int) []any { return []any{row, offset} })
		if err != nil || total != len(list) {
			t.Fatal(total, err)
		}
		return from
	}
	for n := range len(list) - 1 {
		read("long", n)
	}
	for n := range 2 * remembered {
		read(fmt.Sprint(n), 0)
	}
	if n := m.known().Len(); n > remembered {
		t.Errorf("%d places are remembered, want at most %d", n, remembered)
	}
	if from := read("long", 1); from != nil {
		t.Errorf("the part of a list that was read long ago begins at %+v", from)
	}
	if from := read(fmt.Sprint(2*remembered-1), 1); from == nil || from.after == nil {
		t.Errorf("the part after the last one begins at %+v", from)
	}
}
