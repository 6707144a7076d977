package platforms

import (
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/platforms/hubspot"
)

// HubSpotChange is a change that staff make to a deal in HubSpot.
type HubSpotChange = hubspot.AdminChange

func (p *Platforms) routeHubSpotAdmin() {
	p.control("POST /control/hubspot/change", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(c HubSpotChange) (any, error) { return map[string]any{}, p.ChangeAtHubSpot(c) })
	})
}

// ChangeAtHubSpot deletes, merges or changes a deal as staff do.
func (p *Platforms) ChangeAtHubSpot(c HubSpotChange) error { return p.hubspot.Admin(c) }
