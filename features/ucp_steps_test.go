package features

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"

	ucpjudge "github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// ucpSteps send requests of the Universal Commerce Protocol. Every answer is checked against its schema and rules.
func ucpSteps(sc stepRegistry, s *scenario) {
}

// modelSends sends an MCP message and does not check the answer.
func (c *ucpContext) modelSends(method, params, path string) error {
	body := `{"jsonrpc": "2.0", "id": 1, "method": "` + method + `", "params": ` + cmp.Or(c.expand(params), "{}") + `}`
	return c.sendsUnchecked(http.MethodPost, path, body)
}

// introductionNames checks whether the Markdown text in the latest answer links to a path of the shop.
func (c *ucpContext) introductionNames(whether, path string) error {
	named := strings.Contains(string(c.recorder.last().body), "/p/"+c.shop.Slug+path+")")
	if named != (whether == "names") {
		return fmt.Errorf("the introduction names %s: %v", path, named)
	}
	return nil
}

// sendsUnchecked sends a request to the shop and does not check the answer.
func (c *ucpContext) sendsUnchecked(method, path, body string) error {
	r, err := http.NewRequestWithContext(c.ctx, method, c.app.URL()+"/p/"+c.shop.Slug+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	_, err = (&http.Client{Transport: c.recorder}).Do(r)
	return err
}

// ucpOperations are UCP's operations by method and path, without version and ids.
var ucpOperations = map[string]ucpjudge.Operation{
	"GET /.well-known/ucp":                  ucpjudge.BusinessProfile,
	"POST /ucp/catalog/search":              ucpjudge.SearchCatalog,
	"POST /ucp/catalog/lookup":              ucpjudge.LookupCatalog,
	"POST /ucp/catalog/product":             ucpjudge.GetProduct,
	"GET /ucp/orders/":                      ucpjudge.GetOrder,
	"POST /ucp/carts":                       ucpjudge.CreateCart,
	"GET /ucp/carts/":                       ucpjudge.GetCart,
	"PUT /ucp/carts/":                       ucpjudge.UpdateCart,
	"POST /ucp/carts//cancel":               ucpjudge.CancelCart,
	"POST /ucp/checkout-sessions":           ucpjudge.CreateCheckout,
	"GET /ucp/checkout-sessions/":           ucpjudge.GetCheckout,
	"PUT /ucp/checkout-sessions/":           ucpjudge.UpdateCheckout,
	"POST /ucp/checkout-sessions//complete": ucpjudge.CompleteCheckout,
	"POST /ucp/checkout-sessions//cancel":   ucpjudge.CancelCheckout,
	"POST /ucp/negotiations":                ucpjudge.StartNegotiation,
	"GET /ucp/negotiations/":                ucpjudge.GetNegotiation,
}

// ucpAgents are the profiles of the agents that a sandbox knows, by version.
var ucpAgents = map[schema.Version]string{
	schema.V20260825: "https://haggle.invalid/agent",
	schema.V20260408: "https://haggle.invalid/2026-04-08/agent",
}

func (c *ucpContext) agentSends(how, method, path, body string) error {
	path, body = c.expand(path), c.expand(body)
	version, plain := ucpVersion(path)
	r, err := http.NewRequestWithContext(c.ctx, method, c.app.URL()+"/p/"+c.shop.Slug+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	profile := ucpAgents[version]
	for words := strings.Fields(how); len(words) > 1; words = words[1:] {
		switch words[0] {
		case "as":
			profile = words[1]
		case "key":
			r.Header.Set("Idempotency-Key", strings.Trim(words[1], `"`))
		}
	}
	if profile != "nobody" {
		r.Header.Set("UCP-Agent", fmt.Sprintf("profile=%q", profile))
	}
	response, err := (&http.Client{Transport: c.recorder}).Do(r)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return checkUCPAnswer(version, method, plain, response.StatusCode, answer)
}

// checkUCPAnswer checks an answer against the schema and rules of its operation. path has no version.
func checkUCPAnswer(version schema.Version, method, path string, status int, body []byte) error {
	if status >= http.StatusBadRequest {
		return ucpjudge.TransportError(status, body)
	}
	path, _, _ = strings.Cut(path, "?")
	operation, known := ucpOperations[method+" "+withoutID(path)]
	if !known {
		return fmt.Errorf("no operation is %s %s", method, path)
	}
	if err := ucpjudge.New(version).House().Answer(operation, nil, body); err != nil {
		return fmt.Errorf("%s: %w in %s", operation, err, body)
	}
	return nil
}

// ucpVersion returns the protocol version of a path, and the path without it.
func ucpVersion(path string) (version schema.Version, plain string) {
	if rest, april := strings.CutPrefix(path, "/2026-04-08/"); april {
		return schema.V20260408, "/" + rest
	}
	return schema.V20260825, path
}

// withoutID returns a path with its id replaced by "".
func withoutID(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 3 && parts[2] != "catalog" {
		parts[3] = ""
	}
	return strings.Join(parts, "/")
}
