package hubspot

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

const (
	// propertiesPath and pipelinesPath are those of the version 2026-03
	// (developers.hubspot.com/docs/api-reference/2026-03, read on 29 November 2026).
	propertiesPath = "/crm/properties/2026-03/deals"
	pipelinesPath  = "/crm/pipelines/2026-03/deals"
)

// mostUnique is the maximum number of properties with unique values ("a maximum of 10 unique properties":
// developers.hubspot.com/changelog/unique-properties-for-contacts).
const mostUnique = 10

// writable are the standard properties of deals that a request may set.
var writable = []string{"amount", "closedate", "deal_currency_code", "dealname", "dealstage", "pipeline", "description"}

// definition is a custom property.
type definition struct {
	Name           string `json:"name"`
	Label          string `json:"label"`
	GroupName      string `json:"groupName"`
	Type           string `json:"type"`
	FieldType      string `json:"fieldType"`
	Description    string `json:"description,omitempty"`
	HasUniqueValue bool   `json:"hasUniqueValue"`
}

// scoped serves requests whose token has one of the scopes, and refuses others ("403 Forbidden: returned when the
// authentication provided does not have the proper permissions":
// developers.hubspot.com/docs/api-reference/error-handling, read on 29 November 2026).
func (h *Platform) scoped(handle func(*host.Call) host.Answer, scopes ...string) func(*host.Call) host.Answer {
	return h.granted(false, func(c *host.Call) host.Answer {
		token, _ := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
		g, _, _ := h.findGrant(token)
		if slices.ContainsFunc(strings.Fields(g.scope), func(s string) bool { return slices.Contains(scopes, s) }) {
			return handle(c)
		}
		a := h.Refuse(http.StatusForbidden, "This app hasn't been granted all required scopes to make this call.")
		body := a.Body.(map[string]any)
		body["category"] = "MISSING_SCOPES"
		body["errors"] = []any{map[string]any{
			"message": "One or more of the following scopes are required.",
			"context": map[string]any{"requiredGranularScopes": scopes},
		}}
		return a
	})
}

func (h *Platform) property(c *host.Call) (a host.Answer) {
	h.Read(func(*host.World) {
		d, there := h.defined[c.PathValue("name")]
		if a = host.OK(d); !there {
			a = h.Refuse(http.StatusNotFound, "Property does not exist.")
		}
	})
	return a
}

// define creates a property: 201, or 409 if the name exists ("Returns a 409 Conflict error if there is already a property
// with the 'name' you used": legacydocs.hubspot.com, "Create a contact property").
func (h *Platform) define(c *host.Call) (a host.Answer) {
	var d definition
	if !host.ReadJSON(c.Content, &d) || d.Name == "" || d.Label == "" || d.GroupName != "dealinformation" || d.Type != "string" || d.FieldType != "text" {
		return h.Refuse(http.StatusBadRequest, "Invalid input JSON: name, label, groupName, type and fieldType are required")
	}
	h.Write(func(*host.World) {
		unique := 0
		for _, one := range h.defined {
			if one.HasUniqueValue {
				unique++
			}
		}
		switch _, there := h.defined[d.Name]; {
		case there:
			a = h.Refuse(http.StatusConflict, "A property named '"+d.Name+"' already exists.")
			a.Body.(map[string]any)["category"] = "OBJECT_ALREADY_EXISTS"
		case d.HasUniqueValue && unique >= mostUnique:
			a = h.Refuse(http.StatusBadRequest, "You have reached the limit of 10 unique properties.")
		default:
			h.defined[d.Name] = d
			a = host.Answer{Status: http.StatusCreated, Body: d}
		}
	})
	return a
}

type stage struct {
	ID       string            `json:"id"`
	Label    string            `json:"label"`
	Metadata map[string]string `json:"metadata"`
	Archived bool              `json:"archived"`
}

type pipeline struct {
	ID       string  `json:"id"`
	Label    string  `json:"label"`
	Order    int     `json:"displayOrder"`
	Stages   []stage `json:"stages"`
	Archived bool    `json:"archived"`
}

// pipelines returns the account's pipelines. "Every account initially contains a default pipeline with the pipelineId
// 'default'" (docs/methods/pipelines/pipelines_overview). A deal stage has a probability, 1.0 if it is won and 0.0 if it
// is lost; its metadata are strings (docs/api-reference/latest/crm/pipelines/guide, read on 29 November 2026).
func (h *Platform) pipelines() []pipeline {
	won, lost := "closedwon", "closedlost"
	if h.Host.Config.HubSpotStages {
		won, lost = "20001", "20002"
	}
	of := func(id, label, probability, closed string) stage {
		return stage{
			ID:       id,
			Label:    label,
			Metadata: map[string]string{"probability": probability, "isClosed": closed},
		}
	}
	list := []pipeline{{
		ID:    "default",
		Label: "Sales Pipeline",
		Stages: []stage{
			of("appointmentscheduled", "Appointment scheduled", "0.2", "false"), of("contractsent", "Contract sent", "0.9", "false"),
			of(won, "Closed won", "1.0", "true"), of(lost, "Closed lost", "0.0", "true"),
		},
	}}
	if h.Host.Config.HubSpotStages {
		list = append([]pipeline{{
			ID:     "10001",
			Label:  "Renewals",
			Order:  1,
			Stages: []stage{of("10002", "Renewed", "1.0", "true"), of("10003", "Left", "0.0", "true")},
		}}, list...)
	}
	return list
}

// invalid is an invalid property value, as in developers.hubspot.com/changelog/deal-currenct-code-validation.
type invalid struct {
	Valid   bool   `json:"isValid"`
	Message string `json:"message"`
	Error   string `json:"error"`
	Name    string `json:"name"`
}

// judge returns an error if properties of a deal are invalid. The caller must hold the shop's lock.
func (h *Platform) judge(given map[string]string) host.Answer {
	var list []invalid
	for name, value := range given {
		_, custom := h.defined[name]
		stages := func(of func(pipeline) bool) bool { return slices.ContainsFunc(h.pipelines(), of) }
		switch {
		case !custom && !slices.Contains(writable, name):
			list = append(list, invalid{
				Message: "Property \"" + name + "\" does not exist",
				Error:   "PROPERTY_DOESNT_EXIST",
				Name:    name,
			})
		case name == "deal_currency_code" && value != h.Host.Config.HubSpotCurrency:
			list = append(list, invalid{
				Message: "\"" + value + "\" is not a part of the current effective currency codes for portal 62515",
				Error:   "INVALID_OPTION",
				Name:    name,
			})
		case name == "pipeline" && !stages(func(p pipeline) bool { return p.ID == value }):
			list = append(list, invalid{
				Message: value + " was not one of the allowed options",
				Error:   "INVALID_OPTION",
				Name:    name,
			})
		case name == "dealstage" && !stages(func(p pipeline) bool {
			return (given["pipeline"] == "" || p.ID == given["pipeline"]) && slices.ContainsFunc(p.Stages, func(s stage) bool { return s.ID == value })
		}):
			list = append(list, invalid{
				Message: value + " was not one of the allowed options",
				Error:   "INVALID_OPTION",
				Name:    name,
			})
		}
	}
	if len(list) == 0 {
		return host.Answer{}
	}
	slices.SortFunc(list, func(a, b invalid) int { return strings.Compare(a.Name, b.Name) })
	text, _ := json.Marshal(list)
	return h.Refuse(http.StatusBadRequest, "Property values were not valid: "+string(text))
}
