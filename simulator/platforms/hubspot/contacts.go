package hubspot

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// createContact creates a contact: 201, or 409 CONFLICT with the id of the contact that has the address ("Contact already
// exists. Existing ID: 12345": github.com/stape-io/hubspot-tag/issues/7).
func (h *Platform) createContact(c *host.Call) (a host.Answer) {
	var asked struct{ Properties map[string]string }
	if !host.ReadJSON(c.Content, &asked) || !strings.Contains(asked.Properties["email"], "@") {
		return h.Refuse(http.StatusBadRequest, "Property values were not valid")
	}
	h.Write(func(w *host.World) {
		if n, there := h.contactBy(asked.Properties["email"]); there {
			a = h.Refuse(http.StatusConflict, "Contact already exists. Existing ID: "+hubspotID("contacts", n))
			a.Body.(map[string]any)["category"] = "CONFLICT"
			return
		}
		n := w.AddCustomer(asked.Properties["firstname"], asked.Properties["lastname"], strings.ToLower(asked.Properties["email"]), h.Host.Config.Now().UnixMilli())
		a = host.Answer{Status: http.StatusCreated, Body: h.show("contacts", n, nil)}
	})
	return a
}

func (h *Platform) contactBy(email string) (int, bool) {
	n, will := h.extent("contacts")
	for i := range n {
		if will(i) && strings.EqualFold(h.Customers[i].Email, email) {
			return i, true
		}
	}
	return 0, false
}

// associate creates the default association of a deal and a contact
// (docs/api-reference/2026-03/crm/associations/associate-records/update-association). Repeating it changes nothing.
func (h *Platform) associate(c *host.Call) (a host.Answer) {
	h.Write(func(w *host.World) {
		n, there := h.dealBy("", c.PathValue("id"))
		id, err := strconv.Atoi(c.PathValue("contact"))
		contact := id - 151001
		count, will := h.extent("contacts")
		if !there || err != nil || contact < 0 || contact >= count || !will(contact) {
			a = h.Refuse(http.StatusNotFound, "resource not found")
			return
		}
		d := h.deal(n)
		if !slices.Contains(d.contacts, contact) {
			d.contacts = append(d.contacts, contact)
			w.Customers[contact].Purchases++
			w.Customers[contact].Updated = h.Tick(h.Host.Config.Now(), w.Customers[contact].Updated)
		}
		a = host.OK(map[string]any{"status": "COMPLETE", "results": []any{map[string]any{
			"from": map[string]any{"id": hubspotID("deals", n)}, "to": map[string]any{"id": c.PathValue("contact")},
			"associationSpec": map[string]any{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": 3},
		}}})
	})
	return a
}

// dissociate removes all associations of a deal and a contact and answers 204, even if there are none ("Remove
// association between records", docs/api-reference/2026-03/crm/associations/associate-records/delete-association, read on
// 29 November 2026; the answer without an association is not documented).
func (h *Platform) dissociate(c *host.Call) (a host.Answer) {
	h.Write(func(w *host.World) {
		n, there := h.dealBy("", c.PathValue("id"))
		if a = (host.Answer{Status: http.StatusNoContent}); !there {
			a = h.Refuse(http.StatusNotFound, "resource not found")
			return
		}
		d := h.deal(n)
		for i, contact := range d.contacts {
			if hubspotID("contacts", contact) == c.PathValue("contact") {
				d.contacts = slices.Delete(d.contacts, i, i+1)
				w.Customers[contact].Purchases--
				w.Customers[contact].Updated = h.Tick(h.Host.Config.Now(), w.Customers[contact].Updated)
				return
			}
		}
	})
	return a
}

// readContacts reads contacts by their e-mail addresses: 200, or 207 with an error if some do not exist
// (docs/api-reference/latest/crm/objects/objects/batch/get-objects; github.com/HubSpot/hubspot-api-php/issues/619, read
// on 29 November 2026).
func (h *Platform) readContacts(c *host.Call) host.Answer {
	var asked struct {
		IDProperty string
		Inputs     []struct{ ID string }
		Properties []string
	}
	if !host.ReadJSON(c.Content, &asked) || asked.IDProperty != "email" || len(asked.Inputs) == 0 || len(asked.Inputs) > 100 {
		return h.Refuse(http.StatusBadRequest, "Invalid input JSON")
	}
	results, unknown := []any{}, []string{}
	h.Read(func(*host.World) {
		for _, in := range asked.Inputs {
			if n, there := h.contactBy(in.ID); there {
				results = append(results, h.show("contacts", n, asked.Properties))
			} else {
				unknown = append(unknown, in.ID)
			}
		}
	})
	a := host.OK(map[string]any{"status": "COMPLETE", "results": results})
	if len(unknown) > 0 {
		a.Status = http.StatusMultiStatus
		a.Body.(map[string]any)["numErrors"] = 1
		a.Body.(map[string]any)["errors"] = []any{map[string]any{
			"status": "error", "category": "OBJECT_NOT_FOUND", "context": map[string]any{"ids": unknown},
			"message": "Could not get some CONTACT objects, they may be deleted or not exist. Check that ids are valid.",
		}}
	}
	return a
}
