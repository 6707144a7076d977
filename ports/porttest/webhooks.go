package porttest

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// Hook is a webhook that is not stored yet.
func (s *Shop) Hook(i *integration.Integration, topic string) *integration.Webhook {
	return &integration.Webhook{
		ID:          Random[id.Webhook](),
		Project:     i.Project,
		Integration: i.ID,
		Type:        i.Type,
		Topic:       topic,
		Actions:     []integration.Action{integration.SyncOrders, integration.SyncProducts},
		Remote:      "gid://shopify/Webhook/1",
		Signing:     []byte("sealed \x00\xff"),
		Status:      integration.WebhookFailed,
		CreatedAt:   Noon,
	}
}
