package sandbox

import (
	"fmt"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// page is the number of movements that are read with one query.
const page = 500

var tooLarge = order.RefundFailed{Code: "amount_too_large"}

// Refund refunds at once, or refuses.
func (p Provider) Refund(ctx ports.Outbound, _ ports.PaymentAccount, r ports.RefundRequest) (order.RefundOutcome, error) {
	if !r.Amount.IsPositive() {
		return order.RefundFailed{Code: "amount_too_small"}, nil
	}
	stored, ok, err := p.Ledger.Refund(ctx, r.Project, ports.SandboxRefund{
		Key:    r.Key,
		ID:     "re_sandbox_" + p.Entropy.Secret(10),
		Charge: r.Charge,
		Amount: r.Amount,
		At:     p.Clock.Now(),
	})
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return tooLarge, nil
	case stored.Charge != r.Charge || stored.Amount != r.Amount:
		return nil, fmt.Errorf("sandbox: key %s was used for another refund", r.Key)
	}
	return order.Refunded{Provider: stored.ID}, nil
}

// Statement returns the movements in the ledger.
func (p Provider) Statement(
	ctx ports.Outbound, _ ports.PaymentAccount, s ports.StatementRequest, each func(ports.Movement) error,
) error {
	after := ""
	for {
		movements, err := p.Ledger.Movements(ctx, s.Project, s.From, s.To, after, page)
		if err != nil {
			return err
		}
		for _, m := range movements {
			if err := each(m); err != nil {
				return err
			}
			after = m.Key
		}
		if len(movements) < page {
			return nil
		}
	}
}
