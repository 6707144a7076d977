package features

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// ucpTest is a test of an agent's requests in one version of the Universal Commerce Protocol. Every answer is checked against
// the schema and the rules of its operation. $version and $prefix are variables.
type ucpTest struct {
	*apiTest

	version   string
	prefix    string // of the version's paths: "" or "/2026-04-08"
	transport string // REST or MCP
	how       string // words of agentSends: a profile or an idempotency key
}

var (
	ucpVersions   = []schema.Version{schema.V20260825, schema.V20260408}
	ucpTransports = []string{"REST", "MCP"}
)

// newUCPTest starts a test of the current version over REST, on SQLite.
func newUCPTest(t *testing.T) *ucpTest {
	t.Helper()
	t.Parallel()
	return startUCPTest(t, "sqlite", schema.V20260825, "REST")
}

// eachUCPVersion runs a test in each version over REST, on SQLite.
func eachUCPVersion(t *testing.T, test func(a *ucpTest)) {
	t.Helper()
	t.Parallel()
	for _, version := range ucpVersions {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			test(startUCPTest(t, "sqlite", version, "REST"))
		})
	}
}

// eachUCPTransport runs a test in each version over REST and MCP, on SQLite.
func eachUCPTransport(t *testing.T, test func(a *ucpTest)) {
	t.Helper()
	t.Parallel()
	for _, version := range ucpVersions {
		for _, transport := range ucpTransports {
			t.Run(string(version)+"/"+transport, func(t *testing.T) {
				t.Parallel()
				test(startUCPTest(t, "sqlite", version, transport))
			})
		}
	}
}

// eachUCPVersionOnEngines runs a test in each version over REST, on both engines.
func eachUCPVersionOnEngines(t *testing.T, test func(a *ucpTest)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, version := range ucpVersions {
			t.Run(engine+"/"+string(version), func(t *testing.T) {
				t.Parallel()
				test(startUCPTest(t, engine, version, "REST"))
			})
		}
	}
}

func startUCPTest(t *testing.T, engine string, version schema.Version, transport string) *ucpTest {
	t.Helper()
	a := &ucpTest{
		apiTest:   startAPITest(t, engine),
		version:   string(version),
		transport: transport,
	}
	if version != schema.V20260825 {
		a.prefix = "/" + a.version
	}
	a.ucp.vars = map[string]string{"version": a.version, "prefix": a.prefix}
	return a
}

func ucpProduct(name, price, stock string) product {
	return product{
		name:  name,
		price: price,
		stock: stock,
	}
}

// opensCampingShop opens a shop with two products, and more.
func (a *ucpTest) opensCampingShop(more ...product) {
	a.Helper()
	a.opensShopSelling(append([]product{
		{name: "Trail Tent", price: "100.00", stock: "7"},
		{name: "Camp Stove", price: "40.00", stock: "50"},
	}, more...)...)
}

// withKey returns a copy whose requests have an Idempotency-Key.
func (a *ucpTest) withKey(key string) *ucpTest {
	again := *a
	again.how += fmt.Sprintf("under the key %q ", key)
	return &again
}

// as returns a copy whose requests name a profile.
func (a *ucpTest) as(profile string) *ucpTest {
	again := *a
	again.how += "as " + profile + " "
	return &again
}

// asAgent sends a request as an agent: "POST /ucp/carts". Over MCP, it calls the operation's tool; the profile has none. The body
// has the given members, or is the given text if that does not begin with a name.
func (a *ucpTest) asAgent(request string, members ...string) {
	a.Helper()
	method, path, body := a.requestOf(request, members)
	if a.transport == "MCP" && !strings.HasSuffix(path, wireProfilePath) {
		a.must(a.ucp.agentSendsOver(a.transport, method, path, body))
		return
	}
	a.must(a.ucp.agentSends(a.how, method, path, body))
}

// requestOf returns a request's method, its path in the test's version, and its body.
func (a *ucpTest) requestOf(request string, members []string) (method, path, body string) {
	a.Helper()
	method, path, found := strings.Cut(request, " ")
	if !found {
		a.Fatalf("%q is no request", request)
	}
	return method, a.prefix + path, ucpBody(method, members)
}

