package projects

import (
	"context"
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
type Closer struct {
	Closings     ports.ProjectClosings
	Connected    ports.Integrations
	Disconnecter interface {
		Disconnect(ctx context.Context, p id.Project, of id.Integration) error
	}
	Vault ports.Vault
	Clock ports.Clock
}

const (
	// Quiet is longer than a request may run: those that found the project active have ended.
	Quiet = time.Minute

	closedAtOnce = 100 // projects in a run
	stepsAtOnce  = 200 // of a project in a run, so that no large one keeps the others waiting
)

// Run goes on with every project whose Delete was quiet ago. One that fails keeps no other waiting.
func (c *Closer) Run(ctx context.Context, quiet time.Duration) error {
	unfinished, err := c.Closings.Unfinished(ctx, quiet, closedAtOnce)
	if err != nil {
		return err
	}
	for _, p := range unfinished {
		e := fault.Survive(func() error { return c.close(ctx, p) })
		if e != nil {
			err = errors.Join(err, fmt.Errorf("closing %s: %w", p, e))
		}
	}
	return err
}

func (c *Closer) close(ctx context.Context, p id.Project) error {
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

// disconnect forgets all credentials but, with books, what payment providers sign their webhooks with: what they
// say of payments later is still believed, and booked.
func (c *Closer) disconnect(ctx context.Context, p id.Project, books bool) error {
	for page := (ports.Page{Limit: shown}); ; page.Offset += shown {
		list, _, err := c.Connected.List(ctx, p, page)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, i := range list {
			if err := c.forget(ctx, i, books); err != nil {
				return err
			}
		}
	}
}

func (c *Closer) forget(ctx context.Context, i *integration.Integration, books bool) error {
	switch {
	case i.Status == integration.Disconnected || books && i.Retired():
		return nil
	case books && i.Type.Kind() == integration.Payment:
		_, err := c.Connected.Update(ctx, i.Project, i.ID, func(i *integration.Integration) error {
			return i.Retire(c.Vault.Open, c.Vault.Seal, c.Clock.Now())
		})
		return err
	}
	return c.Disconnecter.Disconnect(ctx, i.Project, i.ID)
}
