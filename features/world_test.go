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

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
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

	t      *testing.T // for servers of single scenarios
	engine boottest.Engine
}

func startServer(t *testing.T, engine string) *server {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	t.Cleanup(transport.CloseIdleConnections)
	i := slices.IndexFunc(boottest.Engines, func(e boottest.Engine) bool { return e.Name == engine })
	if i < 0 {
		t.Fatalf("no engine is named %q", engine)
	}
	lossy, providersURL := startProviders(t)
	openIDProvider := startOpenIDProvider(t)
	host, databaseURL, loopbackURL := startPlatformHost(t), boottest.Engines[i].URL(t), boottest.Engines[i].URL(t)
	s := &server{
		t:            t,
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

// world is the state of one scenario: a merchant, its shop, its buyers, and the recorded answers.
type world struct {
	server     *server
	app        *boot.App // the server that all clients use
	ctx        context.Context
	name       string // prefix of its request ids
	recorder   *recorder
	connection *exchange.Client
	merchant   *merchant.Client

	initialStock int // a platform's stock of the current product when it was chosen
	shop         merchant.Project
	otherShops   []merchant.Project
	newSlug      string
	oldSlug      string
	product      merchant.Product            // the current product
	products     map[string]merchant.Product // by name

	buyerState                 // buyers and negotiations
	keyState                   // API keys
	memberState                // members and sessions
	providerState              // accounts with payment providers
	eventState                 // event subscriptions
	orderWebhookState          // order webhooks to agents
	platformState              // the merchant's platforms
	handlerState               // remote agent handlers
	embeddingState             // the embeddings endpoint of the scenario's own server
	ucpState                   // what UCP agents remember
	agentKeys                  // keys of agents
	browserState               // members' console tabs
	refusal           error    // of the latest action, until a Then step checks it
	refused           *refusal // the latest that was checked
}

func newWorld(s *server) *world {
	w := &world{
		server:   s,
		ctx:      context.Background(),
		name:     fmt.Sprintf("scenario%d", s.scenarios.Add(1)),
		recorder: &recorder{next: retryTransport{s.transport}},
		products: map[string]merchant.Product{},
	}
	w.newSlug = uniqueSlug()
	w.useServer(s.app)
	return w
}

// useServer makes all clients use a server.
func (w *world) useServer(app *boot.App) {
	w.app = app
	w.connection = exchange.NewClient(exchange.Config{
		URL:        app.URL(),
		HTTP:       &http.Client{Transport: w.recorder},
		Validator:  w.server.validator,
		RequestIDs: w.name,
	})
	w.merchant = merchant.New(w.connection, boottest.Key, "")
}

// attempt runs an action and keeps its refusal for a Then step. A refusal that no step checks fails the scenario.
func (w *world) attempt(action func() error) error {
	if w.refusal != nil {
		return fmt.Errorf("before this, something was refused: %w", w.refusal)
	}
	w.refusal = action()
	return nil
}

// finish closes what the scenario opened, runs the checks that apply to every scenario, and logs the transcript of a
// scenario that failed.
func (w *world) finish(ctx context.Context, _ *godog.Scenario, failure error) (context.Context, error) {
	w.closeReceiver()
	w.closeHandler()
	problem := errors.Join(w.closeTabs(), w.unexpectedRefusal(), w.violations(), w.breaches(), w.secrets(), w.leaks())
	w.closePlatforms()
	if failure != nil || problem != nil {
		godog.Logf(ctx, "%s\n%s", w.name, w.connection.Transcript())
	}
	return ctx, problem
}

func (w *world) unexpectedRefusal() error {
	if w.refusal == nil {
		return nil
	}
	return fmt.Errorf("refused, and no step asked about it: %w", w.refusal)
}

func (w *world) violations() error {
	var found error
	for _, v := range w.server.validator.Violations() {
		if strings.HasPrefix(v.RequestID, w.name+"-") {
			found = errors.Join(found, fmt.Errorf("against the OpenAPI document: %s", v))
		}
	}
	return found
}

func (w *world) breaches() error {
	var found error
	for _, witness := range w.witnesses {
		for _, breach := range witness.Breaches() {
			found = errors.Join(found, fmt.Errorf("a broken promise: %s", breach))
		}
	}
	return found
}

// expand replaces variables such as $shop and $quote in a step's text by their values in this scenario.
func (w *world) expand(text string) string {
	return os.Expand(text, func(name string) string {
		vars := map[string]string{
			"shop": w.shop.ID, "slug": w.shop.Slug, "new_slug": w.newSlug, "cursor": w.cursor,
		}
		w.addBuyerVars(vars)
		w.addKeyVars(vars)
		w.addMemberVars(vars)
		w.addBrowserVars(vars)
		w.addFinanceVars(vars, text)
		w.addUnresolvedVars(vars, text)
		w.addProviderVars(vars)
		w.addEventVars(vars)
		w.addSigningKeyVars(vars, text)
		w.addPlatformVars(vars)
		w.addUCPVars(vars)
		w.addAgentKeyVars(vars)
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
