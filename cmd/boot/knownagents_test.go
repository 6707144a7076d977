package boot_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/ports"
)

// A sandbox's built-in agents have all capabilities and are not verified. In production there are none.
func TestKnownAgents_sandbox(t *testing.T) {
	t.Parallel()
	for public, authority := range map[string]string{
		"":                             "com.haggle",
		"http://shops.example.com":     "com.haggle",
		"https://127.0.0.1:8443":       "com.haggle",
		"https://localhost":            "com.haggle",
		"https://shops.example.com/on": "com.example.shops",
	} {
		name, _ := capability.Negotiation(authority)
		service := newIdentityService(t, boot.Config{Env: "sandbox", PublicURL: public})
		for profile, release := range map[string]capability.Version{
			"https://haggle.invalid/agent":            capability.V20260825,
			"https://haggle.invalid/2026-04-08/agent": capability.V20260408,
		} {
			all := capability.Served(release, name)
			got, err := service.Identify(ports.NewOutbound(t.Context()), identity.Request{
				Profile:  profile,
				Business: []capability.Set{all},
				Needs:    name,
			})
			if err != nil || len(got.Active.All()) != len(all.Capabilities) || got.Agent.Verified {
				t.Errorf("%q: %s: %+v, %v", public, profile, got, err)
			}
		}
	}
	known, err := boot.KnownAgents(boot.Config{Env: "production"})
	if err != nil || len(known) != 0 {
		t.Errorf("production knows %v (%v)", known, err)
	}
}

// A server does not start with an invalid HAGGLE_UCP_PLATFORMS file and names the problem. The doctor reports it too.
func TestKnownAgents(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "platforms.json")
	if err := os.WriteFile(file, []byte(`{"https://agent.example/p":{"ucp":{"version":"2026-08-25"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	config := boot.Config{
		Addr:         "127.0.0.1:0",
		OpsAddr:      "127.0.0.1:0",
		Env:          "sandbox",
		DatabaseURL:  "sqlite://" + filepath.Join(t.TempDir(), "haggle.db"),
		UCPPlatforms: file,
	}
	want := "HAGGLE_UCP_PLATFORMS: " + file + `: "https://agent.example/p": profile_malformed: The agent's profile is malformed: ucp.services is required.`
	if _, err := boot.New(t.Context(), config, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(strings.TrimPrefix(config.DatabaseURL, "sqlite://")); !os.IsNotExist(err) {
		t.Error("the database was opened before")
	}
	_, profile := agentKey(t, 1)
	for body, verdict := range map[string]boot.Verdict{`{"https://agent.example/p":` + profile + `}`: boot.OK, `[]`: boot.Fail} {
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range boot.Diagnose(t.Context(), config) {
			found = found || f.About == "agents' profiles" && f.Verdict == verdict
		}
		if !found {
			t.Errorf("the doctor does not say %s of %s", verdict, body)
		}
	}
}

// BenchmarkIdentify identifies the agent of a request with a known profile, unsigned and signed.
func BenchmarkIdentify(b *testing.B) {
	key, profile := agentKey(b, 1)
	file := filepath.Join(b.TempDir(), "platforms.json")
	const known = "https://agent.example/profile.json"
	if err := os.WriteFile(file, []byte(`{"`+known+`":`+profile+`}`), 0o600); err != nil {
		b.Fatal(err)
	}
	service := newIdentityService(b, boot.Config{Env: "sandbox", UCPPlatforms: file})
	for name, r := range map[string]identity.Request{
		"sandbox": {Profile: "https://haggle.invalid/agent", Business: shopServes},
		"signed":  {Profile: known, Business: shopServes, Signed: signedRequest(b, key, known)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := ports.NewOutbound(b.Context())
			for b.Loop() {
				if _, err := service.Identify(ctx, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
