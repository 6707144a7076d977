package ucp

import (
	"context"

	"github.com/haggle-commerce/haggle/ports"
)

// The functions below register handlers that run in the protocol version that was agreed on with the agent.

func plain[I any](h *handlers, f func(*handlers, context.Context, Request, *I) (*reply, error)) func(context.Context, Request, *I) (*reply, error) {
	return func(ctx context.Context, rq Request, in *I) (*reply, error) { return f(h.as(rq), ctx, rq, in) }
}

func prepared[I any](h *handlers, f func(*handlers, ports.Outbound, Request, *I) (plan[reply], error)) func(ports.Outbound, Request, *I) (plan[reply], error) {
	return func(ctx ports.Outbound, rq Request, in *I) (plan[reply], error) { return f(h.as(rq), ctx, rq, in) }
}

func phased[I, O any](h *handlers, f func(*handlers, ports.Outbound, Request, *I) (*O, error)) func(ports.Outbound, Request, *I) (*O, error) {
	return func(ctx ports.Outbound, rq Request, in *I) (*O, error) { return f(h.as(rq), ctx, rq, in) }
}
