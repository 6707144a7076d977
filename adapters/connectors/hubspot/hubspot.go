// Package hubspot connects a HubSpot account with OAuth. It reads contacts as customers and deals as orders, and writes our orders as
// deals if the account permits it. It has no webhooks, because HubSpot sends them to an app and not to an account.
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
	listPageSize   = 100 // maximum size of a page of a list
	searchPageSize = 200 // maximum size of a page of a search
)

// HubSpot releases a version of its API every March and September and supports each for 18 months.
const (
	// oauthPath replaces /oauth/v1/token, which ends on 16 February 2027.
	oauthPath = "/oauth/2026-03/token"
	// objectsPath replaces /crm/v3/objects/, which ends in September 2027.
	objectsPath = "/crm/objects/2026-09/"
)

// Config holds the settings and dependencies of a Connector.
type Config struct {
	URL          string // instead of HubSpot's own addresses; "": HubSpot's own
	ClientID     string // of the OAuth app
	ClientSecret string
	// Deals requests the optional scopes for writing deals. They have to be registered with the app.
	Deals  bool
	Client *http.Client // nil: http.DefaultClient
	Clock  ports.Clock
}

// Connector connects HubSpot accounts.
type Connector struct {
	platform *connectors.Platform
	tokens   *connectors.Platform // for requests about a token, where every 4xx means that the token is invalid
	writing  *connectors.Platform // for requests that write, or read what was written
	app      app
	api      string
	// customURL means that api is not HubSpot's own, so that no link to a deal at HubSpot is stored.
	customURL bool
	clock     ports.Clock
}

var (
	_ ports.Connector      = (*Connector)(nil)
	_ ports.OAuthConnector = (*Connector)(nil)
	_ ports.DealWriter     = (*Connector)(nil)
)

// New returns a connector that uses the OAuth app of c.
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
		customURL: c.URL != "",
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

// judge maps HubSpot's own statuses, and a 403 because of missing scopes.
func judge(p *connectors.Platform, clock ports.Clock) func(connectors.Answer) error {
	return func(a connectors.Answer) error {
		switch a.Status {
		case http.StatusForbidden:
			var refusal struct {
				Category string `json:"category"`
			}
			if json.Unmarshal(a.Body, &refusal) == nil && refusal.Category == "MISSING_SCOPES" {
				return p.Refused("was not consented to let us read this: connect the account again, as a user who may")
			}
		case http.StatusLocked, 477: // locked: too many requests at once; 477: the account is being migrated
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

// Inspect reads the account and the scopes of the access token.
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

// kind is a kind of HubSpot objects.
type kind struct {
	name       string
	modified   string   // the property with the time of the last change
	properties []string // that are requested
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

// page is the body of HubSpot's answer. Nil Results are an error: if they counted as a page without records,
// a full sync would remove all customers.
type page struct {
	Results []json.RawMessage `json:"results"`
	Total   int               `json:"total"` // of a search
	Paging  struct {
		Next struct {
			After string `json:"after"`
		} `json:"next"`
	} `json:"paging"`
}

// Read reads one page: of a list for a full read, else of a search for changed records.
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
	query := url.Values{"limit": {strconv.Itoa(listPageSize)}, "properties": {strings.Join(k.properties, ",")}}
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
