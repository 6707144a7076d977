package hubspot

import (
	"context"
	"net/http"

	"github.com/haggle-commerce/haggle/ports"
)

// propertiesPath is from docs/api-reference/2026-03/crm/properties (read on 29 November 2026).
const propertiesPath = "/crm/properties/2026-03/deals"

// property is a definition of a property.
type property struct {
	Unique   bool `json:"hasUniqueValue"`
	Archived bool `json:"archived"`
}

// defineProperty creates the property unless it exists. Only a new property can have unique values
// ("Only net new properties can be set to contain a unique value", an object has ten of them at most: developers.hubspot.com/changelog/
// unique-properties-for-contacts, read on 29 November 2026).
func (s *Connector) defineProperty(ctx context.Context, c ports.Connection) (made bool, err error) {
	if found, err := s.lookUpProperty(ctx, c, ""); err != nil || found {
		return false, err
	}
	r := s.request(c, propertiesPath)
	r.JSON = map[string]any{
		"name":           orderProperty,
		"label":          "Haggle order",
		"description":    "The id of the order that the deal shows. Do not change it.",
		"groupName":      "dealinformation",
		"type":           "string",
		"fieldType":      "text",
		"hasUniqueValue": true,
	}
	answer, err := s.writing.Send(ctx, r)
	if err != nil {
		return false, err
	}
	if answer.Status != http.StatusConflict {
		err = s.writing.Judge(answer)
		return err == nil, err
	}
	// The name belongs to a property that another server created meanwhile, or to an archived one. Whether an archived property keeps
	// its name is not documented. A look-up shows it only with archived=true ("Whether to return only results that have been archived",
	// docs/api-reference/crm-properties-v3/core/get-crm-v3-properties-objectType-propertyName, read on 29 November 2026).
	for _, query := range []string{"", "?archived=true"} {
		if found, err := s.lookUpProperty(ctx, c, query); err != nil || found {
			return false, err
		}
	}
	return false, s.platform.Failed("has a property "+orderProperty+" of deals, and does not show it", nil)
}

// lookUpProperty reports whether the property exists. If it cannot be used, the error is a PlatformRefusal.
func (s *Connector) lookUpProperty(ctx context.Context, c ports.Connection, query string) (bool, error) {
	var known property
	found, err := s.find(ctx, s.request(c, propertiesPath+"/"+orderProperty+query), "", &known)
	switch {
	case err != nil || !found:
		return false, err
	case known.Archived:
		return false, s.platform.Refused("has archived the property " + orderProperty + " of deals. Restore it, and retry")
	case !known.Unique:
		return false, s.platform.Refused("has a property " + orderProperty + " of deals whose values are not unique. Delete it, and retry")
	}
	return true, nil
}
