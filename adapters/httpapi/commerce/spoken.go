package commerce

import (
	"net/http"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Protocol is a protocol that shops can turn off.
type Protocol struct {
	name string
	by   agentid.Protocol
	on   func(project.Protocols) bool
}

var (
	UCP = Protocol{
		name: "the Universal Commerce Protocol over REST",
		by:   agentid.UCP,
		on:   func(p project.Protocols) bool { return p.UCP },
	}
	MCP = Protocol{
		name: "the Model Context Protocol",
		by:   agentid.MCP,
		on:   func(p project.Protocols) bool { return p.MCP },
	}
)

// SpokenBy returns a NotFound error if the shop has turned the protocol off.
func (p Protocol) SpokenBy(shop *project.Project) error {
	if p.on(shop.Settings.Protocols) {
		return nil
	}
	return fault.New(fault.NotFound, "protocol_off", "The shop does not support "+p.name+".")
}

// Spoken is a step of a protocol's mount, after the shop is found. It notes that the agent speaks the protocol, and fails if the
// shop does not.
func (p Protocol) Spoken(e *wire.Entry[Buyer]) error {
	e.Caller.Agent.Protocol = p.by
	return p.SpokenBy(e.Caller.Shop)
}

// Admit refuses a request to an endpoint that is not an operation if the shop does not exist or has turned the protocol off. It
// counts the request for its client, like a request for an operation, before it looks up the shop.
func (s *Services) Admit(p Protocol, r *http.Request) error {
	if err := s.countAddress(r.Context(), http.Header{}, s.ClientAddress(r)); err != nil {
		return err
	}
	shop, err := s.Storefronts.BySlug(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	return p.SpokenBy(shop)
}
