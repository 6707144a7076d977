package connecting

import (
	"context"
	"errors"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// Disconnect disconnects an integration for callers outside of a transaction.
func (s *Service) Disconnect(ctx ports.Outbound, p id.Project, of id.Integration) error {
	commit, err := s.PrepareDisconnect(ctx, p, of)
	if err != nil {
		return err
	}
	return commit(ctx, s.Stores)
}

// PrepareDisconnect unregisters the integration's webhooks. If that fails, the platform keeps calling an unknown address, because
// it cannot be called again without credentials. If the bulkhead is full, it returns Unavailable overloaded. commit deletes the
// credentials, removes the payment routes of the integration, and cancels its run.
func (s *Service) PrepareDisconnect(ctx ports.Outbound, p id.Project, of id.Integration) (commit func(context.Context, *ports.Stores) error, err error) {
	i, err := s.Integrations.ByID(ctx, p, of)
	if err != nil || !inUse(i) {
		return func(context.Context, *ports.Stores) error { return nil }, err
	}
	open, err := s.InUse.Undecided(ctx, p, of)
	if err != nil {
		return nil, err
	}
	var webhooks []*integration.Webhook
	if len(i.Type.Topics()) > 0 {
		if webhooks, err = s.Webhooks.List(ctx, p, of); err != nil {
			return nil, err
		}
		if err = s.unsubscribe(ctx, i, webhooks); err != nil {
			return nil, err
		}
	}
	if c, problem := i.Open(s.Vault.Open); problem == nil && !open {
		if err = s.unregister(ctx, i.Type, c, i.Hook); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, stores *ports.Stores) error {
		return s.In(stores).storeDisconnect(ctx, i, webhooks)
	}, nil
}

// unsubscribe unregisters webhooks from their platform. Its only error is bulkhead.ErrFull.
func (s *Service) unsubscribe(ctx ports.Outbound, i *integration.Integration, webhooks []*integration.Webhook) error {
	platform, calls := s.Connectors[i.Type.String()].(ports.CalledConnector)
	if !calls || len(webhooks) == 0 {
		return nil
	}
	ctx, cancel := ctx.WithoutCancel().WithTimeout(platformTimeout)
	defer cancel()
	err := s.Waiting.Wait(ctx, i.ID.String(), func() error {
		c, err := s.Accounts.open(ctx, i)
		if err != nil {
			return err
		}
		for _, w := range webhooks {
			if w.Remote == "" {
				continue
			}
			if err := platform.Unregister(ctx, c, w.Remote); err != nil {
				s.Log.WarnContext(ctx, "a webhook is left behind at the platform", "platform", i.Type.String(), "webhook", w.Remote, "error", err)
			}
		}
		return nil
	})
	if errors.Is(err, bulkhead.ErrFull) {
		return err
	}
	if err != nil {
		s.Log.WarnContext(ctx, "webhooks are left behind at the platform", "platform", i.Type.String(), "error", err)
	}
	return nil
}

// storeDisconnect is the transaction of a disconnection. It first locks the project's row, in the same order as the pages of a run.
func (s *Service) storeDisconnect(ctx context.Context, i *integration.Integration, webhooks []*integration.Webhook) error {
	_, err := s.Integrations.Disconnect(ctx, i.Project, i.ID, func(i *integration.Integration, p *project.Project) {
		i.Unroute(p)
		i.Disconnect(s.Clock.Now())
	})
	if err != nil {
		return err
	}
	if err := s.cancelRun(ctx, i); err != nil {
		return err
	}
	for _, w := range webhooks {
		if err := s.Webhooks.Remove(ctx, i.Project, i.ID, w.ID); err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	return nil
}

// cancelRun cancels the integration's run. If there is one, it is the newest.
func (s *Service) cancelRun(ctx context.Context, i *integration.Integration) error {
	if len(i.Type.Resources()) == 0 {
		return nil
	}
	runs, _, err := s.SyncRuns.List(ctx, i.Project, i.ID, ports.Page{Limit: 1})
	if err != nil || len(runs) == 0 || runs[0].Status != syncrun.Running {
		return err
	}
	_, err = s.SyncRuns.Update(ctx, i.Project, runs[0].ID, func(r *syncrun.Run) error { return r.Cancel(s.Clock.Now()) })
	if fault.Is(err, syncrun.ErrEnded.Code) { // it has ended meanwhile
		return nil
	}
	return err
}
