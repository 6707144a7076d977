package hubspot

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// Apps write deals by the object APIs: batch upsert by a property with unique values, and update by id
// (developers.hubspot.com/docs/api-reference/2026-03/crm/objects/deals, "Create or update a batch of deals by unique
// property values" and "Guide"; an error for a property whose values are not unique as in
// github.com/segmentio/action-destinations/pull/3957; all read on 29 November 2026).
//
// It is not documented what an upsert does with the value of a deal in the recycling bin. Here a deleted deal loses its
// value, so the upsert creates another deal.

// written is what apps have written to a deal.
type written struct {
	properties map[string]string
	contacts   []int // positions
	archived   bool
	merged     int // position plus one of the deal that it was merged into; 0: none
}

// deal returns what was written to the deal at a position. The caller must hold the shop's write lock.
func (h *Platform) deal(n int) *written {
	if h.deals[n] == nil {
		h.deals[n] = &written{properties: map[string]string{}}
	}
	return h.deals[n]
}

// dealBy returns the position of a deal by the value of a property, or by its id if property is "". "If the id in the
// response is another than the id in the request, the record was merged" (community.hubspot.com, "Question about using
// batch read API"). The caller must hold the shop's lock.
func (h *Platform) dealBy(property, value string) (int, bool) {
	n, will := h.extent("deals")
	for i := range n {
		switch d := h.deals[i]; {
		case property != "" && will(i) && d != nil && d.properties[property] == value:
			return i, true
		case property == "" && hubspotID("deals", i) == value:
			if d != nil && d.merged > 0 {
				return d.merged - 1, true
			}
			return i, will(i)
		}
	}
	return 0, false
}

// set changes a deal's properties.
func (h *Platform) set(w *host.World, n int, given map[string]string) {
	maps.Copy(h.deal(n).properties, given)
	w.Orders[n].Updated = h.Tick(h.Host.Config.Now(), w.Orders[n].Updated)
}

type upsertInput struct {
	ID         string
	IDProperty string
	Properties map[string]string
}

func (h *Platform) upsert(c *host.Call) (a host.Answer) {
	var asked struct{ Inputs []upsertInput }
	if !host.ReadJSON(c.Content, &asked) || len(asked.Inputs) == 0 || len(asked.Inputs) > 100 {
		return h.Refuse(http.StatusBadRequest, "Invalid input JSON")
	}
	h.Write(func(w *host.World) {
		for _, in := range asked.Inputs {
			if !h.defined[in.IDProperty].HasUniqueValue || in.ID == "" {
				a = h.Refuse(http.StatusBadRequest, fmt.Sprintf("Unable to perform update/upsert by non-unique 0-3 property %s in portal ID %d", in.IDProperty, hubID))
				return
			}
			if a = h.judge(in.Properties); a.Status != 0 {
				return
			}
		}
		results := []any{}
		for _, in := range asked.Inputs {
			n, there := h.dealBy(in.IDProperty, in.ID)
			if !there {
				at := h.Host.Config.Now().UnixMilli()
				n = w.AddWritten(host.Written{
					Customer: -1,
					Placed:   at,
					Updated:  at,
				}, nil, nil)
				h.deal(n).properties[in.IDProperty] = in.ID
			}
			h.set(w, n, in.Properties)
			shown := h.show("deals", n, append(slices.Clone(writable), in.IDProperty))
			shown["new"] = !there
			results = append(results, shown)
		}
		now := host.WithMillis(h.Host.Config.Now().UnixMilli())
		a = host.OK(map[string]any{"status": "COMPLETE", "results": results, "startedAt": now, "completedAt": now})
	})
	return a
}

func (h *Platform) update(c *host.Call) (a host.Answer) {
	var asked struct{ Properties map[string]string }
	if !host.ReadJSON(c.Content, &asked) {
		return h.Refuse(http.StatusBadRequest, "Invalid input JSON")
	}
	h.Write(func(w *host.World) {
		n, there := h.dealBy(c.URL.Query().Get("idProperty"), c.PathValue("id"))
		if !there {
			a = h.Refuse(http.StatusNotFound, "resource not found")
			return
		}
		if a = h.judge(asked.Properties); a.Status == 0 {
			h.set(w, n, asked.Properties)
			a = host.OK(h.show("deals", n, writable))
		}
	})
	return a
}

// Written returns the deals that apps have written, including archived ones.
func (h *Platform) Written() []any {
	list := []any{}
	h.Read(func(*host.World) {
		for _, n := range slices.Sorted(maps.Keys(h.deals)) {
			d := h.deals[n]
			shown := map[string]any{"id": hubspotID("deals", n), "archived": d.archived || d.merged > 0}
			for name, value := range d.properties {
				shown[name] = value
			}
			contacts := []string{}
			for _, k := range d.contacts {
				contacts = append(contacts, h.Customers[k].Email)
			}
			shown["contacts"] = contacts
			list = append(list, shown)
		}
	})
	return list
}

// AdminChange is a change that staff make to a deal, which is named by the value of a property.
type AdminChange struct {
	Property, Value string
	Delete          bool              // move it to the recycling bin
	Into            string            // merge it into the deal with this value of the property
	Set             map[string]string // properties to change
}

// Admin changes a deal as staff do.
func (h *Platform) Admin(c AdminChange) (err error) {
	h.Write(func(w *host.World) {
		n, there := h.dealBy(c.Property, c.Value)
		into, known := h.dealBy(c.Property, c.Into)
		if !there || c.Into != "" && !known {
			err = fmt.Errorf("no deal has the %s %q", c.Property, c.Value)
			return
		}
		d := h.deal(n)
		if d.archived = c.Delete; c.Into != "" {
			d.merged = into + 1
		}
		h.set(w, n, c.Set)
	})
	return err
}
