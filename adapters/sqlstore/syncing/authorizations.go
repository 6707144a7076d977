package syncing

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Authorizations is the store's view of consents that were asked for.
type Authorizations struct{ store *db.DB }

var _ ports.Authorizations = Authorizations{}

// NewAuthorizations returns a view that keeps consents until they are redeemed.
func NewAuthorizations(s *db.DB) Authorizations { return Authorizations{s} }

const (
	insertAuthorization = `
INSERT INTO authorizations (state, project_id, account_id, type, redirect_uri, store, verifier, created_at, used_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

	selectAuthorization = `
SELECT state, project_id, account_id, type, redirect_uri, store, verifier, created_at, used_at
FROM authorizations
WHERE state = $1`

	redeemAuthorization = `
UPDATE authorizations
SET used_at = $2
WHERE state = $1`

	forgetAuthorizations = `
DELETE FROM authorizations
WHERE created_at < $1`
)

type authorizationRow struct {
	State       string
	ProjectID   string `db:"project_id"`
	AccountID   string `db:"account_id"`
	Type        string
	RedirectURI string `db:"redirect_uri"`
	Store       string
	Verifier    []byte
	CreatedAt   int64  `db:"created_at"`
	UsedAt      *int64 `db:"used_at"`
}

func fromAuthorizationRow(r authorizationRow) (*integration.Authorization, error) {
	kind, err := integration.ParseType(r.Type)
	if err != nil {
		return nil, db.Unreadable("authorization", err)
	}
	return &integration.Authorization{
		State: r.State, Account: id.Stored[id.Account](r.AccountID), Project: id.Stored[id.Project](r.ProjectID), Type: kind,
		RedirectURI: r.RedirectURI, Store: r.Store, Verifier: r.Verifier,
		CreatedAt: db.Time(r.CreatedAt), UsedAt: fromKnownMillis(r.UsedAt),
	}, nil
}

func (v Authorizations) Begin(ctx context.Context, a *integration.Authorization) error {
	b := v.store.Write(a.Project)
	b.Exec(insertAuthorization, a.State, a.Project.String(), a.Account.String(), a.Type.String(), a.RedirectURI, a.Store,
		db.OrNull(a.Verifier), db.Millis(a.CreatedAt), toKnownMillis(a.UsedAt))
	return b.Run(ctx)
}

// Redeem looks in all projects: that a state is another one's is the domain's to say.
func (v Authorizations) Redeem(ctx context.Context, state string,
	change func(*integration.Authorization) error) (redeemed *integration.Authorization, err error) {
	err = v.store.OutsideRequest().InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		var row authorizationRow
		found, err := t.Get(ctx, &row, selectAuthorization+t.Dialect.ForUpdate, state)
		switch {
		case err != nil:
			return err
		case !found:
			return integration.ErrState
		}
		a, err := fromAuthorizationRow(row)
		if err != nil {
			return err
		}
		if err := change(a); err != nil {
			return err
		}
		redeemed = a
		_, err = t.Exec(ctx, redeemAuthorization, state, toKnownMillis(a.UsedAt))
		return err
	})
	if err != nil {
		return nil, err
	}
	return redeemed, nil
}

func (v Authorizations) Forget(ctx context.Context, before time.Time) error {
	b := v.store.Write(db.AnyProject)
	b.Exec(forgetAuthorizations, db.Millis(before))
	return b.Run(ctx)
}
