package boot_test

import (
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

var (
	loadedFile  = regexp.MustCompile(`<(?:script|link|img)[^>]* (?:href|src)="([^"]*)"`)
	groupPage   = regexp.MustCompile(`href="\.\./docs/((?:management|buyers|ucp-mcp)/[\w-]+)"`)
	shownID     = regexp.MustCompile(`class="in" id="([^"]+)"`)
	shownScript = regexp.MustCompile(`(?s)<div class="code"><pre[^>]*><code>(.*?)</code>`)
)

// docsPages returns all pages of the documentation by path: the start page, and each API's page and groups.
func docsPages(t *testing.T, url string) map[string]httpAnswer {
	t.Helper()
	pages := map[string]httpAnswer{"/docs": get(t, url+"/docs").expect(t, http.StatusOK)}
	for _, book := range []string{"management", "buyers", "ucp-mcp"} {
		index := get(t, url+"/docs/"+book).expect(t, http.StatusOK)
		pages["/docs/"+book] = index
		for _, found := range groupPage.FindAllStringSubmatch(index.body, -1) {
			pages["/docs/"+found[1]] = get(t, url+"/docs/"+found[1]).expect(t, http.StatusOK)
		}
	}
	return pages
}

// Pages load nothing from other hosts, and hold no inline script or style, which their Content-Security-Policy would block.
func TestDocsConfig_contentSecurityPolicy(t *testing.T) {
	t.Parallel()
	url := boottest.Start(t, sqlite(t)).URL()
	pages := docsPages(t, url)
	if len(pages) < 20 {
		t.Errorf("only %d pages", len(pages))
	}
	for path, page := range pages {
		if policy := page.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self'") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		if inline := regexp.MustCompile(`<style|<script>|<[^>]+ style=|<[^>]+ on\w+=`).FindString(page.body); inline != "" {
			t.Errorf("%s has %s", path, inline)
		}
		for _, file := range loadedFile.FindAllStringSubmatch(page.body, -1) {
			base, _ := page.Request.URL.Parse(file[1])
			if strings.HasPrefix(file[1], "http") || strings.HasPrefix(file[1], "//") {
				t.Errorf("%s loads %s", path, file[1])
			}
			if got := get(t, base.String()).expect(t, http.StatusOK); got.body == "" {
				t.Errorf("%s is empty", base)
			}
		}
	}
	get(t, url+"/docs/nowhere").expect(t, http.StatusNotFound)
	get(t, url+"/docs/management/nowhere").expect(t, http.StatusNotFound)
}

// Every operation of the OpenAPI document is on a page, under an anchor of its id.
func TestDocsConfig_everyOperation(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t))
	var shown []string
	for _, page := range docsPages(t, app.URL()) {
		for _, id := range shownID.FindAllStringSubmatch(page.body, -1) {
			shown = append(shown, id[1])
		}
	}
	var document struct {
		Paths, Webhooks map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal([]byte(get(t, app.URL()+"/openapi.json").expect(t, 200).body), &document); err != nil {
		t.Fatal(err)
	}
	for _, items := range []map[string]map[string]struct{ OperationID string }{document.Paths, document.Webhooks} {
		for path, methods := range items {
			for _, op := range methods {
				if path != "/p/{slug}" && !slices.Contains(shown, op.OperationID) {
					t.Errorf("%s is on no page", op.OperationID)
				}
			}
		}
	}
}

// A page that the reader has is answered 304 without a body.
func TestDocsConfig_etag(t *testing.T) {
	t.Parallel()
	url := boottest.Start(t, sqlite(t)).URL() + "/docs/management/orders"
	first := get(t, url).expect(t, http.StatusOK)
	r := request(t, "GET", url, "")
	r.Header.Set("If-None-Match", first.Header.Get("ETag"))
	if again := send(t, r).expect(t, http.StatusNotModified); again.body != "" {
		t.Errorf("%d bytes of what the reader has", len(again.body))
	}
}

// The search works without JavaScript, and escapes the query.
func TestDocsConfig_search(t *testing.T) {
	t.Parallel()
	url := boottest.Start(t, sqlite(t)).URL() + "/docs/management"
	page := get(t, url+"?q=Refund+payment").expect(t, http.StatusOK).body
	if !strings.Contains(page, `id="refund-payment"`) || strings.Contains(page, `id="create-product"`) {
		t.Errorf("the search found:\n%s", page)
	}
	hostile := get(t, url+"?q=%3Cscript%3Ealert(1)%3C/script%3E").expect(t, http.StatusOK).body
	if strings.Contains(hostile, "<script>alert") || !strings.Contains(hostile, "Nothing matches") {
		t.Errorf("the search shows:\n%s", hostile)
	}
}

