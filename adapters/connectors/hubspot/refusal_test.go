package hubspot_test

import (
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/ports"
)

// outcome describes what an error means for the deal.
func outcome(err error) string {
	var refusal *ports.PlatformRefusal
	var denied *ports.DealsNotPermitted
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, ports.ErrDealGone):
		return "gone"
	case errors.As(err, &refusal):
		return "refused: " + refusal.Reason
	case errors.As(err, &denied):
		return "denied: " + denied.Reason
	}
	if reason, _, passing := ports.RepeatAfter(err); passing {
		return "again: " + reason
	}
	return err.Error()
}

const denied = "denied: HubSpot does not let us write deals any more. Connect the account again, as a user who may give the permission."

// The errors of HubSpot's answers to a new deal.
func TestWriteDeal_errors(t *testing.T) {
	t.Parallel()
	errorsOf := func(category string) []answer {
		return []answer{{207, `{"status": "COMPLETE", "results": [], "errors": [{"category": "` + category + `", "message": "No."}]}`}}
	}
	for name, c := range map[string]struct {
		script answers
		want   string
	}{
		"a wrong currency": {answers{
			upsert:     {{400, currency}},
			property:   {{200, unique}},
			byProperty: {{404, gone}},
		}, `refused: HubSpot does not take the deal: "BRL" is not a part of the current effective currency codes for portal 104008696.`},
		"a missing scope": {answers{upsert: {{403, missing}}}, denied},
		"no scope for the property": {answers{
			upsert:   {{400, nonuniq}},
			property: {{404, gone}},
			define:   {{403, missing}},
		}, denied},
		"no scope for the stages":   {answers{pipelines: {{403, missing}}}, denied},
		"stages that are not shown": {answers{pipelines: {{403, page}}}, "again: HubSpot did not answer itself (403)."},
		"no stages":                 {answers{pipelines: {{200, `{}`}}}, "again: HubSpot sent no pipelines."},
		"no pipeline":               {answers{pipelines: {{200, `{"results": []}`}}}, "refused: HubSpot has no pipeline of deals."},
		"no stage":                  {answers{pipelines: {{200, `{"results": [{"id": "1", "label": "Our\n\u0007Sales", "stages": [{"id": "2", "metadata": {"probability": "0.5"}}]}]}`}}}, "refused: HubSpot has no stage for deals that are won in the pipeline Our Sales."},
		"a user who may not": {answers{
			upsert:     {{403, `{"category": "USER_DENIED", "message": "You may not."}`}},
			property:   {{200, unique}},
			byProperty: {{404, gone}},
		}, "refused: HubSpot does not take the deal: You may not."},
		"a proxy that refuses":       {answers{upsert: {{403, page}}}, "again: HubSpot did not answer itself (403)."},
		"a 403 without a category":   {answers{upsert: {{403, `{"message": "You may not."}`}}}, "again: HubSpot did not answer itself (403)."},
		"a proxy that reads nothing": {answers{upsert: {{400, page}}}, "again: HubSpot did not answer itself (400)."},
		"a proxy that finds nothing": {answers{upsert: {{404, page}}}, "again: HubSpot did not answer itself (404)."},
		"a bare look-up": {answers{
			upsert:     {{400, nonuniq}},
			property:   {{200, unique}},
			byProperty: {{404, page}},
		}, "again: HubSpot does not answer at this address (404)."},
		"ten unique properties": {answers{
			upsert:   {{400, nonuniq}},
			property: {{404, gone}},
			define:   {{400, `{"message": "You have reached the limit."}`}},
		}, "refused: HubSpot does not take the deal: You have reached the limit."},
		"a property of the name": {answers{upsert: {{400, nonuniq}}, property: {{200, `{"hasUniqueValue": false}`}}}, "refused: HubSpot has a property haggle_order_id of deals whose values are not unique. Delete it, and retry."},
		"a new property of the name": {answers{
			upsert:   {{400, nonuniq}},
			property: {{404, gone}, {200, `{"hasUniqueValue": false}`}},
			define:   {{409, taken}},
		}, "refused: HubSpot has a property haggle_order_id of deals whose values are not unique. Delete it, and retry."},
		"an archived property": {answers{
			upsert:   {{400, nonuniq}},
			property: {{404, gone}},
			define:   {{409, taken}},
			archived: {{200, `{"hasUniqueValue": true, "archived": true}`}},
		}, "refused: HubSpot has archived the property haggle_order_id of deals. Restore it, and retry."},
		"a hidden property": {answers{
			upsert:   {{400, nonuniq}},
			property: {{404, gone}},
			define:   {{409, taken}},
			archived: {{404, gone}},
		}, "again: HubSpot has a property haggle_order_id of deals, and does not show it."},
		"a batch that is not valid": {answers{
			upsert:     errorsOf("VALIDATION_ERROR"),
			property:   {{200, unique}},
			byProperty: {{404, gone}},
		}, "refused: HubSpot does not take the deal: No."},
		"a batch without a scope": {answers{upsert: errorsOf("MISSING_SCOPES")}, denied},
		"a batch that failed":     {answers{upsert: errorsOf("INTERNAL_ERROR")}, "again: HubSpot did not do what was asked."},
		"a conflict":              {answers{upsert: {{409, `{"category": "CONFLICT"}`}}}, "again: HubSpot is changing the same record."},
		"patience":                {answers{upsert: {{429, `{"category": "RATE_LIMITS"}`}}}, "again: The platform's rate limit was reached."},
		"a failure":               {answers{upsert: {{500, `{}`}}}, "again: HubSpot has a problem of its own (500)."},
		"garbage":                 {answers{upsert: {{200, `{"results": [{"id`}}}, "again: HubSpot sent an answer that cannot be read."},
		"no deal":                 {answers{upsert: {{200, `{"results": []}`}}}, "again: HubSpot does not say which deal it is."},
		"an id that is none":      {answers{upsert: {{200, `{"results": [{"id": "../7"}]}`}}}, "again: HubSpot does not say which deal it is."},
		"an id without end":       {answers{upsert: {{200, `{"results": [{"id": "123456789012345678901234567890123"}]}`}}}, "again: HubSpot does not say which deal it is."},
		"a token that has ended":  {answers{upsert: {{401, `{"category": "EXPIRED_AUTHENTICATION"}`}}}, "again: The platform rejected the account's credentials."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.script[pipelines] == nil {
				c.script[pipelines] = []answer{{200, stagesOfDocs}}
			}
			s, at, _ := connectTo(t, c.script)
			w, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(nil))
			if got := outcome(err); got != c.want || w != (ports.WrittenDeal{}) {
				t.Errorf("%s (%v), %+v", got, err, w)
			}
		})
	}
}

