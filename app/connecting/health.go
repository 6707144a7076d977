package connecting

import (
	"context"
	"errors"
	"log/slog"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// HealthRecorder records whether platforms accept the credentials of integrations, and announces a refusal.
type HealthRecorder struct {
	Unit    ports.SyncUnit
	Clock   ports.Clock
	Entropy ports.Entropy
	Log     *slog.Logger
}

// Note updates the integration's status after a request with its credentials. A refusal of the credentials makes it failing.
// Success makes it connected again. Other errors do not change it.
func (s HealthRecorder) Note(ctx context.Context, i *integration.Integration, answer error) {
	refused := errors.Is(answer, ports.ErrCredentialsRefused)
	failing := i.Status == integration.Failing
	if answer != nil && !refused || refused == failing {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := s.Unit.InTx(ctx, i.Project, func(stores ports.SyncStores) error {
		if refused {
			return s.fail(ctx, stores, i, answer)
		}
		_, err := stores.Integrations.Update(ctx, i.Project, i.ID, func(now *integration.Integration) error {
			if !now.Recovered(s.Clock.Now()) {
				return errUnchanged
			}
			return nil
		})
		return err
	})
	switch {
	case errors.Is(err, errUnchanged):
	case err != nil:
		s.Log.WarnContext(ctx, "the status of an integration is not up to date", "integration", i.ID.String(), "error", err)
	case refused:
		s.Log.WarnContext(ctx, "a platform refuses an integration's credentials", "integration", i.ID.String(), "platform", i.Type.String())
	}
}

// fail stores a refusal, in the platform's words if it gave any, and announces it once.
func (s HealthRecorder) fail(ctx context.Context, stores ports.SyncStores, with *integration.Integration, refusal error) error {
	why := with.Type.Label() + " rejected the credentials."
	if with.Type.OAuth() {
		why = with.Type.Label() + " no longer accepts the connection. Connect again."
	}
	why = ports.WhyRefused(refusal, why)
	now := s.Clock.Now()
	failed, err := stores.Integrations.Update(ctx, with.Project, with.ID, func(i *integration.Integration) error {
		if !i.Failed(with.UpdatedAt, why, now) {
			return errUnchanged
		}
		return nil
	})
	if err != nil {
		return err
	}
	return stores.Events.Announce(ctx, event.New(s.Entropy.IDBits(), with.Project, now, event.IntegrationError{
		Integration: failed.ID,
		Platform:    failed.Type.String(),
		Name:        failed.Name,
		Error:       failed.LastError,
	}))
}
