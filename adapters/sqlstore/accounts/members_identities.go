package accounts

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
)

var identities = db.NewTable[identityRow]("member_identities")

type identityRow struct {
	member.Identity
	Member    id.Member
	CreatedAt time.Time
}

const identityOf = `
SELECT subject
FROM member_identities
WHERE member_id = $1
  AND issuer = $2`

func (v Members) ByIdentity(ctx context.Context, i member.Identity) (*member.Member, error) {
	return db.One[member.Member](ctx, v.Store.Read(db.NoProject), "member", members.Select()+`
WHERE id = (SELECT member_id FROM member_identities WHERE issuer = $1 AND subject = $2)
  AND removed_at IS NULL`, i.Issuer, i.Subject)
}

func (v Members) LinkIdentity(ctx context.Context, m *member.Member, i member.Identity, at time.Time) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, _, err := lockMember(ctx, t, m.Account, m.ID); err != nil {
			return err
		}
		linked, err := db.First[string](ctx, t, identityOf, m.ID, i.Issuer)
		if err != nil {
			return err
		}
		if linked != nil {
			if *linked != i.Subject {
				return db.IdentityTaken()
			}
			return nil
		}
		_, err = t.Exec(ctx, identities.Insert(), identities.Args(identityRow{
			Identity:  i,
			Member:    m.ID,
			CreatedAt: at,
		})...)
		return err
	})
}
