// Package bulkhead keeps requests that wait for a third party (a merchant's handler, a platform, a language model)
// from holding what other merchants' requests need. While a request waits it gives up its place in its lane, and
// the places to wait in are shared out: to merchants, and to each third party.
package bulkhead

import "context"

// Place is a request's place among those that are worked on at the same time.
type Place interface {
	// Tenant is whose request it is: a project, or an account where merchants manage theirs.
	Tenant() string
	// Leave gives the place up for a while.
	Leave()
	// Return takes a place again, without waiting: the request may hold a transaction that those with places wait
	// for.
	Return()
}

type placeKey struct{}

// WithPlace is the context of a request that has a place.
func WithPlace(ctx context.Context, p Place) context.Context {
	return context.WithValue(ctx, placeKey{}, p)
}

// Outside runs work, which waits for a third party, without the request's place. A context without a place is that of
// background work, which is bounded elsewhere.
func Outside(ctx context.Context, work func()) {
	if p, ok := ctx.Value(placeKey{}).(Place); ok {
		p.Leave()
		defer p.Return()
	}
	work()
}
