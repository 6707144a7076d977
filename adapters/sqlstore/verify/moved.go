package verify

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// Moved is a movement of a payment provider other than the sandbox's, by our books.
type Moved struct {
	Gateway  string
	Provider string // the provider's id of it
	Currency string
	Amount   int64 // minor units
	Refund   bool
}

// UnderWay has the keys of payments and refunds whose outcome is not known yet.
type UnderWay map[string]bool

const (
	selectMovedByProviders = `
SELECT p.gateway, p.provider, p.currency, p.amount, FALSE AS refund
FROM payments AS p
WHERE p.gateway <> 'sandbox' AND p.amount > 0
UNION ALL
SELECT p.gateway, r.provider, r.currency, r.amount, TRUE
FROM refunds AS r
JOIN payments AS p ON p.project_id = r.project_id AND p.id = r.payment_id
WHERE p.gateway <> 'sandbox' AND r.status = 'succeeded'`

	selectUnderWay = `
SELECT c.id || '-' || c.attempt AS key
FROM checkouts AS c
WHERE c.status = 'processing'
UNION ALL
SELECT r.id
FROM refunds AS r
WHERE r.status = 'pending'`
)

// MovedByProviders returns the charges and refunds of providers, of all projects, and the payments and refunds under
// way.
func MovedByProviders(ctx context.Context, s *db.DB) ([]Moved, UnderWay, error) {
	var moved []Moved
	var keys []string
	b := s.Read(db.AnyProject)
	b.Query(&moved, selectMovedByProviders)
	b.Query(&keys, selectUnderWay)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	under := UnderWay{}
	for _, k := range keys {
		under[k] = true
	}
	return moved, under, nil
}
