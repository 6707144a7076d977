package finance

import (
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	// findOrphans is completed by lists of charges, keys of refunds, and the provider's ids of refunds.
	findOrphans = purchase.SelectOrphans + `
  AND provider = $2
  AND integration_id = $3
  AND (charge IN %s OR id IN %s OR refund <> '' AND refund IN %s)`

	// findOrphanRefunds finds refunds of orphans, also those that the provider has reversed since and that another
	// refund replaced.
	findOrphanRefunds = `
SELECT DISTINCT reference
FROM ledger_transactions
WHERE project_id = $1
  AND provider = $2
  AND kind = 'orphan_refund'
  AND reference IN `
)

// orphanMovements are an orphaned charge and its refund.
func orphanMovements(o checkout.Orphan) []ports.KnownMovement {
	charge := ports.Moved{
		Route:    o.Route,
		Provider: o.Charge,
		Amount:   o.Amount,
		Began:    o.DetectedAt,
		At:       o.DetectedAt,
	}
	refund, state := charge, ports.MovementOrphan
	refund.Provider, refund.At = o.Refund, o.UpdatedAt
	if o.State == checkout.OrphanFailed {
		state = ports.MovementOwed
	}
	return []ports.KnownMovement{
		{Moved: charge, State: state},
		{
			Moved: refund,
			Key:   o.ID,
			State: state,
		},
	}
}

// withEarlierRefund adds the refund of an orphan, unless it is known.
func withEarlierRefund(known []ports.KnownMovement, route project.PaymentRoute, refund string) []ports.KnownMovement {
	if slices.ContainsFunc(known, func(k ports.KnownMovement) bool { return k.Key != "" && k.Provider == refund }) {
		return known
	}
	return append(known, ports.KnownMovement{
		Moved: ports.Moved{Route: route, Provider: refund},
		Key:   refund,
		State: ports.MovementOwed,
	})
}

// orphanNames returns the arguments that find orphans by a provider's names.
func orphanNames(in string, route project.PaymentRoute, n movementNames) (args db.Args, lists []any) {
	args = db.Args{in, route.Provider, route.Integration.String()}
	for _, names := range [][]string{n.charges, n.refundKeys, n.refunds} {
		if len(names) == 0 {
			names = []string{""}
		}
		lists = append(lists, args.List(names))
	}
	return args, lists
}
