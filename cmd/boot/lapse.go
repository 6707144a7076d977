package boot

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/history"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/member"
)

// Lapse is a demo server whose clock stands still until its caller moves it. It has no listeners, and does background work
// only in Work. It generates the demo's history. It must not be used concurrently.
type Lapse struct {
	Shop  DemoShop
	app   *App
	owner *member.Member
	began time.Time
}

// NewLapse opens the demo at a time on an empty SQLite database. agents are the URLs of its buyers' agent profiles.
func NewLapse(ctx context.Context, database string, at time.Time, agents []string) (*Lapse, error) {
	c := Config{
		Addr:           "127.0.0.1:8080",
		OpsAddr:        "127.0.0.1:8081",
		PublicURL:      "http://127.0.0.1:8080",
		DatabaseURL:    database,
		Env:            account.Sandbox.String(),
		MasterKey:      "of the demo's history", // fixed, so that hashes of buyers' addresses are reproducible
		ACPRate:        "off",
		EnterpriseRate: "1000000/1000000",
	}
	app, err := NewTools(ctx, c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		return nil, err
	}
	app.profiles.Known = map[string]agentid.Profile{}
	for _, profile := range agents {
		app.profiles.Known[profile] = agentid.Profile{
			URL:      profile,
			Declares: capability.Served(capability.V20260825, c.negotiation()),
		}
	}
	l := &Lapse{
		app:   app,
		began: at,
	}
	l.MoveTo(at)
	if l.Shop, err = app.Demo(ctx); err == nil {
		l.owner, err = l.findOwner(ctx)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Lapse) findOwner(ctx context.Context) (*member.Member, error) {
	of, err := l.app.Access.Owner(ctx, account.Enterprise)
	if err != nil {
		return nil, err
	}
	return l.app.People.FirstOwner(ctx, of.ID, operator, demoOwner, demoOwnerName)
}

// Handler serves both APIs.
func (l *Lapse) Handler() http.Handler { return l.app.handler() }

// MoveTo moves the clock.
func (l *Lapse) MoveTo(at time.Time) {
	l.app.store.Stand(at)
	l.app.clock.Stand(at)
}

// SignIn returns the token of a new session of the shop's owner.
func (l *Lapse) SignIn(ctx context.Context) (string, error) {
	link, err := l.app.People.SignInLink(ctx, l.owner, operator)
	if err != nil {
		return "", err
	}
	in, err := l.app.People.SignInByLink(ctx, path.Base(link.Address), people.Client{Address: l.address()})
	return in.Token, err
}

// address returns another client address each day, because sign-ins of an address are limited by the real clock.
func (l *Lapse) address() string {
	return fmt.Sprintf("198.51.100.%d", 1+l.app.clock.Now().YearDay()%254)
}

// Work does the background work that is due at the current time.
func (l *Lapse) Work(ctx context.Context) error {
	a := l.app
	for _, run := range []func(context.Context) error{
		a.Discovery.UpdateStock, a.Discovery.LearnSales, a.foldAnalytics, a.seal, a.announcing.LowStock,
		a.announcing.AbandonedCheckouts, a.announcing.LostNegotiations, a.People.Forget, a.forgetKeys, a.forgetDeclines,
		untilIdle(a.publisher), untilIdle(jobs.NewWorker(a.Purchase.Reconciliation())), untilIdle(jobs.NewWorker(a.Aftersales.Refunding())),
	} {
		if err := run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// untilIdle runs a worker until no work is due.
func untilIdle[T any](w *jobs.Worker[T]) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			if n, err := w.Once(ctx); err != nil || n == 0 {
				return err
			}
		}
	}
}

// Export writes what happened since NewLapse, in the format that Demo reads.
func (l *Lapse) Export(ctx context.Context, w io.Writer) error {
	return l.app.store.ExportHistory(ctx, history.Names{
		Project: l.Shop.Project,
		Account: l.owner.Account,
		Member:  l.owner.ID,
	}, l.began, l.app.clock.Now(), w)
}

// Close closes the database.
func (l *Lapse) Close() error { return l.app.Close() }
