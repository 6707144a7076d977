package inbox

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

// fakeLister are the webhooks that a platform lists.
type fakeLister struct {
	list  []ports.RemoteWebhook
	err   error
	asked int
}

func (r *fakeLister) Webhooks(ports.Outbound, ports.Connection) ([]ports.RemoteWebhook, error) {
	r.asked++
	return r.list, r.err
}

func (f *fixture) checker(r *synctest.Replica, has *fakeLister) *Checker {
	return &Checker{
		Queue:        r.WebhookChecks(),
		Integrations: r.Integrations(),
		Unit:         r,
		Platforms:    f.platforms(),
		Listers:      map[string]ports.WebhookLister{"custom": has},
		Accounts:     fakeAccounts{},
		Vault:        plainVault{},
		Clock:        f,
		Entropy:      f.entropy,
		Log:          f.log(),
		Address:      func(_ integration.Type, w id.Webhook) string { return "https://shop.example/hooks/" + w.String() },
		Restored:     func(id.Webhook) {},
		Wanted:       func() { f.wanted.Add(1) },
	}
}

func (f *fixture) runChecks(t *testing.T, r *synctest.Replica, has *fakeLister) *integration.Webhook {
	t.Helper()
	_, _ = jobs.NewWorker(f.checker(r, has).Job()).Once(t.Context())
	w, _, err := f.Replica(0).Webhooks().Called(t.Context(), f.webhook.ID)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestChecker(t *testing.T) {
	t.Parallel()
	there := func(f *fixture) ports.RemoteWebhook {
		return ports.RemoteWebhook{
			Remote:  f.webhook.Remote,
			Topic:   f.webhook.Topic,
			Address: "https://shop.example/hooks/" + f.webhook.ID.String(),
		}
	}
	for name, c := range map[string]struct {
		has          func(f *fixture, r *fakeLister)
		status       integration.WebhookStatus
		problem      string
		restored     bool
		unregistered int
		next         time.Duration // at the earliest
	}{
		"it is there": {
			has:    func(f *fixture, r *fakeLister) { r.list = append(r.list, there(f)) },
			status: integration.WebhookActive, next: 6 * time.Hour,
		},
		"it is gone": {
			has:    func(*fixture, *fakeLister) {},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"it is outdated": {
			has: func(f *fixture, r *fakeLister) {
				w := there(f)
				w.Outdated = true
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, unregistered: 1, next: 6 * time.Hour,
		},
		"it is disabled": {
			has: func(f *fixture, r *fakeLister) {
				w := there(f)
				w.Disabled = true
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"its id is that of another's": {
			has: func(f *fixture, r *fakeLister) {
				w := there(f)
				w.Address = "https://other.example/hooks/1"
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"the platform lists none": {
			has:    func(_ *fixture, r *fakeLister) { r.err = &ports.PlatformRefusal{Reason: "It has no such address."} },
			status: integration.WebhookActive, next: 6 * time.Hour,
		},
		"it has another id": {
			has: func(f *fixture, r *fakeLister) {
				w := there(f)
				w.Remote = "r0"
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"another topic is at its address": {
			has: func(f *fixture, r *fakeLister) {
				w := there(f)
				w.Remote, w.Topic = "r0", "orders/create"
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"it is paused": {
			has: func(f *fixture, r *fakeLister) {
				w := there(f)
				w.Paused = true
				r.list = append(r.list, w)
			},
			status: integration.WebhookFailed, problem: "The webhook is paused at Custom. Activate it there.", next: 6 * time.Hour,
		},
		"the platform refuses it": {
			has:    func(f *fixture, _ *fakeLister) { f.platform.err = &ports.PlatformRefusal{Reason: "It has too many."} },
			status: integration.WebhookFailed, problem: "It has too many.", next: 6 * time.Hour,
		},
		"the platform does not answer": {
			has:    func(_ *fixture, r *fakeLister) { r.err = &ports.PlatformFailure{Reason: "It is down."} },
			status: integration.WebhookActive, next: 10 * time.Minute,
		},
		"the platform refuses the credentials": {
			has:    func(_ *fixture, r *fakeLister) { r.err = ports.ErrCredentialsRefused },
			status: integration.WebhookActive, next: 10 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, has := newFixture(t), &fakeLister{}
			c.has(f, has)
			f.Pass(7 * time.Hour)
			got := f.runChecks(t, f.Replica(0), has)
			if got.Status != c.status || got.Problem != c.problem || f.platform.unregistered != c.unregistered {
				t.Errorf("%s, %q, %d unregistered", got.Status, got.Problem, f.platform.unregistered)
			}
			if restored := got.RestoredAt.Equal(f.Now()); restored != c.restored || (f.wanted.Load() == 1) != c.restored {
				t.Errorf("restored at %s, %d wanted", got.RestoredAt, f.wanted.Load())
			}
			i, err := f.Replica(0).Integrations().ByID(t.Context(), f.Project.ID, f.Integration)
			if err != nil {
				t.Fatal(err)
			}
			if wants := slices.Contains(i.Wanted, syncrun.Products); wants != c.restored {
				t.Errorf("wanted are %v", i.Wanted)
			}
			if pause := got.CheckAt.Sub(f.Now()); pause < c.next || pause > c.next+time.Hour {
				t.Errorf("checked again in %s", pause)
			}
			announced := slices.ContainsFunc(f.Events(), func(e event.Event) bool {
				_, is := e.Data.(event.IntegrationError)
				return is
			})
			if announced != (c.problem != "") {
				t.Errorf("announced: %v", f.Events())
			}
			if f.runChecks(t, f.Replica(0), has); has.asked != 1 {
				t.Errorf("the platform was asked %d times", has.asked)
			}
		})
	}
}

// A platform that shows other fields than it was asked for does not get the webhook again with each check.
func TestChecker_outdatedForGood(t *testing.T) {
	t.Parallel()
	f, has := newFixture(t), &fakeLister{}
	for range 3 {
		f.Pass(7 * time.Hour)
		has.list = []ports.RemoteWebhook{{
			Remote: "r1", Topic: f.webhook.Topic, Address: "https://shop.example/hooks/" + f.webhook.ID.String(), Outdated: true,
		}}
		f.runChecks(t, f.Replica(0), has)
	}
	if f.platform.registering != 2 || f.platform.unregistered != 1 {
		t.Errorf("registered %d times, unregistered %d times", f.platform.registering, f.platform.unregistered)
	}
}

// At whichever call a server dies, the next check registers the webhook, and only once.
func TestChecker_killed(t *testing.T) {
	t.Parallel()
	for at := 1; ; at++ {
		f, has := newFixture(t), &fakeLister{}
		f.Pass(7 * time.Hour)
		dying := f.Replica(at)
		f.runChecks(t, dying, has)
		if !dying.Dead() {
			return
		}
		if address := f.platform.registered["r1"]; f.platform.registering > 1 {
			has.list = append(has.list, ports.RemoteWebhook{
				Remote:  "r1",
				Topic:   f.webhook.Topic,
				Address: address,
			})
		}
		f.Pass(time.Hour)
		got := f.runChecks(t, f.Replica(0), has)
		if got.Status != integration.WebhookActive || got.CheckedAt.IsZero() || f.platform.registering != 2 {
			t.Errorf("killed at %d: %+v", at, got)
		}
	}
}

func TestChecker_removedMeanwhile(t *testing.T) {
	t.Parallel()
	f, has := newFixture(t), &fakeLister{}
	f.Pass(7 * time.Hour)
	r := f.Replica(0)
	r.Before = func(call string) {
		if call == "begin" {
			r.Before = nil
			if err := f.Replica(0).Webhooks().Remove(t.Context(), f.Project.ID, f.Integration, f.webhook.ID); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := jobs.NewWorker(f.checker(r, has).Job()).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.platform.unregistered != 1 {
		t.Error("a webhook that was removed is left at the platform")
	}
}
