package storetest

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// traffic counts PostgreSQL's replies to a store.
type traffic struct {
	server            string // the address of its socket
	trips, statements atomic.Int64
}

// Count is how many round trips work takes, and how many statements, BEGIN and COMMIT included.
func (w *traffic) Count(work func()) (trips, statements int64) {
	trips, statements = w.trips.Load(), w.statements.Load()
	work()
	return w.trips.Load() - trips, w.statements.Load() - statements
}

// CountedPooled is a store behind PgBouncer whose traffic is counted.
func CountedPooled(t *testing.T) (*Store, *traffic) {
	t.Helper()
	direct := pgserver.Shared(t).Migrated(t, Migrated)
	at, err := url.Parse(pgbouncer.Shared(t, direct).URL(direct))
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	w := &traffic{server: filepath.Join(query.Get("host"), ".s.PGSQL.5432")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(client)
		}
	}()
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	query.Set("host", host)
	query.Set("port", port)
	at.RawQuery = query.Encode()
	return OpenStore(t, sqlstore.Config{URL: at.String(), Pooler: db.TransactionPooler}), w
}

// carry forwards the messages of a client and the server.
func (w *traffic) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", w.server)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, client)
		server.Close()
	}()
	answers := bufio.NewReader(server)
	for {
		head, err := answers.Peek(5) // a letter, and the length of what follows it
		if err != nil {
			return
		}
		switch head[0] {
		case 'Z': // ReadyForQuery
			w.trips.Add(1)
		case 'C': // CommandComplete
			w.statements.Add(1)
		}
		if _, err := io.CopyN(client, answers, 1+int64(binary.BigEndian.Uint32(head[1:]))); err != nil {
			return
		}
	}
}
