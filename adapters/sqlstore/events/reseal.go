package events

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.Sealed[id.Subscription] = Events{}

const (
	selectSecrets = `
SELECT project_id, id, url, secret, previous
FROM event_subscriptions
ORDER BY project_id, id`

	updateSecrets = `
UPDATE event_subscriptions
SET url = $3, secret = $4, previous = $5
WHERE project_id = $1
  AND id = $2`
)

// secretsRow is a subscription's URL and secrets.
type secretsRow struct {
	ProjectID        string `db:"project_id"`
	ID, URL          string
	Secret, Previous []byte
}

func (v Events) Reseal(ctx context.Context, seal func(id.Subscription, []byte) ([]byte, error)) (n int, err error) {
	return db.Reseal(ctx, v.store, db.AnyProject, selectSecrets, updateSecrets, func(r secretsRow) (_ []any, err error) {
		if r.URL, err = v.store.Dialect.ResealAddress(r.URL, db.SubscriptionAddress(r.ID)); err != nil {
			return nil, err
		}
		for _, sealed := range []*[]byte{&r.Secret, &r.Previous} {
			if len(*sealed) == 0 {
				continue
			}
			if *sealed, err = seal(id.Stored[id.Subscription](r.ID), *sealed); err != nil {
				return nil, err
			}
		}
		return []any{r.ProjectID, r.ID, r.URL, r.Secret, r.Previous}, nil
	})
}
