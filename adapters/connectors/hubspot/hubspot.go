// Package hubspot connects a HubSpot account by its users' consent: contacts are customers, deals are orders. Our orders are written
// there as deals, where the account lets us.
// HubSpot calls an app and not an account about changes, so there are no webhooks here.
//
// Sources: developers.hubspot.com/docs/api-reference, "CRM search", "Contacts", "Deals", "Error handling";
// latest/authentication/oauth-tokens (11 May 2026); developer-tooling/platform/versioning (read in November 2026).
package hubspot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	listed   = 100 // the most that a page of a list may have
	searched = 200 // the most that a page of a search may have
)

// HubSpot releases a version of its API every March and September and supports each for 18 months.
const (
	// oauthPath replaces /oauth/v1/token, which ends on 16 February 2027.
	oauthPath = "/oauth/2026-03/token"
	// objectsPath replaces /crm/v3/objects/, which ends in September 2027.
	objectsPath = "/crm/objects/2026-09/"
)

// Config is what a connector needs.
type Config struct {
	URL          string // instead of HubSpot's own addresses; "": those
	ClientID     string // of the OAuth app
	ClientSecret string
	// Deals asks accounts for the scopes that deals are written with. They have to be registered with the app.
	Deals  bool
	Client *http.Client // nil: the usual one
	Clock  ports.Clock
}

// Connector talks to HubSpot.
type Connector struct {
	platform *connectors.Platform
	tokens   *connectors.Platform // asked about a token, which any kind of 4xx means is not good
	writing  *connectors.Platform // asked to write something, and about what was written
	app      app
	api      string
	// lookAlike means that api is not HubSpot's: deals there are not shown at HubSpot's addresses.
	lookAlike bool
	clock     ports.Clock
}

var (
	_ ports.Connector      = (*Connector)(nil)
	_ ports.OAuthConnector = (*Connector)(nil)
	_ ports.DealWriter     = (*Connector)(nil)
)

// New talks as an OAuth app.
func New(c Config) *Connector {
	api, consent := "https://api.hubapi.com", "https://app.hubspot.com"
	if c.URL != "" {
		api = strings.TrimRight(c.URL, "/")
		consent = api
	}
	platform := connectors.New("HubSpot", c.Client, c.Clock)
	usual := judge(platform, c.Clock)
	return &Connector{
		platform:  platform.Judging(usual),
		tokens:    platform.Judging(judgeToken),
		writing:   platform.Judging(judgeWriting(platform, usual)),
		api:       api,
		lookAlike: c.URL != "",
		clock:     c.Clock,
		app: app{
			id:      c.ClientID,
			secret:  c.ClientSecret,
			consent: consent + "/oauth/authorize",
			token:   api + oauthPath,
			deals:   c.Deals,
		},
	}
}

// judge knows the statuses that only HubSpot has, and a consent that does not go far enough.
func judge(p *connectors.Platform, clock ports.Clock) func(connectors.Answer) error {
	return func(a connectors.Answer) error {
		switch a.Status {
		case http.StatusForbidden:
			var said struct {
				Category string `json:"category"`
			}
			if json.Unmarshal(a.Body, &said) == nil && said.Category == "MISSING_SCOPES" {
				return p.Refused("was not consented to let us read this: connect the account again, as a user who may")
			}
		case http.StatusLocked, 477: // too much at once; the account is being moved
			return connectors.Wait(connectors.RetryAfter(a.Header.Get("Retry-After"), clock.Now()))
		}
		return nil
	}
}

func judgeToken(a connectors.Answer) error {
	if a.Status == http.StatusBadRequest || a.Status == http.StatusNotFound {
		return fmt.Errorf("%w (%d)", ports.ErrCredentialsRefused, a.Status)
	}
	return nil
}

func (s *Connector) request(c ports.Connection, path string) connectors.Request {
	return connectors.Request{URL: s.api + path, Header: map[string]string{"Authorization": "Bearer " + c.Credentials.Key}}
}

// Inspect asks whose access token it is.
func (s *Connector) Inspect(ctx ports.Outbound, c ports.Connection) (integration.Config, error) {
	var about struct {
		Active bool        `json:"active"`
		Hub    json.Number `json:"hub_id"`
		Scopes []string    `json:"scopes"`
	}
	r := connectors.Request{URL: s.api + oauthPath + "/introspect", Form: url.Values{
		"client_id": {s.app.id}, "client_secret": {s.app.secret}, "token": {c.Credentials.Key}, "token_type_hint": {"access_token"},
	}}
	if err := s.tokens.Ask(ctx, r, &about); err != nil {
		return integration.Config{}, err
	}
	switch {
	case !about.Active:
		return integration.Config{}, fmt.Errorf("%w (not active)", ports.ErrCredentialsRefused)
	case about.Hub == "":
		return integration.Config{}, s.platform.Failed("does not say whose account it is", nil)
	}
	return integration.Config{
		Account: about.Hub.String(),
		MayWriteDeals: !slices.ContainsFunc(scopesToWrite, func(needed string) bool {
			return !slices.Contains(about.Scopes, needed)
		}),
	}, nil
}

// kind is one of HubSpot's kinds of objects.
type kind struct {
	name       string
	modified   string   // the property that tells when one was last changed
	properties []string // that are asked for
	read       func(o object, r *syncrun.Record) error
}

var kinds = map[syncrun.Resource]kind{
	syncrun.Customers: {
		"contacts", "lastmodifieddate",
		[]string{"email", "firstname", "lastname", "loyalty_tier", "num_associated_deals", "lastmodifieddate"}, contact,
	},
	syncrun.Orders: {
		"deals", "hs_lastmodifieddate",
		[]string{"dealname", "amount", "deal_currency_code", "dealstage", "closedate", "hs_lastmodifieddate", orderProperty}, deal,
	},
}

// page is how HubSpot answers. Results nil is no answer: taken for a page without records it would have a
// full sync remove everybody.
type page struct {
	Results []json.RawMessage `json:"results"`
	Total   int               `json:"total"` // of a search
	Paging  struct {
		Next struct {
			After string `json:"after"`
		} `json:"next"`
	} `json:"paging"`
}

// Read reads one page: of a list where everything is wanted, else of a search.
func (s *Connector) Read(ctx ports.Outbound, c ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	k, known := kinds[r.Resource]
	switch {
	case !known:
		return ports.RecordPage{}, s.platform.Refused("has no " + r.Resource.String())
	case r.Full || r.Since.IsZero():
		return s.list(ctx, c, k, r)
	}
	return s.search(ctx, c, k, r)
}

func (s *Connector) list(ctx context.Context, c ports.Connection, k kind, r ports.PageRequest) (ports.RecordPage, error) {
	query := url.Values{"limit": {strconv.Itoa(listed)}, "properties": {strings.Join(k.properties, ",")}}
	if r.Cursor != "" {
		query.Set("after", r.Cursor)
	}
	answer, err := s.ask(ctx, s.request(c, objectsPath+k.name+"?"+query.Encode()))
	if err != nil {
		return ports.RecordPage{}, err
	}
	return ports.RecordPage{Records: k.records(answer, r.Resource), Next: answer.Paging.Next.After}, nil
}

func (s *Connector) ask(ctx context.Context, r connectors.Request) (answer page, err error) {
	if err = s.platform.Ask(ctx, r, &answer); err == nil && answer.Results == nil {
		err = s.platform.Failed("sent a page without results", nil)
	}
	return answer, err
}
