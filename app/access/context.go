package access

import "context"

type callerKey struct{}

// With has an adapter that has authenticated a caller call another one in the same process, which then needs no secret.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From is the caller that an adapter in this process has authenticated, if one has.
func From(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}
