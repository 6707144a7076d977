package hubspot

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/ports"
)

// An order of ours is a deal with the order's id in the property orderProperty, whose values HubSpot keeps unique: a batch upsert by
// it updates the deal that there is, or creates one ("Create or update a batch of deals by unique property values", docs/api-reference/
// 2026-03/crm/objects/deals/batch/upsert-deals, read on 29 November 2026). So an attempt whose answer was lost is repeated. HubSpot's
// search, which lags behind, is not asked.
//
// Not documented: what two upserts of one value at the same time answer. A refused one is followed by a look-up by the property, and
// a conflict (409) is tried again.
const orderProperty = "haggle_order_id"

// dealURL is where staff look at a deal, unless the answer says where: "url" is optional in it.
const dealURL = "https://app.hubspot.com/contacts/"

const (
	longestID  = 32  // digits
	longestURL = 500 // bytes
)

// notFound is the category of a 404 that means that there is no such object: HubSpot, and no proxy, says it.
const notFound = "OBJECT_NOT_FOUND"

type dealValues map[string]string

// WriteDeal creates the order's deal, or changes its amount and, once the order is canceled, its stage and its contact. The rest of a
// deal is the staff's once it is there.
func (s *Connector) WriteDeal(ctx ports.Outbound, c ports.Connection, d ports.DealDraft) (ports.WrittenDeal, error) {
	if d.Remote != "" {
		return s.changeDeal(ctx, c, d)
	}
	found, err := s.stageOf(ctx, c, "", d.State.Lost)
	if err != nil {
		return ports.WrittenDeal{}, err
	}
	name := strings.TrimSpace(d.Shop + " " + d.Order.Confirmation)
	if !d.Live {
		name = "[test] " + name
	}
	values := dealValues{
		"dealname":           name,
		"amount":             d.State.Amount.String(),
		"deal_currency_code": d.State.Amount.Currency().Code(),
		"closedate":          d.Order.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z"),
		"pipeline":           found.pipeline,
		"dealstage":          found.stage,
	}
	there, err := s.createDeal(ctx, c, d.Order.ID.String(), values)
	if err != nil {
		return ports.WrittenDeal{}, err
	}
	w := ports.WrittenDeal{Remote: there.ID, URL: s.shownAt(there)}
	if w.URL == "" && !s.lookAlike && c.Account != "" {
		w.URL = dealURL + url.PathEscape(c.Account) + "/record/0-3/" + there.ID
	}
	return w, nil
}

// shownAt is where an answer says that staff look at a deal; "": it does not say, or names another host than HubSpot's.
func (s *Connector) shownAt(o object) string {
	u, err := url.Parse(o.URL)
	if s.lookAlike || err != nil || len(u.String()) > longestURL || u.Scheme != "https" || u.User != nil {
		return ""
	}
	if host := strings.ToLower(u.Host); host != "hubspot.com" && !strings.HasSuffix(host, ".hubspot.com") {
		return ""
	}
	return u.String()
}

// isID reports whether a text can be the id of an object: it is kept, and becomes part of addresses.
func isID(text string) bool {
	return text != "" && len(text) <= longestID && strings.Trim(text, "0123456789") == ""
}

// createDeal finds the order's deal, or creates it. The property is created when the first deal is refused for want of it.
func (s *Connector) createDeal(ctx context.Context, c ports.Connection, of string, values dealValues) (object, error) {
	there, err := s.upsertDeal(ctx, c, of, values)
	var refusal *ports.PlatformRefusal
	if !errors.As(err, &refusal) {
		return there, err
	}
	made, err := s.defineProperty(ctx, c)
	if err != nil {
		return there, err
	}
	if !made { // the deal may have been created meanwhile, or the property by another server
		known, found, err := s.readDeal(ctx, c, of, orderProperty)
		switch {
		case err != nil:
			return there, err
		case found:
			return s.patchDeal(ctx, c, known.ID, values)
		}
	}
	return s.upsertDeal(ctx, c, of, values)
}

// batch is the answer of a batch of one. Errors are those of a 207.
type batch struct {
	Results []object `json:"results"`
	Errors  []said   `json:"errors"`
}