// refusedExamples are the operations whose examples a new demo shop refuses, with the status.
var refusedExamples = map[string]int{
	"confirm-mfa":           422, // there is no authenticator to confirm
	"update-member":         422, // the demo's owner is the only one
	"create-api-key":        422, // the demo's key ends in a week, and cannot create one that lasts longer
	"create-shipping-label": 422, // the demo has no warehouse with an address
	"get-shipping-rates":    422, // the same
	"complete-connection":   400, // no platform has redirected back
}

// outboundExamples are the operations whose examples would make the server call third parties.
var outboundExamples = []string{"connect-api-key", "create-event-subscription", "test-event-subscription", "redeliver-event", "redeliver-failed-events", "start-import"}

// The examples of the documentation run unchanged against the demo shop, except those that need something that a new shop does
// not have.
func TestDocsConfig_examples(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t))
	shop, err := app.Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	pages := docsPages(t, app.URL())
	for _, path := range slices.Sorted(maps.Keys(pages)) {
		page := pages[path]
		if path == "/docs/ucp-mcp/negotiation" { // they need the profile of a platform
			continue
		}
		for _, part := range strings.Split(page.body, `<details class="card op">`)[1:] {
			id := shownID.FindStringSubmatch(part)[1]
			_, examples, _ := strings.Cut(part, `<div class="show">`)
			for _, found := range shownScript.FindAllStringSubmatch(examples, -1) {
				script := html.UnescapeString(found[1])
				if !strings.Contains(script, "curl ") || strings.Contains(script, "-X DELETE") || slices.Contains(outboundExamples, id) {
					continue
				}
				ran++
				status, body := runExample(t, app, shop.Key, script)
				missing := status == http.StatusNotFound || status == http.StatusConflict // a new shop has none, or it is decided
				if status >= 400 && !missing && status != refusedExamples[id] || strings.Contains(body, `"jsonrpc":"2.0","id":1,"error"`) {
					t.Errorf("%s is answered %d %.400s\n%s", id, status, body, script)
				}
			}
		}
	}
	if ran < 120 {
		t.Errorf("only %d examples ran", ran)
	}
}

var (
	assignment = regexp.MustCompile(`(?s)^(\w+)=\$\((.*) \| jq -r '([^']*)'\)$`)
	variable   = regexp.MustCompile(`\$\w+`)
	method     = regexp.MustCompile(`-X (\w+)`)
	target     = regexp.MustCompile(`https?://[^"\s]+`)
	header     = regexp.MustCompile(`-H ["'](.*?)["'](?: \\|$)`)
	sent       = regexp.MustCompile(`(?s)--json '(.*)'$`)
)

// runExample runs an example as a shell, curl and jq would.
func runExample(t *testing.T, app *boot.App, key, script string) (int, string) {
	t.Helper()
	known := map[string]string{"$HAGGLE_KEY": key}
	for _, line := range commandsOf(script) {
		read := assignment.FindStringSubmatch(line)
		if read == nil {
			return runCurl(t, line, known)
		}
		_, body := runCurl(t, read[2], known)
		known["$"+read[1]] = jqValue(body, read[3])
	}
	t.Fatalf("no request in %s", script)
	return 0, ""
}

// commandsOf splits a script into commands. Continuation lines begin with a space.
func commandsOf(script string) []string {
	var commands []string
	for line := range strings.SplitSeq(script, "\n") {
		if len(commands) > 0 && strings.HasPrefix(line, " ") {
			commands[len(commands)-1] += "\n" + line
			continue
		}
		commands = append(commands, line)
	}
	return commands
}

func runCurl(t *testing.T, command string, known map[string]string) (int, string) {
	t.Helper()
	fill := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(name string) string { return known[name] })
	}
	body := ""
	if found := sent.FindStringSubmatch(command); found != nil {
		body = fill(strings.NewReplacer(`'"$`, "$", `"'`, "", `'\''`, "'").Replace(found[1]))
		command = strings.Replace(command, found[0], "", 1)
	}
	verb := "GET"
	if body != "" {
		verb = "POST"
	}
	if found := method.FindStringSubmatch(command); found != nil {
		verb = found[1]
	}
	r := request(t, verb, fill(target.FindString(command)), body)
	r.Header.Set("Content-Type", "application/json")
	for _, found := range header.FindAllStringSubmatch(command, -1) {
		name, value, _ := strings.Cut(found[1], ": ")
		r.Header.Set(name, fill(value))
	}
	answer := send(t, r)
	return answer.StatusCode, answer.body
}

// jqValue returns the value at a jq path, or "null".
func jqValue(body, path string) string {
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return "null"
	}
	for _, step := range regexp.MustCompile(`\.\w+|\[\d+\]`).FindAllString(path, -1) {
		switch v := value.(type) {
		case map[string]any:
			value = v[strings.TrimPrefix(step, ".")]
		case []any:
			i, err := strconv.Atoi(strings.Trim(step, "[]"))
			if err != nil || i >= len(v) {
				return "null"
			}
			value = v[i]
		default:
			return "null"
		}
	}
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return "null"
}
