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

// A call may be stored while its project is deleted. Its delivery must end.
func TestWorker_deletedProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := f.storeDelivery(t, message{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	})
	w := f.worker(f.Replica(0))
	w.Projects = noProjects{}
	f.workAs(t, w, 64)
	if got := f.Delivery(d); got.Status != integration.Undone || !got.DueAt.IsZero() || got.Payload != nil {
		t.Errorf("%s, due %s, with %d bytes", got.Status, got.DueAt, len(got.Payload))
	}
}

type noProjects struct{}

func (noProjects) ByProject(context.Context, id.Project) (*project.Project, error) {
	return nil, fault.Missing("project")
}

// The resources that a webhook's actions request are wanted even if its call cannot be read at the first attempt.
func TestActions_wantedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		wanted int
	}{
		"read": {nil, 1}, "no answer": {&ports.PlatformFailure{Reason: "No answer."}, 1}, "patience asked for": {ports.Throttled{After: time.Second}, 0},
	} {
		f := newFixture(t, "sync_inventory")
		f.platform.err = c.err
		f.storeDelivery(t, message{
			Resource: "products",
			ID:       "p1",
			SKU:      "T-1",
			Name:     "Tent",
		})
		f.work(t, f.Replica(0), 64)
		if got := f.Integrated().Wanted; len(got) != c.wanted {
			t.Errorf("%s: wanted are %v", name, got)
		}
		f.Change(func(i *integration.Integration) { i.Wanted = nil }) // as a run does
		f.platform.err = nil
		f.Pass(time.Minute)
		f.work(t, f.Replica(0), 64)
		if got := f.Integrated().Wanted; len(got) != 1-c.wanted {
			t.Errorf("%s, tried again: wanted are %v", name, got)
		}
	}
}

// A delivery that causes a panic is set aside, for longer each time, and the other deliveries are imported.
func TestWorker_panic(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.storeDelivery(t, message{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	})
	bad := f.storeDelivery(t, message{Panic: true})
	second := f.storeDelivery(t, message{
		Resource: "products",
		ID:       "p2",
		SKU:      "T-2",
		Name:     "Tent",
	})
	for failures, pause := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		f.work(t, f.Replica(0), 64)
		f.wantStatus(t, first, integration.Processed, "")
		f.wantStatus(t, second, integration.Processed, "")
		got := f.Delivery(bad)
		if got.Status != integration.Received || !got.DueAt.Equal(f.Now().Add(pause)) || f.SetAside(bad.String()) != failures+1 {
			t.Errorf("after %d failures: %s, due in %s, set aside %d times", failures+1, got.Status, got.DueAt.Sub(f.Now()), f.SetAside(bad.String()))
		}
		f.Pass(pause)
	}
}

// The deliveries of a project that cannot be read are set aside until it can be.
func TestWorker_unreadableProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := f.storeDelivery(t, message{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	})
	w := f.worker(f.Replica(0))
	w.Projects = unreadableProjects{}
	f.workAs(t, w, 64)
	if got := f.Delivery(d); !got.DueAt.Equal(f.Now().Add(time.Minute)) || f.SetAside(d.String()) != 1 {
		t.Errorf("due in %s, set aside %d times", got.DueAt.Sub(f.Now()), f.SetAside(d.String()))
	}
	f.Pass(time.Minute)
	f.work(t, f.Replica(0), 64)
	f.wantStatus(t, d, integration.Processed, "")
	if f.SetAside(d.String()) != 0 {
		t.Error("it is still set aside")
	}
}

type unreadableProjects struct{}

func (unreadableProjects) ByProject(context.Context, id.Project) (*project.Project, error) {
	return nil, fault.ErrUnreadable
}
