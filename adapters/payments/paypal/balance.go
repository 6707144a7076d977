package paypal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.BalanceReader = (*Provider)(nil)

// Groups of transaction event codes. Source: developer.paypal.com/docs/transaction-search/transaction-event-codes,
// read November 2026.
var (
	fees      = []string{"T01"}        // non-payment-related fees
	transfers = []string{"T04", "T17"} // to a bank account, or to another institution
	// holds change the available part of a balance, not the balance: authorizations, holds and their release.
	holds = []string{"T13", "T15", "T21", "T1105", "T1110", "T1111"}
)

func (t transaction) in(groups []string) bool {
	return slices.ContainsFunc(groups, func(g string) bool { return strings.HasPrefix(t.Event, g) })
}

// BalanceChanges reads all other changes of the balance, such as fees and withdrawals, from PayPal's report of transactions.
// It leaves out unknown currencies.
func (p *Provider) BalanceChanges(
	ctx ports.Outbound, a ports.PaymentAccount, s ports.StatementRequest, each func(ports.BalanceChange) error,
) error {
	_, err := p.transactions(ctx, a, s.From, s.To, func(t transaction) error {
		if t.Status != "S" && !t.isCharge() || t.in(holds) {
			return nil
		}
		at, err := time.Parse(dateForm, t.Began)
		if err != nil {
			return fmt.Errorf("paypal: transaction %s has no time", t.ID)
		}
		if at = at.UTC(); at.Before(s.From) || !at.Before(s.To) {
			return nil
		}
		for _, c := range t.changes(at) {
			if err := each(c); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// changes returns a transaction's amount and its fee, except the amounts that Statement returns.
func (t transaction) changes(at time.Time) (all []ports.BalanceChange) {
	add := func(kind ports.BalanceKind, value amount, charge string) {
		if read, err := value.read(); err == nil && !read.IsZero() {
			all = append(all, ports.BalanceChange{
				Kind:     kind,
				Provider: t.ID,
				Charge:   charge,
				Amount:   read,
				At:       at,
			})
		}
	}
	switch {
	case t.isCharge():
		add(ports.BalanceFee, t.Fee, t.ID)
		return all
	case t.in(fees):
		add(ports.BalanceFee, t.Amount, t.Reference)
		return all
	case t.isRefund():
	case t.in(transfers):
		add(ports.BalancePayout, t.Amount, "")
	default:
		add(ports.BalanceOther, t.Amount, t.Reference)
	}
	add(ports.BalanceFee, t.Fee, t.Reference)
	return all
}
