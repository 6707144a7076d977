package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// Mailbox is a shop with a webhook.
type Mailbox struct {
	*Shop
	Hook *integration.Webhook
}

func (s *Shop) Mailbox() *Mailbox {
	return &Mailbox{s, s.Hook(&integration.Integration{
		Project: s.Project.ID,
		ID:      Random[id.Integration](),
		Type:    integration.Shopify,
	}, "orders/create")}
}

// Letter is a delivery that is not stored yet.
func (m *Mailbox) Letter(remote string, at time.Time) *integration.Delivery {
	return m.Hook.Receive(Random[id.WebhookLog](), remote, at.Add(-time.Minute), []byte("{\"é\": \x00\xff}"), at)
}

func (m *Mailbox) Keep(list ...*integration.Delivery) {
	m.T.Helper()
	m.Must(m.Inbox.Keep(m.Ctx, list))
}
