package sqlstore

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Constraints that callers are to hear of by name.
func TestBrokenConstraints(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		p := storeProject(t, s, 1)
		_, writes := products(p.ID, 0, 2)
		for _, w := range writes {
			if err := s.Products().Create(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		first, second := writes[0].Product, writes[1].Product
		project := p.ID.String()
		for _, c := range []struct {
			statement string
			args      []any
			kind      fault.Kind
			code      string
		}{
			{`UPDATE products SET sku = $3 WHERE project_id = $1 AND id = $2`, []any{project, first.ID.String(), second.SKU}, fault.Conflict, "sku_taken"},
			{`UPDATE variants SET sku = $3 WHERE project_id = $1 AND product_id = $2`, []any{project, first.ID.String(), second.SKU}, fault.Conflict, "sku_taken"},
			{`UPDATE stock SET quantity = quantity - 11 WHERE project_id = $1`, []any{project}, fault.Conflict, "insufficient_stock"},
			{`UPDATE products SET price = 0 WHERE project_id = $1`, []any{project}, fault.Internal, "internal_error"},
			{`INSERT INTO sessions (project_id, id, loyalty_tier, location, purchase_history, urgency, created_at, last_activity, expires_at)
				VALUES ($1, 'sess_x', '', '', 0, '', 0, 0, 0)`, []any{"proj_unknown"}, fault.NotFound, "project_not_found"},
		} {
			b := s.writing(p.ID)
			if c.kind == fault.NotFound {
				b = s.writing(anyProject)
			}
			b.exec(c.statement, c.args...)
			err := b.run(t.Context())
			if fault.KindOf(err) != c.kind || !fault.Is(err, c.code) {
				t.Errorf("%s: got %v, want %s", c.statement, err, c.code)
			}
		}
	})
}

// Every constraint that has a meaning exists under its name.
func TestConstraintsExist(t *testing.T) {
	t.Parallel()
	var names []string
	err := freshPostgres(t).read.SelectContext(t.Context(), &names, `
SELECT conname FROM pg_constraint UNION SELECT relname FROM pg_class WHERE relkind = 'i'`)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(names, "\n") + "\n"
	for _, c := range constraints {
		if c.name != "" && !strings.Contains(all, c.name+"\n") {
			t.Errorf("there is no constraint %s", c.name)
		}
	}
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	own := fault.Missing("thing")
	for _, c := range []struct {
		err  error
		kind fault.Kind
	}{
		{errors.New("odd"), fault.Internal},
		{&pq.Error{Code: "42601"}, fault.Internal},
		{&pq.Error{Code: "57014"}, fault.Unavailable},
		{&pq.Error{Code: "55P03"}, fault.Unavailable},
		{&pq.Error{Code: "40P01"}, fault.Unavailable},
		{&pq.Error{Code: "57P01"}, fault.Unavailable},
		{&pq.Error{Code: "08006"}, fault.Unavailable},
		{&pq.Error{Code: "53100"}, fault.Unavailable},
		{&pq.Error{Code: "58030"}, fault.Unavailable},
		{&pq.Error{Code: "23505", Constraint: "projects_slug"}, fault.Conflict},
		{&pq.Error{Code: "23505", Constraint: "unheard_of"}, fault.Internal},
		{driver.ErrBadConn, fault.Unavailable},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), fault.Unavailable},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, fault.Unavailable},
		{own, fault.NotFound},
		{fmt.Errorf("work: %w", own), fault.NotFound},
	} {
		got := translate(t.Context(), c.err)
		if fault.KindOf(got) != c.kind || !errors.Is(got, c.err) {
			t.Errorf("%v became %v", c.err, got)
		}
	}
	if translate(t.Context(), nil) != nil {
		t.Error("nil became an error")
	}
}

// A full disk is no mistake of this program: callers may try again.
func TestTranslate_fullSQLite(t *testing.T) {
	t.Parallel()
	s := freshSQLite(t)
	err := onConn(t.Context(), s.write, anyProject, func(conn *sqlx.Conn) error {
		var pages int
		if err := conn.GetContext(t.Context(), &pages, "PRAGMA page_count"); err != nil {
			return err
		}
		_, err := conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages+2))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 1000 {
		owner := &account.Account{
			ID:        id.New[id.Account]([16]byte{byte(n), byte(n >> 8), 1}),
			Name:      strings.Repeat("A very long name. ", 100),
			Plan:      account.Starter,
			CreatedAt: time.UnixMilli(1),
		}
		if err = s.Accounts().Open(t.Context(), owner); err != nil {
			break
		}
	}
	var told *fault.Error
	if !errors.As(err, &told) || told.Kind != fault.Unavailable || told.RetryAfter == 0 {
		t.Errorf("a full database answers %v", err)
	}
}
