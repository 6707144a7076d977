package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// A prepared handler runs again while other requests are committed first, up to 32 times. Each plan that is not committed is
// discarded.
func TestAddPrepared_othersAreFirst(t *testing.T) {
	t.Parallel()
	for stale, want := range map[int]struct{ status, attempts, discarded int }{
		0:    {http.StatusOK, 1, 0},
		20:   {http.StatusOK, 21, 20},
		31:   {http.StatusOK, 32, 31},
		32:   {http.StatusConflict, 32, 32},
		1000: {http.StatusConflict, 32, 32},
	} {
		t.Run(fmt.Sprint(stale), func(t *testing.T) {
			t.Parallel()
			j, attempts, discarded := &recordingStore{}, 0, 0
			send := j.serve(func(m *wire.Mount[nobody, int]) {
				wire.AddPrepared(m, postTo("prepared", "/v1/thing"), func(_ ports.Outbound, rq stagedRequest, _ *none) (wire.Plan[int, said], error) {
					if attempts++; rq.Attempt != attempts {
						t.Errorf("attempt %d is said to be %d", attempts, rq.Attempt)
					}
					return wire.Plan[int, said]{
						Commit: func(context.Context, int) (*said, error) {
							if attempts <= stale {
								return nil, fault.New(fault.Conflict, "stale", "Another was first.")
							}
							return &said{}, nil
						},
						Discard: func() { discarded++ },
					}, nil
				})
			})
			w := send("k")
			if w.Code != want.status || attempts != want.attempts || discarded != want.discarded {
				t.Errorf("%d after %d attempts, %d discarded; want %+v", w.Code, attempts, discarded, want)
			}
			if w.Code == http.StatusConflict && !strings.Contains(w.Body.String(), `"stale"`) {
				t.Error(w.Body)
			}
		})
	}
}

// A plan is discarded unless its transaction is committed, or may have been.
func TestAddPrepared_discard(t *testing.T) {
	t.Parallel()
	lost := errors.New("the connection is lost")
	for name, test := range map[string]struct {
		commit  func() error // of the plan
		begin   func(work func() error) (committed bool, err error)
		discard bool
	}{
		"committed":      {nil, func(work func() error) (bool, error) { return true, work() }, false},
		"refused":        {func() error { return fault.New(fault.Conflict, "taken", "It is taken.") }, func(work func() error) (bool, error) { return false, work() }, true},
		"rolled back":    {nil, func(work func() error) (bool, error) { return false, errors.Join(work(), lost) }, true},
		"never begun":    {nil, func(func() error) (bool, error) { return false, lost }, true},
		"nobody knows":   {nil, func(work func() error) (bool, error) { return true, errors.Join(work(), lost) }, false},
		"panic":          {func() error { panic("of the plan") }, func(work func() error) (bool, error) { return true, work() }, true},
		"key was taken":  {nil, func(func() error) (bool, error) { return false, ports.ErrKeyTaken }, true},
		"work run again": {nil, func(work func() error) (bool, error) { _ = work(); return true, work() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, discarded := &recordingStore{}, 0
			send := j.serve(func(m *wire.Mount[nobody, int]) {
				m.Begin = func(_ context.Context, _ *ports.KeyUsage, work func(int, ports.Records) error) (bool, error) {
					return test.begin(func() error { return work(1, j) })
				}
				wire.AddPrepared(m, postTo("prepared", "/v1/thing"), func(ports.Outbound, stagedRequest, *none) (wire.Plan[int, said], error) {
					return wire.Plan[int, said]{
						Commit: func(context.Context, int) (*said, error) {
							if test.commit != nil {
								return nil, test.commit()
							}
							return &said{}, nil
						},
						Discard: func() { discarded++ },
					}, nil
				})
			})
			send("k")
			if discarded != 1 && test.discard || discarded != 0 && !test.discard {
				t.Errorf("discarded %d times", discarded)
			}
		})
	}
}

// A prepared handler whose project has changed runs again with an updated caller, as the same attempt.
func TestAddPrepared_projectChanged(t *testing.T) {
	t.Parallel()
	gone := fault.Missing("project")
	for name, test := range map[string]struct {
		changes int
		gone    error
		status  int
		runs    int
	}{
		"once":         {1, nil, http.StatusOK, 2},
		"often":        {32, nil, http.StatusOK, 33},
		"again always": {1000, nil, http.StatusConflict, 33},
		"closed":       {1, gone, http.StatusNotFound, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, runs, reread := &recordingStore{}, 0, 0
			send := j.serve(func(m *wire.Mount[nobody, int]) {
				m.Reread = func(*wire.Entry[nobody]) error {
					reread++
					return test.gone
				}
				wire.AddPrepared(m, postTo("prepared", "/v1/thing"), func(_ ports.Outbound, rq stagedRequest, _ *none) (wire.Plan[int, said], error) {
					if runs++; rq.Attempt != 1 || reread != runs-1 {
						t.Errorf("run %d is attempt %d after %d readings", runs, rq.Attempt, reread)
					}
					return wire.Plan[int, said]{
						Commit: func(context.Context, int) (*said, error) {
							if runs <= test.changes {
								return nil, fault.New(fault.Conflict, ports.ProjectChanged, "The shop has changed.")
							}
							return &said{}, nil
						},
					}, nil
				})
			})
			if w := send("k"); w.Code != test.status || runs != test.runs {
				t.Errorf("%d after %d runs, want %d after %d", w.Code, runs, test.status, test.runs)
			}
		})
	}
}
