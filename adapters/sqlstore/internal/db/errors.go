package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/lib/pq"
	"modernc.org/sqlite"
	"modernc.org/sqlite/lib"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// A constraint is a constraint of the schema with its name in each engine, and the fault that callers get if it is
// violated. SQLite names a unique index by its columns. Constraints that are not listed repeat rules of the domain, so
// that only a bug violates them.
type constraint struct {
	name    string
	columns string
	means   func() *fault.Error
}

var constraints = []constraint{
	{"projects_slug", "projects.slug", SlugTaken},
	{"members_email", "members.email", EmailTaken},
	{"member_identities_pkey", "member_identities.issuer, member_identities.subject", IdentityTaken},
	{"products_sku", "products.project_id, products.sku", SkuTaken},
	{"variants_sku", "variants.project_id, variants.sku", SkuTaken},
	{"decisions_seq", "decisions.project_id, decisions.session_id, decisions.seq", stale},
	{"cart_items_pkey", "cart_items.project_id, cart_items.session_id, cart_items.line", stale},
	{"cart_items.line", "cart_items.line", stale},
	{"sessions.line_seq", "sessions.line_seq", stale},
	{"quotes.state", "quotes.state", stale},
	{"checkouts_cart", "checkouts.project_id, checkouts.session_id", stale},
	{"orders_checkout", "orders.project_id, orders.checkout_id", func() *fault.Error {
		return fault.New(fault.Conflict, "order_exists", "The checkout has an order already.")
	}},
	{"sync_runs_running", "sync_runs.project_id, sync_runs.integration_id", func() *fault.Error {
		return fault.New(fault.Conflict, "sync_in_progress", "A sync of the integration is running. Wait for it, or cancel it.")
	}},
	{"integration_webhooks_topic", "integration_webhooks.project_id, integration_webhooks.integration_id, integration_webhooks.topic", webhookExists},
	{"authorizations_project_id_fkey", "", MissingProject},
	{"integrations_type", "integrations.project_id, integrations.type", integration.ErrExists},
	{"orders_confirmation", "orders.project_id, orders.confirmation", func() *fault.Error {
		return fault.New(fault.Conflict, "confirmation_taken", "Another order has the confirmation number.")
	}},
	{"payments_charge", "payments.project_id, payments.provider, payments.gateway", func() *fault.Error {
		return fault.New(fault.Conflict, "charge_taken", "Another order has the charge.")
	}},
	{"stock_quantity", "stock_quantity", func() *fault.Error {
		return fault.New(fault.Conflict, "insufficient_stock", "There is not enough stock.")
	}},
	{"products_project_id_fkey", "", MissingProject},
	{"integrations_project_id_fkey", "", MissingProject},
	{"sessions_project_id_fkey", "", MissingProject},
	{"checkouts_project_id_fkey", "", MissingProject},
	// SQLite does not name the foreign key. The transactions that write all other references ensure that they hold.
	{"", "FOREIGN KEY constraint failed", MissingProject},
}

func stale() *fault.Error {
	is := *ports.Stale
	return &is
}

func SkuTaken() *fault.Error {
	return fault.New(fault.Conflict, "sku_taken", "The sku is in use. Choose another one.").With("sku", "is in use by another product")
}

func MissingProject() *fault.Error { return fault.Missing("project") }

func errText() error {
	return fault.New(fault.Invalid, "validation_error", "Text must be valid UTF-8 without NUL characters.")
}

// translate turns a driver's error into a fault. Faults are returned as they are, and so is the error of a context that
// has ended, which drivers report in many ways.
func translate(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	broken := Violated(err)
	if broken == decisionChecked || broken == checkoutChecked {
		return projectChanged().Because(err)
	}
	for _, c := range constraints {
		if broken != "" && (c.name == broken || c.columns == broken) {
			return c.means().Because(err)
		}
	}
	if overloaded(err) || conflicted(err) || Lost(err) || onStandby(err) || errors.As(err, new(noSuitableHost)) {
		return fault.New(fault.Unavailable, "storage_unavailable", "The database is busy. Try again.").
			After(time.Second).Because(err)
	}
	if unwritable(err) {
		return fault.New(fault.Unavailable, "storage_unavailable", "The database cannot be written. Try again later.").
			After(unwritablePause).Because(err)
	}
	return fault.New(fault.Internal, "internal_error", "Something went wrong.").Because(err)
}

