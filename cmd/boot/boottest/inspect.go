package boottest

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// Inspect opens a direct connection to a server's database, which bypasses the store and its row-level security.
func Inspect(tb testing.TB, databaseURL string) *sql.DB {
	tb.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		tb.Fatal(err)
	}
	driver, source := "sqlite", "file:"+u.Path+"?_pragma=busy_timeout(5000)"
	if u.Scheme == "postgres" {
		driver, source = "postgres", pgserver.Shared(tb).AdminURL(strings.TrimPrefix(u.Path, "/"))
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

const (
	ageCheckout = `
UPDATE checkouts
SET claimed_at = claimed_at - $2, retry_at = CAST($3 AS BIGINT) + 3600000
WHERE id = $1
  AND status = 'processing'
  AND retry_at IS NOT NULL
  AND lease_until <= $3`

	ageRefund = `
UPDATE refunds
SET created_at = created_at - $2, due_at = CAST($3 AS BIGINT) + 3600000
WHERE id = $1
  AND problem <> ''
  AND due_at IS NOT NULL`
)

// Age moves the start of an unresolved payment attempt or refund into the past, and the next query to its provider an hour into
// the future. subject is the id of the checkout or refund. Age reports whether it changed anything: it does not while the
// provider is being queried about the attempt.
func Age(db *sql.DB, subject string, by time.Duration) (bool, error) {
	statement := ageRefund
	if strings.HasPrefix(subject, "chk_") {
		statement = ageCheckout
	}
	result, err := db.Exec(statement, subject, by.Milliseconds(), time.Now().UnixMilli())
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

const ageSigningKeys = `
UPDATE signing_keys
SET published_at = published_at - $2
WHERE project_id = $1`

// AgeSigningKeys moves the publication of a project's signing keys into the past, and returns how many keys it changed.
func AgeSigningKeys(db *sql.DB, project string, by time.Duration) (int64, error) {
	return changed(db, ageSigningKeys, project, by)
}

const ageRetirement = `
UPDATE signing_keys
SET retired_at = retired_at - $2
WHERE project_id = $1
  AND retired_at IS NOT NULL`

// AgeRetirement moves the retirement of a project's signing keys into the past, and returns how many keys it changed.
func AgeRetirement(db *sql.DB, project string, by time.Duration) (int64, error) {
	return changed(db, ageRetirement, project, by)
}

const ageIdempotencyKeys = `
UPDATE idempotency_keys
SET created_at = created_at - $2
WHERE subject = $1`

// AgeIdempotencyKeys moves the first use of idempotency keys into the past if their responses contain subject: a checkout,
// order, session or buyer. It returns how many keys it changed.
func AgeIdempotencyKeys(db *sql.DB, subject string, by time.Duration) (int64, error) {
	return changed(db, ageIdempotencyKeys, subject, by)
}

func changed(db *sql.DB, statement, about string, by time.Duration) (int64, error) {
	result, err := db.Exec(statement, about, by.Milliseconds())
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
