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

// answers are HubSpot's answers in order, by method and path. The last one repeats.
type answers map[string][]answer

type answer struct {
	status int
	body   string
}

// requestLog records the requests to a fake HubSpot.
type requestLog struct {
	mu         sync.Mutex
	list       []string
	sent       map[string]string // the last body by method and path
	unexpected string            // requests without an answer
}

// handlerTransport sends every request to a handler, whatever its host.
type handlerTransport struct{ http.Handler }

func (i handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	i.ServeHTTP(w, r)
	return w.Result(), nil
}

func connectTo(t *testing.T, script answers) (*hubspot.Connector, ports.Connection, *requestLog) {
	t.Helper()
	return connectAt(t, "", script)
}

// connectAt returns a connector with an address instead of HubSpot's. The fake HubSpot answers as in script.
func connectAt(t *testing.T, address string, script answers) (*hubspot.Connector, ports.Connection, *requestLog) {
	t.Helper()
	a := &requestLog{sent: map[string]string{}}
	client := &http.Client{Transport: handlerTransport{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		what := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/crm/")
		if property := r.URL.Query().Get("idProperty"); property != "" {
			what += " by " + property
		}
		if r.URL.Query().Get("archived") == "true" {
			what += " archived"
		}
		a.list, a.sent[what] = append(a.list, what), string(body)
		list := script[what]
		if len(list) == 0 {
			a.unexpected += what + "\n"
			w.WriteHeader(http.StatusTeapot)
			return
		}
		if len(list) > 1 {
			script[what] = list[1:]
		}
		w.WriteHeader(list[0].status)
		_, _ = io.WriteString(w, list[0].body)
	})}}
	t.Cleanup(func() {
		if a.unexpected != "" {
			t.Errorf("asked for %s", a.unexpected)
		}
	})
	s := hubspot.New(hubspot.Config{
		URL:    address,
		Client: client,
		Clock:  clock{},
	})
	return s, ports.Connection{
		Key:         "itg_1",
		Account:     "62515",
		Credentials: integration.Credentials{Key: "token"},
	}, a
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

// stagesOfDocs is as documented, with probabilities as strings and as numbers, and another pipeline before the default one.
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
	archived  = property + " archived"
	contactOf = "POST objects/2026-09/contacts/batch/read"
	contact   = "POST objects/2026-09/contacts"
	associate = "PUT objects/2026-09/deals/501/associations/default/contacts/77"
	part      = "DELETE objects/2026-09/deals/501/associations/contacts/77"
	read      = "GET objects/2026-09/deals/501"
	update    = "PATCH objects/2026-09/deals/501"

	upserted = `{"status": "COMPLETE", "results": [{"id": "501", "new": true, "properties": {}, "archived": false}]}`
	found    = `{"status": "COMPLETE", "results": [{"id": "77"}]}`
	unfound  = `{"status": "COMPLETE", "results": [], "numErrors": 1, "errors": [{"status": "error", "category": "OBJECT_NOT_FOUND", "message": "Could not get some CONTACT objects"}]}`
	gone     = `{"status": "error", "category": "OBJECT_NOT_FOUND", "message": "Object not found."}`
	taken    = `{"status": "error", "category": "OBJECT_ALREADY_EXISTS", "message": "A property named 'haggle_order_id' already exists."}`
	unique   = `{"hasUniqueValue": true, "archived": false}`
	unknown  = `{"status": "error", "category": "VALIDATION_ERROR", "message": "Property \"haggle_order_id\" does not exist"}`
	page     = `<html>Attention Required!</html>`
	nonuniq  = `{"status": "error", "category": "VALIDATION_ERROR", "message": "Unable to perform update/upsert by non-unique 0-3 property haggle_order_id in portal ID 62515"}`
	currency = `{"status":"error","message":"Property values were not valid: [{\"isValid\":false,\"message\":\"\\\"BRL\\\" is not a part of the current effective currency codes for portal 104008696\",\"error\":\"INVALID_OPTION\",\"name\":\"deal_currency_code\"}]","correlationId":"99a6fa94","category":"VALIDATION_ERROR"}`
	missing  = `{"status":"error","message":"This app hasn't been granted all required scopes to make this call.","category":"MISSING_SCOPES"}`
)

var byProperty = "GET objects/2026-09/deals/" + orderID.String() + " by haggle_order_id"

