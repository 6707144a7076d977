package commerce

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/agentid"
)

// Declined payments are counted for a profile that the shop has made a key for, or else for all of a domain,
// because the owner of a domain can sign for as many profiles as it likes.
func TestPayer(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]string{
		"https://agent.example/p":              "agent.example",
		"https://a1.agents.example.com/x":      "example.com",
		"https://A2.Agents.Example.com:8443/y": "example.com",
		"https://shop.example.co.uk/":          "example.co.uk",
		"http://127.0.0.1:9000/p":              "127.0.0.1",
		"http://localhost:9000/p":              "localhost",
	} {
		if got := payer(agentid.Agent{
			Profile:  profile,
			Verified: true,
			Key:      "thumbprint",
		}); got != want {
			t.Errorf("%s: %s", profile, got)
		}
		if got := payer(agentid.Agent{Profile: profile, Verified: true}); got != profile {
			t.Errorf("%s by a key of the shop: %s", profile, got)
		}
	}
}
