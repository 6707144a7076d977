package accounts_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Each read that a request begins with is one round trip, not one for each statement.
func TestStorefronts_roundTrips(t *testing.T) {
	t.Parallel()
	s, wire := storetest.WiredPostgres(t)
	p := storetest.StoreProject(t, s, 1)
	key := &account.Key{
		ID:        storetest.Numbered[id.APIKey](1),
		Account:   p.Account,
		Hash:      sha256.Sum256([]byte("key")),
		CreatedAt: time.UnixMilli(0),
	}
	if err := s.Keys().Add(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func() error{
		"storefront": func() error { _, err := s.Storefronts().BySlug(t.Context(), p.Slug); return err },
		"project":    func() error { _, err := s.Projects().ByID(t.Context(), p.Account, p.ID); return err },
		"key":        func() error { _, _, err := s.Accounts().KeyByHash(t.Context(), key.Hash); return err },
		"changes":    func() error { _, err := s.Catalog().Changes(t.Context(), p.ID, 0); return err },
	} {
		var err error
		if trips := wire.Count(func() { err = ask() }); trips != 1 || err != nil {
			t.Errorf("%s: %d round trips, %v", name, trips, err)
		}
	}
}

// Settings of releases that kept everything have no retention, or one of 0 days, which must not remove everything at
// once.
func TestReadSettings_retention(t *testing.T) {
	t.Parallel()
	days := project.DefaultRetention()
	own := days
	own.Messages, own.Logs = 7, 8
	for text, want := range map[string]project.Retention{
		`{}`: days, `{"retention":{}}`: days, `{"retention":null}`: days,
		`{"retention":{"messages":0,"sessions":0,"decisions":0,"events":0,"deliveries":0,"logs":0}}`: days,
		`{"retention":{"messages":7,"logs":8,"events":0}}`:                                           own,
	} {
		if got, err := accounts.ReadSettings(text); err != nil || got.Retention != want {
			t.Errorf("%s is read as %+v, %v, want %+v", text, got.Retention, err, want)
		}
	}
}

// Settings of releases that had no such settings leave all protocols on that are on by default.
func TestReadSettings_protocols(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]project.Protocols{
		`{}`:                          {UCP: true, MCP: true},
		`{"protocols":{}}`:            {UCP: true, MCP: true},
		`{"protocols":{"ucp":false}}`: {MCP: true},
		`{"protocols":{"ucp":true,"mcp":false,"oai_acp":false}}`: {UCP: true},
	} {
		if got, err := accounts.ReadSettings(text); err != nil || got.Protocols != want {
			t.Errorf("%s is read as %+v, %v, want %+v", text, got.Protocols, err, want)
		}
	}
}