// unwritablePause is how long callers should wait before they use a database again whose disk is full or fails.
const unwritablePause = 10 * time.Second

// unwritable reports whether the database's disk is full or fails. The transaction did not commit.
func unwritable(err error) bool {
	var pgErr *pq.Error
	if errors.As(err, &pgErr) {
		return pgErr.Code == "53100" || pgErr.Code == "58030" // disk_full, io_error
	}
	var liteErr *sqlite.Error
	if !errors.As(err, &liteErr) {
		return false
	}
	code := liteErr.Code() & 0xff
	return code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_IOERR
}

// Violated returns the name of the constraint that a statement violated: on PostgreSQL by its name, on SQLite by its
// columns or, for a CHECK, by its name. NOT NULL is named by the column.
func Violated(err error) string {
	var pgErr *pq.Error
	if errors.As(err, &pgErr) {
		if pgErr.Code == "23502" { // not_null_violation
			return pgErr.Table + "." + pgErr.Column
		}
		return pgErr.Constraint
	}
	var liteErr *sqlite.Error
	if !errors.As(err, &liteErr) || liteErr.Code()&0xff != sqlite3.SQLITE_CONSTRAINT {
		return ""
	}
	// "constraint failed: UNIQUE constraint failed: projects.slug (2067)"
	text := liteErr.Error()
	if i := strings.LastIndex(text, " ("); i >= 0 {
		text = text[:i]
	}
	return text[strings.LastIndex(text, "failed: ")+len("failed: "):]
}

// conflicted reports whether a transaction lost against another one, was rolled back and may be run again.
func conflicted(err error) bool {
	if err == nil {
		return false
	}
	if unprepared(err) {
		return true
	}
	var pgErr *pq.Error
	if errors.As(err, &pgErr) {
		switch pgErr.Code {
		case "40001", "40P01": // serialization_failure, deadlock_detected
			return true
		}
	}
	var liteErr *sqlite.Error
	if errors.As(err, &liteErr) {
		switch liteErr.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return true
		}
	}
	return false
}

// WaitedTooLong reports whether another transaction held a lock for longer than lock_timeout.
func WaitedTooLong(err error) bool {
	var pgErr *pq.Error
	return errors.As(err, &pgErr) && pgErr.Code == "55P03"
}

// overloaded reports whether the database gave up waiting: for a statement, for a lock, or for a slot.
func overloaded(err error) bool {
	var pgErr *pq.Error
	if !errors.As(err, &pgErr) {
		return false
	}
	switch pgErr.Code {
	case "57014", "55P03", "53300", "25P03": // canceled, lock timeout, too many connections, idle in transaction
		return true
	}
	return false
}

// onStandby reports whether the server is read-only: it is a standby, as a replaced leader is.
func onStandby(err error) bool {
	var pgErr *pq.Error
	return errors.As(err, &pgErr) && pgErr.Code == "25006" // read_only_sql_transaction
}

// Lost reports whether the connection broke. The outcome of a COMMIT under way is then unknown.
func Lost(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false // the caller's context ended, which is a net.Error too
	}
	var network net.Error
	var pgErr *pq.Error
	if errors.As(err, &pgErr) {
		class := pgErr.Code.Class()
		return class == "08" || class == "57" && pgErr.Code != "57014"
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network)
}

func SlugTaken() *fault.Error {
	return fault.New(fault.Conflict, "slug_taken", "The slug is in use. Choose another one.").With("slug", "is in use")
}

// IdentityTaken does not reveal which member has the identity.
func IdentityTaken() *fault.Error {
	return fault.New(fault.Conflict, "identity_taken", "The identity, or the member, is linked to another one.")
}

// EmailTaken does not reveal which member or account has the address.
func EmailTaken() *fault.Error {
	return fault.New(fault.Conflict, "email_taken", "A member has this e-mail address already.").With("email", "is a member's")
}

func webhookExists() *fault.Error {
	return fault.New(fault.Conflict, "webhook_exists", "The integration has a webhook for the topic. Remove it first.").
		With("topic", "has a webhook already")
}
