package console

import (
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/audit"
)

func TestBrowserName(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0":                                             "Firefox on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/127.0 Safari/537.36 Edg/127.0":        "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15":        "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0 Safari/604.1":     "Chrome on iPhone",
		"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0 Mobile Safari/537.36": "Samsung Internet on Android",
		"curl/8.5.0":        "curl",
		"Something (Linux)": "A browser on Linux",
		"":                  "An unknown browser",
	} {
		if got := browserName(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}

func TestAddressWords(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"127.0.0.1":   "The server itself",
		"::1":         "The server itself",
		"10.1.2.3":    "10.1.2.3, the local network",
		"203.0.113.7": "203.0.113.7",
		"":            "An unknown address",
	} {
		if got := addressWords(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

func TestScopeWords(t *testing.T) {
	t.Parallel()
	for scopes, want := range map[string]string{
		"*":                                      "everything",
		"catalog:write":                          "change catalogue",
		"events:read,analytics:read":             "read figures and events",
		"catalog:write,finance:read":             "change catalogue; read orders and money",
		"keys:read,keys:write":                   "change people and keys",
		"projects:read,agents:read,catalog:read": "read catalogue, haggling and shop settings",
	} {
		if got := scopeWords(strings.Split(scopes, ",")); got != want {
			t.Errorf("%s: %q, want %q", scopes, got, want)
		}
	}
}

func TestScopesOf(t *testing.T) {
	t.Parallel()
	form := url.Values{"scope.catalog": {"write"}, "scope.events": {"read"}, "scope.keys": {""}}
	if got := scopesOf(form); !slices.Equal(got, []string{"catalog:write", "events:read"}) {
		t.Errorf("chosen: %v", got)
	}
	form.Set("scopes", "on")
	if got := scopesOf(form); !slices.Equal(got, []string{"*"}) {
		t.Errorf("everything: %v", got)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	if got := expiry("30", noon); got == nil || *got != "2026-04-01T12:00:00Z" {
		t.Errorf("in 30 days: %v", got)
	}
	for _, choice := range []string{"", "soon"} {
		if got := expiry(choice, noon); got != nil {
			t.Errorf("%q: %s", choice, *got)
		}
	}
}

func TestFours(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]string{"": "", "ABCD": "ABCD", "ABCDE": "ABCD E", "ABCDEFGHIJ": "ABCD EFGH IJ"} {
		if got := fours(secret); got != want {
			t.Errorf("%q: %q, want %q", secret, got, want)
		}
	}
}

func TestQRCode(t *testing.T) {
	t.Parallel()
	picture := qrCode("otpauth://totp/Haggle:ada@example.com?secret=ABCDEFGH")
	if !strings.HasPrefix(string(picture), `<svg class="qr" viewBox="0 0 41 41"`) {
		t.Errorf("%.80s", picture)
	}
	// The finder pattern in the corner begins with seven dark modules after the quiet zone.
	for _, x := range []string{"M4 4h", "M10 4h"} {
		if !strings.Contains(string(picture), x) {
			t.Errorf("no dark module at %s", x)
		}
	}
	if strings.Contains(string(picture), "M11 4h") {
		t.Error("the separator is dark")
	}
	if got := qrCode(strings.Repeat("x", 5000)); got != "" {
		t.Error("a text that fits no code is drawn")
	}
}

func TestAuditChanges(t *testing.T) {
	t.Parallel()
	before := map[string]any{"commerce": map[string]any{"max_discount_percent": 20.0, "negotiation_enabled": true}, "same": "x"}
	after := map[string]any{"commerce": map[string]any{"max_discount_percent": 22.5, "negotiation_enabled": false}, "same": "x", "scopes": []any{"a", "b"}}
	got, more := auditChanges(before, after)
	want := []auditChange{
		{"commerce: max discount percent", "20", "22.5"},
		{"commerce: negotiation enabled", "on", "off"},
		{"scopes", "", "a, b"},
	}
	if !slices.Equal(got, want) || more != "" {
		t.Errorf("%v %q", got, more)
	}
	many := map[string]any{}
	for _, letter := range "abcdefghijklmn" {
		many[string(letter)] = 1.0
	}
	if got, more := auditChanges(nil, many); len(got) != mostChanges || more != "and 2 other values" {
		t.Errorf("%d changes, %q", len(got), more)
	}
	if got, _ := auditChanges(nil, map[string]any{"lines": []any{map[string]any{"n": 1.0}}}); len(got) != 1 || got[0].Now != `[{"n":1}]` {
		t.Errorf("a list of objects: %v", got)
	}
}

// Operations that change something stand in the audit log: each has its words.
func TestAuditWords_allOperations(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../cmd/boot/testdata/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	unlogged := []string{"dry-run-agent-policy", "get-shipping-rates"} // they store nothing
	path, method := "", ""
	operations := map[string]bool{}
	for line := range strings.Lines(string(document)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "  /"):
			path = line
		case regexp.MustCompile(`^    [a-z]+:$`).MatchString(line):
			method = strings.Trim(line, " :")
		case strings.HasPrefix(line, "      operationId: ") && strings.HasPrefix(path, "  /v1/") && method != "get" && !strings.Contains(line, " on-"):
			operations[strings.TrimPrefix(line, "      operationId: ")] = true
		}
	}
	if len(operations) < 50 {
		t.Fatalf("only %d operations were found", len(operations))
	}
	for operation := range operations {
		if auditWords[operation] == "" && !slices.Contains(unlogged, operation) {
			t.Errorf("%s has no words", operation)
		}
	}
	for operation := range auditWords {
		if !operations[operation] && !audit.OfSignIn(operation) && !audit.OfPlatforms(operation) {
			t.Errorf("there is no operation %s", operation)
		}
	}
}

func TestAuditSaid(t *testing.T) {
	t.Parallel()
	for after, want := range map[string]string{
		`sign-in {"by":"password"}`:                    "Signed in by password",
		`sign-in {"by":"password","code":true}`:        "Signed in by password and code",
		`sign-in {"by":"link"}`:                        "Signed in by one-time link",
		`sign-in {"by":"openid_connect"}`:              "Signed in by OpenID Connect",
		`sign-in {"by":"carrier pigeon"}`:              "Signed in",
		`join-account {"by":"invitation"}`:             "Joined by invitation",
		`block-sign-ins {"by":"code"}`:                 "Too many attempts to sign in by code of the second factor",
		`update-member {"by":"password","name":"Ada"}`: "Changed a member",
	} {
		action, text, _ := strings.Cut(after, " ")
		e := auditEvent{Action: action}
		if err := json.Unmarshal([]byte(text), &e.After); err != nil {
			t.Fatal(err)
		}
		got, left := auditSaid(e)
		changes, _ := auditChanges(nil, left)
		if got != want || len(changes) > 0 != (want == "Signed in" || want == "Changed a member") {
			t.Errorf("%s: %q, %v", after, got, changes)
		}
	}
}

func TestSettingParse(t *testing.T) {
	t.Parallel()
	days := setting{kind: "number", standard: "30"}
	if got, wrong := days.parse("soon"); wrong == "" {
		t.Errorf("soon: %v", got)
	}
	if got, wrong := days.parse(" "); got != nil || wrong != "" {
		t.Errorf("nothing: %v, %s", got, wrong)
	}
	if got, _ := (setting{kind: "lines"}).parse("10.0.0.0/8\n192.0.2.1, 192.0.2.2"); !slices.Equal(got.([]string), []string{"10.0.0.0/8", "192.0.2.1", "192.0.2.2"}) {
		t.Errorf("lines: %v", got)
	}
	if got, _ := (setting{kind: "check"}).parse(""); got != false {
		t.Errorf("unticked: %v", got)
	}
	if got, _ := (setting{kind: "text"}).parse(""); got != "" {
		t.Errorf("a text without a default: %v", got)
	}
}

func TestForm_Place(t *testing.T) {
	t.Parallel()
	failed := &problem{
		Code:    "validation_error",
		Message: "The request has invalid values.",
		Details: []detail{
			{"project_ids.0", "is unknown"}, {"email", "is required"}, {"other", "is wrong"},
		},
	}
	f := newForm("/", failed, field{Name: "email"}, field{Name: "role"}, field{Name: "project_ids"})
	if f.Fields[0].Wrong != "is required" || !f.Fields[0].First || f.Fields[1].Wrong != "" || f.Fields[2].Wrong != "is unknown" || f.Fields[2].First {
		t.Errorf("fields: %+v", f.Fields)
	}
	if len(f.Problem.Details) != 1 || f.Problem.Details[0].Field != "other" || len(failed.Details) != 3 {
		t.Errorf("what is left: %+v", f.Problem)
	}
	if f := newForm("/", &problem{Code: codeAsked}); !f.Code || f.Key == "" {
		t.Errorf("a code is asked for: %+v", f)
	}
}

func TestChangedSettings(t *testing.T) {
	t.Parallel()
	p := settingPage{groups: settingGroups}
	form := url.Values{
		"general.name":                  {"North"},
		"was.general.name":              {"North"},
		"commerce.max_discount_percent": {"25"},
		"security.ip_allowlist":         {"10.0.0.0/8\r\n192.0.2.1"},
		"was.security.ip_allowlist":     {"10.0.0.0/8\n192.0.2.1"},
		"protocols.ucp":                 {""},
		"was.protocols.ucp":             {"on"},
	}
	got, err := p.changed(form)
	if err != nil || len(got) != 2 || got.value("commerce.max_discount_percent") != json.Number("25") || got.value("protocols.ucp") != false {
		t.Errorf("%v, %v", got, err)
	}
	form.Set("retention.logs", "soon")
	if _, err := p.changed(form); err == nil {
		t.Error("a word for a number")
	}
}
