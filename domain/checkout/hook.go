package checkout

import (
	"net/url"
	"strings"
)

// HookProtocol is how an order's agent is told of the order.
type HookProtocol struct{ name string }

// ByHaggle is Haggle's own protocol.
var ByHaggle = HookProtocol{"haggle"}

func (p HookProtocol) String() string { return p.name }

// HookProtocols are all of them, by name.
var HookProtocols = map[string]HookProtocol{"haggle": ByHaggle, "": {}}

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
