// Package agentid holds the identity that a buyer's agent claims and whether it proved it. The package fetches no
// profile and verifies no signature.
package agentid

import (
	"net/netip"
	"net/url"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// MaxProfile is the largest length of a profile's URL, in bytes.
const MaxProfile = 2_048

// Agent acts for a buyer. The zero Agent has named no profile. An Agent is never an input of a price.
type Agent struct {
	Profile  string // the https URL of its profile
	Verified bool   // it proved that the profile is its own
	Key      string // the thumbprint of the key that proved it; "": proved without a key
	// Protocol is the one that the agent uses here, whether it named a profile or not.
	Protocol Protocol
}

// Protocol is a protocol between agents and a shop. The zero Protocol is Haggle's own.
type Protocol struct{ name string }

var (
	Haggle = Protocol{}
	UCP    = Protocol{"ucp"} // Universal Commerce Protocol over REST
	MCP    = Protocol{"mcp"} // tools over the Model Context Protocol
)

// Protocols are all protocols by name.
var Protocols = map[string]Protocol{"haggle": Haggle, "ucp": UCP, "mcp": MCP}

func (p Protocol) String() string {
	if p == Haggle {
		return "haggle"
	}
	return p.name
}

// Over returns the agent with another protocol.
func (a Agent) Over(p Protocol) Agent {
	a.Protocol = p
	return a
}

// ErrProfileURL refuses a profile's URL that is missing or invalid.
func ErrProfileURL() *fault.Error {
	return fault.New(fault.Malformed, "invalid_profile_url",
		`The agent's profile must be a public https URL, as in UCP-Agent: profile="https://agent.example/profile.json".`)
}

// Rules restrict the URLs of profiles.
type Rules struct{ AllowLoopback bool } // allows http URLs of this machine

// Claim returns an agent that claims a profile. It reports false if profile is not a valid https URL.
func Claim(profile string) (Agent, bool) { return Rules{}.Claim(profile) }

// Claim returns an agent that claims a profile. It reports false if profile is not a URL that the rules allow.
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

// Said reports whether the agent named a profile.
func (a Agent) Said() bool { return a.Profile != "" }

// FindsWhatWasMadeBy reports whether the agent may access a cart, checkout or order that owner created. Only a verified
// agent itself may access its objects, with any of its keys. Anybody who knows the ID may access other objects.
func (a Agent) FindsWhatWasMadeBy(owner Agent) bool {
	return !owner.Verified || a.Verified && a.Profile == owner.Profile && a.Said()
}

// InLog returns the profile for logs, without its query, which may hold a secret.
func (a Agent) InLog() string {
	u, err := url.Parse(a.Profile)
	if err != nil {
		return ""
	}
	u.RawQuery, u.ForceQuery = "", false
	return u.String()
}
