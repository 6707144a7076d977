package ports

import (
	"context"
	"errors"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// CRMDeals keeps the deals that mirror orders in a CRM: at most one of an order, beside its counterpart in PlatformOrders.
// Settling a payment stores a pending one if an integration of the project may write deals.
type CRMDeals interface {
	// CRMDeal finds an order's; nil: it has none.
	CRMDeal(ctx context.Context, project id.Project, order id.Order) (*order.CRMDeal, error)
	// ChangeCRMDeal loads an order and its deal for exclusive use, and stores the deal if change returns nil. change does no I/O
	// and may run more than once. Either is unknown: NotFound crm_deal_not_found.
	ChangeCRMDeal(ctx context.Context, project id.Project, order id.Order,
		change func(*order.Case, *order.CRMDeal) error) (*order.CRMDeal, error)
}

// DueCRMDeals leases deals that are to be written, in groups by integration. Their DueAt is the end of the lease.
type DueCRMDeals = Queue[*order.CRMDeal]

// DealWriter is a CRM that orders can be mirrored in as deals.
type DealWriter interface {
	// WriteDeal makes an order's deal show a state. It creates the deal unless the CRM has one of the order: however often, and
	// by however many callers at once, it is called, there is one. Its errors are those of Connector, ErrDealGone and
	// DealsNotPermitted.
	WriteDeal(ctx Outbound, c Connection, d DealDraft) (WrittenDeal, error)
	// NameBuyer associates the deal, by its id, with the contact of the order's buyer. Where the CRM takes no contact the deal
	// stays without one. Doing it again changes nothing. Its errors are those of Connector.
	NameBuyer(ctx Outbound, c Connection, remote string, o *order.Order) error
}

// DealDraft is an order as a CRM is to show it.
type DealDraft struct {
	Order *order.Order
	State order.DealState
	Shop  string // the project's name
	// Live is false for an order that was paid with test money.
	Live bool
	// Remote is the CRM's id of the deal; "": it was not created yet, or nobody knows.
	Remote string
}

// WrittenDeal is a deal in a CRM.
type WrittenDeal struct {
	Remote string
	URL    string // where the merchant's staff look at it; "": nowhere
}

// DealsNotPermitted means that the account does not let us write deals any more. Reason is for the merchant.
type DealsNotPermitted struct{ Reason string }

func (d *DealsNotPermitted) Error() string { return d.Reason }

// ErrDealGone means that the deal with the id Remote was deleted in the CRM, or merged into another deal.
var ErrDealGone = errors.New("the deal is gone")
