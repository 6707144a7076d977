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

// server is what all scenarios of one engine share: a server without limits, and a strict one behind a proxy.
type server struct {
	app       *boot.App
	strict    *boot.App
	beside    *boot.App // events may go to this machine
	validator *openapi.Validator
	providers string  // where the look-alike of the payment providers is
	lossy     *lossy  // in front of it
	database  *sql.DB // of app, to make attempts and refunds older than they are
	besides   *sql.DB // of beside, to make keys older than they are
	town      *town   // where those of the other platforms are
	transport http.RoundTripper
	browser   func() (context.Context, error) // that scenarios share
	worlds    atomic.Int64

	t      *testing.T // for servers of a scenario's own
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
	lossy, providers := startProviders(t)
	identities := startIdentities(t)
	platforms, database, besideDatabase := startTown(t), boottest.Engines[i].URL(t), boottest.Engines[i].URL(t)
	s := &server{
		t:         t,
		engine:    boottest.Engines[i],
		providers: providers,
		lossy:     lossy,
		town:      platforms,
		database:  boottest.Inspect(t, database),
		besides:   boottest.Inspect(t, besideDatabase),
		app: boottest.Start(t, database, func(c *boot.Config) {
			c.StripeURL, c.PayPalURL, c.TrustedProxies = providers, providers, "127.0.0.0/8"
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret, c.OIDCName = identities.Issuer(), identities.ClientID, identities.ClientSecret, "Example ID"
		}),
		beside: boottest.Start(t, besideDatabase, besides, func(c *boot.Config) {
			c.StripeURL, c.PayPalURL = providers, providers
			c.TrustedProxies, c.Simulator = "127.0.0.0/8", startSimulator(t)
			c.ShopifyURL, c.HubSpotURL, c.ShipStationURL = platforms.url+"/shopify", platforms.url+"/hubspot", platforms.url+"/shipstation"
		}),
		strict:    boottest.Start(t, boottest.Engines[i].URL(t), strictly),
		validator: openapi.NewValidator(),
		transport: transport,
	}
	s.browser = sync.OnceValues(s.startBrowser)
	return s
}

// strictly is how limits.feature describes the strict server. Tests are the proxy that it trusts.
func strictly(c *boot.Config) {
	c.EnterpriseRate, c.ACPRate, c.TrustedProxies = "60/20", "60/10", "127.0.0.0/8"
}

// world is one scenario: a merchant, its shop, its buyers, and what was said last.
type world struct {
	server     *server
	app        *boot.App // of the server's
	ctx        context.Context
	name       string // of the scenario's requests
	tape       *tape
	connection *exchange.Client
	merchant   *merchant.Client

	picked   int // pieces that a platform had of the product that the scenario is about
	shop     merchant.Project
	others   []merchant.Project
	newSlug  string
	oldSlug  string
	product  merchant.Product            // the one that steps speak of
	products map[string]merchant.Product // by name

	trade              // buyers and their bargains
	office             // keys and who holds them
	crew               // members and how they come in
	accounts           // with payment providers
	hearing            // of events
	listening          // of agents to their orders
	region             // where the merchant's platforms are
	handling           // of events by the merchant's own programs
	model              // that a server of the scenario's own asks what texts mean
	ucpRules           // what agents noted
	agentKeys          // that the merchant gave to agents
	looking            // of members in the console
	refusal   error    // of the latest action, until a Then judges it
	refused   *refusal // the latest that was judged
}

func newWorld(s *server) *world {
	w := &world{
		server:   s,
		ctx:      context.Background(),
		name:     fmt.Sprintf("scenario%d", s.worlds.Add(1)),
		tape:     &tape{next: busy{s.transport}},
		products: map[string]merchant.Product{},
	}
	w.newSlug = freshSlug()
	w.goTo(s.app)
	return w
}

// goTo makes a server the one that everybody speaks to.
func (w *world) goTo(app *boot.App) {
	w.app = app
	w.connection = exchange.NewClient(exchange.Config{
		URL:        app.URL(),
		HTTP:       &http.Client{Transport: w.tape},
		Validator:  w.server.validator,
		RequestIDs: w.name,
	})
	w.merchant = merchant.New(w.connection, boottest.Key, "")
}

// attempt runs an action and keeps its refusal for a Then to judge. A refusal that nothing judges fails the scenario.
func (w *world) attempt(action func() error) error {
	if w.refusal != nil {
		return fmt.Errorf("before this, something was refused: %w", w.refusal)
	}
	w.refusal = action()
	return nil
}

// end judges what no step asked about, and shows the conversation of a scenario that failed.
func (w *world) end(ctx context.Context, _ *godog.Scenario, failure error) (context.Context, error) {
	w.stopHearing()
	w.stopHandling()
	problem := errors.Join(w.closeTabs(), w.unjudged(), w.violations(), w.breaches(), w.secrets(), w.leaks())
	w.moveOut()
	if failure != nil || problem != nil {
		godog.Logf(ctx, "%s\n%s", w.name, w.connection.Transcript())
	}
	return ctx, problem
}

func (w *world) unjudged() error {
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

// expand replaces $shop, $quote and the like in a step's text by what they are in this scenario.
func (w *world) expand(text string) string {
	return os.Expand(text, func(name string) string {
		known := map[string]string{
			"shop": w.shop.ID, "slug": w.shop.Slug, "new_slug": w.newSlug, "cursor": w.cursor,
		}
		w.nameBargains(known)
		w.nameKeys(known)
		w.nameMembers(known)
		w.nameTabs(known)
		w.nameMoney(known, text)
		w.nameUnresolved(known, text)
		w.nameAccounts(known)
		w.nameHearing(known)
		w.nameKeySet(known, text)
		w.nameRegion(known)
		w.nameUCPBodies(known)
		w.nameAgentKeys(known)
		if value, ok := known[name]; ok {
			return value
		}
		return "$" + name
	})
}

// freshSlug is a slug that no other scenario has.
func freshSlug() string { return "shop-" + strings.ToLower(rand.Text()[:12]) }

// letters is a text of n random small letters.
func letters(n int) string {
	text := make([]byte, n)
	_, _ = rand.Read(text) // it never fails
	for i := range text {
		text[i] = 'a' + text[i]%26
	}
	return string(text)
}
