package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/ports"
)

// ofAgents is the query for traffic by agents.
type ofAgents struct {
	Span
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"The maximum number of agents."`
}

type protocolsView struct {
	Cut
	Protocols []protocolTraffic `json:"protocols" doc:"All protocols."`
	Series    []protocolsSpan   `json:"series"`
	Agents    []agentTraffic    `json:"agents" doc:"Agents by orders, then deals, then sessions. Sessions that ended without an order, and their deals, count while they are kept (setting retention.sessions)."`
}

type protocolsSpan struct {
	From      wire.Time         `json:"from"`
	To        wire.Time         `json:"to"`
	Protocols []protocolTraffic `json:"protocols"`
}

// protocolTraffic is the traffic over one protocol. A deal may be made over one protocol and ordered over another.
type protocolTraffic struct {
	Protocol string     `json:"protocol" enum:"haggle,ucp,mcp"`
	Sessions int64      `json:"sessions" doc:"Sessions opened by it."`
	Deals    int64      `json:"deals" doc:"The number of negotiations in these sessions with an accepted quote by now."`
	Orders   int64      `json:"orders" doc:"Orders whose checkouts were opened by it."`
	Gross    wire.Money `json:"gross" doc:"Paid for these orders, with shipping and tax."`
}

type agentTraffic struct {
	Profile  *string    `json:"profile" nullable:"true" doc:"The URL of its profile. Null: the agent did not identify itself."`
	Verified bool       `json:"verified" doc:"Whether it proved that the profile is its own; otherwise it only claims so."`
	Sessions int64      `json:"sessions"`
	Deals    int64      `json:"deals" doc:"Deals in its sessions, as for protocols."`
	Orders   int64      `json:"orders"`
	Gross    wire.Money `json:"gross"`
}

// spoken lists the protocols in the order in which they are shown.
var spoken = []agentid.Protocol{agentid.Haggle, agentid.UCP, agentid.MCP}

func (h *handlers) analyticsProtocols(ctx context.Context, rq operation.Request, in *ofAgents) (body protocolsView, err error) {
	s, err := h.span(rq, in.Span)
	if err != nil {
		return body, err
	}
	project := rq.Caller.Project.ID
	spans, err := rq.Stores.Analytics.Figures(ctx, project, ports.Period{Bounds: s.bounds, Protocols: true})
	if err != nil {
		return body, err
	}
	agents, err := rq.Stores.Analytics.Agents(ctx, project, s.From.Time, s.To.Time, in.Limit)
	if err != nil {
		return body, err
	}
	body = protocolsView{
		Cut:       s.Cut,
		Protocols: s.byProtocol(all(spans)),
		Agents:    wire.Each(agents, s.agent),
	}
	for i, of := range spans {
		body.Series = append(body.Series, protocolsSpan{
			From:      wire.ToTime(s.bounds[i]),
			To:        wire.ToTime(s.bounds[i+1]),
			Protocols: s.byProtocol(of),
		})
	}
	return body, nil
}

func (s span) byProtocol(of ports.Span) []protocolTraffic {
	return wire.Each(spoken, func(p agentid.Protocol) protocolTraffic {
		came := of.Protocols[p]
		return protocolTraffic{
			Protocol: p.String(),
			Sessions: of.SessionsBy[p],
			Deals:    came.Deals,
			Orders:   came.Orders,
			Gross:    s.money(came.Gross),
		}
	})
}

func (s span) agent(a ports.AgentTraffic) agentTraffic {
	return agentTraffic{
		Profile:  wire.ToOptional(a.Profile),
		Verified: a.Verified,
		Sessions: a.Sessions,
		Deals:    a.Deals,
		Orders:   a.Orders,
		Gross:    s.money(a.Gross),
	}
}
