package accounts_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// masterKeys seal by the first key, and open by any.
type masterKeys []string

func (k masterKeys) Seal(plain []byte, purpose string) []byte {
	return []byte(hex.EncodeToString(fmt.Appendf(nil, "%s|%s|%s", k[0], purpose, plain)))
}

func (k masterKeys) Open(sealed []byte, purpose string) ([]byte, error) {
	text, err := hex.DecodeString(string(sealed))
	for _, key := range k {
		if plain, ok := strings.CutPrefix(string(text), key+"|"+purpose+"|"); ok {
			return []byte(plain), err
		}
	}
	return nil, errors.New("no key opens it")
}

const (
	hookToken = "https://example.com/hooks/T0KEN-of-a-hook"
	chatToken = "https://chat.example.com/services/T0KEN-of-a-chat"
)

// addressed are projects with a chat webhook and a subscription each.
type addressed struct {
	*testing.T
	*storetest.Store
	projects []*project.Project
	hooks    []*event.Subscription
}

func (a *addressed) add(n int) {
	a.Helper()
	p, err := project.Open(storetest.Numbered[id.Project](n), id.Stored[id.Account]("acct"), project.Draft{Name: "Shop", Slug: fmt.Sprint("shop-", n)}, storetest.QueueNoon)
	if err != nil {
		a.Fatal(err)
	}
	p.Settings.ChatWebhook = chatToken
	if err := a.Projects().Create(a.Context(), p); err != nil {
		a.Fatal(err)
	}
	hook, err := event.Subscribe(storetest.Numbered[id.Subscription](n), p.ID, event.Draft{URL: hookToken, Types: []string{"*"}}, []byte{1}, event.Rules{}, storetest.QueueNoon)
	if err == nil {
		err = a.Events().Add(a.Context(), hook)
	}
	if err != nil {
		a.Fatal(err)
	}
	a.projects, a.hooks = append(a.projects, p), append(a.hooks, hook)
}

// stored is what the database holds of the addresses.
func (a *addressed) stored() (text string) {
	a.Helper()
	var rows []struct{ V string }
	b := a.Store.DB.Read(db.AnyProject)
	b.Query(&rows, "SELECT url AS v FROM event_subscriptions UNION ALL SELECT settings FROM projects")
	if err := b.Run(a.Context()); err != nil {
		a.Fatal(err)
	}
	for _, r := range rows {
		text += r.V + "\n"
	}
	return text
}

// readable expects all addresses to be read as they were given, or none of them.
func (a *addressed) readable(want bool) {
	a.Helper()
	for i, p := range a.projects {
		shop, err := a.Projects().ByID(a.Context(), p.Account, p.ID)
		if err != nil || (shop.Settings.ChatWebhook == chatToken) != want {
			a.Errorf("the chat webhook is %q (%v)", shop.Settings.ChatWebhook, err)
		}
		hook, err := a.Events().ByID(a.Context(), p.ID, a.hooks[i].ID)
		if err != nil || (hook.URL == hookToken) != want {
			a.Errorf("the subscription's URL is %q (%v)", hook.URL, err)
		}
	}
}

func (a *addressed) seal(want int) {
	a.Helper()
	if n, err := a.SealAddresses(a.Context()); n != want || err != nil {
		a.Errorf("%d addresses are sealed (%v), want %d", n, err, want)
	}
}

func (a *addressed) reseal() error {
	same := func(_ id.Subscription, sealed []byte) ([]byte, error) { return sealed, nil }
	_, err := a.Events().Reseal(a.Context(), same)
	n, more := a.ResealAddresses(a.Context())
	if err = errors.Join(err, more); err == nil && n != len(a.projects) {
		a.Errorf("%d chat webhooks are resealed, want %d", n, len(a.projects))
	}
	return err
}

