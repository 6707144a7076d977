package buyers_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeRecords holds the sessions of one buyer. Those in progress cannot be erased.
type fakeRecords struct {
	ports.BuyerRecords
	sessions   []id.Session
	inProgress map[id.Session]bool
	erased     int
}

func newRecords(inProgress, done int) *fakeRecords {
	r := &fakeRecords{inProgress: map[id.Session]bool{}}
	for n := range inProgress + done {
		session := id.Stored[id.Session](fmt.Sprintf("sess_%04d", n))
		r.sessions = append(r.sessions, session)
		r.inProgress[session] = n < inProgress
	}
	return r
}

func (r *fakeRecords) Sessions(_ context.Context, _ id.Project, _ string, page ports.Page) ([]id.Session, error) {
	list := r.sessions[min(page.Offset, len(r.sessions)):]
	return slices.Clone(list[:min(page.Limit, len(list))]), nil
}

func (r *fakeRecords) Erase(_ context.Context, _ id.Project, of id.Session, _ string) (ports.ErasedSession, error) {
	if r.inProgress[of] {
		return ports.ErasedSession{Pending: []ports.PendingErasure{{Reasons: []string{"not_delivered"}}}}, nil
	}
	r.sessions = slices.DeleteFunc(r.sessions, func(s id.Session) bool { return s == of })
	r.erased++
	return ports.ErasedSession{Orders: 1}, nil
}

func (r *fakeRecords) EraseCopied(context.Context, id.Project, string, string) (erased, waiting int, err error) {
	return 0, 0, nil
}

func (r *fakeRecords) Pseudonym(text, purpose string) string { return "0" }

// Repeated calls erase all sessions that are not in progress, however many there are of either.
func TestErase_manySessions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ inProgress, done, calls int }{{0, 0, 1}, {0, 200, 1}, {0, 201, 2}, {7, 450, 2}, {250, 60, 1}} {
		r := newRecords(test.inProgress, test.done)
		s := &buyers.Service{
			Stores: &ports.Stores{
				BuyerRecords: r,
			},
			Names: r,
		}
		calls := 0
		for more := true; more && calls < 10; calls++ {
			e, err := s.Erase(t.Context(), shop, "Ann@example.com")
			if err != nil {
				t.Fatal(err)
			}
			if more = e.More; !more && len(e.Pending) != test.inProgress {
				t.Errorf("%+v: %d are pending", test, len(e.Pending))
			}
		}
		if r.erased != test.done || calls != test.calls {
			t.Errorf("%+v: %d erased after %d calls", test, r.erased, calls)
		}
	}
}
