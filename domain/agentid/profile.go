package agentid

import (
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/signing"
)

// Profile is what an agent publishes of itself: what it can do, where it hears of orders, and by which keys it signs. Of a
// release of the protocol that is not ours, only the release is known.
type Profile struct {
	URL      string // where it lies
	Declares capability.Set
	Handlers []capability.Handler
	// OrderHooks are the URLs at which the agent hears of its orders, by the version of the order capability. They are
	// unchecked.
	OrderHooks map[capability.Version]string
	Keys       []Key
}

// Key of an agent.
type Key struct {
	ID     string           // by which signatures name it
	Public signing.Verifier // nil: of an algorithm that we cannot verify
	Signs  bool             // false: it is published for another use
}

// KeyNamed returns the first key of an id that signs. Ids should be unique, and need not be.
func (p Profile) KeyNamed(id string) (Key, bool) {
	for _, k := range p.Keys {
		if k.ID == id && k.Signs {
			return k, true
		}
	}
	return Key{}, false
}

// OrderHook is the URL at which the agent hears of its orders; "": it does not want to, or the order capability is not
// active.
func (p Profile) OrderHook(active capability.Active) string {
	version, _ := active.Version(capability.Order)
	return p.OrderHooks[version]
}
