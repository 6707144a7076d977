package features

import (
	"maps"
	"net/http"
	"strings"
	"testing"
)

// apiTest is a test of single operations of the HTTP APIs, with a scenario of its own. Its methods end the test at the first
// error. TestOperation_case is named after the id of the operation in the OpenAPI document.
type apiTest struct {
	*testing.T
	*scenario

	header http.Header // of the next request
}

// newAPITest starts a test on SQLite, in parallel to others. It suits what does not depend on the database engine.
func newAPITest(t *testing.T) *apiTest {
	t.Helper()
	t.Parallel()
	return startAPITest(t, "sqlite")
}

// onEngines runs a test on both engines, in parallel.
func onEngines(t *testing.T, test func(a *apiTest)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(startAPITest(t, engine))
		})
	}
}

func startAPITest(t *testing.T, engine string) *apiTest {
	a := &apiTest{
		T:        t,
		scenario: newScenario(serverOf(engine)),
		header:   http.Header{},
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("%s\n%s", a.name, a.connection.Transcript())
		}
	})
	return a
}

// must ends the test if a step returned an error, or was refused.
func (a *apiTest) must(err error) {
	a.Helper()
	if err == nil {
		err = a.unexpectedRefusal()
	}
	if err != nil {
		a.refusal = nil
		a.Fatal(err)
	}
}

// opensShop opens an empty shop.
func (a *apiTest) opensShop() {
	a.Helper()
	a.must(a.shops.openShop("Test Shop"))
}

// product is a row of a shop's products, as in "a shop selling". Only name and price are required.
type product struct{ name, price, stock, cost, variants string }

// opensShopSelling opens a shop with products. The first is the current one.
func (a *apiTest) opensShopSelling(products ...product) {
	a.Helper()
	var rows []map[string]string
	for _, p := range products {
		row := map[string]string{"name": p.name, "price": p.price, "stock": p.stock, "cost": p.cost, "variants": p.variants}
		maps.DeleteFunc(row, func(_, cell string) bool { return cell == "" })
		rows = append(rows, row)
	}
	a.must(a.catalog.openShopWith(rows))
}

// with sets a header of the next request.
func (a *apiTest) with(name, value string) *apiTest {
	a.header.Set(name, value)
	return a
}

// asMerchant sends a request with the merchant's key: "GET /v1/agents". Variables such as $shop are replaced.
func (a *apiTest) asMerchant(request string, body ...string) {
	a.Helper()
	a.request("merchant", request, body)
}

// asBuyer sends a request of the current buyer: "POST /acp/search".
func (a *apiTest) asBuyer(request string, body ...string) {
	a.Helper()
	a.request("buyer", request, body)
}

// asHolder sends a request with a named API key.
func (a *apiTest) asHolder(key, request string, body ...string) {
	a.Helper()
	a.request(`holder of "`+key+`"`, request, body)
}

func (a *apiTest) request(who, request string, body []string) {
	a.Helper()
	header := a.header
	a.header = http.Header{}
	method, path, found := strings.Cut(request, " ")
	if !found {
		a.Fatalf("%q is no request", request)
	}
	path, inline, _ := strings.Cut(path, " ")
	if err := a.sendsWith(header, who, method, path, inline+strings.Join(body, "")); err != nil {
		a.Fatal(err)
	}
}

// answers checks the status of the latest answer. An answer outside 2xx is checked by refused.
func (a *apiTest) answers(status int) {
	a.Helper()
	a.must(a.statusIs(status))
}

// shows checks fields of the latest answer, given as pairs of a path and what it must be: `"draft"`, "absent", "matches ^wh_".
func (a *apiTest) shows(pairs ...string) {
	a.Helper()
	a.must(a.answerShows(pairs...))
}

// showsHeaders checks headers of the latest answer, given as pairs.
func (a *apiTest) showsHeaders(pairs ...string) {
	a.Helper()
	if err := a.answerHeadersShow(pairs...); err != nil {
		a.Fatal(err)
	}
}

// refused checks that the latest request was refused with a status and code, "422 validation_error", and that the answer
// names the fields.
func (a *apiTest) refused(with string, fields ...string) {
	a.Helper()
	if err := a.isRefusedAs(with, ""); err != nil {
		a.Fatal(err)
	}
	for _, field := range fields {
		if err := a.refusalNames(field); err != nil {
			a.Fatal(err)
		}
	}
}

// refusedNaming checks a refusal that names exactly these fields.
func (a *apiTest) refusedNaming(with string, fields ...string) {
	a.Helper()
	a.refused(with, fields...)
	if len(a.scenario.refused.fields) != len(fields) {
		a.Fatalf("it names %v", a.scenario.refused.fields)
	}
}

// rejection is a request that must be refused.
type rejection struct {
	request string // "POST /v1/agents {}"
	with    string // "422 validation_error"
	field   string // that the answer names; may be empty
}

// merchantIsRefused sends requests of the merchant and expects each to be refused.
func (a *apiTest) merchantIsRefused(rows []rejection) {
	a.Helper()
	a.eachIsRefused("merchant", rows)
}

// buyerIsRefused sends requests of the buyer and expects each to be refused.
func (a *apiTest) buyerIsRefused(rows []rejection) {
	a.Helper()
	a.eachIsRefused("buyer", rows)
}

// bodiesAreRefused sends a merchant's request with each body. Rows are pairs of a body and the field that the answer names.
func (a *apiTest) bodiesAreRefused(request, with string, rows [][2]string) {
	a.Helper()
	var all []rejection
	for _, row := range rows {
		all = append(all, rejection{request + " " + row[0], with, row[1]})
	}
	a.eachIsRefused("merchant", all)
}

// eachIsRefused reports every request that is not refused as its row says.
func (a *apiTest) eachIsRefused(who string, rows []rejection) {
	a.Helper()
	for _, row := range rows {
		a.request(who, row.request, nil)
		err := a.isRefusedAs(row.with, row.field)
		a.refusal = nil
		if err != nil {
			a.Errorf("%s: %v", row.request, err)
		}
	}
}
