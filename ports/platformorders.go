package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// PlatformOrders keeps the counterparts of orders at e-commerce platforms: at most one of an order. Settling a payment
// stores a pending one if an integration of the project writes orders.
type PlatformOrders interface {
	// PlatformOrder returns an order's counterpart; nil: it has none.
	PlatformOrder(ctx context.Context, project id.Project, order id.Order) (*order.PlatformOrder, error)
	// ChangePlatformOrder loads an order and its counterpart for exclusive use, and stores the counterpart if change
	// returns nil. change does no I/O and may run more than once. Either is unknown: NotFound platform_order_not_found.
	ChangePlatformOrder(ctx context.Context, project id.Project, order id.Order,
		change func(*order.Case, *order.PlatformOrder) error) (*order.PlatformOrder, error)
}

// DuePlatformOrders leases platform orders with work due, in groups by integration. Their DueAt is the end of the
// lease.
type DuePlatformOrders = Queue[*order.PlatformOrder]

// OrderWriter is a platform that orders can be written to. Its errors are those of Connector, and SoldOut.
type OrderWriter interface {
	// RepeatAfter is how long the platform may still carry out a request of WriteOrder, or of UpdateOrder with a refund,
	// whose answer was lost. They are not called again before. 0: the platform recognizes a request that it has carried
	// out.
	RepeatAfter() time.Duration
	// FindOrder finds the platform's counterpart of an order of ours; nil: there is none. It sees every order that
	// WriteOrder has created.
	FindOrder(ctx Outbound, c Connection, d OrderDraft) (*WrittenOrder, error)
	// WriteOrder creates an order, or finishes an unfinished one. The platform takes the goods from its own stock. One that
	// exists already is returned.
	WriteOrder(ctx Outbound, c Connection, d OrderDraft) (WrittenOrder, error)
	// ReadOrder reads the state of an order that WriteOrder has created. Amounts are in the order's currency.
	ReadOrder(ctx Outbound, c Connection, remote string, currency money.Currency) (order.PlatformState, error)
	// ReadLevels reads the stock of items as it is now, as records of syncrun.Inventory. Items that the platform does
	// not count have none.
	ReadLevels(ctx Outbound, c Connection, items []string) ([]syncrun.Record, error)
	// UpdateOrder reports a change of an order to the platform that has it. Reporting it again changes nothing. restocked
	// reports whether the platform put the goods back into its own stock.
	UpdateOrder(ctx Outbound, c Connection, remote string, d OrderDraft, step order.PlatformStep) (restocked bool, err error)
}

// OrderDraft is an order as a platform is to keep it.
type OrderDraft struct {
	Order *order.Order
	// Items are, line by line, the platform's ids of the stock of the line's variant. "": the goods are not the
	// platform's, and the line only has a title and a price.
	Items []string
	// Live is false for an order that was paid with test money.
	Live bool
	// Asked is the time when WriteOrder was last called without an answer; zero: it was not.
	Asked time.Time
	// Unfinished is the platform's id of an order that was found unfinished, now or by an attempt before; "": none is known.
	Unfinished string
}

// WrittenOrder is an order at a platform.
type WrittenOrder struct {
	Remote string
	Name   string // what the merchant's staff call it
	URL    string // where they look at it; "": nowhere
	// Counted are the items whose stock the platform has counted down for it.
	Counted []string
	// Unfinished means that an earlier WriteOrder was cut off: the order is not paid there, and WriteOrder finishes it.
	Unfinished bool
	// WrongTotal is the order's total there if it differs from ours; "": it does not. Orders are written with our
	// total, but may be changed there.
	WrongTotal string
}

// SoldOut is a platform's refusal of an order for which it has too little stock. Reason is for the merchant.
type SoldOut struct{ Reason string }

func (s *SoldOut) Error() string { return s.Reason }
