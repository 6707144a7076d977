package syncing

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Authorizations is the store's view of consents that were asked for.
type Authorizations struct{ Store *db.DB }

var _ ports.Authorizations = Authorizations{}

var authorizations = db.NewTable[integration.Authorization]("authorizations", db.Columns{"UsedAt": ",null"})

func (v Authorizations) Begin(ctx context.Context, a *integration.Authorization) error {
	b := v.Store.Write(a.Project)
	b.Exec(authorizations.Insert(), authorizations.Args(*a)...)
	return b.Run(ctx)
}

// Redeem looks in all projects: that a state is another one's is the domain's to say.
func (v Authorizations) Redeem(ctx context.Context, state string,
	change func(*integration.Authorization) error) (redeemed *integration.Authorization, err error) {
	err = v.Store.OutsideRequest().InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		a, err := db.First[integration.Authorization](ctx, t, authorizations.Select()+"\nWHERE state = $1"+t.Dialect.ForUpdate, state)
		switch {
		case err != nil:
			return err
		case a == nil:
			return integration.ErrState
		}
		if err := change(a); err != nil {
			return err
		}
		redeemed = a
		_, err = t.Exec(ctx, "UPDATE authorizations\nSET used_at = $2\nWHERE state = $1", state, db.MillisOrNull(a.UsedAt))
		return err
	})
	if err != nil {
		return nil, err
	}
	return redeemed, nil
}

func (v Authorizations) Forget(ctx context.Context, before time.Time) error {
	b := v.Store.Write(db.AnyProject)
	b.Exec("DELETE FROM authorizations\nWHERE created_at < $1", before)
	return b.Run(ctx)
}