// The errors of HubSpot's answers to the change of a deal.
func TestWriteDeal_errorsOfChanges(t *testing.T) {
	t.Parallel()
	const emptied = `{"id": "501", "properties": {"haggle_order_id": ""}}`
	for name, c := range map[string]struct {
		script answers
		lost   bool
		want   string
	}{
		"a bare 404":               {script: answers{read: {{404, page}}}, want: "again: HubSpot does not answer at this address (404)."},
		"a bare 404 of the change": {script: answers{read: {{200, ours("")}}, update: {{404, `{}`}}}, want: "again: HubSpot does not answer at this address (404)."},
		"an id that is none":       {script: answers{read: {{200, `{"id": "x"}`}}}, want: "again: HubSpot does not say which deal it is."},
		"no scope":                 {script: answers{read: {{200, ours("")}}, update: {{403, missing}}}, want: denied},
		"a value that is taken": {script: answers{
			read:     {{200, emptied}},
			update:   {{400, unknown}},
			property: {{200, unique}},
		}, want: `refused: HubSpot does not take the deal: Property "haggle_order_id" does not exist.`},
		"a property that is archived": {script: answers{
			read:     {{200, emptied}},
			update:   {{400, unknown}},
			property: {{404, gone}},
			define:   {{409, taken}},
			archived: {{200, `{"archived": true}`}},
		}, want: "refused: HubSpot has archived the property haggle_order_id of deals. Restore it, and retry."},
		"contacts that are not read": {script: answers{
			read:      {{200, ours("")}},
			update:    {{200, ours("")}},
			contactOf: {{500, page}},
		}, lost: true, want: "again: HubSpot has a problem of its own (500)."},
		"a contact that stays": {script: answers{
			read:      {{200, ours("")}},
			update:    {{200, ours("")}},
			contactOf: {{200, found}},
			part:      {{500, page}},
		}, lost: true, want: "again: HubSpot has a problem of its own (500)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.script[pipelines] = []answer{{200, stagesOfDocs}}
			s, at, _ := connectTo(t, c.script)
			_, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(func(d *ports.DealDraft) { d.Remote, d.State.Lost = "501", c.lost }))
			if got := outcome(err); got != c.want {
				t.Errorf("%s (%v)", got, err)
			}
		})
	}
}
