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

	"github.com/cucumber/godog"

	ucpjudge "github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// wireAnswers are the answers of the scenario that came by the protocol.
func (w *world) wireAnswers() (list []answer) {
	for _, a := range w.tape.all() {
		if strings.Contains(a.path, "/ucp") || strings.HasSuffix(a.path, "/mcp") {
			list = append(list, a)
		}
	}
	return list
}

// wireSaid is the JSON of an answer, taken out of what MCP wraps it in.
func wireSaid(a answer) map[string]any {
	said, _ := a.value().(map[string]any)
	if wrapped, ok := at(said, "result.structuredContent"); ok {
		said, _ = wrapped.(map[string]any)
	}
	return said
}

// judgeMCP holds an answer over MCP against JSON-RPC, and what a tool says in it against the tool's operation.
func judgeMCP(r *wireRequest, a answer) error {
	version, _ := ucpVersion(r.path)
	var asked struct {
		Method string
		Params struct{ Name ucpjudge.Operation }
	}
	_ = json.Unmarshal(r.body, &asked) // of what cannot be read, nothing is known
	var said struct {
		JSONRPC string
		Result  json.RawMessage
		Error   *struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
	}
	if err := json.Unmarshal(a.body, &said); err != nil || said.JSONRPC != "2.0" || (said.Result == nil) == (said.Error == nil) {
		return fmt.Errorf("it is no answer of JSON-RPC: %d %s", a.status, a.body)
	}
	switch {
	case said.Error != nil && (said.Error.Code == 0 || said.Error.Message == ""):
		return fmt.Errorf("the error is %s", a.body)
	case said.Error != nil && said.Error.Data != nil:
		return ucpjudge.TransportError(a.status, said.Error.Data)
	case asked.Method != "tools/call" || said.Error != nil:
		return nil
	}
	body, err := ucpjudge.StructuredContent(said.Result)
	if err == nil {
		err = ucpjudge.New(version).House().Answer(asked.Params.Name, nil, body)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w in %s", asked.Params.Name, err, a.body)
	}
	return err
}

var wireSeverities = []any{"recoverable", "requires_buyer_input", "requires_buyer_review", "unrecoverable"}

// messagesAreWhole holds every message of the scenario against the fields of its kind. It wants to see all three kinds.
func (w *world) messagesAreWhole() error {
	seen := map[any]int{}
	var wrong error
	for _, a := range w.wireAnswers() {
		list, _ := wireSaid(a)["messages"].([]any)
		for _, one := range list {
			m, _ := one.(map[string]any)
			seen[m["type"]]++
			if err := wireMessage(m); err != nil {
				wrong = errors.Join(wrong, fmt.Errorf("%s: %w in %v", a.path, err, m))
			}
		}
	}
	if seen["error"] == 0 || seen["warning"] == 0 || seen["info"] == 0 || len(seen) != 3 {
		wrong = errors.Join(wrong, fmt.Errorf("there were %v", seen))
	}
	return wrong
}

