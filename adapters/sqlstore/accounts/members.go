package accounts

import (
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Members stores the members of accounts. Every change of the members of an account locks the account first.
type Members struct{ Store *db.DB }

var _ ports.Members = Members{}

var (
	members = db.NewTable[member.Member]("members", db.Columns{"Projects": ",json"})

	updateMember = members.Update([]string{"id"}, "name", "role", "projects", "password", "removed_at")
)

const (
	membersOf = `
FROM members
WHERE account_id = $1
  AND removed_at IS NULL`

	countOtherOwners = `
SELECT count(*)` + membersOf + `
  AND role = 'owner'
  AND id <> $2`

	addressTaken = `
SELECT EXISTS (SELECT 1 FROM members WHERE email = $1 AND removed_at IS NULL)`

	// Links that a removed member could still use.
	revokeLinksOf = `
UPDATE member_links
SET revoked_at = $2
WHERE member_id = $1
  AND used_at IS NULL
  AND revoked_at IS NULL`

	endSessionsOf = `
UPDATE console_sessions
SET ended_at = $2
WHERE member_id = $1
  AND ended_at IS NULL`

	removeAuthenticatorsOf = `
DELETE FROM authenticators
WHERE member_id = $1`

	removeIdentitiesOf = `
DELETE FROM member_identities
WHERE member_id = $1`

	setPassword = `
UPDATE members
SET password = $2
WHERE id = $1
  AND removed_at IS NULL`
)

func (v Members) ByEmail(ctx context.Context, email string) (*member.Member, error) {
	return db.One[member.Member](ctx, v.Store.Read(db.NoProject), "member", members.Select()+`
WHERE email = $1
  AND removed_at IS NULL`, email)
}

func (v Members) Member(ctx context.Context, owner id.Account, wanted id.Member) (*member.Member, error) {
	return db.One[member.Member](ctx, v.Store.Read(db.NoProject), "member", "SELECT "+members.Columns()+membersOf+`
  AND id = $2`, owner, wanted)
}

func (v Members) Names(ctx context.Context, owner id.Account, of []id.Member) (map[id.Member]string, error) {
	names := map[id.Member]string{}
	if len(of) == 0 {
		return names, nil
	}
	args := db.Args{owner}
	rows, err := db.All[nameRow](ctx, v.Store.Read(db.NoProject), `
SELECT id, name
FROM members
WHERE account_id = $1
  AND id IN `+args.List(db.Strings(of)), args...)
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, err
}

type nameRow struct {
	ID   id.Member
	Name string
}

// List reads all members of the account, which are few, and the domain decides which of them are within bound.
func (v Members) List(ctx context.Context, owner id.Account, bound []id.Project, page ports.Page) ([]*member.Member, int, error) {
	list, err := db.All[*member.Member](ctx, v.Store.Read(db.NoProject), "SELECT "+members.Columns()+membersOf+`
ORDER BY created_at, id`, owner)
	if err != nil {
		return nil, 0, err
	}
	list, total := within(list, bound, func(m *member.Member) []id.Project { return m.Projects }, page)
	return list, total, nil
}

// within returns a page of the items that are bound to some of the projects bound and to no others.
func within[T any](list []T, bound []id.Project, projects func(T) []id.Project, page ports.Page) ([]T, int) {
	overseer := account.Key{Projects: bound}
	list = slices.DeleteFunc(list, func(one T) bool { return !overseer.Oversees(&account.Key{Projects: projects(one)}) })
	start := min(page.Offset, len(list))
	return list[start:min(start+page.Limit, len(list))], len(list)
}

func (v Members) Update(ctx context.Context, owner id.Account, wanted id.Member, change func(*member.Member, int) error) (*member.Member, error) {
	return db.InTx(ctx, v.Store, db.NoProject, func(t *db.Tx) (*member.Member, error) {
		m, others, err := lockMember(ctx, t, owner, wanted)
		if err != nil {
			return nil, err
		}
		if err := change(m, others); err != nil {
			return nil, err
		}
		if _, err := t.Exec(ctx, updateMember.Text, updateMember.Args(*m)...); err != nil || m.RemovedAt == nil {
			return m, err
		}
		return m, revokeAccess(ctx, t, m)
	})
}

// lockMember locks the account and then the member, for whose lock signing in waits.
func lockMember(ctx context.Context, t *db.Tx, owner id.Account, wanted id.Member) (m *member.Member, otherOwners int, err error) {
	if _, err := lockAccount(ctx, t, owner); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			err = fault.Missing("member")
		}
		return nil, 0, err
	}
	m, err = db.One[member.Member](ctx, t, "member", "SELECT "+members.Columns()+membersOf+`
  AND id = $2`+t.Dialect.ForUpdate, owner, wanted)
	if err != nil {
		return nil, 0, err
	}
	_, err = t.Get(ctx, &otherOwners, countOtherOwners, owner, wanted)
	return m, otherOwners, err
}

// revokeAccess removes the sessions, links and factors of a removed member.
func revokeAccess(ctx context.Context, t *db.Tx, m *member.Member) error {
	for _, statement := range []string{revokeLinksOf, endSessionsOf} {
		if _, err := t.Exec(ctx, statement, m.ID, *m.RemovedAt); err != nil {
			return err
		}
	}
	for _, statement := range []string{removeAuthenticatorsOf, removeIdentitiesOf} {
		if _, err := t.Exec(ctx, statement, m.ID); err != nil {
			return err
		}
	}
	return nil
}

func (v Members) Join(ctx context.Context, l *member.Link, m *member.Member) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, err := lockAccount(ctx, t, l.Account); err != nil {
			return err
		}
		// The link is used first, so that one of several concurrent calls succeeds, and it refers to the member.
		if err := stillOpen(ctx, t, l.ID); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, members.Insert(), members.Args(*m)...); err != nil {
			return err
		}
		joined := *l
		joined.Member = m.ID
		return useLink(ctx, t, &joined)
	})
}

func (v Members) SetPassword(ctx context.Context, l *member.Link, password string) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, _, err := lockMember(ctx, t, l.Account, l.Member); err != nil {
			if fault.KindOf(err) == fault.NotFound {
				err = member.ErrLink
			}
			return err
		}
		if err := useLink(ctx, t, l); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, setPassword, l.Member, password); err != nil {
			return err
		}
		_, err := t.Exec(ctx, endSessionsOf, l.Member, timeOf(l.UsedAt))
		return err
	})
}

// All returns every member of the installation and every invitation that is open at a time, oldest first, with their
// accounts.
func (v Members) All(ctx context.Context, at time.Time) (all []*member.Member, invited []*member.Link, owners map[id.Account]*account.Account, err error) {
	var list []*account.Account
	b := v.Store.Read(db.NoProject)
	b.Query(&list, accounts.Select())
	b.Query(&all, members.Select()+`
WHERE removed_at IS NULL
ORDER BY created_at, id`)
	b.Query(&invited, links.Select()+`
WHERE purpose = 'join'
  AND used_at IS NULL
  AND revoked_at IS NULL
  AND expires_at > $1
ORDER BY created_at, id`, at)
	if err := b.Run(ctx); err != nil {
		return nil, nil, nil, err
	}
	owners = make(map[id.Account]*account.Account, len(list))
	for _, owner := range list {
		owners[owner.ID] = owner
	}
	return all, invited, owners, nil
}

func timeOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}
