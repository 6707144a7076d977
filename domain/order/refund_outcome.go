package order

// RefundOutcome is a provider's decision on a refund: Refunded, RefundPending or RefundFailed. An unknown outcome is an
// error.
type RefundOutcome interface{ refundOutcome() }

// Refunded means that the provider guarantees the refund.
type Refunded struct{ Provider string } // the provider's id of the refund

// RefundPending means that the provider has accepted the refund and has not decided it yet. Another request with the
// same key returns its state.
type RefundPending struct{ Provider string }

// RefundFailed means that the provider refused, and nothing was refunded. Provider is its ID of the refund, if it has
// made one, which may have failed later.
type RefundFailed struct{ Code, Provider string }

func (Refunded) refundOutcome()      {}
func (RefundPending) refundOutcome() {}
func (RefundFailed) refundOutcome()  {}
