package inbox

import (
	"context"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// A call may be stored while its project goes. Nobody is to work on it for ever.
func TestDeliveriesOfAProjectThatIsGoneEnd(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	d := l.came(t, told{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	})
	w := l.worker(l.Replica(0))
	w.Projects = nowhere{}
	l.workAs(t, w, 64)
	if got := l.Delivery(d); got.Status != integration.Undone || !got.DueAt.IsZero() || got.Payload != nil {
		t.Errorf("%s, due %s, with %d bytes", got.Status, got.DueAt, len(got.Payload))
	}
}

type nowhere struct{}

func (nowhere) ByProject(context.Context, id.Project) (*project.Project, error) {
	return nil, fault.Missing("project")
}

// What a webhook's actions ask for is wanted even where its call cannot be read at the first try.
func TestActionsAreWantedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		wanted int
	}{
		"read": {nil, 1}, "no answer": {&ports.PlatformFailure{Reason: "No answer."}, 1}, "patience asked for": {ports.Throttled{After: time.Second}, 0},
	} {
		l := newLab(t, "sync_inventory")
		l.platform.refusing = c.err
		l.came(t, told{
			Resource: "products",
			ID:       "p1",
			SKU:      "T-1",
			Name:     "Tent",
		})
		l.work(t, l.Replica(0), 64)
		if got := l.Integrated().Wanted; len(got) != c.wanted {
			t.Errorf("%s: wanted are %v", name, got)
		}
		l.Change(func(i *integration.Integration) { i.Wanted = nil }) // a run takes them
		l.platform.refusing = nil
		l.Pass(time.Minute)
		l.work(t, l.Replica(0), 64)
		if got := l.Integrated().Wanted; len(got) != 1-c.wanted {
			t.Errorf("%s, tried again: wanted are %v", name, got)
		}
	}
}

// A delivery that makes the program panic is set aside, the longer the more often, and spoils no other one.
func TestADeliveryThatPanicsIsSetAside(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	first := l.came(t, told{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	})
	bad := l.came(t, told{Panic: true})
	second := l.came(t, told{
		Resource: "products",
		ID:       "p2",
		SKU:      "T-2",
		Name:     "Tent",
	})
	for failures, pause := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		l.work(t, l.Replica(0), 64)
		l.wantStatus(t, first, integration.Processed, "")
		l.wantStatus(t, second, integration.Processed, "")
		got := l.Delivery(bad)
		if got.Status != integration.Received || !got.DueAt.Equal(l.Now().Add(pause)) || l.SetAside(bad.String()) != failures+1 {
			t.Errorf("after %d failures: %s, due in %s, set aside %d times", failures+1, got.Status, got.DueAt.Sub(l.Now()), l.SetAside(bad.String()))
		}
		l.Pass(pause)
	}
}

// The deliveries of a project that cannot be read are set aside until it can be.
func TestDeliveriesOfAnUnreadableProjectAreSetAside(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	d := l.came(t, told{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	})
	w := l.worker(l.Replica(0))
	w.Projects = unreadable{}
	l.workAs(t, w, 64)
	if got := l.Delivery(d); !got.DueAt.Equal(l.Now().Add(time.Minute)) || l.SetAside(d.String()) != 1 {
		t.Errorf("due in %s, set aside %d times", got.DueAt.Sub(l.Now()), l.SetAside(d.String()))
	}
	l.Pass(time.Minute)
	l.work(t, l.Replica(0), 64)
	l.wantStatus(t, d, integration.Processed, "")
	if l.SetAside(d.String()) != 0 {
		t.Error("it is still set aside")
	}
}

type unreadable struct{}

func (unreadable) ByProject(context.Context, id.Project) (*project.Project, error) {
	return nil, fault.ErrUnreadable
}
