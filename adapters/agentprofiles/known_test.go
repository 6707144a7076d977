package agentprofiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agentid"
)

func TestReadKnown(t *testing.T) {
	t.Parallel()
	file := func(body string) string {
		name := filepath.Join(t.TempDir(), "platforms.json")
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	entry := `"` + address + `":` + good
	local := `"http://127.0.0.1:9000/p":` + profile("2026-04-08", "", "")
	known, err := ReadKnown(file(`{`+entry+`,`+local+`}`), agentid.Rules{AllowLoopback: true})
	if err != nil || len(known) != 2 || known[address].URL != address || known["http://127.0.0.1:9000/p"].Declares.Release.String() != "2026-04-08" {
		t.Errorf("%+v, %v", known, err)
	}
	for body, want := range map[string]string{
		``:                          "must be a JSON object",
		`[]`:                        "must be a JSON object",
		`{` + entry:                 "must be a JSON object",
		`{` + local + `}`:           `"http://127.0.0.1:9000/p" must be an https URL`,
		`{"https://a.example/":{}}`: `"https://a.example/": profile_malformed: The agent's profile is malformed: ucp.version is required.`,
		`{"https://a.example/":` + profile("2025-01-01", "", "") + `}`: `"https://a.example/": ucp.version is 2025-01-01, which is not supported`,
		`{` + entry + `,` + entry + `}`:                                "duplicate",
	} {
		name := file(body)
		if _, err := ReadKnown(name, agentid.Rules{}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if _, err := ReadKnown(filepath.Join(t.TempDir(), "none.json"), agentid.Rules{}); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("got %v", err)
	}
}
