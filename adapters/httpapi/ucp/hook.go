package ucp

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/ports"
)

// Hooks builds webhook messages for agents: the whole order in its current state, in the protocol version in which it was placed.
// The request names its sender by the address of the shop's profile in this version, which has the key that signs it.
type Hooks struct {
	Version Version
	// Address is the base of a shop's endpoints.
	Address func(slug string) string
}

var _ ports.HookProtocol = Hooks{}

// Message implements ports.HookProtocol.
func (k Hooks) Message(n ports.OrderNews) ([]byte, map[string]string, error) {
	address := k.Address(n.Shop.Slug)
	made := envelope{
		Version:      k.Version.date,
		Status:       "success",
		Capabilities: map[string][]entity{capability.Order.String(): {{k.Version.date}}},
	}
	body, err := wire.Marshal(toAPIOrder(made, address, n.Case))
	header := map[string]string{"UCP-Agent": `profile="` + address + k.Version.prefix + profilePath + `"`}
	if uuid := n.Event.UUID(); uuid != "" { // required by the protocol's document of webhooks
		header["Webhook-Id"] = uuid
	}
	return body, header, err
}
