package features

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/openapi"
)

// server holds what all scenarios of one engine share: the servers under test, fake providers and platforms, and the browser.
type server struct {
	app          *boot.App // without rate limits
	strict       *boot.App // with rate limits, behind a trusted proxy
	loopback     *boot.App // may send to receivers and platforms on this machine
	validator    *openapi.Validator
	providersURL string        // of the fake payment providers
	lossy        *lossyProxy   // in front of the fake payment providers
	database     *sql.DB       // of app, to make payment attempts and refunds older
	loopbackDB   *sql.DB       // of loopback, to make keys older
	platformHost *platformHost // serves the other fake platforms
	transport    http.RoundTripper
	browser      func() (context.Context, error) // started by the first call
	scenarios    atomic.Int64

	tb     testing.TB // ends with all tests
	engine boottest.Engine
}

func startServer(t testing.TB, engine string) *server {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	transport.IdleConnTimeout = 30 * time.Second // the server closes idle connections after 60 s, perhaps while a request is in transit
	t.Cleanup(transport.CloseIdleConnections)
	i := slices.IndexFunc(boottest.Engines, func(e boottest.Engine) bool { return e.Name == engine })
	if i < 0 {
		t.Fatalf("no engine is named %q", engine)
	}
	lossy, providersURL := startProviders(t)
	openIDProvider := startOpenIDProvider(t)
	host, databaseURL, loopbackURL := startPlatformHost(t), boottest.Engines[i].URL(t), boottest.Engines[i].URL(t)
	s := &server{
		tb:           t,
		engine:       boottest.Engines[i],
		providersURL: providersURL,
		lossy:        lossy,
		platformHost: host,
		database:     boottest.Inspect(t, databaseURL),
		loopbackDB:   boottest.Inspect(t, loopbackURL),
		app: boottest.Start(t, databaseURL, func(c *boot.Config) {
			c.StripeURL, c.PayPalURL, c.TrustedProxies = providersURL, providersURL, "127.0.0.0/8"
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret, c.OIDCName = openIDProvider.Issuer(), openIDProvider.ClientID, openIDProvider.ClientSecret, "Example ID"
		}),
		loopback: boottest.Start(t, loopbackURL, allowLoopback, func(c *boot.Config) {
			c.StripeURL, c.PayPalURL = providersURL, providersURL
			c.TrustedProxies, c.Simulator = "127.0.0.0/8", startSimulator(t)
			c.ShopifyURL, c.HubSpotURL, c.ShipStationURL = host.url+"/shopify", host.url+"/hubspot", host.url+"/shipstation"
		}),
		strict:    boottest.Start(t, boottest.Engines[i].URL(t), strictLimits),
		validator: openapi.NewValidator(),
		transport: transport,
	}
	s.browser = sync.OnceValues(s.startBrowser)
	return s
}

// strictLimits configures the strict server that limits.feature describes. It trusts the tests as its proxy.
func strictLimits(c *boot.Config) {
	c.EnterpriseRate, c.ACPRate, c.TrustedProxies = "60/20", "60/10", "127.0.0.0/8"
}

// scenario is the state of one scenario: a merchant, its shop, its buyers, and the recorded answers. Steps are methods of the topics' contexts.
type scenario struct {
	server     *server
	app        *boot.App // the server that all clients use
	ctx        context.Context
	name       string // prefix of its request ids
	recorder   *recorder
	connection *exchange.Client
	merchant   *merchant.Client
	tb         *scenarioTB    // of servers of its own
	cleanups   []func() error // see atEnd

	initialStock int // a platform's stock of the current product when it was chosen
	shop         merchant.Project
	otherShops   []merchant.Project
	newSlug      string
	oldSlug      string
	product      merchant.Product            // the current product
	products     map[string]merchant.Product // by name

	shopper         *shopper // the current buyer
	previousShopper *shopper // the buyer before the current one
	witnesses       []*simulator.Witness
	remembered      map[string]string // what steps remembered, by name
	recordedIDs     []string          // of earlier or concurrent orders or checkouts
	concurrentErrs  []error           // results of runConcurrently
	concurrentFrom  int               // index of their first answer in the recorder

	// contexts of the topics
	shops        *shopsContext
	catalog      *catalogContext
	buyers       *buyersContext
	discovery    *discoveryContext
	search       *searchContext
	embeddings   *embeddingsContext
	haggling     *hagglingContext
	carts        *cartsContext
	checkouts    *checkoutsContext
	aftersales   *aftersalesContext
	orders       *ordersContext
	shipping     *shippingContext
	keys         *keysContext
	members      *membersContext
	account      *accountContext
	limits       *limitsContext
	idempotency  *idempotencyContext
	audit        *auditContext
	finance      *financeContext
	events       *eventsContext
	orderHooks   *orderHooksContext
	platforms    *platformsContext
	connections  *connectionsContext
	integrations *integrationsContext
	agents       *agentsContext
	remoteAgents *remoteAgentsContext
	hostile      *hostileContext
	ucp          *ucpContext
	console      *consoleContext
	wirePlatform *wirePlatform
	wireServer   *wireServer

	refusal error    // of the latest action, until a Then step checks it
	refused *refusal // the latest that was checked
}

