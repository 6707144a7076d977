package features

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// ucpContext buys over UCP and MCP, and checks the wire format.
type ucpContext struct {
	*scenario

	agent        *protocolAgent
	notedAnswers map[string]any    // by path
	vars         map[string]string // of a ucpTest
}

// addUCPVars adds common parts of request bodies, such as $home_delivery and $payment_ok, and all variants of the shop's
// products: ${Rain Coat: M/Blue}.
func (c *ucpContext) addUCPVars(vars map[string]string) {
	for name, p := range c.products {
		for _, v := range p.Variants {
			vars[name+": "+v.Size+"/"+v.Color] = v.ID
		}
	}
	maps.Copy(vars, c.vars)
	vars["long_text"] = strings.Repeat("x", 1_001)
	vars["home_delivery"] = `{"methods": [{"type": "shipping", "destinations": [{"first_name": "Ada", "last_name": "Byron", ` +
		`"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}`
	vars["delivery_without_name"] = `{"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", ` +
		`"address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}`
	vars["payment_ok"] = `{"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", ` +
		`"credential": {"type": "token", "token": "spt_sandbox_ok"}}]}`
}

// agentKeepsID remembers the id in the latest answer as $remembered_NAME.
func (c *ucpContext) agentKeepsID(name string) error {
	if err := c.rememberAnswer("id"); err != nil {
		return err
	}
	c.remembered[name] = c.remembered["id"]
	return nil
}

func (c *ucpContext) agentReads(path string) (any, error) {
	if err := c.agentSends("", "GET", path, ""); err != nil {
		return nil, err
	}
	return withoutTimes(c.recorder.last().value()), c.statusIs(http.StatusOK)
}

func (c *ucpContext) agentNotesAnswer(path string) error {
	read, err := c.agentReads(path)
	if c.notedAnswers == nil {
		c.notedAnswers = map[string]any{}
	}
	c.notedAnswers[c.expand(path)] = read
	return err
}

func (c *ucpContext) agentReadsAsNoted(path string) error {
	read, err := c.agentReads(path)
	if before := c.notedAnswers[c.expand(path)]; err == nil && !equalJSON(read, before) {
		err = fmt.Errorf("it reads %s, it was %s", encode(read), encode(before))
	}
	return err
}

// withoutTimes removes time fields from an answer, because they differ between answers.
func withoutTimes(value any) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i, element := range value {
			all[i] = withoutTimes(element)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, child := range value {
			if !strings.HasSuffix(name, "_at") && !strings.HasSuffix(name, "_time") {
				all[name] = withoutTimes(child)
			}
		}
		return all
	}
	return value
}

func (c *ucpContext) answersEqualExcept(butFor string) error {
	before, err := c.previousAnswer()
	if err != nil {
		return err
	}
	now := c.recorder.last()
	one, other := withoutTimes(before.value()), withoutTimes(now.value())
	if fields, isObject := one.(map[string]any); isObject && butFor == "times and ids" {
		if again, isObject := other.(map[string]any); isObject {
			if reflect.DeepEqual(fields["id"], again["id"]) {
				return fmt.Errorf("both have the id %v", fields["id"])
			}
			for _, field := range []string{"id", "continue_url"} {
				delete(fields, field)
				delete(again, field)
			}
		}
	}
	if !equalJSON(one, other) {
		return fmt.Errorf("before: %d %s\nnow: %d %s", before.status, encode(one), now.status, encode(other))
	}
	return nil
}

// continuePageShows opens the answer's continue_url as the buyer's browser does, and searches the page for a text.
func (c *ucpContext) continuePageShows(text string) error {
	address, _ := valueAt(c.recorder.last().value(), "continue_url")
	link, err := url.Parse(fmt.Sprint(address))
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: c.recorder.next}).Get(link.String())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	kind := response.Header.Get("Content-Type")
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") || !strings.Contains(string(page), text) {
		return fmt.Errorf("%s: %d %s %.2000s", link, response.StatusCode, kind, page)
	}
	return nil
}

// bodyIsJSON checks that the body is one JSON value (RFC 8259) and that Content-Type says so.
func (c *ucpContext) bodyIsJSON() error {
	last := c.recorder.last()
	if kind := last.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return fmt.Errorf("Content-Type is %q", kind)
	}
	if !json.Valid(last.body) {
		return fmt.Errorf("it is no JSON: %.500s", last.body)
	}
	return nil
}

// handlersAreUnder compares the names in ucp.payment_handlers with a sorted JSON array.
func (c *ucpContext) handlersAreUnder(names string) error {
	registry, _ := valueAt(c.recorder.last().value(), "ucp.payment_handlers")
	handlers, _ := registry.(map[string]any)
	if found := encode(slices.Sorted(maps.Keys(handlers))); found != names {
		return fmt.Errorf("they are under %s", found)
	}
	return nil
}

// noAnswerHolds searches all answers of the scenario, including orders, payments and audit events that the merchant reads.
func (c *ucpContext) noAnswerHolds(secret string) error {
	secret = c.expand(secret)
	for _, path := range []string{"/v1/orders", "/v1/finance/payments", "/v1/audit-events"} {
		if err := c.send("GET", path, "", nil); err != nil {
			return err
		}
	}
	for _, a := range c.recorder.all() {
		if strings.Contains(string(a.body), secret) || strings.Contains(fmt.Sprint(a.header), secret) {
			return fmt.Errorf("%s tells %q: %.500s", a.path, secret, a.body)
		}
	}
	return nil
}
