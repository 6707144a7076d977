package features

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// ucpWireSteps are about what is on the wire: signatures, headers, profiles and raw JSON.
func ucpWireSteps(sc book, w *world) {
	p := &wirePlatform{w: w}
	s := &wireServer{w: w}
	sc.sc.After(p.close)
	sc.sc.After(s.leave)

	sc.Given(`^a platform that speaks (\S+)$`, p.opens)
	sc.Given(`^its profile has only (.+)$`, func(names string) { p.only = strings.Split(names, ", ") })
	sc.Given(`^its profile is answered with (\d+): (.*)$`, p.answersProfile)
	sc.Given(`^its profile is never answered$`, func() { p.hangs = true })
	sc.Given(`^its UCP-Agent says (.*)$`, func(said string) { p.agent = w.expand(strings.ReplaceAll(said, "$profile", p.url)) })
	sc.Step(`^it publishes another key in the place of its own$`, p.replaces)
	sc.Given(`^it publishes its key as one of the curve (\S+)$`, p.publishesOther)
	sc.Given(`^it wants to hear of its orders$`, p.hears)
	sc.Step(`^the platform sends((?:, [^:]+)?): ([A-Z]+) (/\S+)(?: (.+))?$`, p.sends)
	sc.When(`^the platform sends until its new key is known((?:, [^:]+)?): ([A-Z]+) (/\S+)(?: (.+))?$`, p.sendsUntilKnown)
	sc.Step(`^the platform calls((?:, [^:]+)?): (\w+) (\{.*\})$`, p.calls)
	sc.Step(`^the platform says((?:, [^:]+)?): (\{.*\})$`, p.says)
	sc.Then(`^its profile was read (\d+) times?$`, func(times int) error {
		if p.asked != times {
			return fmt.Errorf("it was read %d times", p.asked)
		}
		return nil
	})

	sc.Then(`^the answer is signed with a key of the shop's profile$`, w.answerIsSigned)
	sc.Then(`^the answer is not signed$`, w.answerIsUnsigned)
	sc.Then(`^every message has what its kind must have$`, w.messagesAreWhole)
	sc.Then(`^the answer has nothing but ucp and messages$`, w.isBareError)
	sc.Then(`^every answer is JSON$`, w.answersAreJSON)
	sc.Then(`^every answer names the version (\S+), and active capabilities$`, w.answersNameVersion)
	sc.Then(`^the answer's active capabilities are (.+)$`, w.activeAre)
	sc.Then(`^every capability has its specification and schema where its name is at home$`, w.schemasLieAtOwners)
	sc.Then(`^the two answers are alike but for ids and times$`, w.answersAlike)

	sc.Step(`^the platform hears (\d+) times of the order$`, p.hearsOfOrder)
	sc.Then(`^what it heard last shows:$`, w.heardShows)
	sc.Then(`^what it heard is one event$`, w.heardIsOneEvent)
	sc.Then(`^what it heard last is the order as it reads it$`, w.heardIsTheOrder)

	sc.Given(`^a server of the scenario's own$`, s.opens)
	sc.Given(`^the store of idempotency keys is out of reach$`, s.locks)
	sc.Given(`^the store of idempotency keys is back$`, s.unlocks)
	sc.Given(`^the keys about "([^"]*)" were used (\S+) ago$`, w.keysWereUsed)
	sc.Step(`^the signing key was retired (\S+) ago$`, w.keyWasRetired)
}

// wireServer is a server that a scenario has to itself, for it takes a table away from it.
type wireServer struct {
	w        *world
	lease    *lease
	database *sql.DB
	lock     *sql.Conn
}

func (s *wireServer) opens() error {
	s.lease = &lease{TB: s.w.server.t}
	address := s.w.server.engine.URL(s.lease)
	s.database = boottest.Inspect(s.lease, address)
	s.w.goTo(boottest.Start(s.lease, address, func(c *boot.Config) { c.Connections = 10 }))
	s.w.tape.next = s.w.server.transport // and tries nothing again
	return nil
}

// locks takes the table of the keys, on SQLite with all others.
func (s *wireServer) locks() (err error) {
	if s.lock, err = s.database.Conn(s.w.ctx); err != nil {
		return err
	}
	statements := []string{"BEGIN IMMEDIATE"}
	if s.w.server.engine.Name == "postgres" {
		statements = []string{"BEGIN", "LOCK TABLE idempotency_keys IN ACCESS EXCLUSIVE MODE"}
	}
	for _, statement := range statements {
		if _, err := s.lock.ExecContext(s.w.ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (s *wireServer) unlocks() error {
	if s.lock == nil {
		return nil
	}
	_, err := s.lock.ExecContext(context.Background(), "ROLLBACK")
	err = errors.Join(err, s.lock.Close())
	s.lock = nil
	return err
}

func (s *wireServer) leave(ctx context.Context, _ *godog.Scenario, _ error) (context.Context, error) {
	if s.lease == nil {
		return ctx, nil
	}
	err := s.unlocks()
	for _, end := range slices.Backward(s.lease.ends) {
		end()
	}
	return ctx, err
}

// aged makes something in the database of the scenario's server older than it is.
func (w *world) aged(ago string, age func(*sql.DB, time.Duration) (int64, error)) error {
	by, err := time.ParseDuration(ago)
	if err != nil {
		return err
	}
	for _, db := range []*sql.DB{w.server.database, w.server.besides} {
		if n, err := age(db, by); n > 0 || err != nil {
			return err
		}
	}
	return errors.New("there is nothing to make older")
}

func (w *world) keysWereUsed(about, ago string) error {
	about = w.expand(about)
	return w.aged(ago, func(db *sql.DB, by time.Duration) (int64, error) { return boottest.AgeIdempotencyKeys(db, about, by) })
}

func (w *world) keyWasRetired(ago string) error {
	return w.aged(ago, func(db *sql.DB, by time.Duration) (int64, error) { return boottest.AgeRetirement(db, w.shop.ID, by) })
}