func newScenario(on *server) *scenario {
	s := &scenario{
		server:   on,
		ctx:      context.Background(),
		name:     fmt.Sprintf("scenario%d", on.scenarios.Add(1)),
		recorder: &recorder{next: retryTransport{on.transport}},
		products: map[string]merchant.Product{},
		newSlug:  uniqueSlug(),
		tb:       &scenarioTB{TB: on.tb},
	}
	s.shops = &shopsContext{scenario: s}
	s.catalog = &catalogContext{scenario: s}
	s.buyers = &buyersContext{scenario: s}
	s.discovery = &discoveryContext{scenario: s}
	s.search = &searchContext{scenario: s}
	s.embeddings = &embeddingsContext{scenario: s}
	s.haggling = &hagglingContext{scenario: s}
	s.carts = &cartsContext{scenario: s}
	s.checkouts = &checkoutsContext{scenario: s}
	s.aftersales = &aftersalesContext{scenario: s}
	s.orders = &ordersContext{scenario: s}
	s.shipping = &shippingContext{scenario: s}
	s.keys = &keysContext{scenario: s}
	s.members = &membersContext{scenario: s}
	s.account = &accountContext{scenario: s}
	s.limits = &limitsContext{scenario: s}
	s.idempotency = &idempotencyContext{scenario: s}
	s.audit = &auditContext{scenario: s}
	s.finance = &financeContext{scenario: s}
	s.events = &eventsContext{scenario: s}
	s.orderHooks = &orderHooksContext{scenario: s}
	s.platforms = &platformsContext{scenario: s}
	s.connections = &connectionsContext{scenario: s}
	s.integrations = &integrationsContext{scenario: s}
	s.agents = &agentsContext{scenario: s}
	s.remoteAgents = &remoteAgentsContext{scenario: s}
	s.hostile = &hostileContext{scenario: s}
	s.ucp = &ucpContext{scenario: s}
	s.console = &consoleContext{scenario: s}
	s.wirePlatform, s.wireServer = &wirePlatform{scenario: s}, &wireServer{scenario: s}
	s.useServer(on.app)
	return s
}

// useServer makes all clients use a server.
func (s *scenario) useServer(app *boot.App) {
	s.app = app
	s.connection = exchange.NewClient(exchange.Config{
		URL:        app.URL(),
		HTTP:       &http.Client{Transport: s.recorder},
		Validator:  s.server.validator,
		RequestIDs: s.name,
	})
	s.merchant = merchant.New(s.connection, boottest.Key, "")
}

// attempt runs an action and keeps its refusal for a Then step. A refusal that no step checks fails the scenario.
func (s *scenario) attempt(action func() error) error {
	if s.refusal != nil {
		return fmt.Errorf("before this, something was refused: %w", s.refusal)
	}
	s.refusal = action()
	return nil
}

// scenarioTB is a testing.TB whose cleanups run at the end of a scenario, not of the test.
type scenarioTB struct {
	testing.TB
	cleanups []func()
}

func (l *scenarioTB) Cleanup(end func()) { l.cleanups = append(l.cleanups, end) }

// atEnd has a function called when the scenario closes, before its own servers stop.
func (s *scenario) atEnd(f func() error) { s.cleanups = append(s.cleanups, f) }

// finish closes a Gherkin scenario, and logs its transcript if it failed.
func (s *scenario) finish(ctx context.Context, _ *godog.Scenario, failure error) (context.Context, error) {
	problem := s.close()
	if failure != nil || problem != nil {
		godog.Logf(ctx, "%s\n%s", s.name, s.connection.Transcript())
	}
	return ctx, problem
}

// close closes what the scenario opened, and runs the checks that apply to every scenario.
func (s *scenario) close() error {
	s.events.closeReceiver()
	s.remoteAgents.closeHandler()
	var problem error
	for _, end := range slices.Backward(s.cleanups) {
		problem = errors.Join(problem, end())
	}
	problem = errors.Join(problem, s.console.closeTabs(), s.unexpectedRefusal(), s.violations(), s.breaches(), s.secrets(), s.platforms.leaks())
	s.platforms.closePlatforms()
	for _, end := range slices.Backward(s.tb.cleanups) {
		end()
	}
	return problem
}

func (s *scenario) unexpectedRefusal() error {
	if s.refusal == nil {
		return nil
	}
	return fmt.Errorf("refused, and no step asked about it: %w", s.refusal)
}

func (s *scenario) violations() error {
	var found error
	for _, v := range s.server.validator.Violations() {
		if strings.HasPrefix(v.RequestID, s.name+"-") {
			found = errors.Join(found, fmt.Errorf("against the OpenAPI document: %s", v))
		}
	}
	return found
}

func (s *scenario) breaches() error {
	var found error
	for _, witness := range s.witnesses {
		for _, breach := range witness.Breaches() {
			found = errors.Join(found, fmt.Errorf("a broken promise: %s", breach))
		}
	}
	return found
}

// expand replaces variables such as $shop and $quote in a step's text by their values in this scenario.
func (s *scenario) expand(text string) string {
	return os.Expand(text, func(name string) string {
		vars := map[string]string{
			"shop": s.shop.ID, "slug": s.shop.Slug, "new_slug": s.newSlug, "cursor": s.buyers.cursor,
		}
		s.buyers.addBuyerVars(vars)
		s.keys.addKeyVars(vars)
		s.members.addMemberVars(vars)
		s.console.addBrowserVars(vars)
		s.finance.addFinanceVars(vars, text)
		s.finance.addUnresolvedVars(vars, text)
		s.integrations.addProviderVars(vars)
		s.events.addEventVars(vars)
		s.orderHooks.addSigningKeyVars(vars, text)
		s.platforms.addPlatformVars(vars)
		s.ucp.addUCPVars(vars)
		s.keys.addAgentKeyVars(vars)
		if value, ok := vars[name]; ok {
			return value
		}
		return "$" + name
	})
}

// uniqueSlug returns a random slug.
func uniqueSlug() string { return "shop-" + strings.ToLower(rand.Text()[:12]) }

// randomLetters returns n random lower-case letters.
func randomLetters(n int) string {
	text := make([]byte, n)
	_, _ = rand.Read(text) // it never fails
	for i := range text {
		text[i] = 'a' + text[i]%26
	}
	return string(text)
}
