package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// UnresolvedPayment is a checkout with an attempt in flight whose outcome the provider did not report when asked.
type UnresolvedPayment struct {
	Checkout  *checkout.Checkout
	Age       time.Duration // of the attempt, by the database's clock
	AlertedAt time.Time     // when people were last alerted to the attempt; zero: never
}

// UnresolvedRefund is a pending refund whose outcome the provider did not report when last asked.
type UnresolvedRefund struct {
	order.Refund
	Route     project.PaymentRoute
	Age       time.Duration // by the database's clock
	AlertedAt time.Time     // when people were last alerted to it; zero: never
}

// UnresolvedAge is the age of the oldest unresolved payment or refund of a provider.
type UnresolvedAge struct {
	Refund   bool
	Provider string
	Age      time.Duration
}

// Unresolved finds payments and refunds whose outcome is unknown. Rows that cannot be read are left out: the job that
// works on them sets them aside and reports them.
type Unresolved interface {
	// UnresolvedPayments lists newest first, with the number of all that fit the filter, whose status is ignored.
	// None has an order yet.
	UnresolvedPayments(ctx context.Context, project id.Project, f PaymentFilter, page Page) ([]UnresolvedPayment, int, error)
	// UnresolvedRefunds is to refunds what UnresolvedPayments is to payments.
	UnresolvedRefunds(ctx context.Context, project id.Project, f RefundFilter, page Page) ([]UnresolvedRefund, int, error)
	// UnresolvedAges covers all projects. Its cost does not depend on the number of unresolved payments and refunds.
	UnresolvedAges(ctx context.Context) ([]UnresolvedAge, error)
}
