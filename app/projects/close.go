package projects

import (
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Closer finishes in the background what Delete began: it disconnects what the project was connected to, and
// removes or erases what it holds, a bounded number of rows at a time. What a crash leaves undone it takes up again.
// A closed project's payment providers stay connected as long as its money can still move.
type Closer struct {
	Closings     ports.ProjectClosings
	Connected    ports.Integrations
	Disconnecter interface {
		Disconnect(ctx ports.Outbound, p id.Project, of id.Integration) error
	}
}

const (
	// Quiet is longer than a request may run: those that found the project active have ended.
	Quiet = time.Minute

	// CredentialsKept is how long after a project's last charge its payment credentials are kept. Until then
	// providers report disputes and late charges, and refunds are possible.
	CredentialsKept = 180 * 24 * time.Hour

	closedAtOnce = 100 // projects in a run
	stepsAtOnce  = 200 // of a project in a run, so that no large one keeps the others waiting
)

// Run goes on with every project whose Delete was quiet ago, and disconnects the payment providers of closed projects
// whose money came to rest. A project that fails keeps no other waiting.
func (c *Closer) Run(ctx ports.Outbound, quiet time.Duration) error {
	unfinished, err := c.Closings.Unfinished(ctx, quiet, closedAtOnce)
	if err != nil {
		return err
	}
	settled, err := c.Closings.CredentialsDue(ctx, closedAtOnce)
	return errors.Join(
		err,
		each(unfinished, "closing", func(p id.Project) error { return c.close(ctx, p) }),
		each(settled, "disconnecting the payment providers of", func(p id.Project) error { return c.retire(ctx, p) }),
	)
}

func each(projects []id.Project, doing string, do func(id.Project) error) (failed error) {
	for _, p := range projects {
		if err := fault.Survive(func() error { return do(p) }); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s %s: %w", doing, p, err))
		}
	}
	return failed
}

// retire disconnects a closed project's payment providers once its credentials have expired.
func (c *Closer) retire(ctx ports.Outbound, p id.Project) error {
	expired, err := c.Closings.ExpireCredentials(ctx, p, CredentialsKept)
	if err != nil || !expired {
		return err
	}
	if err := c.disconnect(ctx, p, false); err != nil {
		return err
	}
	return c.Closings.CredentialsErased(ctx, p)
}

func (c *Closer) close(ctx ports.Outbound, p id.Project) error {
	settled, err := c.Closings.Settle(ctx, p)
	if err != nil || !settled.Ready {
		return err
	}
	if err := c.disconnect(ctx, p, settled.Books); err != nil {
		return err
	}
	for range stepsAtOnce {
		if last, err := c.Closings.Step(ctx, p); err != nil || last {
			return err
		}
	}
	return nil
}

// disconnect forgets all credentials but, with books, those of payment providers.
func (c *Closer) disconnect(ctx ports.Outbound, p id.Project, books bool) error {
	for page := (ports.Page{Limit: shown}); ; page.Offset += shown {
		list, _, err := c.Connected.List(ctx, p, page)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, i := range list {
			if i.Status == integration.Disconnected || books && i.Type.Kind() == integration.Payment {
				continue
			}
			if err := c.Disconnecter.Disconnect(ctx, i.Project, i.ID); err != nil {
				return err
			}
		}
	}
}