func ours(more string) string {
	return `{"id": "501", "properties": {"haggle_order_id": "` + orderID.String() + `", "pipeline": "default"}` + more + `}`
}

// WriteDeal does not send the buyer's name.
func TestWriteDeal_creates(t *testing.T) {
	t.Parallel()
	const usual = "https://app.hubspot.com/contacts/62515/record/0-3/501"
	for name, c := range map[string]struct {
		script   answers
		requests string
	}{
		"at once": {
			script:   answers{upsert: {{200, upserted}}},
			requests: pipelines + "," + upsert,
		},
		"with the property, at first": {
			script: answers{
				upsert:   {{400, nonuniq}, {200, upserted}},
				property: {{404, `{}`}},
				define:   {{201, `{}`}},
			},
			requests: pipelines + "," + upsert + "," + property + "," + define + "," + upsert,
		},
		"while another server creates the property": {
			script: answers{
				upsert:     {{400, nonuniq}, {200, upserted}},
				property:   {{200, unique}},
				byProperty: {{404, gone}},
			},
		},
		"after another server created the property": {
			script: answers{
				upsert:     {{400, nonuniq}, {200, upserted}},
				property:   {{404, gone}, {200, unique}},
				define:     {{409, taken}},
				byProperty: {{404, gone}},
			},
		},
		"that somebody else created meanwhile": {
			script: answers{
				upsert:     {{400, `{"message": "already has that value"}`}},
				property:   {{200, unique}},
				byProperty: {{200, ours("")}},
				update:     {{200, ours("")}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.script[pipelines] = []answer{{200, stagesOfDocs}}
			s, at, a := connectTo(t, c.script)
			got, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(nil))
			if want := (ports.WrittenDeal{Remote: "501", URL: usual}); err != nil || got != want {
				t.Errorf("%+v, %v", got, err)
			}
			if list := strings.Join(a.list, ","); c.requests != "" && list != c.requests {
				t.Errorf("asked for %s", list)
			}
		})
	}
}

// Only a link to HubSpot of at most 500 bytes is stored.
func TestWriteDeal_url(t *testing.T) {
	t.Parallel()
	const usual = "https://app.hubspot.com/contacts/62515/record/0-3/501"
	for said, want := range map[string]string{
		"":                              usual,
		"https://hubspot.com/x":         "https://hubspot.com/x",
		"https://app-eu1.hubspot.com/x": "https://app-eu1.hubspot.com/x",
		"http://app.hubspot.com/x":      usual,
		"javascript:alert(1)":           usual,
		"https://nothubspot.com/x":      usual,
		"https://hubspot.com.evil.test": usual,
		"https://a@app.hubspot.com/x":   usual,
		"https://app.hubspot.com/" + strings.Repeat("x", 500): usual,
	} {
		for _, address := range []string{"", "http://127.0.0.1:9/hubspot"} {
			created, changed := want, want
			if want == usual {
				changed = "" // the link that is stored stays
			}
			if address != "" {
				created, changed = "", ""
			}
			for remote, want := range map[string]string{"": created, "501": changed} {
				prefix := map[bool]string{true: "/hubspot/crm/"}[address != ""]
				script := answers{}
				for what, list := range (answers{
					pipelines: {{200, stagesOfDocs}}, upsert: {{200, `{"results": [{"id": "501", "url": "` + said + `"}]}`}},
					read: {{200, ours("")}}, update: {{200, ours(`, "url": "` + said + `"`)}},
				}) {
					method, path, _ := strings.Cut(what, " ")
					script[method+" "+prefix+path] = list
				}
				s, at, _ := connectAt(t, address, script)
				got, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(func(d *ports.DealDraft) { d.Remote = remote }))
				if err != nil || got != (ports.WrittenDeal{Remote: "501", URL: want}) {
					t.Errorf("%s of %q at %q: %+v, %v", said, remote, address, got, err)
				}
			}
		}
	}
}

func TestWriteDeal_values(t *testing.T) {
	t.Parallel()
	s, at, a := connectTo(t, answers{pipelines: {{200, stagesOfDocs}}, upsert: {{200, upserted}}})
	if _, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(func(d *ports.DealDraft) { d.Live, d.State.Lost = false, true })); err != nil {
		t.Fatal(err)
	}
	want := `{"inputs":[{"id":"` + orderID.String() + `","idProperty":"haggle_order_id","properties":{"amount":"19.99","closedate":"2026-11-29T10:11:12.345Z",` +
		`"deal_currency_code":"USD","dealname":"[test] Tarn \u0026 Tundra HG-7K2M-9QXA","dealstage":"closedlost","pipeline":"default"}}]}`
	if a.sent[upsert] != want {
		t.Errorf("%s", a.sent[upsert])
	}
}

