package features

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// ucpWireSteps are about the wire format: signatures, headers, profiles and raw JSON.
func ucpWireSteps(sc stepRegistry, s *scenario) {
	p, wire := s.wirePlatform, s.wireServer

	sc.Given(`^a platform that speaks (\S+)$`, p.starts)
	sc.Given(`^its profile has only (.+)$`, func(names string) { p.capabilities = strings.Split(names, ", ") })
	sc.Given(`^its profile is answered with (\d+): (.*)$`, p.answersProfile)
	sc.Given(`^its profile is never answered$`, func() { p.hangs = true })
	sc.Given(`^its UCP-Agent says (.*)$`, func(said string) { p.agent = s.expand(strings.ReplaceAll(said, "$profile", p.url)) })
	sc.Step(`^it publishes another key in the place of its own$`, p.rotatesKey)
	sc.Given(`^it publishes its key as one of the curve (\S+)$`, p.publishesCurve)
	sc.Given(`^it wants to hear of its orders$`, p.registersWebhook)
	sc.Step(`^the platform sends((?:, [^:]+)?): ([A-Z]+) (/\S+)(?: (.+))?$`, p.sends)
	sc.When(`^the platform sends until its new key is known((?:, [^:]+)?): ([A-Z]+) (/\S+)(?: (.+))?$`, p.sendsUntilKnown)
	sc.Step(`^the platform calls((?:, [^:]+)?): (\w+) (\{.*\})$`, p.callsTool)
	sc.Step(`^the platform says((?:, [^:]+)?): (\{.*\})$`, p.sendsMCP)
	sc.Then(`^its profile was read (\d+) times?$`, func(times int) error {
		if p.profileReads != times {
			return fmt.Errorf("it was read %d times", p.profileReads)
		}
		return nil
	})

	sc.Then(`^the answer is signed with a key of the shop's profile$`, s.ucp.answerIsSigned)
	sc.Then(`^the answer is not signed$`, s.ucp.answerIsUnsigned)
	sc.Then(`^every message has what its kind must have$`, s.ucp.messagesAreComplete)
	sc.Then(`^the answer has nothing but ucp and messages$`, s.ucp.hasOnlyMessages)
	sc.Then(`^every answer is JSON$`, s.ucp.answersAreJSON)
	sc.Then(`^every answer names the version (\S+), and active capabilities$`, s.ucp.answersNameVersion)
	sc.Then(`^the answer's active capabilities are (.+)$`, s.ucp.activeCapabilitiesAre)
	sc.Then(`^every capability has its specification and schema where its name is at home$`, s.ucp.schemasAreAtOwners)
	sc.Then(`^the two answers are alike but for ids and times$`, s.ucp.answersEqualExceptIDs)

	sc.Step(`^the platform hears (\d+) times of the order$`, p.receivesWebhooks)
	sc.Then(`^what it heard last shows:$`, s.ucp.lastWebhookShows)
	sc.Then(`^what it heard is one event$`, s.ucp.webhooksAreOneEvent)
	sc.Then(`^what it heard last is the order as it reads it$`, s.ucp.lastWebhookMatchesOrder)

	sc.Given(`^a server of the scenario's own$`, wire.starts)
	sc.Given(`^the store of idempotency keys is out of reach$`, wire.locksIdempotencyKeys)
	sc.Given(`^the store of idempotency keys is back$`, wire.unlocksIdempotencyKeys)
	sc.Given(`^the keys about "([^"]*)" were used (\S+) ago$`, s.ucp.agesIdempotencyKeys)
	sc.Step(`^the signing key was retired (\S+) ago$`, s.ucp.agesRetirement)
}

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
