package operation

import (
	"context"
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

func TestLastID(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/agents":            "",
		"/v1/agents/{agent_id}": "agent_id",
		"/v1/agents/{agent_id}/policies/{version}/activate": "agent_id",
		"/v1/subs/{sub_id}/deliveries/{delivery_id}/redo":   "delivery_id",
	} {
		if got := lastID(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// An unknown id in the path is refused before a filter that matches nothing makes the list empty.
func TestHandleList_pathBeforeFilters(t *testing.T) {
	t.Parallel()
	type under struct {
		Paging
		Agent wire.Ref[id.Agent] `path:"agent_id"`
		Order wire.Ref[id.Order] `query:"order_id"`
	}
	type flat struct {
		Paging
		Order wire.Ref[id.Order] `query:"order_id"`
	}
	missing := fault.Missing("agent")
	var fails error
	asked := 0
	text := func(n int) string { return "row" }
	nested := HandleList(func(context.Context, Request, *under) ([]int, int, error) { asked++; return []int{1}, 1, fails }, text)
	plain := HandleList(func(context.Context, Request, *flat) ([]int, int, error) { asked++; return []int{1}, 1, fails }, text)
	var in under
	var all flat
	if err := errors.Join(in.Order.UnmarshalText([]byte("x")), all.Order.UnmarshalText([]byte("x"))); err != nil {
		t.Fatal(err)
	}
	if out, err := nested(t.Context(), Request{}, &in); err != nil || len(out.Body.Data) != 0 || out.Body.Meta.Total != 0 || asked != 1 {
		t.Errorf("a filter that names nothing: %+v, %v, asked %d times", out, err, asked)
	}
	fails = missing
	if _, err := nested(t.Context(), Request{}, &in); !errors.Is(err, missing) {
		t.Errorf("of an unknown agent: %v", err)
	}
	if out, err := plain(t.Context(), Request{}, &all); err != nil || len(out.Body.Data) != 0 || asked != 2 {
		t.Errorf("without an id in the path: %+v, %v, asked %d times", out, err, asked)
	}
	fails = nil
	if out, err := nested(t.Context(), Request{}, &under{}); err != nil || len(out.Body.Data) != 1 || out.Body.Meta.Total != 1 {
		t.Errorf("without a filter: %+v, %v", out, err)
	}
}
