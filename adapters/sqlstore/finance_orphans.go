package sqlstore

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// findOrphans is completed by lists of charges, keys of refunds, and the provider's ids of refunds. An orphan that
// could not be refunded explains nothing: a person has to see to it.
const findOrphans = selectOrphans + `
  AND provider = $2
  AND integration_id = $3
  AND status <> 'failed'
  AND (charge IN %s OR id IN %s OR refund <> '' AND refund IN %s)`

// orphanMovements are an orphaned charge and its refund.
func orphanMovements(o checkout.Orphan) []ports.KnownMovement {
	charge := ports.Moved{
		Route:    o.Route,
		Provider: o.Charge,
		Amount:   o.Amount,
		Began:    o.DetectedAt,
		At:       o.DetectedAt,
	}
	refund := charge
	refund.Provider, refund.At = o.Refund, o.UpdatedAt
	return []ports.KnownMovement{
		{Moved: charge, State: ports.MovementOrphan},
		{Moved: refund, Key: o.ID, State: ports.MovementOrphan},
	}
}

// orphanNames are the arguments that find orphans by what a provider names.
func orphanNames(in string, route project.PaymentRoute, n movementNames) (args arguments, lists []any) {
	args = arguments{in, route.Provider, route.Integration.String()}
	for _, names := range [][]string{n.charges, n.refundKeys, n.refunds} {
		if len(names) == 0 {
			names = []string{""}
		}
		lists = append(lists, args.list(names))
	}
	return args, lists
}
