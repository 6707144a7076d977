package ports

import (
	"context"
	"time"
)

// Outbound is the context of code that may call third parties over the network. Code with an Outbound has no
// transaction open: the request pipeline creates one before it begins a transaction and after it has ended one, and
// background loops create one for each run. A transaction's work gets a plain context.Context, which cannot be made an
// Outbound elsewhere.
type Outbound struct{ *outbound }

// outbound is behind a pointer so that an Outbound becomes a context.Context without an allocation.
type outbound struct{ context.Context }

// NewOutbound returns ctx as that of code that may call third parties. The caller guarantees that no transaction is open.
func NewOutbound(ctx context.Context) Outbound { return Outbound{&outbound{ctx}} }

// WithTimeout is context.WithTimeout.
func (o Outbound) WithTimeout(d time.Duration) (Outbound, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(o.Context, d)
	return NewOutbound(ctx), cancel
}

// WithoutCancel is context.WithoutCancel.
func (o Outbound) WithoutCancel() Outbound { return NewOutbound(context.WithoutCancel(o.Context)) }

// WithValue is context.WithValue.
func (o Outbound) WithValue(key, value any) Outbound {
	return NewOutbound(context.WithValue(o.Context, key, value))
}
