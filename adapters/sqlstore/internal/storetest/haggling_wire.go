package storetest

import (
	"context"
	"database/sql"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// wire is a connection to a PostgreSQL server that counts round trips: changes from writing to reading.
type wire struct {
	trips atomic.Int64
	// Deaf loses the server's next reply, and the connection with it.
	Deaf atomic.Bool
}

func (w *wire) Dial(network, address string) (net.Conn, error) {
	return w.DialTimeout(network, address, 0)
}

func (w *wire) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	conn, err := net.DialTimeout(network, address, timeout)
	return &wiredConn{Conn: conn, wire: w}, err
}

// Count is how many round trips work takes.
func (w *wire) Count(work func()) int64 {
	before := w.trips.Load()
	work()
	return w.trips.Load() - before
}

type wiredConn struct {
	net.Conn
	wire    *wire
	written bool
}

func (c *wiredConn) Write(b []byte) (int, error) {
	c.written = true
	return c.Conn.Write(b)
}

func (c *wiredConn) Read(b []byte) (int, error) {
	if c.written {
		c.written = false
		c.wire.trips.Add(1)
	}
	n, err := c.Conn.Read(b)
	if c.wire.Deaf.CompareAndSwap(true, false) {
		c.Conn.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// WiredPostgres is a store on one connection, which is open.
func WiredPostgres(t *testing.T) (*Store, *wire) {
	t.Helper()
	u, err := url.Parse(pgserver.Shared(t).Migrated(t, Migrated))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	db.Serve(query)
	u.RawQuery = query.Encode()
	connector, err := pq.NewConnector(u.String())
	if err != nil {
		t.Fatal(err)
	}
	w := new(wire)
	connector.Dialer(w)
	conn := sqlx.NewDb(sql.OpenDB(connector), "postgres")
	t.Cleanup(func() { conn.Close() })
	s := StoreOver(conn, 1)
	if err := s.Ping(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s, w
}
