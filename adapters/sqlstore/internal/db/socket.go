package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// socketConnector connects to PostgreSQL by sockets that give up reading a little after the longest statement's time,
// if that is limited; the statements of one batch have it together. lib/pq itself waits for ever on a connection whose
// other side has gone without closing it.
type socketConnector struct {
	config  pq.Config
	longest time.Duration
}

// grace is how much later than the end of its statement a reply may arrive.
const grace = 2 * time.Second

// connector returns lib/pq's, which calls dialed with each socket that it opens.
func (c socketConnector) connector(dialed func(*socket)) (*pq.Connector, error) {
	connector, err := pq.NewConnectorConfig(c.config)
	if err == nil {
		connector.Dialer(socketDialer{longest: c.longest, dialed: dialed})
	}
	return connector, err
}

// Driver is database/sql's.
func (c socketConnector) Driver() driver.Driver { return &pq.Driver{} }

// Connect is database/sql's.
func (c socketConnector) Connect(ctx context.Context) (driver.Conn, error) { return c.open(ctx) }

func (c socketConnector) open(ctx context.Context) (*pgConn, error) {
	var last *socket // with several hosts, all before it were refused
	connecting := true
	connector, err := c.connector(func(s *socket) {
		if connecting { // later ones are of requests to cancel a statement
			last = s
		}
	})
	if err != nil {
		return nil, err
	}
	conn, err := connector.Connect(ctx)
	connecting = false
	if len(c.config.Multi) > 0 {
		err = refusedByAll(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	of, ok := conn.(pqConn)
	if !ok {
		return nil, fmt.Errorf("a %T is no connection of lib/pq", conn)
	}
	return &pgConn{pqConn: of, socket: last}, nil
}

// socketDialer opens sockets.
type socketDialer struct {
	net.Dialer
	longest time.Duration
	dialed  func(*socket)
}

var _ pq.Dialer = socketDialer{}

func (d socketDialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

func (d socketDialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

func (d socketDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	s := &socket{Conn: conn}
	if d.longest > 0 {
		s.patience = d.longest + grace
	}
	d.dialed(s)
	return s, nil
}

// socket is one that gives up reading.
type socket struct {
	net.Conn
	patience time.Duration // 0: there is no limit

	mu        sync.Mutex
	abandoned bool
}

func (s *socket) Read(b []byte) (int, error) {
	if err := s.limit(); err != nil {
		return 0, err
	}
	return s.Conn.Read(b)
}

func (s *socket) limit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.patience == 0 || s.abandoned {
		return nil
	}
	return s.Conn.SetReadDeadline(time.Now().Add(s.patience))
}

// abandon ends all reading, now and later.
func (s *socket) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = true
	_ = s.Conn.SetReadDeadline(time.Unix(1, 0)) // it fails on a socket that is closed
}

// abandoning runs send, which sends COMMIT. When ctx ends it abandons the connection and lets PostgreSQL finish. lib/pq
// would cancel the statement instead, which must not happen to a COMMIT: one that waits for a second node
// (synchronous_commit) then ends without it, "has already committed locally, but might not have been replicated to the
// standby" (PostgreSQL 15, syncrep.c), and is visible to others as if it were safe.
func abandoning(ctx context.Context, conn *sqlx.Conn, send func(context.Context) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var s *socket
	_ = conn.Raw(func(driverConn any) error {
		if c, ok := driverConn.(*pgConn); ok {
			s = c.socket
		}
		return nil
	})
	if s == nil { // SQLite
		return send(ctx)
	}
	stop := context.AfterFunc(ctx, s.abandon)
	defer stop()
	return send(context.WithoutCancel(ctx))
}
