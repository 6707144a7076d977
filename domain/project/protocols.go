package project

import (
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Protocols are the protocols that a shop serves besides Haggle's own, which it always serves.
type Protocols struct {
	UCP    bool // Universal Commerce Protocol over REST, including its profile
	MCP    bool // tools over the Model Context Protocol
	OAIACP bool // Agentic Commerce Protocol of OpenAI and Stripe, which no release serves yet
}

// DefaultProtocols returns the default protocols of a project.
func DefaultProtocols() Protocols { return Protocols{UCP: true, MCP: true} }

// ProtocolsPatch is a partial change of protocols.
type ProtocolsPatch struct {
	UCP, MCP, OAIACP patch.Field[bool]
}

func (p *Protocols) apply(change ProtocolsPatch, c fault.Check) {
	defaults := DefaultProtocols()
	change.UCP.Apply(&p.UCP, defaults.UCP)
	change.MCP.Apply(&p.MCP, defaults.MCP)
	change.OAIACP.Apply(&p.OAIACP, defaults.OAIACP)
	c.That(!p.OAIACP, "oai_acp", "must be false: the protocol is not supported yet")
}
