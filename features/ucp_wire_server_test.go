package features

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// wireServer is a server of one scenario, which locks a table of its database.
type wireServer struct {
	scenario *scenario
	database *sql.DB
	lock     *sql.Conn
}

func (s *wireServer) starts() error {
	tb := s.scenario.tb
	address := s.scenario.server.engine.URL(tb)
	s.database = boottest.Inspect(tb, address)
	s.scenario.useServer(boottest.Start(tb, address, func(c *boot.Config) { c.Connections = 10 }))
	s.scenario.atEnd(s.unlocksIdempotencyKeys)
	s.scenario.recorder.next = s.scenario.server.transport // without retryTransport
	return nil
}

// locksIdempotencyKeys locks the table of idempotency keys; on SQLite, the whole database.
func (s *wireServer) locksIdempotencyKeys() (err error) {
	if s.lock, err = s.database.Conn(s.scenario.ctx); err != nil {
		return err
	}
	statements := []string{"BEGIN IMMEDIATE"}
	if s.scenario.server.engine.Name == "postgres" {
		statements = []string{"BEGIN", "LOCK TABLE idempotency_keys IN ACCESS EXCLUSIVE MODE"}
	}
	for _, statement := range statements {
		if _, err := s.lock.ExecContext(s.scenario.ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (s *wireServer) unlocksIdempotencyKeys() error {
	if s.lock == nil {
		return nil
	}
	_, err := s.lock.ExecContext(context.Background(), "ROLLBACK")
	err = errors.Join(err, s.lock.Close())
	s.lock = nil
	return err
}

// ageRecords makes records older in the first shared database for which age changes any.
func (c *ucpContext) ageRecords(ago string, age func(*sql.DB, time.Duration) (int64, error)) error {
	by, err := time.ParseDuration(ago)
	if err != nil {
		return err
	}
	for _, db := range []*sql.DB{c.server.database, c.server.loopbackDB} {
		if n, err := age(db, by); n > 0 || err != nil {
			return err
		}
	}
	return errors.New("there is nothing to make older")
}

func (c *ucpContext) agesIdempotencyKeys(about, ago string) error {
	about = c.expand(about)
	return c.ageRecords(ago, func(db *sql.DB, by time.Duration) (int64, error) { return boottest.AgeIdempotencyKeys(db, about, by) })
}

func (c *ucpContext) agesRetirement(ago string) error {
	return c.ageRecords(ago, func(db *sql.DB, by time.Duration) (int64, error) { return boottest.AgeRetirement(db, c.shop.ID, by) })
}
