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
	operation.Register(g, "get-platform-order", "GET "+one, "Get an order's counterpart at the e-commerce platform that its goods come from",
		wire.HandleOne(h.getPlatformOrder, toAPIPlatformOrder))
	operation.Register(g, "retry-platform-order", "POST "+one+"/retry", "Write an order to its platform again that was refused or skipped",
		wire.HandleOne(h.retryPlatformOrder, toAPIPlatformOrder), operation.Errors(409))
}

type platformOrderView struct {
	OrderID       string     `json:"order_id"`
	IntegrationID string     `json:"integration_id"`
	Status        string     `json:"status" enum:"pending,written,refused,skipped" doc:"pending: it is about to be created there. refused: the platform does not take it. skipped: it is not to be created."`
	RemoteID      *string    `json:"remote_id" doc:"The platform's id of it; null: it is not there."`
	Name          *string    `json:"name" doc:"What your staff call it at the platform." example:"#1042"`
	URL           *string    `json:"url" doc:"Where your staff look at it."`
	Problem       *string    `json:"problem" doc:"Why it is not written, or the platform not told of what happened since; null: there is no problem."`
	NextAttempt   *wire.Time `json:"next_attempt_at" doc:"When it is tried again; null: there is nothing to do, or only retry-platform-order tries again."`
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
