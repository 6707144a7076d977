package hubspot

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// NameBuyer associates a deal with the contact that has the buyer's e-mail address. It creates the contact if there is none and the
// account permits it. Existing associations stay. If HubSpot refuses, the deal stays without a contact.
func (s *Connector) NameBuyer(ctx ports.Outbound, c ports.Connection, deal string, o *order.Order) error {
	if o.Email == "" {
		return nil
	}
	contact, err := s.contactOf(ctx, c, o.Email)
	if err == nil && contact == "" {
		contact, err = s.createContact(ctx, c, o)
	}
	if err == nil {
		r := s.request(c, objectsPath+"deals/"+url.PathEscape(deal)+"/associations/default/contacts/"+contact)
		r.Method = http.MethodPut
		err = s.writing.Ask(ctx, r, nil)
	}
	return ignoreRefusal(err)
}

// forgetBuyer removes the association that NameBuyer made, so that num_associated_deals does not count a canceled order as a purchase.
// Contacts that staff have associated stay. ("Remove association between records: deletes all associations between two records",
// docs/api-reference/2026-03/crm/associations/associate-records/delete-association, read on 29 November 2026.) It does not find the contact
// if the buyer's address is its second one.
func (s *Connector) forgetBuyer(ctx context.Context, c ports.Connection, deal string, o *order.Order) error {
	if o.Email == "" {
		return nil
	}
	contact, err := s.contactOf(ctx, c, o.Email)
	if err != nil || contact == "" {
		return ignoreRefusal(err)
	}
	r := s.request(c, objectsPath+"deals/"+url.PathEscape(deal)+"/associations/contacts/"+contact)
	r.Method = http.MethodDelete
	answer, err := s.writing.Send(ctx, r)
	if err != nil || errorOf(answer).Category == notFound {
		return err
	}
	return ignoreRefusal(s.writing.Judge(answer))
}

// ignoreRefusal returns err, or nil if HubSpot refused the contact, because a deal needs none.
func ignoreRefusal(err error) error {
	var refusal *ports.PlatformRefusal
	var denied *ports.DealsNotPermitted
	if errors.As(err, &refusal) || errors.As(err, &denied) {
		return nil
	}
	return err
}

// contactOf returns the id of the contact with an e-mail address, or "" if there is none. It sends the address in the body, because
// proxies log paths
// ("include the idProperty parameter to retrieve records by a custom unique value property": docs/api-reference/latest/crm/objects/
// objects/batch/get-objects; with idProperty email: github.com/HubSpot/hubspot-api-python/issues/50). If there is none, the answer is
// 207 with an error (github.com/HubSpot/hubspot-api-php/issues/619; all read on 29 November 2026).
func (s *Connector) contactOf(ctx context.Context, c ports.Connection, email string) (string, error) {
	r := s.request(c, objectsPath+"contacts/batch/read")
	r.JSON = map[string]any{
		"idProperty": "email",
		"inputs":     []any{map[string]any{"id": email}},
		"properties": []string{"email"},
	}
	var answer batch
	found, err := s.find(ctx, r, notFound, &answer)
	switch {
	case err != nil || !found:
		return "", err
	case len(answer.Results) == 1 && isID(answer.Results[0].ID):
		return answer.Results[0].ID, nil
	case len(answer.Results) == 0 && len(answer.Errors) > 0 && answer.Errors[0].Category != notFound:
		return "", batchError(s.platform, answer.Errors)
	case len(answer.Results) == 0 && (answer.Results != nil || len(answer.Errors) > 0):
		return "", nil
	}
	return "", s.platform.Failed("does not say which contact it is", nil)
}

func (s *Connector) createContact(ctx context.Context, c ports.Connection, o *order.Order) (string, error) {
	first, last := o.Address.Names()
	r := s.request(c, objectsPath+"contacts")
	r.JSON = map[string]any{"properties": dealValues{"email": o.Email, "firstname": first, "lastname": last}}
	answer, err := s.writing.Send(ctx, r)
	if err != nil {
		return "", err
	}
	if answer.Status == http.StatusConflict {
		return s.existingContact(answer)
	}
	if err := s.writing.Judge(answer); err != nil {
		return "", err
	}
	var there object
	if err = s.writing.Decode(answer.Body, &there); err == nil && !isID(there.ID) {
		err = s.platform.Failed("does not say which contact it is", nil)
	}
	return there.ID, err
}

// existingContact returns the contact that already has the address: one that was created meanwhile, or has it as its second address,
// which a look-up may not find. The message has its id ("Contact already exists. Existing ID: 12345", github.com/stape-io/hubspot-tag/issues/7,
// read on 29 November 2026), which is not documented. If it has not, the deal stays without a contact.
func (s *Connector) existingContact(a connectors.Answer) (string, error) {
	_, id, named := strings.Cut(errorOf(a).Message, "Existing ID: ")
	if !named || !isID(id) {
		return "", s.platform.Refused("has the contact, and does not say which it is")
	}
	return id, nil
}
