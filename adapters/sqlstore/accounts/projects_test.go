package accounts_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// What every request begins with costs one round trip, not one for each statement.
func TestRequestsBeginWithOneRoundTrip(t *testing.T) {
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

// A superuser, whom row-level security does not hold, gives its rights up in every transaction.
func TestSuperuserIsHeldToTheProject(t *testing.T) {
	t.Parallel()
	const name = "superuser"
	server := pgserver.Shared(t)
	if err := server.CreateDatabase(name, ""); err != nil {
		t.Fatal(err)
	}
	if err := storetest.Migrated(server.AdminURL(name)); err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenStore(t, sqlstore.Config{URL: server.AdminURL(name)})
	for _, p := range []id.Project{storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID} {
		b := s.DB.Write(p)
		b.Exec(storetest.AddCharge, p.String(), "key", 1)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	b := s.DB.Read(storetest.Numbered[id.Project](1))
	b.Query(&n, `SELECT count(*) AS n FROM sandbox_failures`)
	if err := b.Run(t.Context()); err != nil || n != 1 {
		t.Errorf("sees %d, %v; want its own row", n, err)
	}
	err := s.DB.InTx(t.Context(), storetest.Numbered[id.Project](1), func(x *db.Tx) error {
		_, err := x.Exec(t.Context(), storetest.AddCharge, storetest.Numbered[id.Project](2).String(), "other", 1)
		return err
	})
	if fault.KindOf(err) != fault.Internal || err == nil {
		t.Errorf("writing a row of another project: %v", err)
	}
}

// Settings of releases that kept everything have no retention, or one of 0 days: nothing is to be removed at once.
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
