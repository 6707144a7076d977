package ucp

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// fulfilling is the fulfillment of a checkout: one method, one group, and at most one destination.
type fulfilling struct {
	Methods []method `json:"methods"`
}

type method struct {
	ID           string        `json:"id"`
	Type         string        `json:"type"`
	LineItemIDs  []string      `json:"line_item_ids"`
	Destinations []destination `json:"destinations"`
	Selected     *string       `json:"selected_destination_id"`
	Groups       []group       `json:"groups"`
}

type destination struct {
	ID   string `json:"id"`
	Type string `json:"type,omitempty"`
	PostalAddress
}

type group struct {
	ID          string   `json:"id"`
	LineItemIDs []string `json:"line_item_ids"`
	Options     []option `json:"options"`
	Selected    *string  `json:"selected_option_id"`
}

type option struct {
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	Description any        `json:"description,omitempty" doc:"{plain}; text in 2026-04-08."`
	Earliest    *wire.Time `json:"earliest_fulfillment_time,omitempty"`
	Latest      *wire.Time `json:"latest_fulfillment_time,omitempty"`
	Totals      []total    `json:"totals"`
}

// These are the ids of the only method and group.
const (
	methodID = "shipping"
	groupID  = "grp_1"
)

func (h *handlers) toAPIFulfillment(shop *project.Project, c *checkout.Checkout, now time.Time) *fulfilling {
	s := c.Snapshot()
	ids := []string{}
	for _, l := range s.Lines {
		if !l.Digital {
			ids = append(ids, commerce.LineID(l.ID))
		}
	}
	m := method{
		ID:           methodID,
		Type:         "shipping",
		LineItemIDs:  ids,
		Destinations: []destination{},
		Groups:       []group{},
	}
	if !s.Address.IsZero() {
		m.Destinations = []destination{h.toAPIDestination(s.Address)}
		m.Selected = wire.ToOptional(s.Address.Key())
	}
	if len(s.Options) > 0 {
		m.Groups = []group{{
			ID:          groupID,
			LineItemIDs: ids,
			Options:     wire.Each(s.Options, func(o checkout.Option) option { return h.toAPIOption(shop, o, now) }),
			Selected:    wire.ToOptional(s.Selected),
		}}
	}
	return &fulfilling{[]method{m}}
}

func (h *handlers) toAPIDestination(a checkout.Address) destination {
	d := destination{ID: a.Key(), PostalAddress: toAPIAddress(a)}
	if h.version != April {
		d.Type = "shipping_address"
	}
	return d
}

func toAPIAddress(a checkout.Address) PostalAddress {
	first, last := a.Names()
	return PostalAddress{
		StreetAddress:   a.Line1,
		ExtendedAddress: a.Line2,
		Locality:        a.City,
		Region:          a.State,
		Country:         a.Country,
		PostalCode:      a.PostalCode,
		FirstName:       first,
		LastName:        last,
		PhoneNumber:     a.Phone,
	}
}

func (h *handlers) toAPIOption(shop *project.Project, o checkout.Option, now time.Time) option {
	zone := shop.Settings.Location()
	from, until := order.Arrival(o, now.In(zone))
	made := option{
		ID:       o.ID,
		Title:    o.Name,
		Earliest: endOf(from, zone),
		Latest:   endOf(until, zone),
		Totals:   []total{{Type: "total", Amount: o.Price.Minor()}},
	}
	text := "Arrives in " + commerce.Days(o.MinDays, o.MaxDays)
	made.Description = map[string]string{"plain": text}
	if h.version == April {
		made.Description = text
	}
	return made
}
