package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	ucpjudge "github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// wireAnswers returns the scenario's answers to UCP and MCP requests.
func (c *ucpContext) wireAnswers() (list []answer) {
	for _, a := range c.recorder.all() {
		if strings.Contains(a.path, "/ucp") || strings.HasSuffix(a.path, "/mcp") {
			list = append(list, a)
		}
	}
	return list
}

// wireBody returns the JSON object of an answer, without the MCP message around it.
func wireBody(a answer) map[string]any {
	body, _ := a.value().(map[string]any)
	if wrapped, ok := valueAt(body, "result.structuredContent"); ok {
		body, _ = wrapped.(map[string]any)
	}
	return body
}

// checkMCPAnswer checks an MCP answer against JSON-RPC, and a tool's content in it against the tool's operation.
func checkMCPAnswer(r *wireRequest, a answer) error {
	version, _ := ucpVersion(r.path)
	var request struct {
		Method string
		Params struct{ Name ucpjudge.Operation }
	}
	_ = json.Unmarshal(r.body, &request) // stays empty for an invalid request
	var message struct {
		JSONRPC string
		Result  json.RawMessage
		Error   *struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
	}
	if err := json.Unmarshal(a.body, &message); err != nil || message.JSONRPC != "2.0" || (message.Result == nil) == (message.Error == nil) {
		return fmt.Errorf("it is no answer of JSON-RPC: %d %s", a.status, a.body)
	}
	switch {
	case message.Error != nil && (message.Error.Code == 0 || message.Error.Message == ""):
		return fmt.Errorf("the error is %s", a.body)
	case message.Error != nil && message.Error.Data != nil:
		return ucpjudge.TransportError(a.status, message.Error.Data)
	case request.Method != "tools/call" || message.Error != nil:
		return nil
	}
	body, err := ucpjudge.StructuredContent(message.Result)
	if err == nil {
		err = ucpjudge.New(version).House().Answer(request.Params.Name, nil, body)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w in %s", request.Params.Name, err, a.body)
	}
	return err
}

var wireSeverities = []any{"recoverable", "requires_buyer_input", "requires_buyer_review", "unrecoverable"}

// messagesAreComplete checks that every message of the scenario has the fields of its type, and that all three types occur.
func (c *ucpContext) messagesAreComplete() error {
	seen := map[any]int{}
	var wrong error
	for _, a := range c.wireAnswers() {
		list, _ := wireBody(a)["messages"].([]any)
		for _, one := range list {
			m, _ := one.(map[string]any)
			seen[m["type"]]++
			if err := checkMessage(m); err != nil {
				wrong = errors.Join(wrong, fmt.Errorf("%s: %w in %v", a.path, err, m))
			}
		}
	}
	if seen["error"] == 0 || seen["warning"] == 0 || seen["info"] == 0 || len(seen) != 3 {
		wrong = errors.Join(wrong, fmt.Errorf("there were %v", seen))
	}
	return wrong
}

// checkMessage checks a message's fields. Errors must have a severity; other types must not.
func checkMessage(m map[string]any) error {
	needs := map[any][]string{
		"error":   {"code", "content", "severity"},
		"warning": {"code", "content"},
		"info":    {"content"},
	}[m["type"]]
	if needs == nil {
		return fmt.Errorf("the type is %v", m["type"])
	}
	for _, name := range needs {
		if text, ok := m[name].(string); !ok || text == "" {
			return fmt.Errorf("it has no %s", name)
		}
	}
	severity, has := m["severity"]
	if has != (m["type"] == "error") || has && !slices.Contains(wireSeverities, severity) {
		return fmt.Errorf("the severity is %v", severity)
	}
	if kind, has := m["content_type"]; has && kind != "plain" && kind != "markdown" {
		return fmt.Errorf("the content_type is %v", kind)
	}
	return nil
}

// hasOnlyMessages checks that the latest answer is an error with ucp, messages and at most a continue_url.
func (c *ucpContext) hasOnlyMessages() error {
	body := wireBody(c.recorder.last())
	names := slices.Sorted(maps.Keys(body))
	if rest := slices.DeleteFunc(names, func(n string) bool { return n == "continue_url" }); !slices.Equal(rest, []string{"messages", "ucp"}) {
		return fmt.Errorf("it has %v", rest)
	}
	list, _ := body["messages"].([]any)
	if status, _ := valueAt(body, "ucp.status"); status != "error" || len(list) == 0 {
		return fmt.Errorf("status %v, messages %v", status, list)
	}
	for _, one := range list {
		if err := checkMessage(one.(map[string]any)); err != nil {
			return err
		}
	}
	return nil
}

// answersAreJSON checks that every answer of the scenario is JSON with the content type application/json.
func (c *ucpContext) answersAreJSON() error {
	var wrong error
	for _, a := range c.wireAnswers() {
		if kind := a.header.Get("Content-Type"); kind != "application/json" || !json.Valid(a.body) {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %d %q %.200s", a.path, a.status, kind, a.body))
		}
	}
	return wrong
}

