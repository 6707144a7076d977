package finance

import (
	"errors"

	"github.com/haggle-commerce/haggle/ports"
)

const (
	// mostDisputes is how many open disputes one round asks about, and disputeTime how long it may take.
	mostDisputes = 20
	disputeTime  = stepTime / 5
)

// disputes asks how disputes stand that opened too long ago for the balance report. A dispute takes weeks, and one that is
// lost moves no money: only a webhook tells, and it may be lost.
func (r *Reconciler) disputes(ctx ports.Outbound, c *ports.Reconciliation) error {
	ctx, cancel := ctx.WithTimeout(disputeTime)
	defer cancel()
	open, err := r.Reconciliations.OpenDisputes(ctx, c, c.Now.Add(-overlap), mostDisputes)
	if err != nil {
		return err
	}
	for _, dispute := range open {
		news, problem := r.Balances.Dispute(ctx, c.Project, c.Route, dispute)
		if problem == nil && news.Dispute != nil {
			r.report(ctx, c, []ports.PaymentNews{news})
		}
		err = errors.Join(err, problem)
	}
	return err
}
