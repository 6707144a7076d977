package boot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // projects name IANA time zones, which the system may lack

	"github.com/haggle-commerce/haggle/adapters/agentprofiles"
	"github.com/haggle-commerce/haggle/adapters/eventbus"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/keycache"
	"github.com/haggle-commerce/haggle/adapters/ratelimit"
	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/announcing"
	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/app/signingkeys"
	"github.com/haggle-commerce/haggle/cmd/version"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Version of the program.
const Version = version.Number

// About returns the program's version, schema and build in one line.
func About() (string, error) {
	schema, err := sqlstore.SchemaVersion()
	return fmt.Sprintf("haggle %s (schema %d, %s)", Version, schema, version.Build()), err
}

// App is a server with all of its parts. New creates it, Run serves until its context ends, Close frees its resources.
type App struct {
	management.UseCases // on the whole store
	haggling            *haggling.Service
	identity            *identity.Service
	answerKeys          *signingkeys.Remembered

	config     Config
	env        account.Environment
	log        *slog.Logger
	clock      *system.DatabaseClock
	clocks     *clocks
	index      *search.Index
	store      *sqlstore.Store
	storefront *projects.Storefronts
	sessions   *keycache.Sessions
	gateway    payments.Gateway
	admission  *payments.Admission
	rooms      map[string]*bulkhead.Room        // where requests wait for third parties, by kind
	suspended  map[string]func() int            // number of open circuits, by kind
	providers  map[string]ports.PaymentProvider // by integration type
	platforms  platforms
	profiles   *agentprofiles.Profiles // of agents
	embeddings embeddings
	router     *agents.Router
	selfTuner  *agents.SelfTuner
	announcing *announcing.Service
	bus        *eventbus.Bus // nil: no NATS server is configured
	publisher  *jobs.Worker[ports.Parcel]
	testBuyers ports.TestBuyers // nil outside the sandbox
	mailer     ports.Mailer     // nil: no mail server is configured
	vault      *vault.Vault
	limits     limits
	limiter    *ratelimit.Limiter
	edge       edge
	metrics    *telemetry.Metrics
	health     *telemetry.Health
	tracing    *telemetry.Tracing // nil: off
	unanalyzed sync.Once          // logs once that the login may not ANALYZE tables
	api, ops   net.Listener
}

