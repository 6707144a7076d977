package projects_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeStore holds projects in memory.
type fakeStore map[id.Project]*project.Project

func (s fakeStore) Create(_ context.Context, p *project.Project) error { s[p.ID] = p; return nil }

func (s fakeStore) ByID(_ context.Context, _ id.Account, p id.Project) (*project.Project, error) {
	if found, ok := s[p]; ok {
		return found, nil
	}
	return nil, fault.Missing("project")
}

func (s fakeStore) List(context.Context, id.Account, bool, ports.Page) ([]*project.Project, int, error) {
	return nil, len(s), nil
}

func (s fakeStore) Update(_ context.Context, _ id.Account, p id.Project, change func(*project.Project) error) (*project.Project, error) {
	next := *s[p]
	if err := change(&next); err != nil {
		return nil, err
	}
	s[p] = &next
	return &next, nil
}

func (s fakeStore) Delete(_ context.Context, _ id.Account, p id.Project, _ time.Time) error {
	delete(s, p)
	return nil
}

// system is a clock that advances by a minute at each call, an entropy source that counts, and one private host.
type system struct{ n byte }

func (s *system) Now() time.Time {
	s.n++
	return time.Date(2026, 1, 1, 0, int(s.n), 0, 0, time.UTC)
}
func (s *system) Bits128() [16]byte { s.n++; return [16]byte{s.n} }

func (s *system) IDBits() [16]byte            { return s.Bits128() }
func (s *system) Secret(int) string           { return "" }
func (s *system) LeadsInside(url string) bool { return strings.Contains(url, "//inside.example") }

func newService(t *testing.T) (*projects.Service, fakeStore, *project.Project) {
	t.Helper()
	store, sys := fakeStore{}, &system{}
	s := &projects.Service{
		Stores: &ports.Stores{
			Projects: store,
		},
		Clock:     sys,
		Entropy:   sys,
		Addresses: sys,
	}
	p, err := s.Open(t.Context(), id.Account{}, project.Draft{Name: "Shop", Slug: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	return s, store, p
}

var home = netip.MustParseAddr("203.0.113.7")

func TestChange_privateWebhook(t *testing.T) {
	t.Parallel()
	s, store, p := newService(t)
	for address, ok := range map[string]bool{
		"https://chat.example/x": true, "https://inside.example/x": false, "https://inside.example:444": false, "": true,
	} {
		c := project.Change{Grouped: true, Settings: project.SettingsPatch{ChatWebhook: patch.To(address)}}
		if _, err := s.Change(t.Context(), p.Account, p.ID, c, home); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	c := project.Change{Grouped: true, Settings: project.SettingsPatch{
		ChatWebhook: patch.To("https://inside.example"), MaxDiscount: patch.To(money.Percent(910)),
	}}
	_, err := s.Change(t.Context(), p.Account, p.ID, c, home)
	var e *fault.Error
	if !errors.As(err, &e) || len(e.Details) != 2 || store[p.ID].Settings.MaxDiscount != 200 {
		t.Errorf("both problems at once: %v", err)
	}
}

func TestChange_ipAllowlist(t *testing.T) {
	t.Parallel()
	s, store, p := newService(t)
	for list, ok := range map[string]bool{
		"203.0.113.7": true, "203.0.113.0/24": true, "198.51.100.1": false, "198.51.100.0/24 203.0.113.7": true, "": true,
	} {
		c := project.Change{Grouped: true, Settings: project.SettingsPatch{IPAllowlist: patch.To(strings.Fields(list))}}
		if _, err := s.Change(t.Context(), p.Account, p.ID, c, home); (err == nil) != ok {
			t.Errorf("%q: %v", list, err)
		}
	}
	settings := store[p.ID].Settings
	settings.IPAllowlist = []string{"203.0.113.0/24", "2001:db8::/32"}
	for from, ok := range map[string]bool{
		"203.0.113.9": true, "::ffff:203.0.113.9": true, "2001:db8::1": true, "203.0.114.1": false, "::1": false,
	} {
		if projects.Admits(settings, netip.MustParseAddr(from)) != ok {
			t.Errorf("%s: admitted %v", from, !ok)
		}
	}
}

func TestDelete_confirmation(t *testing.T) {
	t.Parallel()
	s, store, p := newService(t)
	for _, confirmation := range []string{"", "yes", "shop"} {
		if err := s.Delete(t.Context(), p.Account, p.ID, confirmation); !fault.Is(err, "confirmation_required") {
			t.Errorf("%q: %v", confirmation, err)
		}
	}
	if err := s.Delete(t.Context(), p.Account, p.ID, p.ID.String()); err != nil || len(store) != 0 {
		t.Errorf("%v, %d left", err, len(store))
	}
}

// A bound key lists its projects newest first, without deleted ones.
func TestList_boundKey(t *testing.T) {
	t.Parallel()
	s, store, first := newService(t)
	second, err := s.Open(t.Context(), id.Account{}, project.Draft{Name: "Two", Slug: "two"})
	if err != nil {
		t.Fatal(err)
	}
	gone := id.New[id.Project]([16]byte{99})
	bound := []id.Project{first.ID, gone, second.ID}
	list, total, err := s.List(t.Context(), id.Account{}, bound, false, ports.Page{Limit: 1})
	if err != nil || total != 2 || len(list) != 1 || list[0].ID != second.ID {
		t.Errorf("%v of %d, %v", list, total, err)
	}
	list, _, _ = s.List(t.Context(), id.Account{}, bound, false, ports.Page{Limit: 5, Offset: 7})
	if len(list) != 0 {
		t.Errorf("past the end: %v of %v", list, store)
	}
}
