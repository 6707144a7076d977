package management

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/project"
)

// retention is in days.
type retention struct {
	Messages   int `json:"messages"`
	Sessions   int `json:"sessions"`
	Decisions  int `json:"decisions"`
	Events     int `json:"events"`
	Deliveries int `json:"deliveries"`
	Logs       int `json:"logs"`
}

type retentionPatch struct {
	Messages   wire.Optional[int] `json:"messages,omitzero" doc:"Days that buyers' messages are kept, and a hash of who wrote them, which a pseudonym replaces: 1 to 3,650, default 30."`
	Sessions   wire.Optional[int] `json:"sessions,omitzero" doc:"Days after a session expired that it is kept, with its quotes and checkouts, if it led to no order and no payment of it is undecided: 1 to 3,650, default 30."`
	Decisions  wire.Optional[int] `json:"decisions,omitzero" doc:"Days that decisions are kept, which lists, replay and tuning reach back to: 7 to 3,650, no less than sessions, default 180. Those that go are folded into a checkpoint of the chain."`
	Events     wire.Optional[int] `json:"events,omitzero" doc:"Days that events are kept: 1 to 3,650, default 90."`
	Deliveries wire.Optional[int] `json:"deliveries,omitzero" doc:"Days that deliveries of events are kept: 1 to 3,650, no more than events, default 90."`
	Logs       wire.Optional[int] `json:"logs,omitzero" doc:"Days that the logs of webhook calls, syncs and stock adjustments are kept: 1 to 3,650, default 90."`
}

func fromAPIRetention(g retentionPatch) project.RetentionPatch {
	return project.RetentionPatch{
		Messages:   g.Messages.Field(),
		Sessions:   g.Sessions.Field(),
		Decisions:  g.Decisions.Field(),
		Events:     g.Events.Field(),
		Deliveries: g.Deliveries.Field(),
		Logs:       g.Logs.Field(),
	}
}
