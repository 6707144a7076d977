package syncing

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Authorizations stores requested consents.
type Authorizations struct{ Store *db.DB }

var _ ports.Authorizations = Authorizations{}

var (
	authorizations      = db.NewTable[integration.Authorization]("authorizations", db.Columns{"UsedAt": ",null"})
	updateAuthorization = authorizations.Update([]string{"state"}, "store", "callback", "used_at")
)

func (v Authorizations) Begin(ctx context.Context, a *integration.Authorization) error {
	return v.Store.Exec(ctx, a.Project, authorizations.Insert(), authorizations.Args(*a)...)
}

// Change looks in all projects, because the domain checks whether a state is another project's.
func (v Authorizations) Change(ctx context.Context, state string,
	change func(*integration.Authorization) error) (*integration.Authorization, error) {
	return db.InTx(ctx, v.Store.OutsideRequest(), db.AnyProject, func(t *db.Tx) (*integration.Authorization, error) {
		a, err := db.First[integration.Authorization](ctx, t, authorizations.Select()+"\nWHERE state = $1"+t.Dialect.ForUpdate, state)
		switch {
		case err != nil:
			return nil, err
		case a == nil:
			return nil, integration.ErrState
		}
		if err := change(a); err != nil {
			return nil, err
		}
		_, err = t.Exec(ctx, updateAuthorization.Text, updateAuthorization.Args(*a)...)
		return a, err
	})
}

func (v Authorizations) Forget(ctx context.Context, before time.Time) error {
	return v.Store.Exec(ctx, db.AnyProject, "DELETE FROM authorizations\nWHERE created_at < $1", before)
}
