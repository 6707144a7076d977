package checkout

import (
	"net/url"
	"strings"
)

// HookProtocol is how an order's agent is told of the order.
type HookProtocol struct{ name string }

var (
	ByHaggle   = HookProtocol{"haggle"}         // Haggle's own protocol
	ByUCP      = HookProtocol{"ucp"}            // the Universal Commerce Protocol, 2026-08-25
	ByUCPApril = HookProtocol{"ucp_2026_04_08"} // its version before
)

func (p HookProtocol) String() string { return p.name }

// HookProtocols are all of them, by name.
var HookProtocols = map[string]HookProtocol{"haggle": ByHaggle, "ucp": ByUCP, "ucp_2026_04_08": ByUCPApril, "": {}}

// Hook is where the agent that places an order wants to hear of it. The zero Hook is nowhere.
type Hook struct {
	Protocol HookProtocol
	URL      string
}

// Host is whose server the hook is, with its port: what is sent to one host waits for each other.
func (h Hook) Host() string {
	u, err := url.Parse(h.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// Tell has the agent hear of the order at a hook, unless it said where before.
func (c *Checkout) Tell(hook Hook) {
	if c.s.Hook == (Hook{}) {
		c.s.Hook = hook
	}
}
