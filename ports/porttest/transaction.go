package porttest

import (
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.Transaction = (*Transaction)(nil)

// Transaction is open until End. A service that calls a third party before End does so within the transaction.
type Transaction struct{ after []func(committed bool) }

// AfterEnd keeps f for End.
func (t *Transaction) AfterEnd(f func(committed bool)) { t.after = append(t.after, f) }

// End ends the transaction and runs what waited for that.
func (t *Transaction) End(committed bool) {
	after := t.after
	t.after = nil
	for _, f := range after {
		f(committed)
	}
}
