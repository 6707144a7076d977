// Package bulkhead limits how many requests wait for third parties (a merchant's handler, a platform, a language model), per
// merchant and per third party. A waiting request gives up its place in its lane, so that it does not block other merchants'
// requests. The package does not limit how many requests come per second.
package bulkhead

import "context"

// Place is a request's place in a lane of limited concurrency.
type Place interface {
	// Tenant is the owner of the request: a project, or an account for requests of the management API.
	Tenant() string
	// Leave gives the place up temporarily.
	Leave()
	// Return takes a place again. It does not wait, because the request may hold a transaction that requests with
	// places wait for.
	Return()
}

type placeKey struct{}

// WithPlace returns a copy of ctx that carries the request's place.
func WithPlace(ctx context.Context, p Place) context.Context {
	return context.WithValue(ctx, placeKey{}, p)
}

// Outside gives the request's place up while work runs, because work waits for a third party. A context without a place
// belongs to background work, which is bounded elsewhere.
func Outside(ctx context.Context, work func()) {
	if p, ok := ctx.Value(placeKey{}).(Place); ok {
		p.Leave()
		defer p.Return()
	}
	work()
}
