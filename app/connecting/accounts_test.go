package connecting_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

func runOf(i *integration.Integration) *syncrun.Run {
	return syncrun.Start(id.New[id.Sync]([16]byte{1}), i.Project, i.ID, []syncrun.Resource{syncrun.Products}, false, nil, now())
}

// use calls Use for an integration as stored, and returns the tokens that work was called with.
func use(t *testing.T, f *fixture, a *connecting.Accounts, wanted id.Integration, refused ...string) (string, error) {
	t.Helper()
	i, _ := f.load(t, wanted)
	var used []string
	err := a.Use(ports.NewOutbound(t.Context()), i, func(c ports.Connection) error {
		used = append(used, c.Credentials.Key)
		for _, key := range refused {
			if key == c.Credentials.Key {
				return errors.Join(errors.New("401"), ports.ErrCredentialsRefused)
			}
		}
		return nil
	})
	return strings.Join(used, " "), err
}

// A token is refreshed when it has less than five minutes left, and is stored with its expiry.
func TestAccounts_Use_refreshesExpiringToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		given := tokens("t")
		given.Secret, given.Signing = "s", "g"
		i := f.addConnected(integration.HubSpot, given)
		time.Sleep(25 * time.Minute)
		if used, err := use(t, f, f.accounts(), i.ID); used != "t" || err != nil || f.updates != 0 || f.platform.takeRequests() != "" {
			t.Errorf("with five minutes left: used %s, %v", used, err)
		}
		time.Sleep(time.Millisecond)
		if used, err := use(t, f, f.accounts(), i.ID); used != "t'" || err != nil || f.platform.takeRequests() != "refresh t" {
			t.Errorf("with less: used %s, %v", used, err)
		}
		after, c := f.load(t, i.ID)
		if !after.Expires.Equal(now().Add(30*time.Minute)) || c.Refresh != "refresh t'" || c.Secret != "s" || c.Signing != "g" || !after.Refreshing.IsZero() || !after.UpdatedAt.Equal(i.UpdatedAt) {
			t.Errorf("kept %+v", after)
		}
	})
}

// If the platform returns no new refresh token, the old one is kept.
func TestAccounts_Refresh_keepsRefreshToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.platform.refresh = func(ports.Connection) (integration.Credentials, error) {
			return integration.Credentials{Key: "new", Expires: now().Add(time.Hour)}, nil
		}
		i := f.addConnected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		if used, err := use(t, f, f.accounts(), i.ID); used != "new" || err != nil {
			t.Errorf("used %s, %v", used, err)
		}
		if _, c := f.load(t, i.ID); c.Refresh != "refresh t" {
			t.Errorf("kept %s", c.Refresh)
		}
	})
}

// If two replicas use an expired token in twenty calls at once, it is refreshed once.
func TestAccounts_Renew_concurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		refresh := f.platform.refresh
		f.platform.refresh = func(c ports.Connection) (integration.Credentials, error) {
			time.Sleep(3 * time.Second)
			return refresh(c)
		}
		i := f.addConnected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		replicas := []*connecting.Accounts{f.accounts(), f.accounts()}
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				if used, err := use(t, f, replicas[n%2], i.ID); used != "t'" || err != nil {
					t.Errorf("used %s, %v", used, err)
				}
			})
		}
		all.Wait()
		if said := f.platform.takeRequests(); said != "refresh t" {
			t.Errorf("asked to %s", said)
		}
	})
}

func TestAccounts_Renew_otherReplica(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		i := f.addConnected(integration.HubSpot, tokens("t"))
		time.Sleep(27 * time.Minute)
		claimed := now().Add(30 * time.Second) // claimed by a replica that dies
		f.stored[0].Refreshing = claimed
		before := now()
		if used, err := use(t, f, f.accounts(), i.ID); used != "t" || err != nil || !now().Equal(before) {
			t.Errorf("while the token is good: used %q, %v, after %s", used, err, now().Sub(before))
		}
		f.stored[0].Expires, f.stored[0].Sealed = now(), integration.Seal(i.ID, integration.Credentials{
			Key:     "t",
			Refresh: "r",
			Expires: now(),
		}, f.Seal)
		var busy ports.Throttled
		if used, err := use(t, f, f.accounts(), i.ID); used != "" || !errors.As(err, &busy) || now().Sub(before) > 15*time.Second || f.platform.takeRequests() != "" {
			t.Errorf("when it is not: used %q, %v, after %s", used, err, now().Sub(before))
		}
		time.Sleep(claimed.Sub(now()))
		if used, err := use(t, f, f.accounts(), i.ID); used != "t'" || err != nil {
			t.Errorf("when the other one is given up: used %q, %v", used, err)
		}
	})
}

