package order

// RefundOutcome is what a provider made of a refund: Refunded, RefundPending or RefundFailed. That
// nobody knows is no outcome but an error.
type RefundOutcome interface{ refundOutcome() }

// Refunded means the money is on its way back and the provider stands for it.
type Refunded struct{ Provider string } // the provider's id of the refund

// RefundPending means the provider has taken the refund on and has not decided yet. Asking again by the
// same key tells how it stands.
type RefundPending struct{ Provider string }

// RefundFailed means the provider refused, and nothing was given back. Provider is its id of the refund, if it has made
// one: it may have failed later.
type RefundFailed struct{ Code, Provider string }

func (Refunded) refundOutcome()      {}
func (RefundPending) refundOutcome() {}
func (RefundFailed) refundOutcome()  {}
