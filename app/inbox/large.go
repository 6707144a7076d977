package inbox

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// MayBeLarge reports whether a call to a webhook may have a large body: the webhook is a connected platform's that signs its
// calls, and the call has a signature. Whether it is right can be told only once the body is there.
func (r *Receiver) MayBeLarge(ctx context.Context, webhook id.Webhook, header func(string) string) bool {
	to, err := r.called(ctx, webhook)
	if err != nil || to.integration.Status == integration.Disconnected {
		return false
	}
	platform, calls := r.Platforms[to.webhook.Type.String()]
	return calls && platform.SignatureHeader() != "" && header(platform.SignatureHeader()) != ""
}