func (s *Connector) upsertDeal(ctx context.Context, c ports.Connection, of string, values dealValues) (object, error) {
	r := s.request(c, objectsPath+"deals/batch/upsert")
	r.JSON = map[string]any{"inputs": []any{map[string]any{"id": of, "idProperty": orderProperty, "properties": values}}}
	var answer batch
	if err := s.writing.Ask(ctx, r, &answer); err != nil {
		return object{}, err
	}
	switch {
	case len(answer.Results) == 1 && isID(answer.Results[0].ID):
		return answer.Results[0], nil
	case len(answer.Results) == 0 && len(answer.Errors) > 0:
		return object{}, partial(s.platform, answer.Errors)
	}
	return object{}, s.platform.Failed("does not say which deal it is", nil)
}

// changeDeal changes a deal that was written before. One that staff have deleted is not created again, and one that they have merged
// into another is left alone: its id then leads to that one ("If the id in the response is another, the record was merged",
// community.hubspot.com, "Question about using batch read API", read on 29 November 2026), which may be of another order. A deal whose
// orderProperty is empty is still the order's: it gets the value back.
func (s *Connector) changeDeal(ctx context.Context, c ports.Connection, d ports.DealDraft) (ports.WrittenDeal, error) {
	there, found, err := s.readDeal(ctx, c, d.Remote, "")
	if err != nil {
		return ports.WrittenDeal{}, err
	}
	of := there.text(orderProperty)
	if !found || there.ID != d.Remote || of != "" && of != d.Order.ID.String() {
		return ports.WrittenDeal{}, ports.ErrDealGone
	}
	values := dealValues{"amount": d.State.Amount.String()}
	if of == "" {
		values[orderProperty] = d.Order.ID.String()
	}
	if d.State.Lost {
		to, err := s.stageOf(ctx, c, there.text("pipeline"), true)
		if err != nil {
			return ports.WrittenDeal{}, err
		}
		values["pipeline"], values["dealstage"] = to.pipeline, to.stage
	}
	there, err = s.patchDeal(ctx, c, d.Remote, values)
	var refusal *ports.PlatformRefusal
	if of == "" && errors.As(err, &refusal) { // the property itself may be gone
		made, failed := s.defineProperty(ctx, c)
		switch {
		case failed != nil:
			return ports.WrittenDeal{}, failed
		case made:
			there, err = s.patchDeal(ctx, c, d.Remote, values)
		}
	}
	if err == nil && d.State.Lost {
		err = s.forgetBuyer(ctx, c, d.Remote, d.Order)
	}
	if err != nil {
		return ports.WrittenDeal{}, err
	}
	return ports.WrittenDeal{Remote: d.Remote, URL: s.shownAt(there)}, nil
}

// readDeal reads a deal by its id, or by the value of a property.
func (s *Connector) readDeal(ctx context.Context, c ports.Connection, value, property string) (o object, found bool, err error) {
	query := url.Values{"properties": {orderProperty + ",pipeline"}}
	if property != "" {
		query.Set("idProperty", property)
	}
	found, err = s.find(ctx, s.request(c, objectsPath+"deals/"+url.PathEscape(value)+"?"+query.Encode()), notFound, &o)
	if err == nil && found && !isID(o.ID) {
		err = s.platform.Failed("does not say which deal it is", nil)
	}
	return o, found && !o.Archived, err
}

func (s *Connector) patchDeal(ctx context.Context, c ports.Connection, id string, values dealValues) (o object, err error) {
	r := s.request(c, objectsPath+"deals/"+url.PathEscape(id))
	r.Method, r.JSON = http.MethodPatch, map[string]any{"properties": values}
	found, err := s.find(ctx, r, notFound, &o)
	switch {
	case err != nil:
		return o, err
	case !found || o.ID != "" && o.ID != id: // it was merged since it was read
		return o, ports.ErrDealGone
	}
	o.ID = id
	return o, nil
}

// find asks for something that there may not be. A 404 says so if its category is the one that is given; "": any 404 does.
func (s *Connector) find(ctx context.Context, r connectors.Request, category string, into any) (found bool, err error) {
	answer, err := s.writing.Send(ctx, r)
	if err != nil {
		return false, err
	}
	if answer.Status == http.StatusNotFound {
		if category == "" || reason(answer).Category == category {
			return false, nil
		}
		return false, s.platform.Failed("does not answer at this address (404)", nil)
	}
	if err := s.writing.Judge(answer); err != nil {
		return false, err
	}
	return true, s.writing.Decode(answer.Body, into)
}
