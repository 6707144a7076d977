package inbox

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// signatureHeaders are where platforms put the signature of a call. Others sign none.
var signatureHeaders = map[integration.Type]string{
	integration.Shopify:     "X-Shopify-Hmac-Sha256",
	integration.WooCommerce: "X-WC-Webhook-Signature",
	integration.Custom:      "webhook-signature",
}

// MayBeLarge reports whether a call to a webhook may have a large body: the webhook is a connected platform's that signs its
// calls, and the call has a signature. Whether it is right can be told only once the body is there.
func (r *Receiver) MayBeLarge(ctx context.Context, webhook id.Webhook, header func(string) string) bool {
	to, err := r.called(ctx, webhook)
	if err != nil || to.integration.Status == integration.Disconnected {
		return false
	}
	signature := signatureHeaders[to.webhook.Type]
	return signature != "" && header(signature) != ""
}
