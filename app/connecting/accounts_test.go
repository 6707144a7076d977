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

// use uses an integration as it is stored, and returns the tokens that work was done with.
func use(t *testing.T, w *town, a *connecting.Accounts, wanted id.Integration, refused ...string) (string, error) {
	t.Helper()
	i, _ := w.now(t, wanted)
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

// A token is refreshed when it has less than five minutes left, and then it is stored with its time.
func TestTokensAreRefreshedBeforeTheyExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		given := tokens("t")
		given.Secret, given.Signing = "s", "g"
		i := w.connected(integration.HubSpot, given)
		time.Sleep(25 * time.Minute)
		if used, err := use(t, w, w.accounts(), i.ID); used != "t" || err != nil || w.updates != 0 || w.platform.said() != "" {
			t.Errorf("with five minutes left: used %s, %v", used, err)
		}
		time.Sleep(time.Millisecond)
		if used, err := use(t, w, w.accounts(), i.ID); used != "t'" || err != nil || w.platform.said() != "refresh t" {
			t.Errorf("with less: used %s, %v", used, err)
		}
		after, c := w.now(t, i.ID)
		if !after.Expires.Equal(now().Add(30*time.Minute)) || c.Refresh != "refresh t'" || c.Secret != "s" || c.Signing != "g" || !after.Refreshing.IsZero() || !after.UpdatedAt.Equal(i.UpdatedAt) {
			t.Errorf("kept %+v", after)
		}
	})
}

func TestARefreshTokenStaysUnlessItIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		w.platform.refresh = func(ports.Connection) (integration.Credentials, error) {
			return integration.Credentials{Key: "new", Expires: now().Add(time.Hour)}, nil
		}
		i := w.connected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		if used, err := use(t, w, w.accounts(), i.ID); used != "new" || err != nil {
			t.Errorf("used %s, %v", used, err)
		}
		if _, c := w.now(t, i.ID); c.Refresh != "refresh t" {
			t.Errorf("kept %s", c.Refresh)
		}
	})
}

// Two replicas want an expired token twenty times at once: one of them refreshes it, once.
func TestOneRefreshForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		refresh := w.platform.refresh
		w.platform.refresh = func(c ports.Connection) (integration.Credentials, error) {
			time.Sleep(3 * time.Second)
			return refresh(c)
		}
		i := w.connected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		replicas := []*connecting.Accounts{w.accounts(), w.accounts()}
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				if used, err := use(t, w, replicas[n%2], i.ID); used != "t'" || err != nil {
					t.Errorf("used %s, %v", used, err)
				}
			})
		}
		all.Wait()
		if said := w.platform.said(); said != "refresh t" {
			t.Errorf("asked to %s", said)
		}
	})
}

func TestWhileAnotherReplicaRefreshes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		i := w.connected(integration.HubSpot, tokens("t"))
		time.Sleep(27 * time.Minute)
		claimed := now().Add(30 * time.Second) // by a replica that dies
		w.stored[0].Refreshing = claimed
		before := now()
		if used, err := use(t, w, w.accounts(), i.ID); used != "t" || err != nil || !now().Equal(before) {
			t.Errorf("while the token is good: used %q, %v, after %s", used, err, now().Sub(before))
		}
		w.stored[0].Expires, w.stored[0].Sealed = now(), integration.Seal(i.ID, integration.Credentials{
			Key:     "t",
			Refresh: "r",
			Expires: now(),
		}, w.Seal)
		var busy ports.Throttled
		if used, err := use(t, w, w.accounts(), i.ID); used != "" || !errors.As(err, &busy) || now().Sub(before) > 15*time.Second || w.platform.said() != "" {
			t.Errorf("when it is not: used %q, %v, after %s", used, err, now().Sub(before))
		}
		time.Sleep(claimed.Sub(now()))
		if used, err := use(t, w, w.accounts(), i.ID); used != "t'" || err != nil {
			t.Errorf("when the other one is given up: used %q, %v", used, err)
		}
	})
}