// answersNameVersion checks that every answer names the version, and every answer with a resource its active capabilities.
func (c *ucpContext) answersNameVersion(version string) error {
	var wrong error
	seen := 0
	for _, a := range c.wireAnswers() {
		if a.status >= 400 || strings.HasSuffix(a.path, wireProfilePath) {
			continue
		}
		body := wireBody(a)
		got, _ := valueAt(body, "ucp.version")
		capabilities, _ := valueAt(body, "ucp.capabilities")
		active, _ := capabilities.(map[string]any)
		status, _ := valueAt(body, "ucp.status")
		if seen++; got != version || len(active) == 0 && status != "error" {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %v", a.path, body["ucp"]))
		}
		for name, entries := range active {
			if list, _ := entries.([]any); len(list) != 1 {
				wrong = errors.Join(wrong, fmt.Errorf("%s: %s is %v", a.path, name, entries))
			}
		}
	}
	if seen == 0 {
		wrong = errors.New("there was no answer")
	}
	return wrong
}

// activeCapabilitiesAre compares the latest answer's capabilities with names relative to dev.ucp.shopping: "checkout, discount".
func (c *ucpContext) activeCapabilitiesAre(want string) error {
	capabilities, _ := valueAt(wireBody(c.recorder.last()), "ucp.capabilities")
	active, _ := capabilities.(map[string]any)
	var got []string
	for name := range active {
		got = append(got, strings.TrimPrefix(name, wireShopping+"."))
	}
	slices.Sort(got)
	if names := strings.Join(got, ", "); names != want {
		return fmt.Errorf("they are %s", names)
	}
	return nil
}

// schemasAreAtOwners checks that each capability's spec and schema are at the domain that its name belongs to: dev.ucp.* at
// ucp.dev.
func (c *ucpContext) schemasAreAtOwners() error {
	declared, _ := valueAt(c.recorder.last().value(), "ucp.capabilities")
	list, _ := declared.(map[string]any)
	if len(list) == 0 {
		return errors.New("the profile has no capabilities")
	}
	var wrong error
	for name, entries := range list {
		all, _ := entries.([]any)
		for _, one := range all {
			entry, _ := one.(map[string]any)
			for _, field := range []string{"spec", "schema"} {
				text, _ := entry[field].(string)
				u, err := url.Parse(text)
				if err != nil || !ownedBy(name, u) {
					wrong = errors.Join(wrong, fmt.Errorf("the %s of %s is %q", field, name, text))
				}
			}
		}
	}
	return wrong
}

// ownedBy reports whether a name begins with the URL's host in reverse order. A sandbox without a domain uses com.haggle names
// at 127.0.0.1.
func ownedBy(name string, u *url.URL) bool {
	labels := strings.Split(u.Hostname(), ".")
	slices.Reverse(labels)
	owner := strings.Join(labels, ".") + "."
	if strings.HasPrefix(name, "com.haggle.") {
		return u.Hostname() == "127.0.0.1"
	}
	return strings.HasPrefix(name, owner) && u.Scheme == "https"
}

// answersEqualExceptIDs compares the latest two answers without ids and times.
func (c *ucpContext) answersEqualExceptIDs() error {
	before, err := c.previousAnswer()
	if err != nil {
		return err
	}
	now := c.recorder.last()
	one, other := wireIDs.ReplaceAllString(string(before.body), "…"), wireIDs.ReplaceAllString(string(now.body), "…")
	a, errA := decode(one)
	b, errB := decode(other)
	if before.status != now.status || errors.Join(errA, errB) != nil || !reflect.DeepEqual(a, b) {
		return fmt.Errorf("%d %s\nand\n%d %s", before.status, before.body, now.status, now.body)
	}
	return nil
}

var wireIDs = regexp.MustCompile(`\b(?:chk|sess|ord|quote)_[0-9a-z]{26}\b|\b\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// lastWebhookShows checks the body of the latest webhook that the platform received.
func (c *ucpContext) lastWebhookShows(pairs ...string) error {
	if len(c.events.deliveries) == 0 {
		return errors.New("it heard nothing")
	}
	value, err := decode(string(c.events.deliveries[len(c.events.deliveries)-1].Body))
	if err != nil {
		return err
	}
	return c.checkFields(value, pairs)
}

// webhooksAreOneEvent checks that retries of a webhook have the same Webhook-Id.
func (c *ucpContext) webhooksAreOneEvent() error {
	first := c.events.deliveries[0].Header.Get("Webhook-Id")
	for _, delivery := range c.events.deliveries {
		if id := delivery.Header.Get("Webhook-Id"); id == "" || id != first {
			return fmt.Errorf("the ids are %q and %q", first, id)
		}
	}
	return nil
}

// lastWebhookMatchesOrder compares the latest webhook with the order in the latest answer.
func (c *ucpContext) lastWebhookMatchesOrder() error {
	sent, err := decode(string(c.events.deliveries[len(c.events.deliveries)-1].Body))
	if err != nil {
		return err
	}
	read := c.recorder.last().value()
	if !reflect.DeepEqual(sent, read) {
		return fmt.Errorf("it heard %v, and reads %v", sent, read)
	}
	return nil
}
