package hubspot_test

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/hubspot"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

type clock struct{}

func (clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

const accessToken = "access-0/with?signs-secret"

// connect returns a connector and a new account.
func connect(t *testing.T) (*fakeHubSpot, *adaptertest.Platform, *hubspot.Connector, ports.Connection) {
	t.Helper()
	h := newFakeHubSpot()
	h.access[accessToken] = true
	p := adaptertest.NewPlatform(t, h.handler())
	s := hubspot.New(hubspot.Config{
		URL:          p.URL,
		ClientID:     clientID,
		ClientSecret: clientSecret,
		Client:       p.Client(),
		Clock:        clock{},
	})
	return h, p, s, ports.Connection{Key: "itg_1", Credentials: integration.Credentials{Key: accessToken, Refresh: "refresh-0-secret"}}
}

func TestConnector(t *testing.T) {
	t.Parallel()
	adaptertest.Connector(t, func(t *testing.T) adaptertest.ConnectorWorld {
		h, p, s, c := connect(t)
		return adaptertest.ConnectorWorld{
			Connector:  s,
			Connection: c,
			Platform:   p,
			Resources:  []syncrun.Resource{syncrun.Customers, syncrun.Orders},
			Fill:       h.fill,
			Circle: func(syncrun.Resource) {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.circle = true
			},
			Secrets: []string{clientSecret, url.PathEscape(accessToken)},
		}
	})
}

func TestConnector_oauthConnector(t *testing.T) {
	t.Parallel()
	for name, rotate := range map[string]bool{"refresh tokens stay": false, "refresh tokens are good once": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			adaptertest.OAuthConnector(t, func(t *testing.T) adaptertest.OAuthWorld {
				h, p, s, _ := connect(t)
				h.rotate = rotate
				return adaptertest.OAuthWorld{
					OAuthConnector: s,
					Platform:       p,
					Visit:          h.visit,
					Now:            clock{}.Now,
					Secrets:        []string{clientSecret},
					Revoke: func() {
						h.mu.Lock()
						defer h.mu.Unlock()
						clear(h.refresh)
					},
				}
			})
		})
	}
}

func TestConsent_defaultURL(t *testing.T) {
	t.Parallel()
	s := hubspot.New(hubspot.Config{ClientID: clientID, Clock: clock{}})
	address, err := s.Consent(ports.Consent{
		State:       "s",
		RedirectURI: "https://m.example/back",
		Verifier:    "v",
	})
	if err != nil || !strings.HasPrefix(address, "https://app.hubspot.com/oauth/authorize?client_id=app-id&") {
		t.Errorf("%s, %v", address, err)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	if got, err := s.Inspect(ports.NewOutbound(t.Context()), c); err != nil || got != (integration.Config{Account: "62515"}) {
		t.Errorf("%+v, %v", got, err)
	}
	c.Credentials.Key = "nobody's"
	for _, h.strict = range []bool{false, true} {
		if _, err := s.Inspect(ports.NewOutbound(t.Context()), c); !errors.Is(err, ports.ErrCredentialsRefused) || strings.Contains(err.Error(), "nobody") {
			t.Errorf("strict %t: %v", h.strict, err)
		}
	}
}

type fixed time.Time

func (f fixed) Now() time.Time { return time.Time(f) }

func TestRefresh_expiry(t *testing.T) {
	t.Parallel()
	h, p, _, c := connect(t)
	h.refresh["refresh-0-secret"] = true
	s := hubspot.New(hubspot.Config{
		URL:          p.URL,
		ClientID:     clientID,
		ClientSecret: clientSecret,
		Client:       p.Client(),
		Clock:        fixed(changed),
	})
	got, err := s.Refresh(ports.NewOutbound(t.Context()), c)
	want := integration.Credentials{
		Key:     "access-1-secret",
		Refresh: "refresh-0-secret",
		Expires: changed.Add(30 * time.Minute),
	}
	if err != nil || got != want {
		t.Errorf("%s with %s until %s, %v", got.Key, got.Refresh, got.Expires, err)
	}
	c.Credentials.Refresh = ""
	if _, err := s.Refresh(ports.NewOutbound(t.Context()), c); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("without a refresh token: %v", err)
	}
}

var changed = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC)

