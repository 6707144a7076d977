package storetest

import (
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// FreshPooled opens a migrated, empty database behind a PgBouncer that has two sessions of it for all connections. A
// statement on one of its guarded tables fails under any role but that of requests. References are checked by their
// table's owner, to whom no policy applies then.
func FreshPooled(tb testing.TB) *Store {
	tb.Helper()
	direct := pgserver.Shared(tb).Migrated(tb, Migrated)
	owner, err := sqlx.Connect("postgres", direct)
	if err != nil {
		tb.Fatal(err)
	}
	defer owner.Close()
	if _, err := owner.Exec(onlyRequests); err != nil {
		tb.Fatal(err)
	}
	return OpenStore(tb, sqlstore.Config{URL: pgbouncer.Shared(tb, direct).URL(direct), Pooler: db.TransactionPooler})
}

const onlyRequests = `
CREATE FUNCTION only_requests() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> 'haggle_app' THEN
    RAISE EXCEPTION 'a statement runs as %', current_user;
  END IF;
  RETURN true;
END $$;

DO $$
DECLARE guarded text;
BEGIN
  FOR guarded IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity LOOP
    EXECUTE format('CREATE POLICY only_requests ON %I AS RESTRICTIVE USING (only_requests())', guarded);
  END LOOP;
END $$`

// PooledSuite runs a contract suite behind PgBouncer.
func PooledSuite(t *testing.T, contract func(*testing.T, porttest.Open)) {
	t.Helper()
	t.Parallel()
	contract(t, func(tb testing.TB) porttest.Stores { return Views(FreshPooled(tb)) })
}
