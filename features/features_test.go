// Package features is the specification in the merchant's and the buyer's words. Its scenarios run over HTTP
// against a whole server, once on each database engine; it sees of the server what a client sees and no more.
//
// Every scenario works in a shop of its own, so scenarios run in any order and at the same time. A scenario also
// fails if an answer breaks the server's OpenAPI document, if a buyer saw the merchant break a promise, or if an
// answer to a buyer told a secret.
//
// Scenarios with the tag @form are about the form of a protocol's requests and answers, and those with @browser about pages,
// which no engine changes: PostgreSQL runs them with FEATURES=full only.
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
)

// concurrency is more than there are processors, for much of a scenario's time is waiting for the disk.
const concurrency = 8

var seed = flag.Int64("godog.random", -1, "order of the scenarios; -1 draws one")

func TestFeaturesSQLite(t *testing.T)   { run(t, "sqlite") }
func TestFeaturesPostgres(t *testing.T) { run(t, "postgres") }

func run(t *testing.T, engine string) {
	s := startServer(t, engine)
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
			w := newWorld(s)
			sc.After(w.end)
			for _, area := range areas {
				area(book{sc}, w)
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

// tags pick the scenarios of an engine.
func tags(engine string) string {
	if engine == "postgres" && os.Getenv("FEATURES") != "full" {
		return "~@form && ~@browser"
	}
	return ""
}

// areas hold the steps, one file each.
var areas = []func(book, *world){
	answerSteps, projectSteps, settingsSteps, catalogSteps, discoverySteps,
	hagglingSteps, cartSteps, checkoutSteps, aftersalesSteps, sessionSteps, hostileSteps,
	keySteps, memberSteps, accountSteps, limitSteps, idempotencySteps, auditSteps, financeSteps, reversalSteps, orderSteps, integrationSteps, eventSteps,
	platformSteps, buyerSteps, shippingSteps, synonymSteps, searchIndexSteps, searchSteps, browsingSteps, embeddingSteps, agentSteps, remoteAgentSteps,
	tuningSteps, orderHookSteps, ucpSteps, negotiationSteps, ucpRuleSteps, ucpWireSteps, agentKeySteps, consoleSteps, attackSteps, consoleSettingsSteps, consoleCatalogueSteps,
}

// book takes the steps of one scenario. Every scenario has the same, so their expressions are compiled once.
type book struct{ sc *godog.ScenarioContext }

var expressions sync.Map

func compiled(expression string) *regexp.Regexp {
	if known, ok := expressions.Load(expression); ok {
		return known.(*regexp.Regexp)
	}
	fresh := regexp.MustCompile(expression)
	expressions.Store(expression, fresh)
	return fresh
}

func (b book) Given(expression string, do any) { b.sc.Given(compiled(expression), do) }
func (b book) When(expression string, do any)  { b.sc.When(compiled(expression), do) }
func (b book) Then(expression string, do any)  { b.sc.Then(compiled(expression), do) }

// Step is for what a scenario may begin with and may be about.
func (b book) Step(expression string, do any) { b.sc.Step(compiled(expression), do) }
