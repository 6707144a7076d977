package agentid_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agentid"
)

func TestClaim(t *testing.T) {
	t.Parallel()
	long := "https://agent.example/" + strings.Repeat("x", agentid.MaxProfile-len("https://agent.example/"))
	for profile, want := range map[string]bool{
		"https://agent.example/profile.json":     true,
		"https://agent.example:8443/p?version=2": true,
		long:                                     true,
		long + "x":                               false,
		"":                                       false,
		"http://agent.example/profile.json":      false,
		"agent.example/profile.json":             false,
		"https://":                               false,
		"https://ada:secret@agent.example/":      false,
		"https://agent.example/#me":              false,
		"https://agent.example/\xff":             false,
		"https://agent.example/\n":               false,
		"javascript:alert(1)":                    false,
	} {
		got, ok := agentid.Claim(profile)
		if ok != want || ok && (got.Profile != profile || got.Verified || got.Key != "") || !ok && got != (agentid.Agent{}) {
			t.Errorf("%q: %+v, %t", profile, got, ok)
		}
	}
}

// In a sandbox that allows it, a profile may be on this machine.
func TestRules_Claim(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]bool{
		"https://agent.example/p":     true,
		"http://127.0.0.1:9000/p":     true,
		"http://127.1.2.3/p":          true,
		"http://localhost:9000/p":     true,
		"http://[::1]:9000/p":         true,
		"http://agent.example/p":      false,
		"http://10.0.0.1/p":           false,
		"http://localhost.example/p":  false,
		"http://ada:x@127.0.0.1:90/p": false,
		"ftp://127.0.0.1/p":           false,
	} {
		if got, ok := (agentid.Rules{AllowLoopback: true}).Claim(profile); ok != want || ok != got.Said() {
			t.Errorf("%q: %t", profile, ok)
		}
	}
}

// An agent finds the objects that it may access. A profile that is only claimed proves nothing.
func TestAgent_FindsWhatWasMadeBy(t *testing.T) {
	t.Parallel()
	nobody := agentid.Agent{}
	says := agentid.Agent{Profile: "https://one.example/p"}
	one := agentid.Agent{
		Profile:  "https://one.example/p",
		Verified: true,
		Key:      "k1",
	}
	sameByOtherKey := agentid.Agent{
		Profile:  "https://one.example/p",
		Verified: true,
		Key:      "k2",
	}
	two := agentid.Agent{
		Profile:  "https://two.example/p",
		Verified: true,
		Key:      "k1",
	}
	erased := agentid.Agent{Verified: true}
	everybody := []agentid.Agent{nobody, says, one, sameByOtherKey, two, erased}
	for _, test := range []struct {
		owner agentid.Agent
		finds []bool // whether each agent finds it
	}{
		{nobody, []bool{true, true, true, true, true, true}},
		{says, []bool{true, true, true, true, true, true}},
		{one, []bool{false, false, true, true, false, false}},
		{two, []bool{false, false, false, false, true, false}},
		{erased, []bool{false, false, false, false, false, false}},
	} {
		for i, asks := range everybody {
			if got := asks.FindsWhatWasMadeBy(test.owner); got != test.finds[i] {
				t.Errorf("%+v finds what %+v made: %t", asks, test.owner, got)
			}
		}
	}
}

func TestInLog(t *testing.T) {
	t.Parallel()
	a, _ := agentid.Claim("https://agent.example/profile.json?token=secret")
	if got := a.InLog(); got != "https://agent.example/profile.json" {
		t.Errorf("logged as %s", got)
	}
	if got := (agentid.Agent{}).InLog(); got != "" {
		t.Errorf("nobody is logged as %q", got)
	}
}

func TestProtocols(t *testing.T) {
	t.Parallel()
	for name, protocol := range agentid.Protocols {
		if protocol.String() != name {
			t.Errorf("%s is called %s", name, protocol)
		}
		a := agentid.Agent{
			Profile:  "https://agent.example/p",
			Verified: true,
			Key:      "k",
		}
		if over := a.Over(protocol); over.Protocol != protocol || over.Over(agentid.Haggle) != a {
			t.Errorf("over %s: %+v", name, over)
		}
	}
	if (agentid.Protocol{}) != agentid.Haggle || len(agentid.Protocols) != 3 {
		t.Error("the zero protocol is Haggle's own, beside two others")
	}
}
