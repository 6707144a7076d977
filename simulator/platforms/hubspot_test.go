package platforms_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

type hubspotClient struct {
	t     *testing.T
	s     *platforms.Server
	token string
}

func connectHubSpot(t *testing.T, c platforms.Config) hubspotClient {
	s := start(t, c)
	given := hubspotToken(t, s, codeForm(consent(t, authorize(s, "hubspot", "crm.objects.contacts.read crm.objects.deals.read")).Get("code")))
	is(t, "token", given.StatusCode, 200)
	return hubspotClient{t, s, given.object(t)["access_token"].(string)}
}

func (c hubspotClient) search(object string, body any) reply {
	c.t.Helper()
	return do(c.t, "POST", c.s.URL+"/hubspot/crm/objects/2026-09/"+object+"/search", body, "Authorization", "Bearer "+c.token)
}

// clock advances by a second at each call, so that no rate limit is reached.
func clock() func() time.Time {
	steps := make(chan int, 1)
	steps <- 0
	return func() time.Time {
		n := <-steps
		steps <- n + 1
		return time.Date(2026, 3, 1, 0, 0, n, 0, time.UTC)
	}
}

func TestHubSpot_pages(t *testing.T) {
	c := connectHubSpot(t, platforms.Config{Customers: 250})
	next, seen := c.s.URL+"/hubspot/crm/objects/2026-09/contacts?limit=100&properties=email,loyalty_tier&properties=num_associated_deals", map[any]bool{}
	for next != "" {
		page := do(t, "GET", next, nil, "Authorization", "Bearer "+c.token).object(t)
		next = ""
		for _, one := range page["results"].([]any) {
			seen[at(t, one, "id")] = true
			if _, has := at(t, one, "properties").(object)["loyalty_tier"]; !has || at(t, one, "properties", "firstname") != nil {
				t.Fatalf("other properties than asked for: %v", one)
			}
		}
		if page["paging"] != nil {
			next = at(t, page, "paging", "next", "link").(string)
		}
	}
	is(t, "contacts", len(seen), 250)
}

func TestHubSpot_searchByTime(t *testing.T) {
	c := connectHubSpot(t, platforms.Config{})
	since := time.Now().UnixMilli()
	changed, err := c.s.Change(platforms.Change{
		Platform: "hubspot",
		N:        6,
		Seed:     4,
		Topics:   []string{"customers/update"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[any]bool{}
	for _, one := range changed {
		want[one.ID] = true
	}
	found := c.search("contacts", object{
		"filterGroups": []any{object{"filters": []any{object{"propertyName": "lastmodifieddate", "operator": "GTE", "value": fmt.Sprint(since)}}}},
		"sorts":        []any{object{"propertyName": "lastmodifieddate", "direction": "ASCENDING"}}, "properties": []string{"email"}, "limit": 100,
	}).object(t)
	is(t, "total", found["total"], any(float64(len(want))))
	before := ""
	for _, one := range found["results"].([]any) {
		updated := at(t, one, "properties", "lastmodifieddate").(string)
		if !want[at(t, one, "id")] || updated < before {
			t.Errorf("%v, after %s", one, before)
		}
		before = updated
	}
	deals := c.search("deals", object{"limit": 200, "properties": []string{"amount", "dealstage"}}).object(t)
	is(t, "deals", deals["total"], any(150.0))
}

func TestHubSpot_searchLimit(t *testing.T) {
	c := connectHubSpot(t, platforms.Config{
		Customers:   10_050,
		HubSpotLife: 24 * time.Hour,
		Now:         clock(),
	})
	sorts := []any{object{"propertyName": "hs_object_id", "direction": "ASCENDING"}}
	last := c.search("contacts", object{"limit": 200, "after": "9800", "sorts": sorts}).object(t)
	is(t, "total", last["total"], any(10050.0))
	after := at(t, last, "paging", "next", "after")
	is(t, "next", after, any("10000"))
	is(t, "beyond", c.search("contacts", object{"limit": 200, "after": after, "sorts": sorts}).StatusCode, 400)
	is(t, "too many at once", c.search("contacts", object{"limit": 201}).StatusCode, 400)
	is(t, "an unknown operator", c.search("contacts", object{"filterGroups": []any{object{"filters": []any{object{"propertyName": "email", "operator": "LIKE"}}}}}).StatusCode, 400)
}

func TestHubSpot_rateLimit(t *testing.T) {
	now := time.Now()
	c := connectHubSpot(t, platforms.Config{HubSpotPer10s: 3, Now: func() time.Time { return now }})
	list := func() reply {
		return do(t, "GET", c.s.URL+"/hubspot/crm/objects/2026-09/deals?"+url.Values{"limit": {"1"}}.Encode(), nil, "Authorization", "Bearer "+c.token)
	}
	for range 3 {
		is(t, "within", list().StatusCode, 200)
	}
	over := list()
	is(t, "over", over.StatusCode, 429)
	is(t, "Retry-After", over.Header.Get("Retry-After"), "10")
	now = now.Add(10 * time.Second)
	is(t, "later", list().StatusCode, 200)
}