// New opens the database, migrates its schema, creates all parts, and listens on the configured addresses, so that URL is
// known before Run.
func New(ctx context.Context, c Config, log *slog.Logger) (*App, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := c.checkServing(); err != nil {
		return nil, err
	}
	known, err := c.knownAgents()
	if err != nil {
		return nil, err
	}
	a, err := open(ctx, c, log, 0, (*App).checkLogin)
	if err != nil {
		return nil, err
	}
	a.profiles.Known = known
	if err := a.checkSecrets(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.api, err = listen("HAGGLE_ADDR", c.Addr); err == nil {
		a.ops, err = listen("HAGGLE_OPS_ADDR", c.OpsAddr)
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if c.BootstrapKey != "" {
		if err := a.Access.Bootstrap(ctx, c.BootstrapKey); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

// toolLockWait is how long a command waits for a server that writes the same SQLite file. It is longer than the server's own
// wait because no HTTP client waits for a command.
const toolLockWait = 30 * time.Second

// NewTools is New without listeners, for commands that work on the database and serve no requests.
func NewTools(ctx context.Context, c Config, log *slog.Logger) (*App, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	return open(ctx, c, log, toolLockWait, func(*App, context.Context) error { return nil })
}

// open opens the database of a valid configuration, calls check once the database answers, and then migrates the schema.
func open(ctx context.Context, c Config, log *slog.Logger, lockWait time.Duration, check func(*App, context.Context) error) (*App, error) {
	a := &App{
		config:  c,
		log:     log,
		metrics: telemetry.NewMetrics(Version),
	}
	a.env, _ = account.ParseEnvironment(c.Env)
	most, err := c.enterpriseLimits()
	if err != nil {
		return nil, err
	}
	pooler, err := c.pooler()
	if err != nil {
		return nil, err
	}
	a.tracing, err = telemetry.StartTracing(ctx, telemetry.Config{
		Version:     Version,
		Environment: c.Env,
		Log:         log,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot start tracing: %w", err)
	}
	if a.vault, err = vault.New(c.masterKeys()...); err != nil {
		return nil, fmt.Errorf("HAGGLE_MASTER_KEY: %w", err)
	}
	a.store, err = sqlstore.Open(ctx, sqlstore.Config{
		URL:        c.DatabaseURL,
		Pooler:     pooler,
		MaxOpen:    c.Connections,
		LockWait:   lockWait,
		AllowNewer: c.AllowNewer,
		Enterprise: most,
		EventBus:   c.NATSURL != "",
		Vault:      a.vault,
		Migrated:   c.Migrated,
		Wrote:      a.forgetStorefront,
		Trace:      a.traceWork(),
	})
	if err != nil {
		return nil, c.explain("cannot open the database", err)
	}
	if a.clock, err = system.NewDatabaseClock(ctx, a.store.Now); err != nil {
		return nil, errors.Join(c.explain("cannot read the database's clock", err), a.Close())
	}
	if err := check(a, ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if err := a.store.Migrate(ctx); err != nil {
		return nil, errors.Join(c.explain("cannot migrate the database", err), a.Close())
	}
	if _, err := a.store.SealAddresses(ctx); err != nil {
		return nil, errors.Join(c.explain("cannot encrypt the addresses of subscriptions and chats", err), a.Close())
	}
	if err := a.assemble(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// forgetStorefront drops a project from the storefront cache. The store calls it when the project's row was written.
func (a *App) forgetStorefront(of id.Project) {
	if a.storefront != nil { // nil until assemble has run
		a.storefront.Forget(of)
	}
}

// assemble creates the parts of the app on the open store.
func (a *App) assemble() error {
	var err error
	if a.limits, err = a.config.limits(); err != nil {
		return err
	}
	if a.limiter, err = ratelimit.New(a.config.RedisURL, a.log); err != nil {
		return fmt.Errorf("HAGGLE_REDIS_URL: %w", err)
	}
	if err := a.openEdge(a.limiter); err != nil {
		return err
	}
	a.rooms, a.suspended = map[string]*bulkhead.Room{"platforms": a.edge.platforms, "payments": a.edge.finalizes}, map[string]func() int{}
	a.openEmbeddings()
	memory, err := a.config.searchMemory()
	if err != nil {
		return err
	}
	a.index = search.New(search.Options{
		Embedder: a.embeddings.queries,
		Memory:   memory,
		Log:      a.log,
	})
	a.storefront = projects.NewStorefronts(a.store.Storefronts(), time.Now)
	a.sessions = keycache.NewSessions(a.store.ConsoleSessions())
	a.openProviders()
	a.openPlatforms()
	if err := a.openPublishing(); err != nil {
		return err
	}
	if err := a.openAgents(); err != nil {
		return err
	}
	a.openServices()
	a.identity, a.profiles = a.config.openIdentity(nil, a.store.AgentKeys(), a.clock, a.log)
	a.rooms["profiles"] = a.profiles.Room()
	a.openSyncing()
	a.openTestBuyers()
	a.registerMetrics()
	return nil
}

// URL returns the address at which clients reach the API.
func (a *App) URL() string {
	if a.config.PublicURL != "" {
		return strings.TrimSuffix(a.config.PublicURL, "/")
	}
	return "http://" + a.api.Addr().String()
}

// linkAddress returns the console address of a member's link. Without listeners, as in commands, it is below the configured
// address.
func (a *App) linkAddress(p member.Purpose, secret string) string {
	url := strings.TrimSuffix(a.config.PublicURL, "/")
	switch {
	case url == "" && a.api != nil:
		url = a.URL()
	case url == "":
		host, port, _ := net.SplitHostPort(a.config.Addr)
		url = "http://" + net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port)
	}
	return url + consolePages[p] + secret
}

// consolePages are the console paths of members' links.
var consolePages = map[member.Purpose]string{
	member.Join:   "/console/join/",
	member.Reset:  "/console/password/",
	member.SignIn: "/console/sign-in/",
}

// OpsURL returns the address of /livez, /readyz and /metrics.
func (a *App) OpsURL() string { return "http://" + a.ops.Addr().String() }

// drainTimeout is how long a stopping server waits for requests in flight (features/MANAGEMENT.md#running).
const drainTimeout = 30 * time.Second

// Run serves until ctx ends. Then it stops accepting requests, finishes those in flight, and returns.
func (a *App) Run(ctx context.Context) error {
	began := time.Now()
	a.logStart(ctx)
	a.warnMissingRootShop(ctx)
	servers := []*http.Server{server(a.handler()), server(a.opsHandler())}
	failed := make(chan error, len(servers))
	for i, listener := range []net.Listener{a.api, a.ops} {
		go func() {
			if err := servers[i].Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	stop := a.startLoops(context.WithoutCancel(ctx))
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	a.log.InfoContext(ctx, "stopping: waiting for requests and background work in progress", "requests_in_flight", a.metrics.Serving())
	a.health.Draining() // before the API stops, and until it has
	err = errors.Join(err, shutDown(ctx, servers))
	stop()
	a.log.InfoContext(ctx, "stopped", "after", time.Since(began).Round(time.Second).String())
	return err
}

// logStart logs the version and the addresses.
func (a *App) logStart(ctx context.Context) {
	schema, _ := sqlstore.SchemaVersion()
	database, _, _ := strings.Cut(a.config.DatabaseURL, ":")
	a.log.InfoContext(ctx, "started", "version", Version, "build", version.Build(), "schema", schema, "environment", a.env.String(),
		"database", database, "address", a.URL(), "ops_address", a.OpsURL())
}

func shutDown(ctx context.Context, servers []*http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	var err error
	for _, s := range servers {
		err = errors.Join(err, s.Shutdown(ctx))
	}
	return err
}

// maxHeader limits request headers to 16 KiB, because net/http reads 4 KiB more than MaxHeaderBytes.
const maxHeader = 12 << 10

// server returns an HTTP server with the timeouts and limits of features/MANAGEMENT.md#limits.
func server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       wire.BodyTime,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxHeader,
	}
}

// Close stops index builds and test buyers, exports the last spans, and closes the listeners and the database.
func (a *App) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if a.testBuyers != nil {
		a.testBuyers.Stop()
	}
	if a.Discovery != nil {
		a.Discovery.Close()
	}
	if a.index != nil {
		a.index.Close()
	}
	err := errors.Join(a.tracing.Shutdown(ctx), a.store.Close())
	if a.limiter != nil {
		err = errors.Join(err, a.limiter.Close())
	}
	if a.bus != nil {
		a.bus.Close()
	}
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
