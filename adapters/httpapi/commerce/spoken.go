package commerce

import (
	"net/http"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Protocol is one that shops may turn off.
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

// SpokenBy refuses a protocol that the shop has turned off, as an address that is not there.
func (p Protocol) SpokenBy(shop *project.Project) error {
	if p.on(shop.Settings.Protocols) {
		return nil
	}
	return fault.New(fault.NotFound, "protocol_off", "The shop does not speak "+p.name+".")
}

// Spoken is a step of a protocol's mount, after the shop is found: whoever asks speaks the protocol, if the shop does.
func (p Protocol) Spoken(e *wire.Entry[Buyer]) error {
	e.Caller.Agent.Protocol = p.by
	return p.SpokenBy(e.Caller.Shop)
}

// Admit refuses a request to an endpoint that is no operation, if there is no such shop, or it does not speak the
// protocol. The request is counted for its client like those of operations, before it is known whether there is such a shop.
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
