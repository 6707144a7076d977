package commerce_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/domain/agentid"
)

func TestClaimedAgent(t *testing.T) {
	t.Parallel()
	const profile = "https://agent.example/profile.json"
	for name, test := range map[string]struct {
		values []string
		want   string // ""; it is none
	}{
		"a profile":                  {[]string{`profile="` + profile + `"`}, profile},
		"with parameters":            {[]string{`profile="` + profile + `";v=1`}, profile},
		"beside other members":       {[]string{`version="2026-08-25", profile="` + profile + `"`}, profile},
		"on two lines":               {[]string{`version="1"`, `profile="` + profile + `"`}, profile},
		"no header":                  {nil, ""},
		"an empty header":            {[]string{""}, ""},
		"no profile":                 {[]string{`version="1"`}, ""},
		"a profile that is a token":  {[]string{`profile=agent`}, ""},
		"a profile that is a number": {[]string{`profile=1`}, ""},
		"a list":                     {[]string{`profile=("` + profile + `")`}, ""},
		"no dictionary":              {[]string{profile}, ""},
		"no https":                   {[]string{`profile="http://agent.example/"`}, ""},
		"too long":                   {[]string{`profile="https://agent.example/` + strings.Repeat("x", agentid.MaxProfile) + `"`}, ""},
		"too long in all":            {[]string{`profile="` + profile + `"`, `x="` + strings.Repeat("x", agentid.MaxProfile) + `"`}, ""},
	} {
		got, ok := commerce.ClaimedAgent(http.Header{"Ucp-Agent": test.values})
		if ok != (test.want != "") || got != (agentid.Agent{Profile: test.want}) {
			t.Errorf("%s: %+v, %t", name, got, ok)
		}
	}
}
