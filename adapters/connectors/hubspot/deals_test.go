package hubspot_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/hubspot"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// answers are what HubSpot says, one after the other, by method and path; the last one stays.
type answers map[string][]answer

type answer struct {
	status int
	body   string
}

// asked is a HubSpot that says what it is told to, and what it was asked for.
type asked struct {
	mu    sync.Mutex
	list  []string
	sent  map[string]string // the last body by method and path
	mixed string            // what no answer is for
}

func deals(t *testing.T, say answers) (*hubspot.Connector, ports.Connection, *asked) {
	t.Helper()
	a := &asked{sent: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		what := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/crm/")
		if property := r.URL.Query().Get("idProperty"); property != "" {
			what += " by " + property
		}
		a.list, a.sent[what] = append(a.list, what), string(body)
		list := say[what]
		if len(list) == 0 {
			a.mixed += what + "\n"
			w.WriteHeader(http.StatusTeapot)
			return
		}
		if len(list) > 1 {
			say[what] = list[1:]
		}
		w.WriteHeader(list[0].status)
		_, _ = io.WriteString(w, list[0].body)
	}))
	t.Cleanup(func() {
		server.Close()
		if a.mixed != "" {
			t.Errorf("asked for %s", a.mixed)
		}
	})
	s := hubspot.New(hubspot.Config{URL: server.URL, Clock: clock{}})
	return s, ports.Connection{Key: "itg_1", Account: "62515", Credentials: integration.Credentials{Key: "token"}}, a
}

var orderID = id.New[id.Order]([16]byte{7})

func draft(change func(*ports.DealDraft)) ports.DealDraft {
	usd, _ := money.ParseCurrency("USD")
	d := ports.DealDraft{
		Shop: "Tarn & Tundra",
		Live: true,
		Order: &order.Order{
			ID:           orderID,
			Confirmation: "HG-7K2M-9QXA",
			Email:        "ada@example.com",
			Address:      checkout.Address{Name: "Ada Love Lace"},
			CreatedAt:    time.Date(2026, 11, 29, 10, 11, 12, 345_000_000, time.UTC),
		},
		State: order.DealState{Amount: money.Of(1999, usd)},
	}
	if change != nil {
		change(&d)
	}
	return d
}

// As documented, with figures as text and as numbers, and a pipeline that is not the usual one first.
const stagesOfDocs = `{"results": [
	{"id": "9", "label": "Renewals", "displayOrder": 0, "archived": false, "stages": [{"id": "91", "metadata": {"probability": "1.0", "isClosed": "true"}}]},
	{"id": "default", "label": "Sales", "displayOrder": 1, "archived": false, "stages": [
		{"id": "appointmentscheduled", "metadata": {"probability": "0.2", "isClosed": "false"}, "archived": false},
		{"id": "old", "metadata": {"probability": "1.0", "isClosed": "true"}, "archived": true},
		{"id": "closedwon", "metadata": {"probability": 1, "isClosed": true}, "archived": false},
		{"id": "closedlost", "metadata": {"probability": "0.0", "isClosed": "true"}, "archived": false}]}]}`

const (
	pipelines = "GET pipelines/2026-03/deals"
	upsert    = "POST objects/2026-09/deals/batch/upsert"
	property  = "GET properties/2026-03/deals/haggle_order_id"
	define    = "POST properties/2026-03/deals"
	contactOf = "GET objects/2026-09/contacts/ada@example.com by email"
	contact   = "POST objects/2026-09/contacts"
	associate = "PUT objects/2026-09/deals/501/associations/default/contacts/77"
	read      = "GET objects/2026-09/deals/501"
	update    = "PATCH objects/2026-09/deals/501"

	upserted = `{"status": "COMPLETE", "results": [{"id": "501", "new": true, "properties": {}, "archived": false}]}`
	nonuniq  = `{"status": "error", "category": "VALIDATION_ERROR", "message": "Unable to perform update/upsert by non-unique 0-3 property haggle_order_id in portal ID 62515"}`
	currency = `{"status":"error","message":"Property values were not valid: [{\"isValid\":false,\"message\":\"\\\"BRL\\\" is not a part of the current effective currency codes for portal 104008696\",\"error\":\"INVALID_OPTION\",\"name\":\"deal_currency_code\"}]","correlationId":"99a6fa94","category":"VALIDATION_ERROR"}`
	missing  = `{"status":"error","message":"This app hasn't been granted all required scopes to make this call.","category":"MISSING_SCOPES"}`
)

