package bulkhead_test

import (
	"context"
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/app/bulkhead"
)

// fakePlace counts how often it was given up.
type fakePlace struct {
	tenant              string
	left, returned, out int
}

func (p *fakePlace) Tenant() string { return p.tenant }
func (p *fakePlace) Leave()         { p.left++; p.out++ }
func (p *fakePlace) Return()        { p.returned++; p.out-- }

// requestOf returns the context of a tenant's request, and its place.
func requestOf(t *testing.T, tenant string) (context.Context, *fakePlace) {
	p := &fakePlace{tenant: tenant}
	return bulkhead.WithPlace(t.Context(), p), p
}

func TestRoom_Enter_limits(t *testing.T) {
	r := bulkhead.NewRoom(bulkhead.Shares{
		Places: 4,
		Tenant: 2,
		Target: 3,
	})
	a, _ := requestOf(t, "a")
	b, _ := requestOf(t, "b")
	for _, step := range []struct {
		what   string
		ctx    context.Context
		target string
		enters bool
	}{
		{"the first", a, "x", true},
		{"half of the room", a, "x", true},
		{"beyond a tenant's share", a, "y", false},
		{"another tenant at the same target", b, "x", true},
		{"beyond the target's share", b, "x", false},
		{"background work at a target that is full", t.Context(), "x", false},
		{"another target", b, "y", true},
		{"beyond all places", t.Context(), "z", false},
	} {
		if leave, ok := r.Enter(step.ctx, step.target); ok != step.enters {
			t.Errorf("%s: %v", step.what, ok)
		} else if ok {
			defer func() {
				leave()
			}()
		}
	}
	if r.Waiting() != 4 || r.Refused() != 4 {
		t.Errorf("%d wait, %d were refused", r.Waiting(), r.Refused())
	}
}

func TestRoom_Wait(t *testing.T) {
	r := bulkhead.NewRoom(bulkhead.Shares{
		Places: 1,
		Tenant: 1,
		Target: 1,
	})
	failed := errors.New("failed")
	for range 3 {
		ctx, p := requestOf(t, "a")
		err := r.Wait(ctx, "x", func() error {
			if p.out != 1 || r.Waiting() != 1 {
				t.Errorf("while it waits: %d places given up, %d in the room", p.out, r.Waiting())
			}
			if err := r.Wait(ctx, "x", func() error { return nil }); !errors.Is(err, bulkhead.ErrFull) {
				t.Errorf("a second one: %v", err)
			}
			return failed
		})
		if !errors.Is(err, failed) || p.left != 1 || p.returned != 1 || r.Waiting() != 0 {
			t.Errorf("%v, left %d, came back %d, %d in the room", err, p.left, p.returned, r.Waiting())
		}
	}
}

func TestRoom_Wait_panic(t *testing.T) {
	r := bulkhead.NewRoom(bulkhead.Shares{
		Places: 1,
		Tenant: 1,
		Target: 1,
	})
	ctx, p := requestOf(t, "a")
	func() {
		defer func() { _ = recover() }()
		_ = r.Wait(ctx, "x", func() error { panic("gone") })
	}()
	if p.out != 0 || r.Waiting() != 0 {
		t.Errorf("%d places given up, %d in the room", p.out, r.Waiting())
	}
}

func TestRoom_Wait_nilRoom(t *testing.T) {
	ctx, p := requestOf(t, "a")
	var none *bulkhead.Room
	if err := none.Wait(ctx, "x", func() error { return nil }); err != nil || p.left != 1 {
		t.Error(err, p.left)
	}
}