// A merchant who consents again while the old token is refreshed has the last word.
func TestTheMerchantsCredentialsWin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		i := w.connected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		w.platform.refresh = func(ports.Connection) (integration.Credentials, error) {
			if _, err := w.complete(t.Context(), w.begin(t, integration.HubSpot, "")); err != nil {
				t.Error(err)
			}
			return tokens("late"), nil
		}
		if used, err := use(t, w, w.accounts(), i.ID); used != "code" || err != nil {
			t.Errorf("used %s, %v", used, err)
		}
		if _, c := w.now(t, i.ID); c.Key != "code" {
			t.Errorf("kept %s", c.Key)
		}
	})
}

func TestARefreshOutlivesWhoWantedIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		w.platform.refresh = func(ports.Connection) (integration.Credentials, error) {
			time.Sleep(5 * time.Second)
			return tokens("new"), nil
		}
		i := w.connected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := w.accounts().Use(ports.NewOutbound(ctx), i, func(ports.Connection) error { t.Error("work was done"); return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, c := w.now(t, i.ID); c.Key != "new" {
			t.Errorf("kept %s", c.Key)
		}
	})
}

func TestUse_panicOfARefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		w.platform.refresh = func(ports.Connection) (integration.Credentials, error) { panic("unexpected answer") }
		i := w.connected(integration.HubSpot, tokens("t"))
		time.Sleep(time.Hour)
		err := w.accounts().Use(ports.NewOutbound(t.Context()), i, func(ports.Connection) error { t.Error("work was done"); return nil })
		if !errors.Is(err, fault.ErrPanic) {
			t.Error(err)
		}
	})
}

func TestARefreshThatFails(t *testing.T) {
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
			w := newTown()
			w.platform.refresh = func(ports.Connection) (integration.Credentials, error) { return integration.Credentials{}, c.answer }
			i := w.connected(integration.HubSpot, tokens("t"))
			time.Sleep(c.after)
			for range 2 {
				if used, err := use(t, w, w.accounts(), i.ID); used != c.used || !errors.Is(err, c.wrong) {
					t.Errorf("%s: used %q, %v", name, used, err)
				}
			}
			after, _ := w.now(t, i.ID)
			if (after.Status == integration.Failing) != (c.events > 0) || len(w.events) != c.events || !after.Refreshing.IsZero() || w.platform.said() != "refresh t; refresh t" {
				t.Errorf("%s: %+v, %v", name, after, w.errors())
			}
		})
	}
}