// wireMessage: an error has a severity, and nothing else has one, so that no message is two kinds at once.
func wireMessage(m map[string]any) error {
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

// isBareError: an answer without a resource has ucp and messages, and no more than a continue_url beside.
func (w *world) isBareError() error {
	said := wireSaid(w.tape.last())
	names := slices.Sorted(maps.Keys(said))
	if rest := slices.DeleteFunc(names, func(n string) bool { return n == "continue_url" }); !slices.Equal(rest, []string{"messages", "ucp"}) {
		return fmt.Errorf("it has %v", rest)
	}
	list, _ := said["messages"].([]any)
	if status, _ := at(said, "ucp.status"); status != "error" || len(list) == 0 {
		return fmt.Errorf("status %v, messages %v", status, list)
	}
	for _, one := range list {
		if err := wireMessage(one.(map[string]any)); err != nil {
			return err
		}
	}
	return nil
}

// answersAreJSON reads every answer of the scenario as JSON that says that it is.
func (w *world) answersAreJSON() error {
	var wrong error
	for _, a := range w.wireAnswers() {
		if kind := a.header.Get("Content-Type"); kind != "application/json" || !json.Valid(a.body) {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %d %q %.200s", a.path, a.status, kind, a.body))
		}
	}
	return wrong
}

// answersNameVersion: every answer of the protocol names the version; one with a resource names active capabilities, too.
func (w *world) answersNameVersion(version string) error {
	var wrong error
	seen := 0
	for _, a := range w.wireAnswers() {
		if a.status >= 400 || strings.HasSuffix(a.path, wireProfilePath) {
			continue
		}
		said := wireSaid(a)
		got, _ := at(said, "ucp.version")
		capabilities, _ := at(said, "ucp.capabilities")
		active, _ := capabilities.(map[string]any)
		status, _ := at(said, "ucp.status")
		if seen++; got != version || len(active) == 0 && status != "error" {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %v", a.path, said["ucp"]))
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

// activeAre compares the capabilities of the latest answer with short names of shopping's: "checkout, discount".
func (w *world) activeAre(want string) error {
	capabilities, _ := at(wireSaid(w.tape.last()), "ucp.capabilities")
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

// schemasLieAtOwners: what a name is bound to is its first labels, reversed: the names of the protocol lie at ucp.dev.
func (w *world) schemasLieAtOwners() error {
	declared, _ := at(w.tape.last().value(), "ucp.capabilities")
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

// ownedBy reports whether a URL's host, reversed, begins a name. A sandbox without a domain has names of com.haggle, which
// lie on this machine.
func ownedBy(name string, u *url.URL) bool {
	labels := strings.Split(u.Hostname(), ".")
	slices.Reverse(labels)
	owner := strings.Join(labels, ".") + "."
	if strings.HasPrefix(name, "com.haggle.") {
		return u.Hostname() == "127.0.0.1"
	}
	return strings.HasPrefix(name, owner) && u.Scheme == "https"
}

// answersAlike compares the latest two answers, but for ids and times.
func (w *world) answersAlike() error {
	before, err := w.before()
	if err != nil {
		return err
	}
	now := w.tape.last()
	one, other := wireIDs.ReplaceAllString(string(before.body), "…"), wireIDs.ReplaceAllString(string(now.body), "…")
	a, errA := decode(one)
	b, errB := decode(other)
	if before.status != now.status || errors.Join(errA, errB) != nil || !reflect.DeepEqual(a, b) {
		return fmt.Errorf("%d %s\nand\n%d %s", before.status, before.body, now.status, now.body)
	}
	return nil
}

var wireIDs = regexp.MustCompile(`\b(?:chk|sess|ord|quote)_[0-9a-z]{26}\b|\b\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// heardShows judges the newest of what the platform heard.
func (w *world) heardShows(table *godog.Table) error {
	if len(w.arrived) == 0 {
		return errors.New("it heard nothing")
	}
	value, err := decode(string(w.arrived[len(w.arrived)-1].Body))
	if err != nil {
		return err
	}
	return w.judgeTable(value, table)
}

// heardIsOneEvent: what failed is sent again under the id that it had.
func (w *world) heardIsOneEvent() error {
	first := w.arrived[0].Header.Get("Webhook-Id")
	for _, came := range w.arrived {
		if id := came.Header.Get("Webhook-Id"); id == "" || id != first {
			return fmt.Errorf("the ids are %q and %q", first, id)
		}
	}
	return nil
}

// heardIsTheOrder compares what the platform heard last with the order as it reads it.
func (w *world) heardIsTheOrder() error {
	heard, err := decode(string(w.arrived[len(w.arrived)-1].Body))
	if err != nil {
		return err
	}
	read := w.tape.last().value()
	if !reflect.DeepEqual(heard, read) {
		return fmt.Errorf("it heard %v, and reads %v", heard, read)
	}
	return nil
}
