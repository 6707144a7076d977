package hubspot

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/order"
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

// propertiesPath is of docs/api-reference/2026-03/crm/properties (read on 29 November 2026).
const propertiesPath = "/crm/properties/2026-03/deals"

// dealURL is where staff look at a deal, unless the answer says where: "url" is optional in it.
const dealURL = "https://app.hubspot.com/contacts/"

type dealValues map[string]string

// WriteDeal creates the order's deal, or changes its amount and, once the order is canceled, its stage. The rest of a deal is the
// staff's once it is there.
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
	return s.written(c, there), s.nameBuyer(ctx, c, there.ID, d.Order)
}

func (s *Connector) written(c ports.Connection, o object) ports.WrittenDeal {
	w := ports.WrittenDeal{Remote: o.ID}
	switch {
	case strings.HasPrefix(o.URL, "https://"):
		w.URL = o.URL
	case c.Account != "":
		w.URL = dealURL + url.PathEscape(c.Account) + "/record/0-3/" + url.PathEscape(o.ID)
	}
	return w
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

func (s *Connector) upsertDeal(ctx context.Context, c ports.Connection, of string, values dealValues) (object, error) {
	r := s.request(c, objectsPath+"deals/batch/upsert")
	r.JSON = map[string]any{"inputs": []any{map[string]any{"id": of, "idProperty": orderProperty, "properties": values}}}
	var answer struct {
		Results []object `json:"results"`
		Errors  []said   `json:"errors"` // of a 207
	}
	if err := s.writing.Ask(ctx, r, &answer); err != nil {
		return object{}, err
	}
	switch {
	case len(answer.Results) == 1 && answer.Results[0].ID != "":
		return answer.Results[0], nil
	case len(answer.Errors) > 0:
		return object{}, s.platform.Refused(answer.Errors[0].words())
	}
	return object{}, s.platform.Failed("does not say which deal it is", nil)
}

// changeDeal changes a deal that was written before. One that staff have deleted is not created again, and one that they have merged
// into another is left alone: its id then leads to that one ("If the id in the response is another, the record was merged",
// community.hubspot.com, "Question about using batch read API", read on 29 November 2026), which may be of another order.
func (s *Connector) changeDeal(ctx context.Context, c ports.Connection, d ports.DealDraft) (ports.WrittenDeal, error) {
	there, found, err := s.readDeal(ctx, c, d.Remote, "")
	switch {
	case err != nil:
		return ports.WrittenDeal{}, err
	case !found || there.text(orderProperty) != d.Order.ID.String():
		return ports.WrittenDeal{}, ports.ErrDealGone
	}
	values := dealValues{"amount": d.State.Amount.String()}
	if d.State.Lost {
		to, err := s.stageOf(ctx, c, there.text("pipeline"), true)
		if err != nil {
			return ports.WrittenDeal{}, err
		}
		values["pipeline"], values["dealstage"] = to.pipeline, to.stage
	}
	there, err = s.patchDeal(ctx, c, there.ID, values)
	return s.written(c, there), err
}

// readDeal reads a deal by its id, or by the value of a property.
func (s *Connector) readDeal(ctx context.Context, c ports.Connection, value, property string) (o object, found bool, err error) {
	query := url.Values{"properties": {orderProperty + ",pipeline"}}
	if property != "" {
		query.Set("idProperty", property)
	}
	found, err = s.find(ctx, s.request(c, objectsPath+"deals/"+url.PathEscape(value)+"?"+query.Encode()), &o)
	if err == nil && found && o.ID == "" {
		err = s.platform.Failed("does not say which deal it is", nil)
	}
	return o, found && !o.Archived, err
}

func (s *Connector) patchDeal(ctx context.Context, c ports.Connection, id string, values dealValues) (o object, err error) {
	r := s.request(c, objectsPath+"deals/"+url.PathEscape(id))
	r.Method, r.JSON = http.MethodPatch, map[string]any{"properties": values}
	found, err := s.find(ctx, r, &o)
	switch {
	case err != nil:
		return o, err
	case !found:
		return o, ports.ErrDealGone
	}
	o.ID = id
	return o, nil
}

// find asks for something that there may not be.
func (s *Connector) find(ctx context.Context, r connectors.Request, into any) (found bool, err error) {
	answer, err := s.writing.Send(ctx, r)
	if err != nil || answer.Status == http.StatusNotFound {
		return false, err
	}
	if err := s.writing.Judge(answer); err != nil {
		return false, err
	}
	return true, s.writing.Decode(answer.Body, into)
}

// defineProperty creates the property unless there is one. That its values are unique can only be said when it is created
// ("Only net new properties can be set to contain a unique value", an object has ten of them at most: developers.hubspot.com/changelog/
// unique-properties-for-contacts, read on 29 November 2026).
func (s *Connector) defineProperty(ctx context.Context, c ports.Connection) (made bool, err error) {
	var known struct {
		Unique bool `json:"hasUniqueValue"`
	}
	found, err := s.find(ctx, s.request(c, propertiesPath+"/"+orderProperty), &known)
	switch {
	case err != nil:
		return false, err
	case found && !known.Unique:
		return false, s.platform.Refused("has a property " + orderProperty + " of deals whose values are not unique. Delete it, and retry")
	case found:
		return false, nil
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
	return true, s.writing.Ask(ctx, r, nil)
}

// nameBuyer associates a deal with the contact of the buyer's e-mail address, which is created if need be and if the account lets us.
// An association that is there stays. Where HubSpot takes no contact the deal stays without one.
func (s *Connector) nameBuyer(ctx context.Context, c ports.Connection, deal string, o *order.Order) error {
	if o.Email == "" {
		return nil
	}
	contact, err := s.contactOf(ctx, c, o)
	if err == nil {
		r := s.request(c, objectsPath+"deals/"+url.PathEscape(deal)+"/associations/default/contacts/"+url.PathEscape(contact))
		r.Method = http.MethodPut
		err = s.writing.Ask(ctx, r, nil)
	}
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) {
		return nil
	}
	return err
}

func (s *Connector) contactOf(ctx context.Context, c ports.Connection, o *order.Order) (string, error) {
	var there object
	// The path is read by the unique property "email" (docs/api-reference/2026-03/crm/objects/contacts/guide).
	found, err := s.find(ctx, s.request(c, objectsPath+"contacts/"+url.PathEscape(o.Email)+"?idProperty=email"), &there)
	if err != nil || found && there.ID != "" {
		return there.ID, err
	}
	first, last := o.Address.Names()
	r := s.request(c, objectsPath+"contacts")
	r.JSON = map[string]any{"properties": dealValues{"email": o.Email, "firstname": first, "lastname": last}}
	answer, err := s.writing.Send(ctx, r)
	if err != nil {
		return "", err
	}
	if answer.Status == http.StatusConflict {
		return s.existing(answer)
	}
	if err := s.writing.Judge(answer); err != nil {
		return "", err
	}
	if err = s.writing.Decode(answer.Body, &there); err == nil && there.ID == "" {
		err = s.platform.Failed("does not say which contact it is", nil)
	}
	return there.ID, err
}

// existing is the contact that has the address already: one that was created meanwhile, or has it as its second address, which a
// look-up may not find. The message says which ("Contact already exists. Existing ID: 12345", github.com/stape-io/hubspot-tag/issues/7,
// read on 29 November 2026), and is not documented to. If it does not, the deal stays without a contact.
func (s *Connector) existing(a connectors.Answer) (string, error) {
	var why said
	_ = json.Unmarshal(a.Body, &why)
	_, id, named := strings.Cut(why.Message, "Existing ID: ")
	if !named || id == "" || strings.Trim(id, "0123456789") != "" {
		return "", s.platform.Refused("has the contact, and does not say which it is")
	}
	return id, nil
}

// said is an error of HubSpot's. "The fields should all be treated as optional" (docs/api-reference/error-handling, read on
// 29 November 2026).
type said struct {
	Message  string `json:"message"`
	Category string `json:"category"`
}

// words are the message for the merchant. Where it lists what is wrong with properties, as JSON, it is those messages
// (developers.hubspot.com/changelog/deal-currenct-code-validation, read on 29 November 2026).
func (s said) words() string {
	message := s.Message
	if _, list, cut := strings.Cut(message, "Property values were not valid: "); cut {
		var invalid []said
		if json.Unmarshal([]byte(list), &invalid) == nil && len(invalid) > 0 {
			texts := make([]string, len(invalid))
			for i, one := range invalid {
				texts[i] = one.Message
			}
			message = strings.Join(texts, "; ")
		}
	}
	if message == "" {
		return "does not take the deal"
	}
	return "does not take the deal: " + connectors.Plain(message)
}

// judgeWriting knows why something is not written.
func judgeWriting(p *connectors.Platform, usual func(connectors.Answer) error) func(connectors.Answer) error {
	return func(a connectors.Answer) error {
		var why said
		_ = json.Unmarshal(a.Body, &why)
		switch {
		case a.Status == http.StatusForbidden && why.Category == "MISSING_SCOPES":
			return p.Refused("was not consented to let us write deals: connect the account again, as a user who may")
		case a.Status == http.StatusForbidden: // the token is good, and syncs go on
			return p.Refused(why.words())
		case a.Status == http.StatusConflict:
			return p.Failed("is changing the same record", nil)
		case a.Status == http.StatusBadRequest:
			return p.Refused(why.words())
		}
		return usual(a)
	}
}
