package inbox

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// MayBeLarge reports whether a call to a webhook may have a large body: the webhook belongs to a connected platform that signs
// its calls, and the call has a signature. The signature is verified later, when the body has been read.
func (r *Receiver) MayBeLarge(ctx context.Context, webhook id.Webhook, header func(string) string) bool {
	to, err := r.lookUp(ctx, webhook)
	if err != nil || to.integration.Status == integration.Disconnected {
		return false
	}
	platform, calls := r.Platforms[to.webhook.Type.String()]
	return calls && platform.SignatureHeader() != "" && header(platform.SignatureHeader()) != ""
}
