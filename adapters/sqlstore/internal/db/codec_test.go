package db

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// hired stands for a domain type.
type hired struct {
	ID        id.Order
	Project   id.Project
	Route     project.PaymentRoute
	Status    order.Status
	Price     money.Amount
	Deposit   money.Amount
	Fee       *money.Amount
	Returned  time.Time
	CreatedAt time.Time
	Days      []int
	Key       []byte
	Draft     bool
	Grams     int
	Secret    string
}

var hires = NewTable[hired]("hires", Columns{
	"Route.Provider": "gateway",
	"Deposit":        "deposit,null,currency=deposit_currency",
	"Fee":            "fee,currency=deposit_currency",
	"Returned":       "returned_at,null",
	"Days":           ",json",
	"Secret":         "-",
})

type hireRow struct {
	hired
	Late Decoded[lateness]
	Now  time.Time `db:",read"`
}

type lateness struct {
	LatePrice money.Amount `db:"late_price,currency=late_currency"`
}

func scanOne(t *testing.T, s *DB, dest any, query string, args ...any) error {
	t.Helper()
	return s.OnWriter(t.Context(), func(conn *sqlx.Conn) error { return s.TxOn(conn).Select(t.Context(), dest, query, args...) })
}

func TestCodec_roundTrip(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		stays := hired{
			ID:        id.Stored[id.Order]("ord_1"),
			Project:   id.Stored[id.Project]("proj_1"),
			Route:     project.PaymentRoute{Provider: "stripe", Integration: id.Stored[id.Integration]("int_1")},
			Status:    order.Canceled,
			Price:     money.Of(4990, money.USD),
			Deposit:   money.Of(-5, money.USD),
			CreatedAt: Time(1_700_000_000_123),
			Returned:  Time(5),
			Days:      []int{1, 2},
			Key:       []byte{0, 255},
			Draft:     true,
			Grams:     7,
		}
		fee := money.Of(3, money.USD)
		stays.Fee = &fee
		for name, want := range map[string]hired{"full": stays, "empty": {Price: money.Of(0, money.USD), CreatedAt: Time(1)}} {
			var got hired
			values := ""
			for i, c := range hires.names {
				kind := map[string]string{"price": "BIGINT", "deposit": "BIGINT", "fee": "BIGINT", "returned_at": "BIGINT", "created_at": "BIGINT",
					"key": "BYTEA", "draft": "BOOLEAN", "grams": "INTEGER"}[c]
				if kind == "" {
					kind = "TEXT"
				}
				if c == "key" && !s.Dialect.OneTrip {
					kind = "BLOB"
				}
				if i > 0 {
					values += ", "
				}
				values += "CAST(" + parameterAt(i+1) + " AS " + kind + ") AS " + c
			}
			if err := scanOne(t, s, &got, "SELECT "+values, hires.Args(want)...); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
	})
}

func TestColumns_ofDomainType(t *testing.T) {
	t.Parallel()
	const want = "id, project_id, gateway, integration_id, status, price, deposit, fee, returned_at, created_at, days, key, draft, grams, currency, deposit_currency"
	if got := hires.Columns(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A part of a row that cannot be decoded does not keep the rest from being read.
func TestDecoded_unreadable(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		var rows []hireRow
		const query = `
SELECT 'ord_1' AS id, 5 AS late_price, 'XXX' AS late_currency, 7 AS now
UNION ALL
SELECT 'ord_2', 5, 'USD', 8`
		if err := scanOne(t, s, &rows, query); err != nil {
			t.Fatal(err)
		}
		if rows[0].ID.String() != "ord_1" || rows[0].Late.Err == nil || !rows[0].Now.Equal(Time(7)) {
			t.Errorf("unreadable part: %+v", rows[0])
		}
		if rows[1].Late.Err != nil || rows[1].Late.Value.LatePrice != money.Of(5, money.USD) {
			t.Errorf("readable part: %+v", rows[1])
		}
	})
}

func TestScan_refused(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		type line struct {
			Lines []price `db:",json"`
		}
		for query, dest := range map[string]any{
			"SELECT 0 AS price, '' AS currency":   new(hired),
			"SELECT 0 AS price, NULL AS currency": new(hired),
			"SELECT 5 AS free, '' AS currency": new(struct {
				Free money.Amount `db:",none"`
			}),
			"SELECT '[{\"of\":5}]' AS lines":                 new(line),
			"SELECT '[{\"of\":0}]' AS lines":                 new(line),
			"SELECT '[{\"of\":5}]' AS lines, '' AS currency": new(line),
			"SELECT 1 AS weight":                             new([]hired),
			"SELECT NULL AS gateway":                         new(hired),
			"SELECT 1 AS price":                              new(hired),
			"SELECT 1 AS price, '' AS currency":              new(hired),
			"SELECT 'no' AS grams":                           new(hired),
			"SELECT '{' AS days":                             new(hired),
			"SELECT 1 AS a, 2 AS b":                          new(int),
			"SELECT 300 AS grams, 'X' AS status":             new(struct{ Grams int8 }),
		} {
			if err := scanOne(t, s, dest, query); err == nil {
				t.Errorf("%s is read as %+v", query, reflect.ValueOf(dest).Elem())
			}
		}
	})
}