func ucpBody(method string, members []string) string {
	members = slices.DeleteFunc(slices.Clone(members), func(m string) bool { return m == "" })
	switch {
	case len(members) == 0 && (method == "GET" || method == "DELETE"):
		return ""
	case len(members) == 1 && !strings.HasPrefix(members[0], `"`):
		return members[0]
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// Members of the bodies of carts and checkouts.
const (
	ucpBuyerAndDelivery = `"buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery`
	ucpNamedBuyer       = `"buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": $delivery_without_name`
	ucpPayment          = `"payment": $payment_ok`
)

// ucpLines is the member line_items, given as quantity and product or variant id: "2 Trail Tent", "1 var_unknown".
func ucpLines(lines ...string) string {
	var all []string
	for _, line := range lines {
		quantity, item, _ := strings.Cut(line, " ")
		if !strings.Contains(item, "_") {
			item = "${" + item + "}"
		}
		all = append(all, fmt.Sprintf(`{"item": {"id": %q}, "quantity": %s}`, item, quantity))
	}
	return `"line_items": [` + strings.Join(all, ", ") + `]`
}

// ucpCodes is the member discounts.
func ucpCodes(codes ...string) string {
	var all []string
	for _, code := range codes {
		all = append(all, strconv.Quote(code))
	}
	return `"discounts": {"codes": [` + strings.Join(all, ", ") + `]}`
}

// ucpPaymentBy is the member payment, with the sandbox's token.
func ucpPaymentBy(token string) string {
	return fmt.Sprintf(`"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", `+
		`"credential": {"type": "token", "token": %q}}]}`, token)
}

// opensCheckout opens a checkout over REST, whose id is $remembered_id. The body has more members.
func (a *ucpTest) opensCheckout(quantity int, name string, more ...string) {
	a.Helper()
	rest := *a
	rest.transport = "REST"
	rest.asAgent("POST /ucp/checkout-sessions", append([]string{ucpLines(fmt.Sprint(quantity, " ", name))}, more...)...)
	a.answers(201)
	a.remembers("id")
}

// remembers stores fields of the latest answer: "order.id" as $remembered_order_id.
func (a *ucpTest) remembers(fields ...string) {
	a.Helper()
	for _, field := range fields {
		a.must(a.rememberAnswer(field))
	}
}

// keepsID stores the id in the latest answer as $remembered_NAME.
func (a *ucpTest) keepsID(name string) {
	a.Helper()
	a.must(a.ucp.agentKeepsID(name))
}

// notes reads a path, for a later readsAsNoted.
func (a *ucpTest) notes(path string) {
	a.Helper()
	a.must(a.ucp.agentNotesAnswer(a.prefix + path))
}

func (a *ucpTest) readsAsNoted(path string) {
	a.Helper()
	a.must(a.ucp.agentReadsAsNoted(a.prefix + path))
}

func (a *ucpTest) hasOrders(n int) {
	a.Helper()
	a.must(a.catalog.shopFigureIs("statistics.orders_30d", n))
}

func (a *ucpTest) hasLeft(n int, name string) {
	a.Helper()
	a.must(a.catalog.stockIs(n, name))
}

// startsPlatform opens a shop that sells tents and more, on a server that may send to this machine, and starts an agent's platform.
func (a *ucpTest) startsPlatform(more ...product) {
	a.Helper()
	a.useServer(a.scenario.server.loopback)
	a.opensShopSelling(append([]product{{name: "Trail Tent", price: "100.00", stock: "30"}}, more...)...)
	a.must(a.wirePlatform.starts(a.version))
}

// asPlatform sends a request of the platform, changed by the words of wirePlatform.modify: "signed, in DER".
func (a *ucpTest) asPlatform(how, request string, members ...string) {
	a.Helper()
	method, path, body := a.requestOf(request, members)
	a.must(a.wirePlatform.sends(how, method, path, body))
}

// callsTool calls a tool as the platform. The arguments are members of a JSON object.
func (a *ucpTest) callsTool(how, tool string, arguments ...string) {
	a.Helper()
	a.must(a.wirePlatform.callsTool(how, tool, ucpBody("POST", arguments)))
}

// sendsMessage sends a message of MCP as the platform.
func (a *ucpTest) sendsMessage(how, message string) {
	a.Helper()
	a.must(a.wirePlatform.sendsMCP(how, message))
}

// showsContent checks fields of the content of the latest answer to a tool call.
func (a *ucpTest) showsContent(pairs ...string) {
	a.Helper()
	var inside []string
	for pair := range slices.Chunk(pairs, 2) {
		inside = append(inside, "result.structuredContent."+pair[0], pair[1])
	}
	a.shows(inside...)
}

// remembersContent stores a field of the content of the latest answer to a tool call: "order.id" as $remembered_order_id.
func (a *ucpTest) remembersContent(field string) {
	a.Helper()
	a.remembers("result.structuredContent." + field)
	name := strings.ReplaceAll(field, ".", "_")
	a.remembered[name] = a.remembered["result_structuredContent_"+name]
}

// invalidParams is the JSON-RPC code that agentSendsOver adds to a refusal for its arguments.
func (a *ucpTest) invalidParams() string {
	if a.transport == "MCP" {
		return "-32602"
	}
	return "absent"
}

// constraint returns what a request constraint must be: want, or absent in the older version, which has none.
func (a *ucpTest) constraint(want string) string {
	if a.version == aprilVersion {
		return "absent"
	}
	return want
}

// keysField returns the profile's field of public keys, and the field of the other version.
func (a *ucpTest) keysField() (field, other string) {
	if a.version == aprilVersion {
		return "signing_keys", "keys"
	}
	return "keys", "signing_keys"
}
