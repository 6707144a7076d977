package agentid

import (
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/signing"
)

// Profile is what an agent publishes about itself: its capabilities, the webhooks for its orders, and its signing keys.
// If it uses another release of the protocol than ours, only the release is read.
type Profile struct {
	URL      string // of the profile
	Declares capability.Set
	Handlers []capability.Handler
	// OrderHooks are the webhook URLs for the agent's orders, by the version of the order capability. They are not
	// validated.
	OrderHooks map[capability.Version]string
	Keys       []Key
}

// Key is a key of an agent.
type Key struct {
	ID     string           // as signatures refer to it
	Public signing.Verifier // nil: of an unsupported algorithm
	Signs  bool             // false: it is published for another use
}

// KeyNamed returns the first signing key with an ID. IDs should be unique, but may not be.
func (p Profile) KeyNamed(id string) (Key, bool) {
	for _, k := range p.Keys {
		if k.ID == id && k.Signs {
			return k, true
		}
	}
	return Key{}, false
}

// OrderHook returns the webhook URL for the agent's orders; "": it has none, or the order capability is not active.
func (p Profile) OrderHook(active capability.Active) string {
	version, _ := active.Version(capability.Order)
	return p.OrderHooks[version]
}