func TestRefusedCredentialsAreTriedOnceMore(t *testing.T) {
	t.Parallel()
	w := newTown()
	crm, erp := w.connected(integration.HubSpot, tokens("t")), w.connected(integration.Custom, integration.Credentials{Key: "k"})
	if used, err := use(t, w, w.accounts(), crm.ID, "t"); used != "t t'" || err != nil || len(w.events) != 0 {
		t.Errorf("after a refresh: used %s, %v", used, err)
	}
	if used, err := use(t, w, w.accounts(), crm.ID, "t'", "t''"); used != "t' t''" || !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("refused again: used %s, %v", used, err)
	}
	for range 3 {
		if used, err := use(t, w, w.accounts(), erp.ID, "k"); used != "k" || !errors.Is(err, ports.ErrCredentialsRefused) {
			t.Errorf("a key: used %s, %v", used, err)
		}
	}
	if got, want := strings.Join(w.errors(), "; "), "hubspot: HubSpot does not accept the connection any more. Connect again.; custom: Custom refused the credentials."; got != want {
		t.Errorf("announced %s, not %s", got, want)
	}
	old, _ := w.now(t, erp.ID)
	w.stored[1].Sealed = integration.Seal(erp.ID, integration.Credentials{Key: "k2"}, w.Seal)
	var used []string
	err := w.accounts().Use(ports.NewOutbound(t.Context()), old, func(c ports.Connection) error {
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

func TestHowAnIntegrationStands(t *testing.T) {
	t.Parallel()
	w := newTown()
	i := w.connected(integration.Stripe, integration.Credentials{Key: "k"})
	standing := w.accounts().Standing
	status := func(answers ...error) string {
		t.Helper()
		for _, answer := range answers {
			now, _ := w.now(t, i.ID)
			standing.Note(t.Context(), now, answer)
		}
		now, _ := w.now(t, i.ID)
		return now.Status.String() + " " + now.LastError
	}
	down := &ports.PlatformFailure{Reason: "down"}
	if got := status(nil, down); got != "connected " || w.updates != 0 {
		t.Errorf("without news it is %q", got)
	}
	if got := status(ports.ErrCredentialsRefused, ports.ErrCredentialsRefused, down); got != "error Stripe refused the credentials." || len(w.events) != 1 {
		t.Errorf("refused it is %q, announced %v", got, w.errors())
	}
	if got := status(nil); got != "connected " {
		t.Errorf("taken again it is %q", got)
	}
	if got := status(ports.ErrCredentialsRefused); got != "error Stripe refused the credentials." || len(w.events) != 2 {
		t.Errorf("refused once more it is %q, announced %v", got, w.errors())
	}
	before, _ := w.now(t, i.ID)
	before.Status = integration.Connected
	w.stored[0].Status, w.stored[0].UpdatedAt = integration.Connected, w.stored[0].UpdatedAt.Add(time.Second)
	standing.Note(t.Context(), before, ports.ErrCredentialsRefused)
	if got := status(); got != "connected Stripe refused the credentials." || len(w.events) != 2 {
		t.Errorf("credentials that were replaced: %q, %v", got, w.errors())
	}
}

func TestADisconnectedAccountIsNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		i := w.connected(integration.HubSpot, tokens("t"))
		old, _ := w.now(t, i.ID)
		time.Sleep(time.Hour)
		w.stored[0].Disconnect(now())
		for name, i := range map[string]*integration.Integration{"as it is": &w.stored[0], "as it was": old} {
			err := w.accounts().Use(ports.NewOutbound(t.Context()), i, func(ports.Connection) error { t.Error("work was done"); return nil })
			if !fault.Is(err, "integration_disconnected") || errors.Is(err, ports.ErrCredentialsRefused) || len(w.events) > 0 || w.platform.said() != "" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestCredentialsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newTown()
	i := w.connected(integration.Custom, integration.Credentials{Key: "k"})
	i.Sealed = []byte("lost")
	w.stored[0].Sealed = i.Sealed
	err := w.accounts().Use(ports.NewOutbound(t.Context()), i, func(ports.Connection) error { t.Error("work was done"); return nil })
	if !errors.Is(err, ports.ErrCredentialsRefused) || w.stored[0].Status != integration.Failing || len(w.events) != 1 {
		t.Errorf("%v, %s, %v", err, w.stored[0].Status, w.errors())
	}
}

func TestTheBackgroundRefreshesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTown()
		w.platform.refresh = func(c ports.Connection) (integration.Credentials, error) {
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
			names[key] = w.connected(integration.HubSpot, tokens(key)).ID
		}
		w.connected(integration.Custom, integration.Credentials{Key: "k"})
		accounts := w.accounts()
		for _, wait := range []time.Duration{20 * time.Minute, time.Millisecond} {
			time.Sleep(wait)
			if err := accounts.RefreshExpiring(ports.NewOutbound(t.Context())); err != nil {
				t.Fatal(err)
			}
			if wait == 20*time.Minute && w.platform.said() != "" {
				t.Error("with ten minutes left they are refreshed")
			}
		}
		_, good := w.now(t, names["good"])
		down, _ := w.now(t, names["down"])
		gone, _ := w.now(t, names["gone"])
		if good.Key != "good'" || down.Status != integration.Connected || gone.Status != integration.Failing || len(w.events) != 1 {
			t.Errorf("%s, %s, %s, %v", good.Key, down.Status, gone.Status, w.errors())
		}
	})
}
