// Package publishing delivers a project's events: to subscriptions by signed requests, to the installation's event bus, to the
// hooks of orders, and as alerts to people by mail and chat. It also creates and changes subscriptions. The transports are
// behind ports, and domain/event has the retry schedule.
package publishing

import (
	"context"
	"encoding/base64"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Service manages subscriptions. Callers use Subscriptions and Deliveries directly for plain reads.
type Service struct {
	*ports.Stores

	Vault     ports.Vault
	Addresses ports.Addresses
	Clock     ports.Clock
	Entropy   ports.Entropy
	Rules     event.Rules
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Subscribe makes a subscription. It returns the secret, which is shown once.
func (s *Service) Subscribe(ctx context.Context, project id.Project, d event.Draft) (*event.Subscription, string, error) {
	name := id.New[id.Subscription](s.Entropy.IDBits())
	secret, sealed := s.newSecret(name)
	made, err := event.Subscribe(name, project, d, sealed, s.Rules, s.Clock.Now())
	if err = s.refusePrivate(d.URL, err); err != nil {
		return nil, "", err
	}
	return made, secret, s.Subscriptions.Add(ctx, made)
}

// Change changes a subscription. It returns the subscription before and after the change.
func (s *Service) Change(ctx context.Context, project id.Project, of id.Subscription, c event.Change) (before, after *event.Subscription, err error) {
	address, _ := c.URL.Value()
	after, err = s.Subscriptions.Update(ctx, project, of, func(current *event.Subscription) error {
		was := *current
		before = &was
		return s.refusePrivate(address, current.Change(c, s.Rules, s.Clock.Now()))
	})
	return before, after, err
}

// Rotate replaces a subscription's secret. Requests are also signed with the old one for event.SecretOverlap.
func (s *Service) Rotate(ctx context.Context, project id.Project, of id.Subscription) (*event.Subscription, string, error) {
	secret, sealed := s.newSecret(of)
	changed, err := s.Subscriptions.Update(ctx, project, of, func(current *event.Subscription) error {
		current.Rotate(sealed, s.Clock.Now())
		return nil
	})
	return changed, secret, err
}

// Test sends a ping event to a subscription.
func (s *Service) Test(ctx context.Context, project id.Project, of id.Subscription) (*event.Delivery, error) {
	to, err := s.Subscriptions.ByID(ctx, project, of)
	if err != nil {
		return nil, err
	}
	if to.Status != event.Active {
		return nil, fault.New(fault.Conflict, "subscription_disabled", "The subscription is disabled. Set its status to active first.")
	}
	now := s.Clock.Now()
	ping := event.New(s.Entropy.IDBits(), project, now, event.Ping{Subscription: of})
	made := event.NewDelivery(id.New[id.Delivery](s.Entropy.IDBits()), project, ping.ID, event.PingType, event.To(of), now)
	return made, s.Deliveries.Announce(ctx, ping, made)
}

// newSecret returns 256 random bits in the format of Standard Webhooks, in plain text and sealed.
func (s *Service) newSecret(of id.Subscription) (text string, sealed []byte) {
	one, two := s.Entropy.Bits128(), s.Entropy.Bits128()
	text = "whsec_" + base64.StdEncoding.EncodeToString(append(one[:], two[:]...))
	return text, s.Vault.Seal([]byte(text), Purpose(of))
}

// Purpose binds a sealed secret to its subscription.
func Purpose(of id.Subscription) string { return "secret of " + of.String() }

// refusePrivate adds a field error to err if the URL leads into a private network.
func (s *Service) refusePrivate(url string, err error) error {
	if s.Addresses.LeadsInside(url) {
		return fault.AddField(err, "url", "must not lead to a private address")
	}
	return err
}
