// Package agentid is who a buyer's agent says it is, and whether it proved that. It fetches no profile and verifies no
// signature.
package agentid

import (
	"net/netip"
	"net/url"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// MaxProfile is how long a profile's URL is at most, in bytes.
const MaxProfile = 2_048

// Agent is who acts for a buyer. The zero Agent said nothing. It is never an input of a price.
type Agent struct {
	Profile  string // the https URL of its profile
	Verified bool   // it proved that the profile is its own
	Key      string // the thumbprint of the key by which it did; "": not by a key
	// Protocol is by which it speaks here, whether it said who it is or not.
	Protocol Protocol
}

// Protocol is by which agents speak to a shop. The zero Protocol is Haggle's own.
type Protocol struct{ name string }

var (
	Haggle = Protocol{}
	UCP    = Protocol{"ucp"} // Universal Commerce Protocol over REST
	MCP    = Protocol{"mcp"} // tools over the Model Context Protocol
)

// Protocols are all of them, by name.
var Protocols = map[string]Protocol{"haggle": Haggle, "ucp": UCP, "mcp": MCP}

func (p Protocol) String() string {
	if p == Haggle {
		return "haggle"
	}
	return p.name
}

// Over is the agent as it speaks by a protocol.
func (a Agent) Over(p Protocol) Agent {
	a.Protocol = p
	return a
}

// ErrProfileURL refuses a profile's URL: there is none, or it is none that could be one.
func ErrProfileURL() *fault.Error {
	return fault.New(fault.Malformed, "invalid_profile_url",
		`The agent's profile must be a public https URL, as in UCP-Agent: profile="https://agent.example/profile.json".`)
}

// Rules are where profiles may lie.
type Rules struct{ AllowLoopback bool } // also on this machine, by http

// Claim is an agent that says it has a profile. It reports false for what is no https URL that could be one.
func Claim(profile string) (Agent, bool) { return Rules{}.Claim(profile) }

// Claim is an agent that says it has a profile. It reports false for what is no URL that could be one.
func (r Rules) Claim(profile string) (Agent, bool) {
	u, err := url.Parse(profile)
	if err != nil || len(profile) > MaxProfile || !utf8.ValidString(profile) ||
		u.Hostname() == "" || u.User != nil || u.Fragment != "" ||
		u.Scheme != "https" && !(r.AllowLoopback && u.Scheme == "http" && loopback(u.Hostname())) {
		return Agent{}, false
	}
	return Agent{Profile: profile}, true
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// Said reports whether the agent said who it is.
func (a Agent) Said() bool { return a.Profile != "" }

// FindsWhatWasMadeBy reports whether a cart, checkout or order that owner made is there for the agent. What a verified
// agent made is there for itself alone, by whichever of its keys. Of everything else the id is the right to it.
func (a Agent) FindsWhatWasMadeBy(owner Agent) bool {
	return !owner.Verified || a.Verified && a.Profile == owner.Profile && a.Said()
}

// InLog is the profile as logs show it: without query, which may hold a secret.
func (a Agent) InLog() string {
	u, err := url.Parse(a.Profile)
	if err != nil {
		return ""
	}
	u.RawQuery, u.ForceQuery = "", false
	return u.String()
}
