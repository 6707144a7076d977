package inbox

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// A group takes its time, and so what comes after it has been in hand for longer than when the first began.
func TestWhatWaitedBehindAGroupIsLeftToItsLease(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	first, second := l.came(t, told{Resource: "products", ID: "p0", SKU: "T-0", Name: "Tent"}), l.Now()
	for n := range claimed {
		l.came(t, told{Resource: "products", ID: fmt.Sprint("p", n+1), SKU: fmt.Sprint("T-", n+1), Name: "Tent", At: second.Add(time.Second)})
	}
	w := l.worker(l.Replica(0))
	list, err := w.Queue.Claim(t.Context(), l.Now(), l.Now().Add(lease), claimed+1, nil)
	if err != nil || len(list) != claimed+1 {
		t.Fatalf("%v, %d", err, len(list))
	}
	w.Changed = func(context.Context, id.Project, []id.Product) {}
	w.Accounts = slow{l}
	w.waiting[l.Integration] = list
	w.start(t.Context(), l.Integration)
	<-w.done
	l.wantStatus(t, first, integration.Processed, "")
	if l.platform.asked != claimed || l.Products() != claimed {
		t.Errorf("asked %d times, %d products: what is late was begun", l.platform.asked, l.Products())
	}
}

// slow opens accounts for as long as may be.
type slow struct{ *lab }

func (s slow) Use(ctx context.Context, i *integration.Integration, work func(ports.Connection) error) error {
	defer s.Pass(reading)
	return open{}.Use(ctx, i, work)
}

// A call may be stored while its project goes. Nobody is to work on it for ever.
func TestDeliveriesOfAProjectThatIsGoneEnd(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	d := l.came(t, told{Resource: "products", ID: "p1", SKU: "T-1", Name: "Tent"})
	w := l.worker(l.Replica(0))
	w.Projects = nowhere{}
	if _, err := w.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-w.done
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
		l.came(t, told{Resource: "products", ID: "p1", SKU: "T-1", Name: "Tent"})
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