// price is of an amount in a JSON column.
type price struct{ Of money.Amount }

var _ = stored.JSON[price](nil)

func TestScan_amounts(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		type row struct {
			Free  money.Amount `db:",none"`
			Lines []price      `db:",json"`
		}
		var got row
		if err := scanOne(t, s, &got, "SELECT 0 AS free, '[]' AS lines, '' AS currency"); err != nil || got.Free != (money.Amount{}) {
			t.Errorf("in no currency: %+v, %v", got, err)
		}
		want := row{Free: money.Of(0, money.USD), Lines: []price{{money.Of(5, money.USD)}}}
		if err := scanOne(t, s, &got, `SELECT 0 AS free, '[{"of":5}]' AS lines, 'USD' AS currency`); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("in a currency: %+v, %v", got, err)
		}
	})
}

// A zero time with a zone is stored as NULL, as IsZero has it in package time. An amount of 0 is stored.
func TestNullCodec_zeroTimeInZone(t *testing.T) {
	t.Parallel()
	here := time.FixedZone("here", 3600)
	args := hires.Args(hired{Returned: time.Time{}.In(here), Deposit: money.Of(0, money.USD)})
	if at := args[hires.index("returned_at")]; at != nil {
		t.Errorf("a zero time is stored as %v", at)
	}
	if n := args[hires.index("deposit")]; n != int64(0) {
		t.Errorf("an amount of 0 is stored as %v", n)
	}
}

// A word that is unknown is no value of the type.
func TestScan_unknownWord(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		for query, want := range map[string]string{
			"SELECT 'lent' AS status":                     `hires.status: order.Status "lent": unknown word`,
			"SELECT 'ord_1' AS id, 'Confirmed' AS status": `hires.status: order.Status "Confirmed": unknown word`,
		} {
			var got hireRow
			err := scanOne(t, s, &got, query)
			if cause := errors.Unwrap(err); err == nil || !strings.Contains(cause.Error(), want) {
				t.Errorf("%s: %+v, %v, want %s", query, got, err, want)
			}
		}
		var lone struct{ Reported order.DisputeStatus }
		if err := scanOne(t, s, &lone, "SELECT 'x' AS reported"); err == nil || !strings.Contains(errors.Unwrap(err).Error(), `.reported: order.DisputeStatus "x": unknown word`) {
			t.Errorf("in a row of no table: %v", err)
		}
	})
}

func TestScan_withoutRows(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		list, first, one := []int{1}, new(int), 3
		for _, dest := range []any{&list, &first, &one} {
			if err := scanOne(t, s, dest, "SELECT 1 WHERE 1 = 2"); err != nil {
				t.Fatal(err)
			}
		}
		if len(list) != 0 || first != nil || one != 0 {
			t.Errorf("%v, %v, %d", list, first, one)
		}
	})
}

type scannedRow struct {
	ID, ProjectID, OrderID, Carrier, Service, Remote string
	Grams                                            int
	DueAt                                            *int64
	CreatedAt                                        int64
}

type scannedLabel struct {
	ID                       id.Label
	Project                  id.Project
	Order                    id.Order
	Carrier, Service, Remote string
	Grams                    int
	DueAt                    time.Time `db:",null"`
	CreatedAt                time.Time
}

// BenchmarkScan reads result sets of 1 and of 20 rows into a row struct by sqlx, and into domain types.
func BenchmarkScan(b *testing.B) {
	conns := sqlx.MustConnect("sqlite", "file::memory:")
	b.Cleanup(func() { conns.Close() })
	conns.SetMaxOpenConns(1)
	for rows, limit := range map[string]string{"1": "1", "20": "20"} {
		of := func(names string) string {
			return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ` + limit + `)
SELECT ` + names + `, 'ups' AS carrier, 'ground' AS service, 'r' AS remote, 4321 AS grams FROM n`
		}
		b.Run("sqlx/"+rows, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var list []scannedRow
				found, err := conns.Queryx(of(`'lbl_1' AS id, 'proj_1' AS projectid, 'ord_1' AS orderid, 1700000000123 AS dueat, 1700000000123 AS createdat`))
				if err == nil {
					err = sqlx.StructScan(found, &list)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("codecs/"+rows, func(b *testing.B) {
			conn, err := conns.Connx(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			b.ReportAllocs()
			for b.Loop() {
				var list []scannedLabel
				_, err := fetch(b.Context(), conn, &list, of(`'lbl_1' AS id, 'proj_1' AS project_id, 'ord_1' AS order_id, 1700000000123 AS due_at, 1700000000123 AS created_at`), nil)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
