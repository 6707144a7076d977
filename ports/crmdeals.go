package ports

import (
	"context"
	"errors"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// CRMDeals stores the deals that mirror orders in a CRM: at most one for an order, in addition to its counterpart in
// PlatformOrders. Settling a payment stores a pending one if an integration of the project may write deals.
type CRMDeals interface {
	// CRMDeal returns an order's deal; nil: it has none.
	CRMDeal(ctx context.Context, project id.Project, order id.Order) (*order.CRMDeal, error)
	// ChangeCRMDeal loads an order and its deal for exclusive use, and stores the deal if change returns nil. change
	// does no I/O and may run more than once. Either is unknown: NotFound crm_deal_not_found.
	ChangeCRMDeal(ctx context.Context, project id.Project, order id.Order,
		change func(*order.Case, *order.CRMDeal) error) (*order.CRMDeal, error)
}

// DueCRMDeals leases deals that are to be written, in groups by integration. Their DueAt is the end of the lease.
type DueCRMDeals = Queue[*order.CRMDeal]

// DealWriter is a CRM that can mirror orders as deals.
type DealWriter interface {
	// WriteDeal sets the state of an order's deal. It creates the deal unless the CRM has one for the order: there is
	// one deal, even if it is called repeatedly or concurrently. Its errors are those of Connector, ErrDealGone and
	// DealsNotPermitted.
	WriteDeal(ctx Outbound, c Connection, d DealDraft) (WrittenDeal, error)
	// NameBuyer associates the deal, by its id, with the contact of the order's buyer. If the CRM accepts no contact
	// the deal stays without one. Repeating it changes nothing. Its errors are those of Connector.
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