func TestSealAddresses(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		a := &addressed{T: t, Store: s}
		b := s.DB.Write(db.NoProject)
		b.Exec(`INSERT INTO accounts (id, name, plan, created_at) VALUES ('acct', '', 'enterprise', 0)`)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 5; n++ { // by a release that did not seal
			a.add(n)
		}
		if text := a.stored(); strings.Count(text, "T0KEN") != 10 {
			t.Fatal(text)
		}
		s.DB.Dialect.Vault = masterKeys{"old"}
		a.readable(true)
		a.seal(10)
		a.seal(0)
		a.add(6)
		a.readable(true)
		if text := a.stored(); strings.Contains(text, "T0KEN") || strings.Count(text, db.SealedMark) != 12 {
			t.Errorf("the database holds\n%s", text)
		}
		s.DB.Dialect.Vault = masterKeys{"new", "old"}
		if err := a.reseal(); err != nil {
			t.Error(err)
		}
		s.DB.Dialect.Vault = masterKeys{"old"}
		a.readable(false)
		if a.reseal() == nil {
			t.Error("what no key opens is resealed")
		}
		a.rename() // keeps what cannot be read
		s.DB.Dialect.Vault = masterKeys{"new"}
		a.readable(true)
	})
}

// watched is called before each sealing.
type watched struct {
	masterKeys
	before func(purpose string)
}

func (w watched) Seal(plain []byte, purpose string) []byte {
	w.before(purpose)
	return w.masterKeys.Seal(plain, purpose)
}

// Addresses are encrypted in parts of 200 rows, each in a transaction of its own, so that no other transaction waits
// for all of them.
func TestSealAddresses_inParts(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		a := &addressed{T: t, Store: s}
		b := s.DB.Write(db.NoProject)
		b.Exec(`INSERT INTO accounts (id, name, plan, created_at) VALUES ('acct', '', 'enterprise', 0)`)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		const all = 401
		if err := s.Within(t.Context(), nil, func(view *storetest.Store) error {
			a.Store, a.projects, a.hooks = view, nil, nil
			for n := 1; n <= all; n++ {
				a.add(n)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		a.Store = s

		// committed are the rows sealed under a key, as another connection sees them when the n-th of a table is sealed.
		var of map[string]int
		watch := func(keys masterKeys) {
			of = map[string]int{}
			mark := hex.EncodeToString([]byte(keys[0] + "|"))
			s.DB.Dialect.Vault = watched{keys, func(purpose string) {
				kind, _, _ := strings.Cut(purpose, " of ")
				n := of[kind]
				of[kind]++
				if n%100 != 0 && n != all-1 {
					return
				}
				open := 0
				for text := range strings.Lines(a.stored()) {
					if sealed, found := cutSealed(text); found && strings.HasPrefix(sealed, mark+hex.EncodeToString([]byte(kind))) {
						open++
					}
				}
				if open != n/200*200 {
					t.Errorf("%s: %d are committed before %d is sealed, want %d", kind, open, n+1, n/200*200)
				}
			}}
		}
		watch(masterKeys{"old"})
		a.seal(2 * all)
		if of["address"] != all || of["chat webhook"] != all {
			t.Errorf("sealed %v", of)
		}
		watch(masterKeys{"new", "old"})
		if n, err := a.ResealAddresses(t.Context()); n != all || err != nil || of["chat webhook"] != all {
			t.Errorf("%d are resealed (%v), %v", n, err, of)
		}
		a.seal(0)
	})
}

// cutSealed returns what the vault made, in a line that stored returns.
func cutSealed(line string) (string, bool) {
	_, text, found := strings.Cut(line, db.SealedMark)
	text, _, _ = strings.Cut(strings.TrimSpace(text), `"`)
	sealed, err := base64.StdEncoding.DecodeString(text)
	return string(sealed), found && err == nil
}

// rename changes something else of projects and subscriptions.
func (a *addressed) rename() {
	a.Helper()
	for i, p := range a.projects {
		_, err := a.Projects().Update(a.Context(), p.Account, p.ID, func(p *project.Project) error { p.Name = "Other"; return nil })
		_, other := a.Events().Update(a.Context(), p.ID, a.hooks[i].ID, func(s *event.Subscription) error { s.Description = "other"; return nil })
		if err = errors.Join(err, other); err != nil {
			a.Error(err)
		}
	}
}

var _ ports.Vault = masterKeys{}