func TestRecords(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	const at = `"lastmodifieddate": "2026-03-04T05:06:07.0891Z", "hs_lastmodifieddate": "2026-03-04T05:06:07.089Z"`
	for name, test := range map[string]struct {
		resource syncrun.Resource
		json     string
		want     syncrun.Record
	}{
		"a contact": {syncrun.Customers, `{"id": "5", "properties": {"email": "ada@example.com", "firstname": "Ada", "lastname": "Lovelace",
			"loyalty_tier": "gold", "num_associated_deals": "12", ` + at + `}, "archived": false}`,
			syncrun.Record{
				Remote: "5",
				At:     changed,
				Customer: &syncrun.Customer{
					Email:     "ada@example.com",
					Name:      "Ada Lovelace",
					Tier:      "gold",
					Purchases: 12,
				},
			}},
		"a contact of few words": {syncrun.Customers, `{"id": "5", "properties": {"email": null, "lastname": "Lovelace", "num_associated_deals": ""},
			"updatedAt": "2026-03-04T05:06:07.089Z"}`,
			syncrun.Record{
				Remote:   "5",
				At:       changed,
				Customer: &syncrun.Customer{Name: "Lovelace"},
			}},
		"a contact in the archive": {syncrun.Customers, `{"id": "5", "properties": {` + at + `}, "archived": true}`,
			syncrun.Record{
				Remote:  "5",
				At:      changed,
				Deleted: true,
			}},
		"a contact with words for a number": {syncrun.Customers, `{"id": "5", "properties": {"num_associated_deals": "many"}}`,
			syncrun.Record{Remote: "5", Problem: "It cannot be read: num_associated_deals is no number of deals."}},
		"a deal": {syncrun.Orders, `{"id": "6", "properties": {"dealname": "Order 7", "amount": "1500.10", "deal_currency_code": "eur",
			"dealstage": "closedwon", "closedate": "2026-03-04T05:06:07.089Z", ` + at + `}}`,
			syncrun.Record{
				Remote: "6",
				At:     changed,
				Order: &syncrun.Order{
					Number:   "Order 7",
					Status:   "closedwon",
					Total:    "1500.10",
					Currency: "EUR",
					PlacedAt: changed,
				},
			}},
		"a deal with words for an amount": {syncrun.Orders, `{"id": "6", "properties": {"amount": "a lot"}}`,
			syncrun.Record{Remote: "6", Problem: "It cannot be read: amount is no number."}},
		"no id":     {syncrun.Orders, `{"properties": {}}`, syncrun.Record{Problem: "Record 2 of its page: It is no object of HubSpot's."}},
		"no object": {syncrun.Orders, `[6]`, syncrun.Record{Problem: "Record 2 of its page: It is no object of HubSpot's."}},
	} {
		test.want.Resource = test.resource
		for _, since := range []time.Time{{}, changed} {
			h.answer = `{"results": [{"id": "1", "archived": true}, ` + test.json + `, {"id": "9", "archived": true}]}`
			page, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: test.resource, Since: since})
			if err != nil || len(page.Records) != 3 || page.Records[2].Remote != "9" {
				t.Fatalf("%s: %+v, %v", name, page, err)
			}
			if got := page.Records[1]; !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s:\n got %+v\nwant %+v", name, got, test.want)
			}
		}
	}
}

func TestRead_unreadablePages(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	for _, answer := range []string{
		`{}`, `[]`, `null`, `{"results": null}`, `{"results": {}}`, `{"results": [`, `{"results": [], "paging": 5}`,
	} {
		h.answer = answer
		for _, since := range []time.Time{{}, changed} {
			page, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: syncrun.Customers, Since: since})
			var failure *ports.PlatformFailure
			if !errors.As(err, &failure) || page.Records != nil {
				t.Errorf("%s: %+v, %v", answer, page, err)
			}
		}
	}
}

// Without ids there is no cursor for the next page.
func TestRead_pageWithoutIDs(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	h.answer = `{"results": [{"properties": {}}], "paging": {"next": {"after": "1"}}}`
	page, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: syncrun.Customers, Since: changed})
	var failure *ports.PlatformFailure
	if !errors.As(err, &failure) {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestJudge_statuses(t *testing.T) {
	t.Parallel()
	var status int
	var body string
	p := adaptertest.NewPlatform(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	s := hubspot.New(hubspot.Config{URL: p.URL + "/", Clock: clock{}})
	read := func(code int, text string) error {
		status, body = code, text
		_, err := s.Read(ports.NewOutbound(t.Context()), ports.Connection{}, ports.PageRequest{Resource: syncrun.Orders})
		return err
	}
	for _, code := range []int{http.StatusLocked, 477, http.StatusTooManyRequests} {
		if err := read(code, ""); !errors.Is(err, ports.Throttled{After: 7 * time.Second}) {
			t.Errorf("%d: %v", code, err)
		}
	}
	var refusal *ports.PlatformRefusal
	if err := read(http.StatusForbidden, `{"category": "MISSING_SCOPES", "message": "…"}`); !errors.As(err, &refusal) {
		t.Errorf("missing scopes: %v", err)
	}
	if err := read(http.StatusForbidden, `{}`); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("forbidden: %v", err)
	}
	if err := read(http.StatusBadRequest, `{"category": "VALIDATION_ERROR"}`); !errors.As(err, &refusal) {
		t.Errorf("bad request: %v", err)
	}
}

func TestRead_refused(t *testing.T) {
	t.Parallel()
	_, _, s, c := connect(t)
	for _, r := range []ports.PageRequest{
		{Resource: syncrun.Products}, {Resource: syncrun.Customers, Since: changed, Cursor: "elsewhere"},
	} {
		var refusal *ports.PlatformRefusal
		if _, err := s.Read(ports.NewOutbound(t.Context()), c, r); !errors.As(err, &refusal) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
