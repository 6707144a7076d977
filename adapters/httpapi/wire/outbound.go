package wire

import (
	"context"

	"github.com/haggle-commerce/haggle/ports"
)

// Outbound returns ctx as that of code that may call third parties, for requests outside of the pipeline. The caller
// guarantees that no transaction is open.
func Outbound(ctx context.Context) ports.Outbound { return ports.NewOutbound(ctx) }
