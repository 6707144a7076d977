// Package connecting connects projects to accounts with platforms outside, by a key or by consent, keeps their
// credentials usable, and disconnects them. It asks platforms before the first write of a request, so that no
// transaction waits for them.
package connecting

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service works on the integrations of one project at a time.
type Service struct {
	*ports.Stores

	Platforms  map[string]ports.PaymentPlatform // by type
	Hooks      map[string]ports.WebhookPlatform // by type; payment providers that call us
	Connectors map[string]ports.Connector       // by type; the others
	// Accounts opens what is connected. It writes in transactions of its own, before the request's begins.
	Accounts *Accounts
	// Waiting is where requests wait for platforms and providers; nil: it has no bounds.
	Waiting *bulkhead.Room
	// MissingApp names the variables that configure our OAuth app with a type; empty: it is configured.
	MissingApp func(integration.Type) string
	// HookAddress is where a webhook reaches us; empty: nowhere that the provider could.
	HookAddress func(integration.Type, id.Webhook) string

	// CallbackURL is where platforms send merchants back to, and StorePage where a merchant is asked for a shop first.
	CallbackURL, StorePage func() string

	Schedules ports.Schedules
	Addresses ports.Addresses
	Vault     ports.Vault
	Clock     ports.Clock
	Entropy   ports.Entropy
	Log       *slog.Logger
	Rules     integration.Rules
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// PrepareConnect asks the platform whose key it is, and registers a webhook with it. It writes nothing. The payments
// that the account serves will go through it, and an account that was disconnected keeps its integration's id.
func (s *Service) PrepareConnect(ctx ports.Outbound, p *project.Project, d integration.Draft) (*PreparedConnection, error) {
	d.Config.BaseURL = strings.TrimRight(d.Config.BaseURL, "/")
	d.Change.ScheduleProblem = s.scheduleProblem(d.Change)
	c := fault.NewCheck()
	d.Check(c, s.Rules)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := free(p, d.Type); err != nil {
		return nil, err
	}
	if s.Addresses.LeadsInside(d.Config.BaseURL) {
		return nil, fault.Field("config.base_url", "must not lead to a private address")
	}
	others, err := s.ofType(ctx, p.ID, d.Type)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(others, inUse) {
		return nil, integration.ErrExists()
	}
	config, err := s.inspect(ctx, d.Type, wanted(p.ID, d))
	if err != nil {
		return nil, err
	}
	config.BaseURL = d.Config.BaseURL
	before, settings := former(others, config), integration.Config{}
	if before != nil {
		settings = before.Config
	}
	return s.prepareNew(ctx, p.ID, d, config.Settings(settings, d.Change), before)
}

func (s *Service) make(p id.Project, before *integration.Integration, d integration.Draft, c integration.Config,
	hook integration.Hook) (*integration.Integration, error) {
	if before != nil {
		return before, before.Reconnect(d, c, hook, s.Clock.Now())
	}
	return integration.Connect(id.New[id.Integration](s.Entropy.IDBits()), p, d, c, hook, s.Clock.Now()), nil
}

// seal gives an integration credentials.
func (s *Service) seal(i *integration.Integration, c integration.Credentials) {
	i.Sealed, i.Expires = integration.Seal(i.ID, c, s.Vault.Seal), c.Expires
}

// free tells at once what the store would find out after the provider was asked.
func free(p *project.Project, t integration.Type) error {
	for _, method := range t.Methods() {
		if _, taken := p.Routes[method]; taken {
			return integration.ErrExists()
		}
	}
	return nil
}

// most is more integrations than a project ever had.
const most = 1000

// ofType are the project's integrations of a type, disconnected ones too.
func (s *Service) ofType(ctx context.Context, p id.Project, t integration.Type) ([]*integration.Integration, error) {
	list, _, err := s.Integrations.List(ctx, p, ports.Page{Limit: most})
	return slices.DeleteFunc(slices.Clone(list), func(i *integration.Integration) bool { return i.Type != t }), err
}

func inUse(i *integration.Integration) bool { return i.Status != integration.Disconnected }

// former is the disconnected integration of the same account; nil: there is none.
func former(list []*integration.Integration, c integration.Config) *integration.Integration {
	at := slices.IndexFunc(list, func(i *integration.Integration) bool {
		return i.Config.Same(c) && c.Account != "" && !inUse(i)
	})
	if at < 0 {
		return nil
	}
	return list[at]
}

// PrepareRotation asks the platform whose key another one of the same account is, from the contract's api_key and
// api_secret. Without a signing secret among them, payment webhooks are signed as before. It writes nothing.
func (s *Service) PrepareRotation(ctx ports.Outbound, p id.Project, of id.Integration, key, secret string) (*PreparedConnection, error) {
	i, err := s.Integrations.ByID(ctx, p, of)
	if err != nil {
		return nil, err
	}
	if !inUse(i) {
		return nil, integration.ErrDisconnected()
	}
	draft := integration.Draft{
		Type:        i.Type,
		Credentials: i.Type.Given(key, secret),
		Config:      i.Config,
	}
	c := fault.NewCheck()
	draft.Check(c, s.Rules)
	if err := c.Err(); err != nil {
		return nil, err
	}
	config, err := s.inspect(ctx, i.Type, wanted(p, draft))
	if err != nil {
		return nil, err
	}
	config.BaseURL = i.Config.BaseURL
	hook, signing := s.keepHook(ctx, i, draft.Credentials)
	draft.Credentials.Signing = signing
	return s.prepareReplacement(i, draft.Credentials, config, hook), nil
}

// replace gives an integration other credentials. Whoever is refreshing those before does so in vain.
func (s *Service) replace(ctx context.Context, of *integration.Integration, c integration.Credentials, config integration.Config,
	hook integration.Hook) (*integration.Integration, error) {
	sealed := integration.Seal(of.ID, c, s.Vault.Seal)
	return s.Integrations.Update(ctx, of.Project, of.ID, func(i *integration.Integration) error {
		i.Expires, i.Refreshing = c.Expires, time.Time{}
		return i.Rotate(sealed, config, hook, s.Clock.Now())
	})
}

// keepHook is the integration's webhook under new credentials, and what it is signed with. Credentials that
// can't be opened, because their master key is lost, are replaced all the same.
func (s *Service) keepHook(ctx ports.Outbound, i *integration.Integration, given integration.Credentials) (integration.Hook, string) {
	before, err := i.Open(s.Vault.Open)
	if err == nil && before.Signing != "" && given.Signing == "" {
		return i.Hook, before.Signing
	}
	hook, signing := s.register(ctx, i.Type, given, i.Hook.ID)
	if hook.Remote == "" {
		hook.Remote = i.Hook.Remote
	}
	return hook, signing
}

// Change changes what a merchant may of an integration.
func (s *Service) Change(ctx context.Context, p id.Project, of id.Integration, c integration.Change) (before, after *integration.Integration, err error) {
	c.ScheduleProblem = s.scheduleProblem(c)
	after, err = s.Integrations.Update(ctx, p, of, func(i *integration.Integration) error {
		was := *i
		before = &was
		now := s.Clock.Now()
		if err := i.Change(c, now); err != nil {
			return err
		}
		if i.SyncDue(now) && i.NextSync.IsZero() {
			i.Schedule(func(after time.Time) time.Time { return s.Schedules.Next(i.Config.Schedule, after) }, now)
		}
		return nil
	})
	return before, after, err
}

// scheduleProblem is why a schedule cannot be followed; "": it can, or there is none.
func (s *Service) scheduleProblem(c integration.Change) string {
	schedule, _ := c.SyncSchedule.Value()
	if schedule == "" {
		return ""
	}
	return s.Schedules.Problem(schedule, integration.MinSyncInterval, s.Clock.Now())
}
