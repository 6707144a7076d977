package integration_test

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/patch"
)

func scheduled(t *testing.T, n byte) *integration.Integration {
	t.Helper()
	i := integration.Connect(id.New[id.Integration]([16]byte{15: n}), id.Project{}, integration.Draft{Type: integration.Shopify}, integration.Config{},
		integration.Hook{}, noon)
	if err := i.Change(integration.Change{SyncSchedule: patch.To("@hourly")}, noon); err != nil {
		t.Fatal(err)
	}
	return i
}

// A schedule is planned first. When it is due, all synchronised resources are requested, once.
func TestIntegration_Schedule(t *testing.T) {
	t.Parallel()
	i := scheduled(t, 1)
	next := noon.Add(time.Hour)
	if !i.SyncDue(noon) {
		t.Fatal("it is not planned")
	}
	at := func(t time.Time) func(time.Time) time.Time { return func(time.Time) time.Time { return t } }
	i.Schedule(at(next), noon)
	late := i.NextSync.Sub(next)
	if len(i.Wanted) > 0 || late < 0 || late >= time.Minute || i.SyncDue(i.NextSync.Add(-1)) || !i.SyncDue(i.NextSync) {
		t.Fatalf("planned for %s after its time, wanting %v", late, i.Wanted)
	}
	i.Schedule(at(next.Add(time.Hour)), i.NextSync)
	if len(i.Wanted) != 4 || i.NextSync.Sub(next.Add(time.Hour)) != late {
		t.Errorf("it wants %v, and then comes at %s", i.Wanted, i.NextSync)
	}
	if other := scheduled(t, 2); func() bool { other.Schedule(at(next), noon); return other.NextSync.Sub(next) == late }() {
		t.Error("two integrations come in the same millisecond")
	}
	i.NextSync = time.Time{}
	i.Schedule(func(after time.Time) time.Time { return after.Add(5 * time.Minute) }, noon)
	if !i.NextSync.Equal(noon.Add(5 * time.Minute)) {
		t.Errorf("five minutes after noon is %s", i.NextSync)
	}
	i.Schedule(at(time.Time{}), noon)
	if !i.NextSync.After(noon.AddDate(0, 11, 0)) {
		t.Errorf("without a time left it comes at %s", i.NextSync)
	}
}

func TestIntegration_Change_schedule(t *testing.T) {
	t.Parallel()
	i := scheduled(t, 1)
	i.Schedule(func(after time.Time) time.Time { return noon.Add(time.Hour) }, noon)
	planned := i.NextSync
	if err := i.Change(integration.Change{Name: patch.To("Shop"), SyncSchedule: patch.To("@hourly")}, noon); err != nil || !i.NextSync.Equal(planned) {
		t.Errorf("the same schedule: %s, %v", i.NextSync, err)
	}
	if err := i.Change(integration.Change{SyncSchedule: patch.To("@daily")}, noon); err != nil || !i.NextSync.IsZero() || !i.SyncDue(noon) {
		t.Errorf("another schedule: %s, %v", i.NextSync, err)
	}
	if err := i.Change(integration.Change{SyncSchedule: patch.Null[string]()}, noon); err != nil || i.SyncDue(noon) {
		t.Errorf("no schedule: %s, %v", i.Config.Schedule, err)
	}
	if err := i.Change(integration.Change{SyncSchedule: patch.To("often"), ScheduleProblem: "is wrong"}, noon); err == nil || !strings.Contains(err.Error(), "is wrong") {
		t.Errorf("a wrong one: %v", err)
	}
	c := fault.NewCheck()
	integration.Stripe.CheckSchedule(c, "@daily", "")
	if c.Err() == nil {
		t.Error("a payment provider is synchronised")
	}
	i = scheduled(t, 1)
	i.Schedule(func(after time.Time) time.Time { return noon.Add(time.Hour) }, noon)
	i.Disconnect(noon)
	if !i.NextSync.IsZero() || i.SyncDue(noon.Add(9*time.Hour)) {
		t.Errorf("disconnected, it comes at %s", i.NextSync)
	}
}
