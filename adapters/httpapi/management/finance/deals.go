package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
)

func (h *handlers) registerCRMDeals() {
	const one = "/v1/orders/{order_id}/crm-deal"
	g := h.Group("Orders", "finance", operation.HeaderProject)
	operation.Register(g, "get-crm-deal", "GET "+one, "Get the CRM deal of an order",
		wire.HandleOne(h.getCRMDeal, toAPICRMDeal))
	operation.Register(g, "retry-crm-deal", "POST "+one+"/retry", "Write a rejected or deleted CRM deal of an order again",
		wire.HandleOne(h.retryCRMDeal, toAPICRMDeal), operation.Errors(409))
}

type crmDealView struct {
	OrderID       string     `json:"order_id"`
	IntegrationID string     `json:"integration_id"`
	Status        string     `json:"status" enum:"pending,written,refused" doc:"pending: it is about to be created. refused: the CRM rejected it, or it was deleted there."`
	RemoteID      *string    `json:"remote_id" doc:"The CRM's id of the deal. Null: it does not exist there."`
	URL           *string    `json:"url" doc:"The address of the deal for your team."`
	Problem       *string    `json:"problem" doc:"The reason why it is missing or not up to date. Null: no problem."`
	NextAttempt   *wire.Time `json:"next_attempt_at" doc:"When it is written next; a written deal is written once more if a request got no response. Null: nothing to write, or it waits for the integration or for retry-crm-deal."`
	UpdatedAt     wire.Time  `json:"updated_at"`
}

func toAPICRMDeal(d *order.CRMDeal) crmDealView {
	return crmDealView{
		OrderID:       d.Order.String(),
		IntegrationID: d.Integration.String(),
		Status:        d.Status.String(),
		RemoteID:      wire.ToOptional(d.Remote),
		URL:           wire.ToOptional(d.URL),
		Problem:       wire.ToOptional(d.Problem),
		NextAttempt:   wire.ToKnownTime(d.DueAt),
		UpdatedAt:     wire.ToTime(d.UpdatedAt),
	}
}

func (h *handlers) getCRMDeal(ctx context.Context, rq operation.Request, in *OnOrder) (*order.CRMDeal, error) {
	d, err := rq.Stores.Deals.CRMDeal(ctx, rq.Caller.Project.ID, in.Order.ID)
	if err == nil && d == nil {
		err = fault.Missing("crm_deal")
	}
	return d, err
}

func (h *handlers) retryCRMDeal(ctx context.Context, rq operation.Request, in *OnOrder) (*order.CRMDeal, error) {
	now := h.Clock.Now()
	return rq.Stores.Deals.ChangeCRMDeal(ctx, rq.Caller.Project.ID, in.Order.ID, func(c *order.Case, d *order.CRMDeal) error {
		return d.Retry(c, now)
	})
}
