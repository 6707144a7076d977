package db

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Every constraint that has a meaning exists under its name; one of NOT NULL has its column's.
func TestConstraints_exist(t *testing.T) {
	t.Parallel()
	var names []string
	err := freshPostgres(t).read.SelectContext(t.Context(), &names, `
SELECT conname FROM pg_constraint
UNION
SELECT relname FROM pg_class WHERE relkind = 'i'
UNION
SELECT table_name || '.' || column_name FROM information_schema.columns WHERE is_nullable = 'NO'`)
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

// A full disk is reported as fault.Unavailable, so callers may retry.
func TestTranslate_fullSQLite(t *testing.T) {
	t.Parallel()
	s := freshSQLite(t)
	err := onConn(t.Context(), s.write, AnyProject, func(conn *sqlx.Conn) error {
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
		b := s.Write(mine)
		b.Exec(addCharge, mine.String(), fmt.Sprint(n, strings.Repeat(" and a very long key", 100)), 1)
		if err = b.Run(t.Context()); err != nil {
			break
		}
	}
	var unavailable *fault.Error
	if !errors.As(err, &unavailable) || unavailable.Kind != fault.Unavailable || unavailable.RetryAfter == 0 {
		t.Errorf("a full database answers %v", err)
	}
	if text := Describe("sqlite:///shops/haggle.db", err).Error(); text != "cannot write /shops/haggle.db: the disk is full" {
		t.Errorf("a full database is described as %q", text)
	}
}