// The credentials of a merchant who consents again during a refresh are kept.
func TestAccounts_Renew_replacedMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		i := f.addConnected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		f.platform.refresh = func(ports.Connection) (integration.Credentials, error) {
			if _, err := f.complete(t.Context(), f.begin(t, integration.HubSpot, "")); err != nil {
				t.Error(err)
			}
			return tokens("late"), nil
		}
		if used, err := use(t, f, f.accounts(), i.ID); used != "code" || err != nil {
			t.Errorf("used %s, %v", used, err)
		}
		if _, c := f.load(t, i.ID); c.Key != "code" {
			t.Errorf("kept %s", c.Key)
		}
	})
}

// A refresh continues after its caller has given up.
func TestAccounts_Renew_callerGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.platform.refresh = func(ports.Connection) (integration.Credentials, error) {
			time.Sleep(5 * time.Second)
			return tokens("new"), nil
		}
		i := f.addConnected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := f.accounts().Use(ports.NewOutbound(ctx), i, func(ports.Connection) error { t.Error("work was done"); return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, c := f.load(t, i.ID); c.Key != "new" {
			t.Errorf("kept %s", c.Key)
		}
	})
}

func TestAccounts_Use_refreshPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.platform.refresh = func(ports.Connection) (integration.Credentials, error) { panic("unexpected answer") }
		i := f.addConnected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		err := f.accounts().Use(ports.NewOutbound(t.Context()), i, func(ports.Connection) error { t.Error("work was done"); return nil })
		if !errors.Is(err, fault.ErrPanic) {
			t.Error(err)
		}
	})
}

func TestAccounts_Use_refreshFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after  time.Duration
		answer error
		used   string
		wrong  error
		events int
	}{
		"while the token is good":                     {26 * time.Minute, &ports.PlatformFailure{Reason: "down"}, "t", nil, 0},
		"with patience asked for":                     {26 * time.Minute, ports.Throttled{After: time.Second}, "t", nil, 0},
		"when it has expired":                         {time.Hour, ports.Throttled{After: time.Second}, "", ports.Throttled{After: time.Second}, 0},
		"because the refresh token is of no more use": {26 * time.Minute, ports.ErrCredentialsRefused, "", ports.ErrCredentialsRefused, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture()
			f.platform.refresh = func(ports.Connection) (integration.Credentials, error) { return integration.Credentials{}, c.answer }
			i := f.addConnected(integration.HubSpot, tokens("t"))
			time.Sleep(c.after)
			for range 2 {
				if used, err := use(t, f, f.accounts(), i.ID); used != c.used || !errors.Is(err, c.wrong) {
					t.Errorf("%s: used %q, %v", name, used, err)
				}
			}
			after, _ := f.load(t, i.ID)
			if (after.Status == integration.Failing) != (c.events > 0) || len(f.events) != c.events || !after.Refreshing.IsZero() || f.platform.takeRequests() != "refresh t; refresh t" {
				t.Errorf("%s: %+v, %v", name, after, f.errors())
			}
		})
	}
}

func TestAccounts_Use_refusedCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture()
	crm, erp := f.addConnected(integration.HubSpot, tokens("t")), f.addConnected(integration.Custom, integration.Credentials{Key: "k"})
	if used, err := use(t, f, f.accounts(), crm.ID, "t"); used != "t t'" || err != nil || len(f.events) != 0 {
		t.Errorf("after a refresh: used %s, %v", used, err)
	}
	if used, err := use(t, f, f.accounts(), crm.ID, "t'", "t''"); used != "t' t''" || !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("refused again: used %s, %v", used, err)
	}
	for range 3 {
		if used, err := use(t, f, f.accounts(), erp.ID, "k"); used != "k" || !errors.Is(err, ports.ErrCredentialsRefused) {
			t.Errorf("a key: used %s, %v", used, err)
		}
	}
	if got, want := strings.Join(f.errors(), "; "), "hubspot: HubSpot no longer accepts the connection. Connect again.; custom: Custom rejected the credentials."; got != want {
		t.Errorf("announced %s, not %s", got, want)
	}
	old, _ := f.load(t, erp.ID)
	f.stored[1].Sealed = integration.Seal(erp.ID, integration.Credentials{Key: "k2"}, f.Seal)
	var used []string
	err := f.accounts().Use(ports.NewOutbound(t.Context()), old, func(c ports.Connection) error {
		used = append(used, c.Credentials.Key)
		if c.Credentials.Key == "k" {
			return ports.ErrCredentialsRefused
		}
		return nil
	})
	if strings.Join(used, " ") != "k k2" || err != nil {
		t.Errorf("with a key given meanwhile: used %v, %v", used, err)
	}
}

