package buyer

import (
	"context"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// Shop is what a buyer can do under every protocol. Its types are those of Haggle's own protocol, whose client is a Shop;
// a client of another protocol converts them. Options only have an effect under Haggle's own protocol.
type Shop interface {
	Search(ctx context.Context, request acp.SearchRequest, options ...acp.Option) (acp.SearchResponse, error)
	Product(ctx context.Context, request acp.ProductRequest, options ...acp.Option) (acp.Product, error)
	Quote(ctx context.Context, request acp.QuoteRequest, options ...acp.Option) (acp.Quote, error)
	InitCheckout(ctx context.Context, request acp.InitRequest, options ...acp.Option) (acp.Checkout, error)
	Finalize(ctx context.Context, request acp.FinalizeRequest, options ...acp.Option) (acp.Finalized, error)
	Order(ctx context.Context, id string, options ...acp.Option) (acp.OrderRecord, error)
	Transcript() *exchange.Transcript
}

// FullShop is a Shop of Haggle's own protocol, which can do more. Steps that need it fail with errors.ErrUnsupported
// under other protocols.
type FullShop interface {
	Shop
	Manifest(ctx context.Context, options ...acp.Option) (acp.Manifest, error)
	Availability(ctx context.Context, request acp.AvailabilityRequest, options ...acp.Option) (acp.Availability, error)
	Session(ctx context.Context, id string, options ...acp.Option) (acp.Session, error)
	ExtendSession(ctx context.Context, request acp.Extension, options ...acp.Option) (acp.Extended, error)
	CancelOrder(ctx context.Context, request acp.Cancellation, options ...acp.Option) (acp.OrderRecord, error)
	CreateReturn(ctx context.Context, request acp.ReturnRequest, options ...acp.Option) (acp.Return, error)
}

var _ FullShop = (*acp.Client)(nil)
