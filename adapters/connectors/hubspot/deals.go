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

// orderProperty is the property of a deal that has our order's id. HubSpot keeps its values unique, so that a batch upsert by this
// property updates the existing deal or creates one ("Create or update a batch of deals by unique property values", docs/api-reference/
// 2026-03/crm/objects/deals/batch/upsert-deals, read on 29 November 2026). Therefore an attempt whose answer was lost can be
// repeated, without HubSpot's search, which lags behind.
//
// The answers to two concurrent upserts of one value are not documented. createDeal looks up the deal by the property after a refused
// one, and a conflict (409) is retried.
const orderProperty = "haggle_order_id"

// dealURL is the beginning of the link to a deal that is stored if the answer has no "url", which is optional.
const dealURL = "https://app.hubspot.com/contacts/"

const (
	longestID  = 32  // digits
	longestURL = 500 // bytes
)

// notFound is the category of a 404 that means that there is no such object. A 404 of a proxy does not have it.
const notFound = "OBJECT_NOT_FOUND"

type dealValues map[string]string

// WriteDeal creates the order's deal, or changes its amount and, once the order is canceled, its stage and its contact. It does not
// change the other properties of an existing deal, because the staff may have edited them.
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
	w := ports.WrittenDeal{Remote: there.ID, URL: s.dealLink(there)}
	if w.URL == "" && !s.customURL && c.Account != "" {
		w.URL = dealURL + url.PathEscape(c.Account) + "/record/0-3/" + there.ID
	}
	return w, nil
}

// dealLink returns the URL of a deal in an answer, or "" if it has none or one of another host than HubSpot's.
func (s *Connector) dealLink(o object) string {
	u, err := url.Parse(o.URL)
	if s.customURL || err != nil || len(u.String()) > longestURL || u.Scheme != "https" || u.User != nil {
		return ""
	}
	if host := strings.ToLower(u.Host); host != "hubspot.com" && !strings.HasSuffix(host, ".hubspot.com") {
		return ""
	}
	return u.String()
}

// isID reports whether text can be the id of an object. Ids are stored and become part of URLs.
func isID(text string) bool {
	return text != "" && len(text) <= longestID && strings.Trim(text, "0123456789") == ""
}

// createDeal finds the order's deal, or creates it. If HubSpot refuses the first deal because the property does not exist, it creates
// the property.
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
	if !made { // another server may have created the deal or the property meanwhile
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

// batch is the answer to a batch of one. A 207 has Errors.
type batch struct {
	Results []object   `json:"results"`
	Errors  []apiError `json:"errors"`
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
		return object{}, batchError(s.platform, answer.Errors)
	}
	return object{}, s.platform.Failed("does not say which deal it is", nil)
}

// changeDeal changes an existing deal. It does not recreate a deal that staff have deleted, nor change one that they have merged into
// another: the id of a merged deal leads to the other one ("If the id in the response is another, the record was merged",
// community.hubspot.com, "Question about using batch read API", read on 29 November 2026), which may belong to another order. A
// deal whose orderProperty is empty still belongs to the order: changeDeal restores the value.
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
	if of == "" && errors.As(err, &refusal) { // the property itself may be deleted
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
	return ports.WrittenDeal{Remote: d.Remote, URL: s.dealLink(there)}, nil
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
	case !found || o.ID != "" && o.ID != id: // it was merged after it was read
		return o, ports.ErrDealGone
	}
	o.ID = id
	return o, nil
}

// find sends a request for an object that may not exist. Only a 404 of the given category means that it does not; "": every 404.
func (s *Connector) find(ctx context.Context, r connectors.Request, category string, into any) (found bool, err error) {
	answer, err := s.writing.Send(ctx, r)
	if err != nil {
		return false, err
	}
	if answer.Status == http.StatusNotFound {
		if category == "" || errorOf(answer).Category == category {
			return false, nil
		}
		return false, s.platform.Failed("does not answer at this address (404)", nil)
	}
	if err := s.writing.Judge(answer); err != nil {
		return false, err
	}
	return true, s.writing.Decode(answer.Body, into)
}