// A change updates the amount, and the stage once the order is canceled. A deal that is not ours any more is not changed.
func TestWriteDeal_changes(t *testing.T) {
	t.Parallel()
	lost := func(d *ports.DealDraft) { d.State.Lost = true }
	const emptied = `{"id": "501", "properties": {"haggle_order_id": null, "pipeline": "default"}}`
	stage := `{"properties":{"amount":"19.99","dealstage":"closedlost","pipeline":"default"}}`
	restored := `{"properties":{"amount":"19.99","haggle_order_id":"` + orderID.String() + `"}}`
	for name, c := range map[string]struct {
		script   answers
		change   func(*ports.DealDraft)
		sent     string
		requests string // the last
		err      error
	}{
		"the amount": {script: answers{read: {{200, ours("")}}, update: {{200, ours("")}}}, sent: `{"properties":{"amount":"19.99"}}`},
		"the stage": {
			script: answers{
				read:      {{200, ours("")}},
				update:    {{200, ours("")}},
				contactOf: {{200, found}},
				part:      {{204, ""}},
			},
			change:   lost,
			sent:     stage,
			requests: part,
		},
		"the stage, without a contact": {script: answers{
			read:      {{200, ours("")}},
			update:    {{200, ours("")}},
			contactOf: {{207, unfound}},
		}, change: lost, sent: stage},
		"the stage, where no contact is shown": {script: answers{
			read:      {{200, ours("")}},
			update:    {{200, ours("")}},
			contactOf: {{403, missing}},
		}, change: lost, sent: stage},
		"the stage, where nothing is associated": {script: answers{
			read:      {{200, ours("")}},
			update:    {{200, ours("")}},
			contactOf: {{200, found}},
			part:      {{404, gone}},
		}, change: lost, sent: stage},
		"the stage, of an erased buyer": {
			script: answers{read: {{200, ours("")}}, update: {{200, ours("")}}},
			change: func(d *ports.DealDraft) { d.State.Lost, d.Order.Email = true, "" },
			sent:   stage,
		},
		"a deal whose property is empty": {script: answers{read: {{200, emptied}}, update: {{200, ours("")}}}, sent: restored},
		"a deal whose property is gone": {
			script: answers{
				read:     {{200, `{"id": "501", "properties": {}}`}},
				update:   {{400, unknown}, {200, ours("")}},
				property: {{404, gone}},
				define:   {{201, `{}`}},
			},
			sent: restored,
		},
		"deleted":                  {script: answers{read: {{404, gone}}}, err: ports.ErrDealGone},
		"in the recycling bin":     {script: answers{read: {{200, ours(`, "archived": true`)}}}, err: ports.ErrDealGone},
		"merged into another":      {script: answers{read: {{200, `{"id": "502", "properties": {}}`}}}, err: ports.ErrDealGone},
		"of another order":         {script: answers{read: {{200, `{"id": "501", "properties": {"haggle_order_id": "ord_another"}}`}}}, err: ports.ErrDealGone},
		"deleted while it is read": {script: answers{read: {{200, ours("")}}, update: {{404, gone}}}, err: ports.ErrDealGone},
		"merged while it is read":  {script: answers{read: {{200, ours("")}}, update: {{200, `{"id": "502"}`}}}, err: ports.ErrDealGone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.script[pipelines] = []answer{{200, stagesOfDocs}}
			s, at, a := connectTo(t, c.script)
			_, err := s.WriteDeal(ports.NewOutbound(t.Context()), at, draft(func(d *ports.DealDraft) {
				if d.Remote = "501"; c.change != nil {
					c.change(d)
				}
			}))
			if !errors.Is(err, c.err) || c.sent != "" && a.sent[update] != c.sent {
				t.Errorf("%v, sent %s", err, a.sent[update])
			}
			if last := a.list[len(a.list)-1]; c.requests != "" && last != c.requests {
				t.Errorf("asked last for %s", last)
			}
		})
	}
}

// The sync recognizes a deal of ours by the order's id in its property.
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
