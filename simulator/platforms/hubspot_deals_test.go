package platforms_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const hubspotWrites = "crm.objects.deals.read crm.objects.deals.write crm.schemas.deals.write crm.objects.contacts.read crm.objects.contacts.write"

func writesHubSpot(t *testing.T, c platforms.Config, scopes string) hubspotClient {
	s := start(t, c)
	given := hubspotToken(t, s, codeForm(consent(t, authorize(s, "hubspot", scopes)).Get("code")))
	return hubspotClient{t, s, given.object(t)["access_token"].(string)}
}

func (c hubspotClient) ask(want int, method, path string, body any) object {
	c.t.Helper()
	answer := do(c.t, method, c.s.URL+"/hubspot"+path, body, "Authorization", "Bearer "+c.token)
	is(c.t, method+" "+path, answer.StatusCode, want)
	return answer.object(c.t)
}

func upsertOf(id string, properties object) object {
	return object{"inputs": []any{object{"id": id, "idProperty": "shop_order", "properties": properties}}}
}

// defined creates a property with unique values.
func (c hubspotClient) defined() {
	c.t.Helper()
	property := object{"name": "shop_order", "label": "Order", "groupName": "dealinformation", "type": "string", "fieldType": "text", "hasUniqueValue": true}
	c.ask(201, "POST", "/crm/properties/2026-03/deals", property)
	c.ask(409, "POST", "/crm/properties/2026-03/deals", property)
}

const (
	dealUpsert = "/crm/objects/2026-09/deals/batch/upsert"
	oneDeal    = "/crm/objects/2026-09/deals/"
)

func TestHubSpot_upsertDeals(t *testing.T) {
	c := writesHubSpot(t, platforms.Config{}, hubspotWrites)
	c.ask(404, "GET", "/crm/properties/2026-03/deals/shop_order", nil)
	is(t, "no such property", strings.Contains(c.ask(400, "POST", dealUpsert, upsertOf("7", object{}))["message"].(string), "non-unique 0-3 property"), true)
	c.defined()
	is(t, "unique", c.ask(200, "GET", "/crm/properties/2026-03/deals/shop_order", nil)["hasUniqueValue"], any(true))
	made := at(t, c.ask(200, "POST", dealUpsert, upsertOf("7", object{"dealname": "A", "amount": "5.00"})), "results", 0)
	is(t, "new", at(t, made, "new"), any(true))
	again := at(t, c.ask(200, "POST", dealUpsert, upsertOf("7", object{"amount": "6.00"})), "results", 0)
	is(t, "the same", at(t, again, "id"), at(t, made, "id"))
	is(t, "not new", at(t, again, "new"), any(false))
	is(t, "the rest stays", at(t, again, "properties", "dealname"), any("A"))
	id := at(t, made, "id").(string)
	is(t, "by the property", at(t, c.ask(200, "GET", oneDeal+"7?idProperty=shop_order", nil), "id"), any(id))
	c.ask(200, "PATCH", oneDeal+id, object{"properties": object{"amount": "1.00"}})
	is(t, "updated", at(t, c.ask(200, "GET", oneDeal+id+"?properties=amount", nil), "properties", "amount"), any("1.00"))
	for name, properties := range map[string]object{
		"an unknown property": {"nothing": "1"}, "another currency": {"deal_currency_code": "BRL"}, "an unknown stage": {"dealstage": "x"},
	} {
		is(t, name, c.ask(400, "POST", dealUpsert, upsertOf("8", properties))["category"], any("VALIDATION_ERROR"))
	}
}

func TestHubSpot_dealScopes(t *testing.T) {
	c := writesHubSpot(t, platforms.Config{}, "crm.objects.deals.read crm.objects.contacts.read")
	for _, one := range [][2]string{{"POST", dealUpsert}, {"PATCH", oneDeal + "991001"}, {"POST", "/crm/properties/2026-03/deals"}, {"POST", "/crm/objects/2026-09/contacts"}} {
		is(t, one[1], c.ask(403, one[0], one[1], object{})["category"], any("MISSING_SCOPES"))
	}
	c.ask(200, "GET", "/crm/pipelines/2026-03/deals", nil)
}

// A deleted deal is not found any more, and the id of a merged deal leads to the other one.
func TestHubSpot_deletedAndMergedDeals(t *testing.T) {
	c := writesHubSpot(t, platforms.Config{}, hubspotWrites)
	c.defined()
	var ids []string
	for _, order := range []string{"1", "2", "3"} {
		ids = append(ids, at(t, c.ask(200, "POST", dealUpsert, upsertOf(order, object{})), "results", 0, "id").(string))
	}
	for _, change := range []platforms.HubSpotChange{{Value: "1", Delete: true}, {Value: "2", Into: "3"}} {
		change.Property = "shop_order"
		if err := c.s.ChangeAtHubSpot(change); err != nil {
			t.Fatal(err)
		}
	}
	c.ask(404, "GET", oneDeal+ids[0], nil)
	c.ask(404, "PATCH", oneDeal+ids[0], object{"properties": object{}})
	is(t, "merged", c.ask(200, "GET", oneDeal+ids[1], nil)["id"], any(ids[2]))
}

func TestHubSpot_associateContacts(t *testing.T) {
	c := writesHubSpot(t, platforms.Config{}, hubspotWrites)
	c.defined()
	deal := at(t, c.ask(200, "POST", dealUpsert, upsertOf("1", object{})), "results", 0, "id").(string)
	const contacts = "/crm/objects/2026-09/contacts"
	c.ask(404, "GET", contacts+"/ada@example.com?idProperty=email", nil)
	contact := c.ask(201, "POST", contacts, object{"properties": object{"email": "Ada@example.com"}})["id"].(string)
	is(t, "twice", c.ask(409, "POST", contacts, object{"properties": object{"email": "ada@example.com"}})["category"], any("CONFLICT"))
	is(t, "by the address", c.ask(200, "GET", contacts+"/ada@example.com?idProperty=email", nil)["id"], any(contact))
	batch := func(email string) object {
		return object{"idProperty": "email", "inputs": []any{object{"id": email}}, "properties": []string{"email"}}
	}
	is(t, "in a batch", at(t, c.ask(200, "POST", contacts+"/batch/read", batch("ada@example.com")), "results", 0, "id"), any(contact))
	is(t, "not in a batch", at(t, c.ask(207, "POST", contacts+"/batch/read", batch("bob@example.com")), "errors", 0, "category"), any("OBJECT_NOT_FOUND"))
	for range 2 {
		c.ask(200, "PUT", oneDeal+deal+"/associations/default/contacts/"+contact, nil)
	}
	is(t, "deals", at(t, c.ask(200, "GET", contacts+"/"+contact+"?properties=num_associated_deals", nil), "properties", "num_associated_deals"), any("1"))
	c.ask(404, "PUT", oneDeal+deal+"/associations/default/contacts/1", nil)
	for range 2 {
		gone := do(t, "DELETE", c.s.URL+"/hubspot"+oneDeal+deal+"/associations/contacts/"+contact, nil, "Authorization", "Bearer "+c.token)
		is(t, "removed", gone.StatusCode, 204)
	}
	is(t, "no deals", at(t, c.ask(200, "GET", contacts+"/"+contact+"?properties=num_associated_deals", nil), "properties", "num_associated_deals"), any("0"))
}
