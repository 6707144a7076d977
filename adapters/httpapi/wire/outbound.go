package wire

import (
	"context"

	"github.com/haggle-commerce/haggle/ports"
)

// Outbound returns ctx as that of code that may call third parties. A handler may call it only before the first write
// of its request, or after the request's transaction has ended.
func Outbound(ctx context.Context) ports.Outbound { return ports.NewOutbound(ctx) }
