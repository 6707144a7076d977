package project

import "github.com/haggle-commerce/haggle/domain/fault"

// The values of the setting agents.authentication: whether buyers' agents must prove who they are.
const (
	OpenAgents   = "open"   // no proof
	SignedAgents = "signed" // a signature, to read orders and to receive their updates
)

// AgentsSign reports whether agents must sign to read orders and receive their updates. By default they must where real
// money moves. Searching, haggling and buying never require a signature.
func (s Settings) AgentsSign(sandbox bool) bool {
	return s.AgentAuthentication == SignedAgents || s.AgentAuthentication == "" && !sandbox
}

func (s Settings) checkAuthentication(agents fault.Check) {
	known := s.AgentAuthentication == "" || s.AgentAuthentication == OpenAgents || s.AgentAuthentication == SignedAgents
	agents.That(known, "authentication", "must be open or signed")
}