func TestNote(t *testing.T) {
	t.Parallel()
	f := newFixture()
	i := f.addConnected(integration.Stripe, integration.Credentials{Key: "k"})
	recorder := f.accounts().Health
	status := func(answers ...error) string {
		t.Helper()
		for _, answer := range answers {
			now, _ := f.load(t, i.ID)
			recorder.Note(t.Context(), now, answer)
		}
		now, _ := f.load(t, i.ID)
		return now.Status.String() + " " + now.LastError
	}
	down := &ports.PlatformFailure{Reason: "down"}
	if got := status(nil, down); got != "connected " || f.updates != 0 {
		t.Errorf("without news it is %q", got)
	}
	if got := status(ports.ErrCredentialsRefused, ports.ErrCredentialsRefused, down); got != "error Stripe rejected the credentials." || len(f.events) != 1 {
		t.Errorf("refused it is %q, announced %v", got, f.errors())
	}
	if got := status(nil); got != "connected " {
		t.Errorf("taken again it is %q", got)
	}
	if got := status(ports.ErrCredentialsRefused); got != "error Stripe rejected the credentials." || len(f.events) != 2 {
		t.Errorf("refused once more it is %q, announced %v", got, f.errors())
	}
	before, _ := f.load(t, i.ID)
	before.Status = integration.Connected
	f.stored[0].Status, f.stored[0].UpdatedAt = integration.Connected, f.stored[0].UpdatedAt.Add(time.Second)
	recorder.Note(t.Context(), before, ports.ErrCredentialsRefused)
	if got := status(); got != "connected Stripe rejected the credentials." || len(f.events) != 2 {
		t.Errorf("credentials that were replaced: %q, %v", got, f.errors())
	}
}

func TestAccounts_Use_disconnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		i := f.addConnected(integration.HubSpot, tokens("t"))
		old, _ := f.load(t, i.ID)
		time.Sleep(time.Hour)
		f.stored[0].Disconnect(now())
		for name, i := range map[string]*integration.Integration{"as it is": &f.stored[0], "as it was": old} {
			err := f.accounts().Use(ports.NewOutbound(t.Context()), i, func(ports.Connection) error { t.Error("work was done"); return nil })
			if !fault.Is(err, "integration_disconnected") || errors.Is(err, ports.ErrCredentialsRefused) || len(f.events) > 0 || f.platform.takeRequests() != "" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestAccounts_Unseal_unreadable(t *testing.T) {
	t.Parallel()
	f := newFixture()
	i := f.addConnected(integration.Custom, integration.Credentials{Key: "k"})
	i.Sealed = []byte("lost")
	f.stored[0].Sealed = i.Sealed
	err := f.accounts().Use(ports.NewOutbound(t.Context()), i, func(ports.Connection) error { t.Error("work was done"); return nil })
	if !errors.Is(err, ports.ErrCredentialsRefused) || f.stored[0].Status != integration.Failing || len(f.events) != 1 {
		t.Errorf("%v, %s, %v", err, f.stored[0].Status, f.errors())
	}
}

// RefreshExpiring refreshes a token when it has less than ten minutes left.
func TestAccounts_RefreshExpiring(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.platform.refresh = func(c ports.Connection) (integration.Credentials, error) {
			switch c.Credentials.Key {
			case "gone":
				return integration.Credentials{}, ports.ErrCredentialsRefused
			case "down":
				return integration.Credentials{}, &ports.PlatformFailure{Reason: "down"}
			}
			return tokens(c.Credentials.Key + "'"), nil
		}
		names := map[string]id.Integration{}
		for _, key := range []string{"gone", "down", "good"} {
			names[key] = f.addConnected(integration.HubSpot, tokens(key)).ID
		}
		f.addConnected(integration.Custom, integration.Credentials{Key: "k"})
		accounts := f.accounts()
		for _, wait := range []time.Duration{20 * time.Minute, time.Millisecond} {
			time.Sleep(wait)
			if err := accounts.RefreshExpiring(ports.NewOutbound(t.Context())); err != nil {
				t.Fatal(err)
			}
			if wait == 20*time.Minute && f.platform.takeRequests() != "" {
				t.Error("with ten minutes left they are refreshed")
			}
		}
		_, good := f.load(t, names["good"])
		down, _ := f.load(t, names["down"])
		gone, _ := f.load(t, names["gone"])
		if good.Key != "good'" || down.Status != integration.Connected || gone.Status != integration.Failing || len(f.events) != 1 {
			t.Errorf("%s, %s, %s, %v", good.Key, down.Status, gone.Status, f.errors())
		}
	})
}
