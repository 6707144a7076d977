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

// Closer completes Delete in the background: it disconnects the project's integrations and removes or erases its rows, a limited
// number at a time. After a crash it continues where it stopped. A closed project's payment providers stay connected as long as
// its money can still move.
type Closer struct {
	Closings     ports.ProjectClosings
	Connected    ports.Integrations
	Disconnecter interface {
		Disconnect(ctx ports.Outbound, p id.Project, of id.Integration) error
	}
}

const (
	// Quiet is longer than a request may take, so that requests that found the project active have ended.
	Quiet = time.Minute

	// CredentialsKept is how long after a project's last charge its payment credentials are kept. Until then
	// providers report disputes and late charges, and refunds are possible.
	CredentialsKept = 180 * 24 * time.Hour

	maxProjects = 100 // projects in a run
	maxSteps    = 200 // steps of a project in a run, so that a large project does not delay others
)

// Run continues every project that was deleted at least quiet ago, and disconnects the payment providers of closed projects
// whose money no longer moves. An error in one project does not stop the others.
func (c *Closer) Run(ctx ports.Outbound, quiet time.Duration) error {
	unfinished, err := c.Closings.Unfinished(ctx, quiet, maxProjects)
	if err != nil {
		return err
	}
	settled, err := c.Closings.CredentialsDue(ctx, maxProjects)
	return errors.Join(
		err,
		each(unfinished, "closing", func(p id.Project) error { return c.close(ctx, p) }),
		each(settled, "disconnecting the payment providers of", func(p id.Project) error { return c.disconnectProviders(ctx, p) }),
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

// disconnectProviders disconnects a closed project's payment providers once its credentials have expired.
func (c *Closer) disconnectProviders(ctx ports.Outbound, p id.Project) error {
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
	for range maxSteps {
		if last, err := c.Closings.Step(ctx, p); err != nil || last {
			return err
		}
	}
	return nil
}

// disconnect disconnects all integrations, but not payment providers if books is true.
func (c *Closer) disconnect(ctx ports.Outbound, p id.Project, books bool) error {
	for page := (ports.Page{Limit: maxIntegrations}); ; page.Offset += maxIntegrations {
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
