package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
	_ "time/tzdata" // projects name IANA time zones, also where the system knows none

	"github.com/haggle-commerce/haggle/adapters/payments/sandbox"
	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/ports"
)

// Version of the program.
const Version = "0.1.0"

// App is a server with all of its parts. New makes it, Run serves until its context ends, Close frees
// what it holds.
type App struct {
	Access   *access.Service
	Projects *projects.Service
	Catalogs *catalogs.Service

	config     Config
	env        account.Environment
	log        *slog.Logger
	clock      system.Clock
	index      *search.Index
	store      *sqlstore.Store
	storefront ports.Storefronts
	discovery  *discovery.Service
	haggling   *haggling.Service
	purchase   *purchase.Service
	aftersales *aftersales.Service
	api, ops   net.Listener
}

// New opens the database, brings its schema up to date, and puts the parts together. With listeners
// it also takes the addresses, so that URL is known before Run.
func New(ctx context.Context, c Config, log *slog.Logger) (*App, error) {
	a, err := NewTools(ctx, c, log)
	if err != nil {
		return nil, err
	}
	if a.api, err = net.Listen("tcp", c.Addr); err == nil {
		a.ops, err = net.Listen("tcp", c.OpsAddr)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot listen: %w", err), a.Close())
	}
	if c.BootstrapKey != "" {
		if err := a.Access.Bootstrap(ctx, c.BootstrapKey); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

// NewTools is New without listeners: for commands that work on the database and serve nobody.
func NewTools(ctx context.Context, c Config, log *slog.Logger) (*App, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, sqlstore.Config{URL: c.DatabaseURL})
	if err != nil {
		return nil, fmt.Errorf("cannot open the database: %w", err)
	}
	if err := store.Migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot migrate the database: %w", err), store.Close())
	}
	a := &App{config: c, log: log, store: store, storefront: store.Storefronts()}
	a.env, _ = account.ParseEnvironment(c.Env)
	a.assemble()
	return a, nil
}

func (a *App) assemble() {
	a.index = search.New()
	clock, entropy, index := a.clock, system.Entropy{}, a.index
	agent := agents.Builtin{Index: index}
	st := a.store
	a.Access = &access.Service{Accounts: st.Accounts(), Clock: clock, Entropy: entropy, Environment: a.env}
	a.Projects = &projects.Service{
		Projects: st.Projects(), Statistics: st.Projects(), Clock: clock, Entropy: entropy,
		Resolver: system.Resolver{AllowLoopback: a.config.AllowLoopback},
	}
	a.Catalogs = &catalogs.Service{
		Products: st.Products(), Bulk: st.Catalog(), Reader: st.Catalog(), Inventory: st.Inventory(),
		Index: index, Clock: clock, Entropy: entropy,
	}
	a.discovery = &discovery.Service{
		Agent: agent, Index: index, Catalog: st.Catalog(), Inventory: st.Inventory(), Sessions: st.Sessions(),
		Haggling: st.Haggling(), Clock: clock, Entropy: entropy,
	}
	a.haggling = &haggling.Service{
		Agent: agent, Store: st.Haggling(), Index: index, Clock: clock, Entropy: entropy, Log: a.log, Fresh: a.discovery.Fresh,
	}
	a.purchase = &purchase.Service{
		Agent: agent, Storefronts: st.Storefronts(), Checkouts: st.Checkouts(), Orders: st.Orders(), Sessions: st.Sessions(), Haggling: st.Haggling(),
		Catalog: st.Catalog(), Clock: clock, Entropy: entropy, Log: a.log,
		Gateway: sandbox.Gateway{Ledger: st.SandboxLedger(), Clock: clock, Entropy: entropy},
	}
	a.aftersales = &aftersales.Service{Orders: st.Orders(), Clock: clock, Entropy: entropy}
}

// URL is where clients reach the API.
func (a *App) URL() string {
	if a.config.PublicURL != "" {
		return strings.TrimSuffix(a.config.PublicURL, "/")
	}
	return "http://" + a.api.Addr().String()
}

// OpsURL is where /livez and /readyz are.
func (a *App) OpsURL() string { return "http://" + a.ops.Addr().String() }

// methods are the payment methods that can be paid with: the sandbox provider's in the sandbox; in
// production those of connected providers, of which there are none yet.
func (a *App) methods() []string {
	if a.env == account.Sandbox {
		return []string{"psp_spt", "wallet_ba"}
	}
	return nil
}

// drain is how long a stopping server waits for requests in flight (decisions 1).
const drain = 30 * time.Second

// Run serves until ctx ends, then stops accepting, finishes what is in flight, and returns.
func (a *App) Run(ctx context.Context) error {
	servers := []*http.Server{server(a.handler()), server(a.opsHandler())}
	failed := make(chan error, len(servers))
	for i, listener := range []net.Listener{a.api, a.ops} {
		go func() {
			if err := servers[i].Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.reconcile(work)
	}()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	err = errors.Join(err, shutDown(ctx, servers))
	stop()
	<-done
	return err
}

func shutDown(ctx context.Context, servers []*http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	var err error
	for _, s := range servers {
		err = errors.Join(err, s.Shutdown(ctx))
	}
	return err
}

// maxHeader is what bounds headers at 16 KiB: net/http reads 4 KiB more than it is told.
const maxHeader = 12 << 10

// server has the limits of design 5.
func server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: maxHeader,
	}
}

// Close frees the listeners and the database.
func (a *App) Close() error {
	err := a.store.Close()
	for _, l := range []net.Listener{a.api, a.ops} {
		if l == nil {
			continue
		}
		if e := l.Close(); !errors.Is(e, net.ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}
