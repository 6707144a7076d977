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

// remotes are the webhooks that a platform has.
type remotes struct {
	list  []ports.RemoteWebhook
	err   error
	asked int
}

func (r *remotes) Webhooks(ports.Outbound, ports.Connection) ([]ports.RemoteWebhook, error) {
	r.asked++
	return r.list, r.err
}

func (l *lab) checker(r *synctest.Replica, has *remotes) *Checker {
	return &Checker{
		Queue:        r.WebhookChecks(),
		Integrations: r.Integrations(),
		Unit:         r,
		Platforms:    l.platforms(),
		Listers:      map[string]ports.WebhookLister{"custom": has},
		Accounts:     open{},
		Vault:        plainVault{},
		Clock:        l,
		Entropy:      l.entropy,
		Log:          l.log(),
		Address:      func(_ integration.Type, w id.Webhook) string { return "https://shop.example/hooks/" + w.String() },
		Restored:     func(id.Webhook) {},
		Wanted:       func() { l.wanted.Add(1) },
	}
}

func (l *lab) checks(t *testing.T, r *synctest.Replica, has *remotes) *integration.Webhook {
	t.Helper()
	_, _ = jobs.NewWorker(l.checker(r, has).Job()).Once(t.Context())
	w, _, err := l.Replica(0).Webhooks().Called(t.Context(), l.webhook.ID)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestChecker(t *testing.T) {
	t.Parallel()
	there := func(l *lab) ports.RemoteWebhook {
		return ports.RemoteWebhook{
			Remote:  l.webhook.Remote,
			Topic:   l.webhook.Topic,
			Address: "https://shop.example/hooks/" + l.webhook.ID.String(),
		}
	}
	for name, c := range map[string]struct {
		has          func(l *lab, r *remotes)
		status       integration.WebhookStatus
		problem      string
		restored     bool
		unregistered int
		next         time.Duration // at the earliest
	}{
		"it is there": {
			has:    func(l *lab, r *remotes) { r.list = append(r.list, there(l)) },
			status: integration.WebhookActive, next: 6 * time.Hour,
		},
		"it is gone": {
			has:    func(*lab, *remotes) {},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"it is outdated": {
			has: func(l *lab, r *remotes) {
				w := there(l)
				w.Outdated = true
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, unregistered: 1, next: 6 * time.Hour,
		},
		"it is disabled": {
			has: func(l *lab, r *remotes) {
				w := there(l)
				w.Disabled = true
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"its id is that of another's": {
			has: func(l *lab, r *remotes) {
				w := there(l)
				w.Address = "https://other.example/hooks/1"
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"the platform lists none": {
			has:    func(_ *lab, r *remotes) { r.err = &ports.PlatformRefusal{Reason: "It has no such address."} },
			status: integration.WebhookActive, next: 6 * time.Hour,
		},
		"it has another id": {
			has: func(l *lab, r *remotes) {
				w := there(l)
				w.Remote = "r0"
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"another topic is at its address": {
			has: func(l *lab, r *remotes) {
				w := there(l)
				w.Remote, w.Topic = "r0", "orders/create"
				r.list = append(r.list, w)
			},
			status: integration.WebhookActive, restored: true, next: 6 * time.Hour,
		},
		"it is paused": {
			has: func(l *lab, r *remotes) {
				w := there(l)
				w.Paused = true
				r.list = append(r.list, w)
			},
			status: integration.WebhookFailed, problem: "The webhook is paused at Custom. Activate it there.", next: 6 * time.Hour,
		},
		"the platform refuses it": {
			has:    func(l *lab, _ *remotes) { l.platform.refusing = &ports.PlatformRefusal{Reason: "It has too many."} },
			status: integration.WebhookFailed, problem: "It has too many.", next: 6 * time.Hour,
		},
		"the platform does not answer": {
			has:    func(_ *lab, r *remotes) { r.err = &ports.PlatformFailure{Reason: "It is down."} },
			status: integration.WebhookActive, next: 10 * time.Minute,
		},
		"the platform refuses the credentials": {
			has:    func(_ *lab, r *remotes) { r.err = ports.ErrCredentialsRefused },
			status: integration.WebhookActive, next: 10 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, has := newLab(t), &remotes{}
			c.has(l, has)
			l.Pass(7 * time.Hour)
			got := l.checks(t, l.Replica(0), has)
			if got.Status != c.status || got.Problem != c.problem || l.platform.unregistered != c.unregistered {
				t.Errorf("%s, %q, %d unregistered", got.Status, got.Problem, l.platform.unregistered)
			}
			if restored := got.RestoredAt.Equal(l.Now()); restored != c.restored || (l.wanted.Load() == 1) != c.restored {
				t.Errorf("restored at %s, %d wanted", got.RestoredAt, l.wanted.Load())
			}
			i, err := l.Replica(0).Integrations().ByID(t.Context(), l.Project.ID, l.Integration)
			if err != nil {
				t.Fatal(err)
			}
			if wants := slices.Contains(i.Wanted, syncrun.Products); wants != c.restored {
				t.Errorf("wanted are %v", i.Wanted)
			}
			if pause := got.CheckAt.Sub(l.Now()); pause < c.next || pause > c.next+time.Hour {
				t.Errorf("checked again in %s", pause)
			}
			announced := slices.ContainsFunc(l.Events(), func(e event.Event) bool {
				_, is := e.Data.(event.IntegrationError)
				return is
			})
			if announced != (c.problem != "") {
				t.Errorf("announced: %v", l.Events())
			}
			if l.checks(t, l.Replica(0), has); has.asked != 1 {
				t.Errorf("the platform was asked %d times", has.asked)
			}
		})
	}
}

// A platform that shows other fields than it was asked for does not get the webhook anew with each check.
func TestChecker_outdatedForGood(t *testing.T) {
	t.Parallel()
	l, has := newLab(t), &remotes{}
	for range 3 {
		l.Pass(7 * time.Hour)
		has.list = []ports.RemoteWebhook{{
			Remote: "r1", Topic: l.webhook.Topic, Address: "https://shop.example/hooks/" + l.webhook.ID.String(), Outdated: true,
		}}
		l.checks(t, l.Replica(0), has)
	}
	if l.platform.registering != 2 || l.platform.unregistered != 1 {
		t.Errorf("registered %d times, unregistered %d times", l.platform.registering, l.platform.unregistered)
	}
}

// Wherever a server dies, the next check has the webhook registered, and once.
func TestChecker_killed(t *testing.T) {
	t.Parallel()
	for at := 1; ; at++ {
		l, has := newLab(t), &remotes{}
		l.Pass(7 * time.Hour)
		dying := l.Replica(at)
		l.checks(t, dying, has)
		if !dying.Dead() {
			return
		}
		if address := l.platform.registered["r1"]; l.platform.registering > 1 {
			has.list = append(has.list, ports.RemoteWebhook{
				Remote:  "r1",
				Topic:   l.webhook.Topic,
				Address: address,
			})
		}
		l.Pass(time.Hour)
		got := l.checks(t, l.Replica(0), has)
		if got.Status != integration.WebhookActive || got.CheckedAt.IsZero() || l.platform.registering != 2 {
			t.Errorf("killed at %d: %+v", at, got)
		}
	}
}

func TestChecker_removedMeanwhile(t *testing.T) {
	t.Parallel()
	l, has := newLab(t), &remotes{}
	l.Pass(7 * time.Hour)
	r := l.Replica(0)
	r.Before = func(call string) {
		if call == "begin" {
			r.Before = nil
			if err := l.Replica(0).Webhooks().Remove(t.Context(), l.Project.ID, l.Integration, l.webhook.ID); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := jobs.NewWorker(l.checker(r, has).Job()).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l.platform.unregistered != 1 {
		t.Error("a webhook that was removed is left at the platform")
	}
}
