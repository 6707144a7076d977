package connecting

import (
	"context"
	"errors"
	"log/slog"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Standing keeps how integrations stand with their platforms, and announces it when one is refused.
type Standing struct {
	Unit    ports.SyncUnit
	Clock   ports.Clock
	Entropy ports.Entropy
	Log     *slog.Logger
}

// Note keeps the integration's status by whether its platform took the credentials with which it was asked
// last. Any answer but a refusal of them says so; an error that is no refusal says nothing.
func (s Standing) Note(ctx context.Context, i *integration.Integration, answer error) {
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
				return errAsItWas
			}
			return nil
		})
		return err
	})
	switch {
	case errors.Is(err, errAsItWas):
	case err != nil:
		s.Log.WarnContext(ctx, "the status of an integration is not up to date", "integration", i.ID.String(), "error", err)
	case refused:
		s.Log.WarnContext(ctx, "a platform refuses an integration's credentials", "integration", i.ID.String(), "platform", i.Type.String())
	}
}

// fail notes a refusal, in the platform's words if it has any, and announces it once.
func (s Standing) fail(ctx context.Context, stores ports.SyncStores, with *integration.Integration, refusal error) error {
	why := with.Type.Label() + " refused the credentials."
	if with.Type.OAuth() {
		why = with.Type.Label() + " does not accept the connection any more. Connect again."
	}
	why = ports.WhyRefused(refusal, why)
	now := s.Clock.Now()
	failed, err := stores.Integrations.Update(ctx, with.Project, with.ID, func(i *integration.Integration) error {
		if !i.Failed(with.UpdatedAt, why, now) {
			return errAsItWas
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
