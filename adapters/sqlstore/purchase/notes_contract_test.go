package purchase_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestNotes(t *testing.T) { storetest.Suite(t, Notes) }

// Notes is the contract of ports.OrderNotes.
func Notes(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"notes come back, the oldest first":   notesInOrder,
		"notes of unknown and foreign orders": notesUnknown,
		"no more than an order may have":      notesBounded,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func noteOn(s *porttest.Shop, o id.Order, text string, at time.Time) order.Note {
	return order.Note{
		ID:        porttest.Random[id.Note](),
		Project:   s.Project.ID,
		Order:     o,
		Member:    porttest.Random[id.Member](),
		Text:      text,
		CreatedAt: at,
	}
}

func notesInOrder(s *porttest.Shop) {
	o, other := s.Order(1), s.Order(1)
	at := o.CreatedAt
	second, first := noteOn(s, o.ID, "second", at.Add(time.Minute)), noteOn(s, o.ID, "first", at)
	s.Must(s.Notes.Add(s.Ctx, second))
	s.Must(s.Notes.Add(s.Ctx, first))
	s.Must(s.Notes.Add(s.Ctx, noteOn(s, other.ID, "of another order", at)))
	found, err := s.Notes.Notes(s.Ctx, s.Project.ID, o.ID)
	s.Must(err)
	if len(found) != 2 || found[0].Text != "first" || found[1].Text != "second" || found[1].Member != second.Member || !found[0].CreatedAt.Equal(at) {
		s.T.Errorf("the notes are %+v", found)
	}
}

func notesUnknown(s *porttest.Shop) {
	_, err := s.Notes.Notes(s.Ctx, s.Project.ID, porttest.Random[id.Order]())
	porttest.WantFault(s.T, err, fault.NotFound, "order_not_found")
	n := noteOn(s, s.Order(1).ID, "of another project", time.Now())
	n.Project = porttest.Random[id.Project]()
	porttest.WantFault(s.T, s.Notes.Add(s.Ctx, n), fault.NotFound, "order_not_found")
}

func notesBounded(s *porttest.Shop) {
	o := s.Order(1)
	for n := range order.MaxNotes {
		s.Must(s.Notes.Add(s.Ctx, noteOn(s, o.ID, strconv.Itoa(n), o.CreatedAt)))
	}
	err := s.Notes.Add(s.Ctx, noteOn(s, o.ID, "one more", o.CreatedAt))
	porttest.WantFault(s.T, err, fault.Conflict, order.ErrTooManyNotes.Code)
}
