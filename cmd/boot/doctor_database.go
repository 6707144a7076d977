package boot

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/domain/account"
)

// openDatabase checks whether the database answers, as which role, and whether its schema is this program's.
func (d *doctor) openDatabase(ctx context.Context, r *report) {
	defer close(d.skew)
	if path, ok := strings.CutPrefix(d.DatabaseURL, "sqlite://"); ok {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			r.ok("database", "%s does not exist yet; the server creates it when it starts", path)
			return
		}
	}
	start := time.Now()
	pooler, _ := d.pooler() // Check has validated it
	store, err := sqlstore.Open(ctx, sqlstore.Config{
		URL:        d.DatabaseURL,
		Pooler:     pooler,
		AllowNewer: d.AllowNewer,
	})
	if err != nil {
		r.fail("database", Explain(d.DatabaseURL, err).Error(), "start the database or correct HAGGLE_DATABASE_URL")
		return
	}
	r.ok("database", "responds (%s)", time.Since(start).Round(time.Millisecond))
	d.clock(ctx, store, r)
	d.role(ctx, store, r)
	if !d.schema(ctx, store, r) || ctx.Err() != nil {
		_ = store.Close() // nothing was written
		return
	}
	d.database <- store
}

// clock compares the database's clock with this machine's.
func (d *doctor) clock(ctx context.Context, store *sqlstore.Store, r *report) {
	database, err := system.NewDatabaseClock(ctx, store.Now)
	if err != nil {
		r.fail("clock", fmt.Sprintf("cannot read the database clock: %v", cause(err)), "check the log of the database")
		return
	}
	skew := database.Skew()
	d.skew <- skew
	if payments.TooFarApart(skew) {
		r.fail("clock", fmt.Sprintf("the database clock is %s ahead of the clock of this machine; the server would not be ready", skew.Round(time.Second)),
			"synchronize both clocks with NTP")
		return
	}
	r.ok("clock", "the database clock is %s ahead of the clock of this machine", skew.Round(time.Millisecond))
}

// role checks whether row-level security applies to the role that the server logs in as.
func (d *doctor) role(ctx context.Context, store *sqlstore.Store, r *report) {
	role, err := store.UnguardedLogin(ctx)
	remedy := fmt.Sprintf("run ALTER ROLE %q NOSUPERUSER NOBYPASSRLS, or connect as a separate role: CREATE ROLE haggle LOGIN CREATEROLE PASSWORD '…'", role)
	switch {
	case err != nil:
		r.warn("database role", fmt.Sprintf("cannot read its privileges: %v", cause(err)), "grant the role access to pg_roles")
	case role != "" && d.env == account.Production:
		r.fail("database role", unguarded(role), remedy)
	case role != "":
		r.warn("database role", unguarded(role)+"; the server does not start with it in production", remedy)
	case !strings.HasPrefix(d.DatabaseURL, "sqlite://"):
		r.ok("database role", "row-level security applies to it")
	}
}

// schema reports whether this program can read the tables.
func (d *doctor) schema(ctx context.Context, store *sqlstore.Store, r *report) bool {
	if err := store.SchemaCurrent(ctx); err != nil && d.Pooler == sqlstore.TransactionPooler.String() {
		r.fail("schema", "is out of date", "run `haggle migrate` with HAGGLE_DATABASE_POOLER=none and a URL that bypasses the pooler")
		return false
	} else if err != nil {
		r.warn("schema", "is out of date", "run `haggle migrate`, or start the server, which migrates it")
		return false
	}
	if err := store.SchemaKnown(ctx); err != nil {
		r.fail("schema", err.Error(), "run the release that migrated the database or a later one")
		return false
	}
	r.ok("schema", "is up to date")
	return true
}

// databaseChecks returns the checks of the database's contents.
func (d *doctor) databaseChecks(ctx context.Context, store *sqlstore.Store) []check {
	checks := []check{
		{"API keys", func(ctx context.Context, r *report) {
			if _, err := store.Accounts().Oldest(ctx, account.Plan{}); err != nil {
				r.warn("API keys", "there is no account yet", "run `haggle keys create`, which creates an account and a key")
			}
		}},
		{"root shop", func(ctx context.Context, r *report) { d.rootShop(ctx, store, r) }},
	}
	return append(checks, d.accounts(ctx, store)...)
}

// rootShop checks whether the shop that is also served at the root exists.
func (d *doctor) rootShop(ctx context.Context, store *sqlstore.Store, r *report) {
	if d.RootShop == "" {
		return
	}
	if _, err := store.Storefronts().BySlug(ctx, d.RootShop); err != nil {
		r.warn("root shop", fmt.Sprintf("no shop has the slug %q (HAGGLE_ROOT_SHOP)", d.RootShop), "correct the slug or create the shop")
		return
	}
	r.ok("root shop", "%s", d.RootShop)
}
