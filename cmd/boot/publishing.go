package boot

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/eventbus"
	"github.com/haggle-commerce/haggle/adapters/httpapi/acp"
	"github.com/haggle-commerce/haggle/adapters/httpapi/ucp"
	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/adapters/notify"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

// openPublishing creates the worker that delivers events.
func (a *App) openPublishing() error {
	client := delivery.SafeClient(a.config.AllowLoopback)
	publisher := &publishing.Publisher{
		Outbox: a.store.Outbox(),
		Webhooks: delivery.Webhooks{
			Client:      client,
			UserAgent:   "Haggle/" + Version,
			SignMessage: httpsig.SignWebhook,
		},
		Orders: a.store.Orders(),
		Hooks: map[checkout.HookProtocol]ports.HookProtocol{
			checkout.ByHaggle:   acp.Hooks{},
			checkout.ByUCP:      ucp.Hooks{Version: ucp.August, Address: a.acpAddress},
			checkout.ByUCPApril: ucp.Hooks{Version: ucp.April, Address: a.acpAddress},
		},
		Signer: func(ctx context.Context, of id.Project) (signing.Private, error) {
			return a.SigningKeys.Signer(ctx, of)
		},
		Chats:   notify.Chats{Client: client},
		Vault:   a.vault,
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Log:     a.log,
	}
	if a.config.NATSURL != "" {
		var err error
		if a.bus, err = eventbus.Open(a.config.NATSURL); err != nil {
			return fmt.Errorf("HAGGLE_NATS_URL: %w", err)
		}
		publisher.Stream = a.bus
	}
	if a.config.SMTPURL != "" {
		mailer, err := notify.NewMailer(a.config.SMTPURL)
		if err != nil {
			return fmt.Errorf("HAGGLE_SMTP_URL: %w", err)
		}
		publisher.Mailer, a.mailer = mailer, mailer
	}
	a.publisher = jobs.NewWorker(publisher.Job())
	return nil
}

// checkPublishing validates the addresses of NATS and SMTP.
func (c Config) checkPublishing() error {
	if c.NATSURL != "" {
		if err := eventbus.CheckURL(c.NATSURL); err != nil {
			return fmt.Errorf("HAGGLE_NATS_URL %w", err)
		}
	}
	if c.SMTPURL != "" {
		if _, err := notify.NewMailer(c.SMTPURL); err != nil {
			return fmt.Errorf("HAGGLE_SMTP_URL: %w", err)
		}
	}
	return nil
}
