package finance

import (
	"errors"

	"github.com/haggle-commerce/haggle/ports"
)

const (
	// maxDisputes is how many open disputes one round looks up, and disputeTime how long that may take.
	maxDisputes = 20
	disputeTime = stepTime / 5
)

// lookUpDisputes reads the state of open disputes that are too old for the balance report. A dispute takes weeks. Losing one
// changes no balance, so only a webhook reports it, which may be lost.
func (r *Reconciler) lookUpDisputes(ctx ports.Outbound, c *ports.Reconciliation) error {
	ctx, cancel := ctx.WithTimeout(disputeTime)
	defer cancel()
	open, err := r.Reconciliations.OpenDisputes(ctx, c, c.Now.Add(-overlap), maxDisputes)
	if err != nil {
		return err
	}
	for _, dispute := range open {
		news, problem := r.Balances.Dispute(ctx, c.Project, c.Route, dispute)
		if problem == nil && news.Dispute != nil {
			r.report(ctx, c, []ports.PaymentEvent{news})
		}
		err = errors.Join(err, problem)
	}
	return err
}
