package shipstation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// API V2, for an account that is connected by a key without a secret.
//
// Sources, read in November 2026: docs.shipstation.com/openapi/{rates/estimate_rates,labels,shipments,carriers,warehouses,
// webhooks}; docs.shipstation.com/apis/docs/guides/{webhooks-overview,webhooks-schemas,webhooks-validation};
// docs.shipstation.com/create-labels. Amounts have a currency and times a zone.
const (
	// DefaultURLV2 is ShipStation's own address of API V2.
	DefaultURLV2 = "https://api.shipstation.com"
	// defaultKeysURL is where the keys are that sign its webhooks.
	defaultKeysURL = "https://api.shipengine.com/jwks"
)

// modern speaks API V2.
type modern struct {
	platform *connectors.Platform
	base     *url.URL
	keys     *keyring
	clock    ports.Clock
}

// newModern speaks with an address; "": ShipStation's own.
func newModern(address string, platform *connectors.Platform, clock ports.Clock) *modern {
	keys := defaultKeysURL
	if address != "" {
		keys = strings.TrimRight(address, "/") + "/jwks"
	}
	base, err := url.Parse(strings.TrimRight(cmp.Or(address, DefaultURLV2), "/"))
	if err != nil || base.Host == "" {
		panic("shipstation: " + address + " is no address")
	}
	return &modern{
		platform: platform,
		base:     base,
		keys:     &keyring{platform: platform, address: keys},
		clock:    clock,
	}
}

// speaksV2 reports whether an account is connected by API V2: its key has no secret.
func speaksV2(c ports.Connection) bool { return c.Credentials.Secret == "" }

func (m *modern) ask(ctx context.Context, c ports.Connection, r request, into any) error {
	account, sent := m.as(c, r)
	return account.Ask(ctx, sent, into)
}

// missing asks for what may not be there, and reports whether it is not.
func (m *modern) missing(ctx context.Context, c ports.Connection, r request, into any) (bool, error) {
	account, sent := m.as(c, r)
	return missing(ctx, account, sent, into)
}

func (m *modern) as(c ports.Connection, r request) (*connectors.Platform, connectors.Request) {
	to := *m.base
	to.Path, to.RawPath, to.RawQuery = m.base.Path+r.path, "", r.query.Encode()
	return m.platform.Judging(m.judge(c)), connectors.Request{
		Method: r.method,
		URL:    to.String(),
		JSON:   r.body,
		Header: map[string]string{"API-Key": c.Credentials.Key},
	}
}

// judge reads the reason of a refusal.
func (m *modern) judge(c ports.Connection) func(connectors.Answer) error {
	return func(a connectors.Answer) error {
		switch a.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
			return nil
		}
		var told struct {
			Errors []struct {
				Message string `json:"message"`
			} `json:"errors"`
		}
		if a.Status < http.StatusBadRequest || json.Unmarshal(a.Body, &told) != nil || len(told.Errors) == 0 {
			return nil
		}
		why := strings.TrimRight(connectors.Plain(told.Errors[0].Message, c.Credentials.Key), ".")
		switch {
		case why == "":
			return nil
		case a.Status >= http.StatusInternalServerError:
			return m.platform.Failed("has a problem: "+why, nil)
		}
		return m.platform.Refused("refused the request: " + why)
	}
}

type carrierV2 struct {
	ID   string `json:"carrier_id"`
	Code string `json:"carrier_code"`
}

func (m *modern) carriers(ctx context.Context, c ports.Connection) ([]carrierV2, error) {
	var found struct {
		List []carrierV2 `json:"carriers"`
	}
	err := m.ask(ctx, c, request{path: "/v2/carriers"}, &found)
	return found.List[:min(len(found.List), mostCarriers)], err
}

// inspect names the account by the first of its carriers, which is the same for every key of the account. An account
// without any is named by a part of its key's SHA-256.
func (m *modern) inspect(ctx context.Context, c ports.Connection) (integration.Config, error) {
	carriers, err := m.carriers(ctx, c)
	if err != nil {
		return integration.Config{}, err
	}
	sum := sha256.Sum256([]byte("shipstation account " + c.Credentials.Key))
	account := "key-" + hex.EncodeToString(sum[:8])
	if len(carriers) > 0 {
		first := slices.MinFunc(carriers, func(a, b carrierV2) int {
			return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), strings.Compare(a.ID, b.ID))
		})
		account = "carrier-" + first.ID
	}
	return integration.Config{Account: account, Live: true}, nil
}

type addressV2 struct {
	City       string `json:"city_locality"`
	State      string `json:"state_province"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country_code"`
}

type warehouseV2 struct {
	ID      string    `json:"warehouse_id"`
	Default bool      `json:"is_default"`
	Origin  addressV2 `json:"origin_address"`
}

// warehouse is where the account ships from: the one with the postal code of the parcel's origin, else the default.
func (m *modern) warehouse(ctx context.Context, c ports.Connection, postal string) (warehouseV2, error) {
	var found struct {
		List []warehouseV2 `json:"warehouses"`
	}
	if err := m.ask(ctx, c, request{path: "/v2/warehouses"}, &found); err != nil {
		return warehouseV2{}, err
	}
	for _, fits := range []func(warehouseV2) bool{
		func(w warehouseV2) bool { return w.Origin.PostalCode == postal },
		func(w warehouseV2) bool { return w.Default },
		func(warehouseV2) bool { return true },
	} {
		if n := slices.IndexFunc(found.List, fits); n >= 0 {
			return found.List[n], nil
		}
	}
	return warehouseV2{}, m.platform.Refused("has no Ship From location: add one to the account")
}