var byProperty = "GET objects/2026-09/deals/" + orderID.String() + " by haggle_order_id"

func ours(more string) string {
	return `{"id": "501", "properties": {"haggle_order_id": "` + orderID.String() + `", "pipeline": "default"}` + more + `}`
}

func TestWriteDeal_creates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		say   answers
		draft func(*ports.DealDraft)
		url   string
		asked string
	}{
		"with a contact that there is": {
			say:   answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, upserted}}, contactOf: {{200, `{"id": "77"}`}}, associate: {{200, `{}`}}},
			asked: pipelines + "," + upsert + "," + contactOf + "," + associate,
		},
		"with a contact that is created": {
			say: answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, upserted}}, contactOf: {{404, `{}`}}, contact: {{201, `{"id": "77"}`}}, associate: {{200, `{}`}}},
		},
		"with a contact that has the address as its second one": {
			say: answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, upserted}}, contactOf: {{404, `{}`}}, contact: {{409, `{"category": "CONFLICT", "message": "Contact already exists. Existing ID: 77"}`}}, associate: {{200, `{}`}}},
		},
		"without a contact that HubSpot does not name": {
			say: answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, upserted}}, contactOf: {{404, `{}`}}, contact: {{409, `{"category": "CONFLICT"}`}}},
		},
		"without a contact where we may create none": {
			say: answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, upserted}}, contactOf: {{404, `{}`}}, contact: {{403, missing}}},
		},
		"without a contact where the address is none": {
			say: answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, upserted}}, contactOf: {{404, `{}`}}, contact: {{400, `{"message": "Property values were not valid"}`}}},
		},
		"of a buyer without an address": {
			say:   answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, `{"results": [{"id": "501", "url": "https://app-eu1.hubspot.com/x"}]}`}}},
			draft: func(d *ports.DealDraft) { d.Order.Email = "" },
			url:   "https://app-eu1.hubspot.com/x",
		},
		"with the property, at first": {
			say: answers{
				pipelines: {{200, stagesOfDocs}}, upsert: {{400, nonuniq}, {200, upserted}}, property: {{404, `{}`}}, define: {{201, `{}`}},
				contactOf: {{200, `{"id": "77"}`}}, associate: {{200, `{}`}},
			},
			asked: pipelines + "," + upsert + "," + property + "," + define + "," + upsert + "," + contactOf + "," + associate,
		},
		"while another server creates the property": {
			say: answers{
				pipelines: {{200, stagesOfDocs}}, upsert: {{400, nonuniq}, {200, upserted}}, property: {{200, `{"hasUniqueValue": true}`}},
				byProperty: {{404, `{}`}}, contactOf: {{200, `{"id": "77"}`}}, associate: {{200, `{}`}},
			},
		},
		"that somebody else created meanwhile": {
			say: answers{
				pipelines: {{200, stagesOfDocs}}, upsert: {{400, `{"message": "already has that value"}`}}, property: {{200, `{"hasUniqueValue": true}`}},
				byProperty: {{200, ours("")}}, update: {{200, ours("")}}, contactOf: {{200, `{"id": "77"}`}}, associate: {{200, `{}`}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, at, a := deals(t, c.say)
			got, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(c.draft))
			want := ports.WrittenDeal{Remote: "501", URL: "https://app.hubspot.com/contacts/62515/record/0-3/501"}
			if c.url != "" {
				want.URL = c.url
			}
			if err != nil || got != want {
				t.Errorf("%+v, %v", got, err)
			}
			if list := strings.Join(a.list, ","); c.asked != "" && list != c.asked {
				t.Errorf("asked for %s", list)
			}
		})
	}
}

