package project

import "github.com/haggle-commerce/haggle/domain/fault"

// What buyers' agents must prove (settings agents.authentication).
const (
	OpenAgents   = "open"   // nothing
	SignedAgents = "signed" // by a signature, that they are who they say they are: to read orders, and to hear of them
)

// AgentsSign reports whether agents must sign where it matters. A shop that says nothing wants it where money moves. Searching,
// haggling and buying are open always.
func (s Settings) AgentsSign(sandbox bool) bool {
	return s.AgentAuthentication == SignedAgents || s.AgentAuthentication == "" && !sandbox
}

func (s Settings) checkAuthentication(agents fault.Check) {
	known := s.AgentAuthentication == "" || s.AgentAuthentication == OpenAgents || s.AgentAuthentication == SignedAgents
	agents.That(known, "authentication", "must be open or signed")
}
