package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
)

func (h *handlers) registerPlatformOrders() {
	const one = "/v1/orders/{order_id}/platform-order"
	g := h.Group("Orders", "finance", operation.HeaderProject)
	operation.Register(g, "get-platform-order", "GET "+one, "Get an order's status at the e-commerce platform of its goods",
		wire.HandleOne(h.getPlatformOrder, toAPIPlatformOrder))
	operation.Register(g, "retry-platform-order", "POST "+one+"/retry", "Write a rejected or skipped order to its platform again",
		wire.HandleOne(h.retryPlatformOrder, toAPIPlatformOrder), operation.Errors(409))
}

type platformOrderView struct {
	OrderID       string     `json:"order_id"`
	IntegrationID string     `json:"integration_id"`
	Status        string     `json:"status" enum:"pending,written,refused,skipped" doc:"pending: it is about to be created. refused: the platform rejected it. skipped: it will not be created."`
	RemoteID      *string    `json:"remote_id" doc:"The platform's id of the order. Null: it does not exist there."`
	Name          *string    `json:"name" doc:"The order's name at the platform." example:"#1042"`
	URL           *string    `json:"url" doc:"The address of the order for your team."`
	Problem       *string    `json:"problem" doc:"The reason why it is missing, or why later changes were not written. Null: no problem."`
	NextAttempt   *wire.Time `json:"next_attempt_at" doc:"The time of the next attempt. Null: nothing to write, or only retry-platform-order tries again."`
	UpdatedAt     wire.Time  `json:"updated_at"`
}

func toAPIPlatformOrder(w *order.PlatformOrder) platformOrderView {
	return platformOrderView{
		OrderID:       w.Order.String(),
		IntegrationID: w.Integration.String(),
		Status:        w.Status.String(),
		RemoteID:      wire.ToOptional(w.Remote),
		Name:          wire.ToOptional(w.Name),
		URL:           wire.ToOptional(w.URL),
		Problem:       wire.ToOptional(w.Problem),
		NextAttempt:   wire.ToKnownTime(w.DueAt),
		UpdatedAt:     wire.ToTime(w.UpdatedAt),
	}
}

func (h *handlers) getPlatformOrder(ctx context.Context, rq operation.Request, in *OnOrder) (*order.PlatformOrder, error) {
	w, err := rq.Stores.Platform.PlatformOrder(ctx, rq.Caller.Project.ID, in.Order.ID)
	if err == nil && w == nil {
		err = fault.Missing("platform_order")
	}
	return w, err
}

func (h *handlers) retryPlatformOrder(ctx context.Context, rq operation.Request, in *OnOrder) (*order.PlatformOrder, error) {
	now := h.Clock.Now()
	return rq.Stores.Platform.ChangePlatformOrder(ctx, rq.Caller.Project.ID, in.Order.ID, func(_ *order.Case, w *order.PlatformOrder) error {
		return w.Retry(now)
	})
}