func TestWriteDeal_values(t *testing.T) {
	t.Parallel()
	s, at, a := deals(t, answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, upserted}}, contactOf: {{404, `{}`}}, contact: {{201, `{"id": "77"}`}}, associate: {{200, `{}`}}})
	if _, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(func(d *ports.DealDraft) { d.Live, d.State.Lost = false, true })); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{
		upsert: `{"inputs":[{"id":"` + orderID.String() + `","idProperty":"haggle_order_id","properties":{"amount":"19.99","closedate":"2026-11-29T10:11:12.345Z",` +
			`"deal_currency_code":"USD","dealname":"[test] Tarn \u0026 Tundra HG-7K2M-9QXA","dealstage":"closedlost","pipeline":"default"}}]}`,
		contact: `{"properties":{"email":"ada@example.com","firstname":"Ada Love","lastname":"Lace"}}`,
	} {
		if a.sent[what] != want {
			t.Errorf("%s: %s", what, a.sent[what])
		}
	}
}

// A change is of the amount, and of the stage once the order is canceled. A deal that is not ours any more is left alone.
func TestWriteDeal_changes(t *testing.T) {
	t.Parallel()
	lost := func(d *ports.DealDraft) { d.State.Lost = true }
	for name, c := range map[string]struct {
		say    answers
		change func(*ports.DealDraft)
		sent   string
		err    error
	}{
		"the amount":               {say: answers{read: {{200, ours("")}}, update: {{200, ours("")}}}, sent: `{"properties":{"amount":"19.99"}}`},
		"the stage":                {say: answers{read: {{200, ours("")}}, pipelines: {{200, stagesOfDocs}}, update: {{200, ours("")}}}, change: lost, sent: `{"properties":{"amount":"19.99","dealstage":"closedlost","pipeline":"default"}}`},
		"deleted":                  {say: answers{read: {{404, `{"category": "OBJECT_NOT_FOUND"}`}}}, err: ports.ErrDealGone},
		"in the recycling bin":     {say: answers{read: {{200, ours(`, "archived": true`)}}}, err: ports.ErrDealGone},
		"merged into another":      {say: answers{read: {{200, `{"id": "502", "properties": {"haggle_order_id": "ord_another"}}`}}}, err: ports.ErrDealGone},
		"deleted while it is read": {say: answers{read: {{200, ours("")}}, update: {{404, `{}`}}}, err: ports.ErrDealGone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, at, a := deals(t, c.say)
			_, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(func(d *ports.DealDraft) {
				if d.Remote = "501"; c.change != nil {
					c.change(d)
				}
			}))
			if !errors.Is(err, c.err) || c.sent != "" && a.sent[update] != c.sent {
				t.Errorf("%v, sent %s", err, a.sent[update])
			}
		})
	}
}

