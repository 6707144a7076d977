// Package features runs the Gherkin scenarios of this folder, and tests of single operations (*_api_test.go), over HTTP against a
// whole server, once per database engine. Steps see only what a client sees; helpers of boottest issue keys, open member sessions
// and make records older.
//
// Every scenario has its own shop, so scenarios run in any order and concurrently. A scenario also fails if an answer
// violates the server's OpenAPI document, if a buyer saw the merchant break a promise, or if an answer to a buyer
// contains a secret of the merchant.
//
// The tags @form (the form of a protocol's requests and answers) and @browser (pages) mark scenarios that do not depend on
// the database engine. PostgreSQL runs them only with FEATURES=full.
//
//	go test ./features -run TestFeaturesSQLite/Offering_more_than_it    one scenario
//	go test ./features -godog.random=37335                             the order of an earlier run
package features

import (
	"flag"
	"os"
	"regexp"
	"sync"
	"testing"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// concurrency exceeds the number of processors because scenarios mostly wait for the disk.
const concurrency = 8

var seed = flag.Int64("godog.random", -1, "order of the scenarios; -1 draws one")

func TestFeaturesSQLite(t *testing.T)   { run(t, "sqlite") }
func TestFeaturesPostgres(t *testing.T) { run(t, "postgres") }

func run(t *testing.T, engine string) {
	s := serverOf(engine)
	suite := godog.TestSuite{
		Name: engine,
		Options: &godog.Options{
			TestingT:    t,
			Format:      "progress",
			NoColors:    true,
			Paths:       []string{"."},
			Strict:      true,
			Concurrency: concurrency,
			Randomize:   *seed,
			Tags:        tags(engine),
		},
		ScenarioInitializer: func(sc *godog.ScenarioContext) {
			scenario := newScenario(s)
			sc.After(scenario.finish)
			for _, register := range stepGroups {
				register(stepRegistry{sc: sc}, scenario)
			}
		},
	}
	if status := suite.Run(); status != 0 {
		t.Errorf("godog ended with status %d", status)
	}
	if n := s.validator.Count(); n > 0 {
		t.Errorf("%d answers break the OpenAPI document: %v", n, s.validator.Violations())
	}
	if s.validator.Checked() == 0 {
		t.Error("no answer was judged")
	}
}

// TestMain stops the servers of both engines after the tests.
func TestMain(m *testing.M) {
	boottest.AtOnce(concurrency)
	code := m.Run()
	suite.end()
	if code == 0 && suite.Failed() {
		code = 1
	}
	os.Exit(code)
}

// suite is the testing.TB of servers and browsers that all tests share.
var suite suiteTB

// serverOf returns an engine's server, which the first call starts.
func serverOf(engine string) *server { return servers[engine]() }

var servers = map[string]func() *server{
	"sqlite":   sync.OnceValue(func() *server { return startServer(&suite, "sqlite") }),
	"postgres": sync.OnceValue(func() *server { return startServer(&suite, "postgres") }),
}

// tags returns the tag expression that selects an engine's scenarios.
func tags(engine string) string {
	if engine == "postgres" && os.Getenv("FEATURES") != "full" {
		return "~@form && ~@browser"
	}
	return ""
}

// stepGroups register the steps, one function per topic.
var stepGroups = []func(stepRegistry, *scenario){
	answerSteps, projectSteps, settingsSteps, catalogSteps, discoverySteps,
	hagglingSteps, cartSteps, checkoutSteps, aftersalesSteps, sessionSteps, hostileSteps,
	keySteps, memberSteps, accountSteps, limitSteps, idempotencySteps, auditSteps, financeSteps, reversalSteps, orderSteps, integrationSteps, eventSteps,
	platformSteps, buyerSteps, shippingSteps, synonymSteps, searchIndexSteps, searchSteps, browsingSteps, embeddingSteps, agentSteps, remoteAgentSteps,
	tuningSteps, orderHookSteps, ucpSteps, negotiationSteps, ucpRuleSteps, ucpWireSteps, protocolSteps, analyticsSteps, personalDataSteps, attentionSteps, syncedProductSteps, agentKeySteps, consoleSteps, attackSteps, consoleSettingsSteps, consoleCatalogueSteps,
}

// stepRegistry registers the steps of one scenario, or only lists their expressions. All scenarios have the same steps, so it
// compiles each expression once.
type stepRegistry struct {
	sc          *godog.ScenarioContext
	expressions *[]string // without sc
}

var expressions sync.Map

func compile(expression string) *regexp.Regexp {
	if known, ok := expressions.Load(expression); ok {
		return known.(*regexp.Regexp)
	}
	fresh := regexp.MustCompile(expression)
	expressions.Store(expression, fresh)
	return fresh
}

func (b stepRegistry) Given(expression string, do any) {
	b.add(expression, do, (*godog.ScenarioContext).Given)
}
func (b stepRegistry) When(expression string, do any) {
	b.add(expression, do, (*godog.ScenarioContext).When)
}
func (b stepRegistry) Then(expression string, do any) {
	b.add(expression, do, (*godog.ScenarioContext).Then)
}

// Step registers a step that may follow Given, When or Then.
func (b stepRegistry) Step(expression string, do any) {
	b.add(expression, do, (*godog.ScenarioContext).Step)
}

func (b stepRegistry) add(expression string, do any, to func(sc *godog.ScenarioContext, expression, do any)) {
	if b.sc == nil {
		*b.expressions = append(*b.expressions, expression)
		return
	}
	to(b.sc, compile(expression), do)
}
