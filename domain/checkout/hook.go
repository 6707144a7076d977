package checkout

import (
	"net/url"
	"strings"
)

// HookProtocol is the protocol of the webhooks that notify an agent of its order.
type HookProtocol struct{ name string }

var (
	ByHaggle   = HookProtocol{"haggle"}         // Haggle's own protocol
	ByUCP      = HookProtocol{"ucp"}            // the Universal Commerce Protocol, 2026-08-25
	ByUCPApril = HookProtocol{"ucp_2026_04_08"} // its previous version
)

func (p HookProtocol) String() string { return p.name }

// HookProtocols are all protocols by name.
var HookProtocols = map[string]HookProtocol{"haggle": ByHaggle, "ucp": ByUCP, "ucp_2026_04_08": ByUCPApril, "": {}}

// Hook is the webhook for updates of an order, set by the agent that places it. The zero Hook sends nothing.
type Hook struct {
	Protocol HookProtocol
	URL      string
}

// Host returns the host and port of the hook. Deliveries to one host are sent one after the other.
func (h Hook) Host() string {
	u, err := url.Parse(h.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// SetHook sets the webhook of the order, unless the agent has set one before.
func (c *Checkout) SetHook(hook Hook) {
	if c.s.Hook == (Hook{}) {
		c.s.Hook = hook
	}
}
