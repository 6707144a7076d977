package accounts

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// ConsoleSessions stores members' sessions in the console.
type ConsoleSessions struct{ Store *db.DB }

var _ ports.ConsoleSessions = ConsoleSessions{}

var (
	consoleSessions = db.NewTable[member.Session]("console_sessions")

	selectSession = consoleSessions.Select() + "\nWHERE hash = $1"

	proveSession = consoleSessions.Update([]string{"id"}, "hash", "code_due", "created_at", "used_at")
)

const (
	// Setting the member's password and removing the member wait for the lock.
	lockMemberRow = `
SELECT password
FROM members
WHERE id = $1
  AND account_id = $2
  AND removed_at IS NULL`

	// endOldest ends all sessions of a member except the newest $3, among those whose code is due or among the others.
	endOldest = `
UPDATE console_sessions
SET ended_at = $4
WHERE member_id = $1
  AND code_due = $2
  AND ended_at IS NULL
  AND id NOT IN (
    SELECT id
    FROM console_sessions
    WHERE member_id = $1
      AND code_due = $2
      AND ended_at IS NULL
    ORDER BY created_at DESC, id DESC
    LIMIT $3
  )`

	sessionUsed = `
UPDATE console_sessions
SET used_at = $2
WHERE id = $1
  AND used_at < $2`

	endSession = `
UPDATE console_sessions
SET ended_at = $3
WHERE account_id = $1
  AND id = $2
  AND ended_at IS NULL`

	endOtherSessions = `
UPDATE console_sessions
SET ended_at = $4
WHERE account_id = $1
  AND member_id = $2
  AND id <> $3
  AND ended_at IS NULL`

	forgetSessions = `
DELETE FROM console_sessions
WHERE id IN (SELECT id FROM console_sessions WHERE used_at < $1 ORDER BY used_at LIMIT $2)`

	forgetLinks = `
DELETE FROM member_links
WHERE id IN (SELECT id FROM member_links WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`

	// forgottenAtOnce is the number of sessions, and of links, that one transaction removes.
	forgottenAtOnce = 1_000
)

func (v ConsoleSessions) Open(ctx context.Context, s *member.Session, password string) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		current, err := db.First[string](ctx, t, lockMemberRow+t.Dialect.ForUpdate, s.Member, s.Account)
		if err != nil {
			return err
		}
		if current == nil || *current != password {
			return fault.Missing("member")
		}
		if _, err := t.Exec(ctx, consoleSessions.Insert(), consoleSessions.Args(*s)...); err != nil {
			return err
		}
		_, err = t.Exec(ctx, endOldest, s.Member, s.CodeDue, member.MostSessions, s.CreatedAt)
		return err
	})
}

func (v ConsoleSessions) Prove(ctx context.Context, s *member.Session) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, err := db.First[string](ctx, t, lockMemberRow+t.Dialect.ForUpdate, s.Member, s.Account); err != nil {
			return err
		}
		rows, err := t.Exec(ctx, proveSession.Text+`
  AND code_due
  AND ended_at IS NULL`, proveSession.Args(*s)...)
		if err == nil && rows == 0 {
			return fault.Missing("console_session")
		}
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, endOldest, s.Member, s.CodeDue, member.MostSessions, s.CreatedAt)
		return err
	})
}

func (v ConsoleSessions) ByHash(ctx context.Context, hash [32]byte) (*ports.SignedIn, error) {
	var (
		s     *member.Session
		m     *member.Member
		owner *account.Account
	)
	b := v.Store.Read(db.NoProject)
	b.Query(&s, selectSession, hash[:])
	b.Query(&m, members.Select()+`
WHERE id = (SELECT member_id FROM console_sessions WHERE hash = $1)`, hash[:])
	b.Query(&owner, accounts.Select()+`
WHERE id = (SELECT account_id FROM console_sessions WHERE hash = $1)`, hash[:])
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if s == nil || m == nil || owner == nil {
		return nil, fault.Missing("console_session")
	}
	return &ports.SignedIn{
		Session: s,
		Member:  m,
		Account: owner,
	}, nil
}

func (v ConsoleSessions) Used(ctx context.Context, uses map[id.ConsoleSession]time.Time) error {
	// All transactions lock rows in the same order.
	used := slices.SortedFunc(maps.Keys(uses), func(a, b id.ConsoleSession) int { return strings.Compare(a.String(), b.String()) })
	for some := range slices.Chunk(used, usesAtOnce) {
		b := v.Store.Write(db.NoProject)
		for _, s := range some {
			b.Exec(sessionUsed, s, uses[s])
		}
		if err := b.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (v ConsoleSessions) List(ctx context.Context, owner id.Account, of id.Member, idle time.Duration, at time.Time, page ports.Page) ([]*member.Session, int, error) {
	w := db.Conditions{Args: db.Args{owner, at.Add(-idle), at.Add(-member.LongestSession)}}
	w.Equal("member_id", of)
	const open = `
FROM console_sessions
WHERE account_id = $1
  AND used_at > $2
  AND created_at > $3
  AND ended_at IS NULL
  AND NOT code_due`
	return db.Page[*member.Session](ctx, v.Store.Read(db.NoProject), consoleSessions.Columns(), open, w, "created_at DESC, id DESC", page)
}

func (v ConsoleSessions) Session(ctx context.Context, owner id.Account, session id.ConsoleSession) (*member.Session, error) {
	return db.One[member.Session](ctx, v.Store.Read(db.NoProject), "console_session", consoleSessions.Select()+`
WHERE account_id = $1
  AND id = $2
  AND ended_at IS NULL`, owner, session)
}

func (v ConsoleSessions) End(ctx context.Context, owner id.Account, session id.ConsoleSession, at time.Time) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, endSession, owner, session, at)
		if err == nil && rows == 0 {
			return fault.Missing("console_session")
		}
		return err
	})
}

func (v ConsoleSessions) EndAll(ctx context.Context, owner id.Account, of id.Member, but id.ConsoleSession, at time.Time) (int, error) {
	return db.InTx(ctx, v.Store, db.NoProject, func(t *db.Tx) (int, error) {
		rows, err := t.Exec(ctx, endOtherSessions, owner, of, but, at)
		return int(rows), err
	})
}

func (v ConsoleSessions) Forget(ctx context.Context, before time.Time) (more bool, err error) {
	return db.InTx(ctx, v.Store, db.NoProject, func(t *db.Tx) (bool, error) {
		for _, statement := range []string{forgetSessions, forgetLinks} {
			rows, err := t.Exec(ctx, statement, before, forgottenAtOnce)
			if err != nil {
				return false, err
			}
			more = more || rows == forgottenAtOnce
		}
		return more, nil
	})
}