// What HubSpot says, and what it means for the deal.
func TestWriteDeal_errors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		say  answers
		want string
	}{
		"a wrong currency":       {answers{upsert: {{400, currency}}, property: {{200, `{"hasUniqueValue": true}`}}, byProperty: {{404, `{}`}}}, `refused: HubSpot does not take the deal: "BRL" is not a part of the current effective currency codes for portal 104008696.`},
		"a missing scope":        {answers{upsert: {{403, missing}}, property: {{403, missing}}}, "refused: HubSpot was not consented to let us write deals: connect the account again, as a user who may."},
		"a user who may not":     {answers{upsert: {{403, `{"message": "You may not."}`}}, property: {{200, `{"hasUniqueValue": true}`}}, byProperty: {{404, `{}`}}}, "refused: HubSpot does not take the deal: You may not."},
		"ten unique properties":  {answers{upsert: {{400, nonuniq}}, property: {{404, `{}`}}, define: {{400, `{"message": "You have reached the limit."}`}}}, "refused: HubSpot does not take the deal: You have reached the limit."},
		"a property of the name": {answers{upsert: {{400, nonuniq}}, property: {{200, `{"hasUniqueValue": false}`}}}, "refused: HubSpot has a property haggle_order_id of deals whose values are not unique. Delete it, and retry."},
		"an error of the batch":  {answers{upsert: {{207, `{"status": "COMPLETE", "results": [], "errors": [{"message": "No."}]}`}}, property: {{200, `{"hasUniqueValue": true}`}}, byProperty: {{404, `{}`}}}, "refused: HubSpot does not take the deal: No."},
		"a conflict":             {answers{upsert: {{409, `{"category": "CONFLICT"}`}}}, "again: HubSpot is changing the same record."},
		"patience":               {answers{upsert: {{429, `{"category": "RATE_LIMITS"}`}}}, "again: The platform asks for patience."},
		"a failure":              {answers{upsert: {{500, `{}`}}}, "again: HubSpot has a problem of its own (500)."},
		"garbage":                {answers{upsert: {{200, `{"results": [{"id`}}}, "again: HubSpot sent an answer that cannot be read."},
		"no deal":                {answers{upsert: {{200, `{"results": []}`}}}, "again: HubSpot does not say which deal it is."},
		"a token that has ended": {answers{upsert: {{401, `{"category": "EXPIRED_AUTHENTICATION"}`}}}, "again: The platform refused the account's credentials."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.say[pipelines] = []answer{{200, stagesOfDocs}}
			s, at, _ := deals(t, c.say)
			_, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(nil))
			got := "nothing"
			var refusal *ports.PlatformRefusal
			if errors.As(err, &refusal) {
				got = "refused: " + refusal.Reason
			} else if reason, _, passing := ports.RepeatAfter(err); passing {
				got = "again: " + reason
			}
			if got != c.want {
				t.Errorf("%s (%v)", got, err)
			}
		})
	}
	for want, list := range map[string]string{
		"HubSpot has no pipeline of deals.":                                  `{"results": []}`,
		"HubSpot has no stage for deals that are won in the pipeline Sales.": `{"results": [{"id": "1", "label": "Sales", "stages": [{"id": "2", "metadata": {"probability": "0.5"}}]}]}`,
	} {
		s, at, _ := deals(t, answers{pipelines: {{200, list}}})
		if _, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(nil)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The scopes are read from the token. They are asked for only where the app has them, and never needed.
func TestScopes(t *testing.T) {
	t.Parallel()
	for scopes, want := range map[string]bool{
		"oauth crm.objects.deals.read":                                                                            false,
		"oauth crm.objects.deals.read crm.objects.deals.write":                                                    false,
		"oauth crm.objects.deals.read crm.objects.deals.write crm.schemas.deals.write":                            true,
		"oauth crm.objects.deals.read crm.objects.deals.write crm.schemas.deals.write crm.objects.contacts.write": true,
	} {
		h, _, s, c := connect(t)
		h.scopes = strings.Fields(scopes)
		if got, err := s.Inspect(ports.NewOutbound(t.Context()), c); err != nil || got.MayWriteDeals != want || got.MayWriteOrders {
			t.Errorf("%s: %+v, %v", scopes, got, err)
		}
	}
	for asks, want := range map[bool]string{false: "", true: "optional_scope=crm.objects.contacts.write+crm.objects.deals.write+crm.schemas.deals.write"} {
		s := hubspot.New(hubspot.Config{ClientID: clientID, Clock: clock{}, Deals: asks})
		address, err := s.Consent(ports.Consent{State: "s", RedirectURI: "https://m.example/back"})
		if err != nil || !strings.Contains(address, "scope=oauth+crm.objects.contacts.read+crm.objects.deals.read&") || strings.Contains(address, "optional_scope") != asks || !strings.Contains(address, want) {
			t.Errorf("%s, %v", address, err)
		}
	}
}

// A deal of ours says of which order it is.
func TestRead_ownDeals(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	h.fill(t, syncrun.Orders, 2, changed)
	h.objects["deals"][1].properties["haggle_order_id"] = orderID.String()
	page, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: syncrun.Orders, Full: true})
	if err != nil || len(page.Records) != 2 || page.Records[0].Order.Reference != "" || page.Records[1].Order.Reference != orderID.String() {
		text, _ := json.Marshal(page)
		t.Errorf("%s, %v", text, err)
	}
}
