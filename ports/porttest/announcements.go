package porttest

import (
	"encoding/json"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

func Announce(project id.Project, at time.Time, data event.Data) *event.Event {
	return &event.Event{
		ID:      Random[id.Event](),
		Project: project,
		At:      at,
		Data:    data,
	}
}

type Announcing = func(shop *Shop) (bool, error)

// Announced works until nothing is left, and is the data of all events of a type, newest first.
func (s *Shop) Announced(work Announcing, of event.Type) []map[string]any {
	s.T.Helper()
	for more := true; more; {
		var err error
		more, err = work(s)
		s.Must(err)
	}
	events, _, err := s.Log.Events(s.Ctx, s.Project.ID, of, ports.Page{Limit: 100})
	s.Must(err)
	all := make([]map[string]any, len(events))
	for i, e := range events {
		var body struct {
			Data map[string]any `json:"data"`
		}
		s.Must(json.Unmarshal(e.Body, &body))
		all[i] = body.Data
	}
	return all
}
