package accounts

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

var links = db.NewTable[member.Link]("member_links", db.Columns{"Member": ",null", "Grant.Projects": ",json", "By": "made_by"})

const (
	openInvitations = `
FROM member_links
WHERE account_id = $1
  AND purpose = 'join'
  AND used_at IS NULL
  AND revoked_at IS NULL`

	countMembersAndInvitations = `
SELECT (SELECT count(*) FROM members WHERE account_id = $1 AND removed_at IS NULL)
  + (SELECT count(*)` + openInvitations + `
  AND expires_at > $2)`

	revokeInvitationsTo = `
UPDATE member_links
SET revoked_at = $3
WHERE account_id = $1
  AND purpose = 'join'
  AND email = $2
  AND used_at IS NULL
  AND revoked_at IS NULL`

	revokeLinksTo = `
UPDATE member_links
SET revoked_at = $3
WHERE member_id = $1
  AND purpose = $2
  AND used_at IS NULL
  AND revoked_at IS NULL`

	revokeInvitation = `
UPDATE member_links
SET revoked_at = $3
WHERE account_id = $1
  AND id = $2
  AND purpose = 'join'
  AND used_at IS NULL
  AND revoked_at IS NULL
  AND expires_at > $3`

	useOpenLink = `
UPDATE member_links
SET used_at = $2, member_id = $3
WHERE id = $1
  AND used_at IS NULL
  AND revoked_at IS NULL`

	linkOpen = `
SELECT EXISTS (SELECT 1 FROM member_links WHERE id = $1 AND used_at IS NULL AND revoked_at IS NULL)`
)

func (v Members) AddLink(ctx context.Context, l *member.Link) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		prepare := prepareInvitation
		if l.Purpose != member.Join {
			prepare = prepareLink
		}
		if err := prepare(ctx, t, l); err != nil {
			return err
		}
		_, err := t.Exec(ctx, links.Insert(), links.Args(*l)...)
		return err
	})
}

// prepareInvitation revokes invitations that a new one replaces, or refuses it.
func prepareInvitation(ctx context.Context, t *db.Tx, l *member.Link) error {
	if _, err := lockAccount(ctx, t, l.Account); err != nil {
		return err
	}
	var taken bool
	if _, err := t.Get(ctx, &taken, addressTaken, l.Email); err != nil {
		return err
	}
	if taken {
		return db.EmailTaken()
	}
	if _, err := t.Exec(ctx, revokeInvitationsTo, l.Account, l.Email, l.CreatedAt); err != nil {
		return err
	}
	var n int
	if _, err := t.Get(ctx, &n, countMembersAndInvitations, l.Account, l.CreatedAt); err != nil {
		return err
	}
	if n >= member.Most {
		return fault.New(fault.Conflict, "too_many_members", "The account has 200 members and open invitations. Remove or revoke some first.")
	}
	return nil
}

func prepareLink(ctx context.Context, t *db.Tx, l *member.Link) error {
	if _, _, err := lockMember(ctx, t, l.Account, l.Member); err != nil {
		return err
	}
	_, err := t.Exec(ctx, revokeLinksTo, l.Member, l.Purpose, l.CreatedAt)
	return err
}

func (v Members) Invitations(ctx context.Context, owner id.Account, bound []id.Project, at time.Time, page ports.Page) ([]*member.Link, int, error) {
	list, err := db.All[*member.Link](ctx, v.Store.Read(db.NoProject), "SELECT "+links.Columns()+openInvitations+`
  AND expires_at > $2
ORDER BY created_at DESC, id DESC`, owner, at)
	if err != nil {
		return nil, 0, err
	}
	list, total := within(list, bound, func(l *member.Link) []id.Project { return l.Grant.Projects }, page)
	return list, total, nil
}

func (v Members) Invitation(ctx context.Context, owner id.Account, link id.MemberLink, at time.Time) (*member.Link, error) {
	return db.One[member.Link](ctx, v.Store.Read(db.NoProject), "invitation", "SELECT "+links.Columns()+openInvitations+`
  AND expires_at > $2
  AND id = $3`, owner, at, link)
}

func (v Members) LinkByHash(ctx context.Context, hash [32]byte) (*member.Link, error) {
	l, err := db.First[member.Link](ctx, v.Store.Read(db.NoProject), links.Select()+"\nWHERE hash = $1", hash[:])
	if err == nil && l == nil {
		return nil, member.ErrLink
	}
	return l, err
}

func (v Members) Revoke(ctx context.Context, owner id.Account, link id.MemberLink, at time.Time) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, revokeInvitation, owner, link, at)
		if err == nil && rows == 0 {
			return fault.Missing("invitation")
		}
		return err
	})
}

func (v Members) Spend(ctx context.Context, l *member.Link) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error { return useLink(ctx, t, l) })
}

// stillOpen refuses a link that was used or revoked. The account is locked.
func stillOpen(ctx context.Context, t *db.Tx, link id.MemberLink) error {
	var open bool
	if _, err := t.Get(ctx, &open, linkOpen, link); err != nil {
		return err
	}
	if !open {
		return member.ErrLink
	}
	return nil
}

func useLink(ctx context.Context, t *db.Tx, l *member.Link) error {
	rows, err := t.Exec(ctx, useOpenLink, l.ID, timeOf(l.UsedAt), l.Member)
	if err == nil && rows == 0 {
		return member.ErrLink
	}
	return err
}
