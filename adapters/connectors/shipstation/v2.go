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

// API V2 is for an account that has a key without a secret.
//
// Sources, read in November 2026: docs.shipstation.com/openapi/{rates/estimate_rates,labels,shipments,carriers,warehouses,
// webhooks}; docs.shipstation.com/apis/docs/guides/{webhooks-overview,webhooks-schemas,webhooks-validation};
// docs.shipstation.com/create-labels. Amounts have a currency and times a zone.
const (
	// DefaultURLV2 is ShipStation's own address of API V2.
	DefaultURLV2 = "https://api.shipstation.com"
	// defaultKeysURL is the address of the public keys that sign its webhooks.
	defaultKeysURL = "https://api.shipengine.com/jwks"
)

// clientV2 uses API V2.
type clientV2 struct {
	platform *connectors.Platform
	base     *url.URL
	keys     *keyring
	clock    ports.Clock
}

// newClientV2 returns a client for the API at address; "": ShipStation's own.
func newClientV2(address string, platform *connectors.Platform, clock ports.Clock) *clientV2 {
	keys := defaultKeysURL
	if address != "" {
		keys = strings.TrimRight(address, "/") + "/jwks"
	}
	base, err := url.Parse(strings.TrimRight(cmp.Or(address, DefaultURLV2), "/"))
	if err != nil || base.Host == "" {
		panic("shipstation: " + address + " is no address")
	}
	return &clientV2{
		platform: platform,
		base:     base,
		keys:     &keyring{platform: platform, address: keys},
		clock:    clock,
	}
}

// usesV2 reports whether an account uses API V2: its key has no secret.
func usesV2(c ports.Connection) bool { return c.Credentials.Secret == "" }

func (m *clientV2) ask(ctx context.Context, c ports.Connection, r request, into any) error {
	account, sent := m.forAccount(c, r)
	return account.Ask(ctx, sent, into)
}

// askOptional sends a request for an object that may not exist, and reports whether it is missing.
func (m *clientV2) askOptional(ctx context.Context, c ports.Connection, r request, into any) (bool, error) {
	account, sent := m.forAccount(c, r)
	return askOptional(ctx, account, sent, into)
}

func (m *clientV2) forAccount(c ports.Connection, r request) (*connectors.Platform, connectors.Request) {
	to := *m.base
	to.Path, to.RawPath, to.RawQuery = m.base.Path+r.path, "", r.query.Encode()
	return m.platform.Judging(m.judge(c)), connectors.Request{
		Method: r.method,
		URL:    to.String(),
		JSON:   r.body,
		Header: map[string]string{"API-Key": c.Credentials.Key},
	}
}

// judge reads the reasons of ShipStation's errors.
func (m *clientV2) judge(c ports.Connection) func(connectors.Answer) error {
	return func(a connectors.Answer) error {
		switch a.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
			return nil
		}
		var problem struct {
			Errors []struct {
				Message string `json:"message"`
			} `json:"errors"`
		}
		if a.Status < http.StatusBadRequest || json.Unmarshal(a.Body, &problem) != nil || len(problem.Errors) == 0 {
			return nil
		}
		why := strings.TrimRight(connectors.Plain(problem.Errors[0].Message, c.Credentials.Key), ".")
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

func (m *clientV2) carriers(ctx context.Context, c ports.Connection) ([]carrierV2, error) {
	var found struct {
		List []carrierV2 `json:"carriers"`
	}
	err := m.ask(ctx, c, request{path: "/v2/carriers"}, &found)
	return found.List[:min(len(found.List), maxCarriers)], err
}

// inspect identifies the account by the first of its carriers, which is the same for every key of the account. An account
// without carriers is identified by a part of its key's SHA-256.
func (m *clientV2) inspect(ctx context.Context, c ports.Connection) (integration.Config, error) {
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

// warehouse returns the warehouse that the account ships from: the one with the given postal code, else the default one,
// else the first one.
func (m *clientV2) warehouse(ctx context.Context, c ports.Connection, postal string) (warehouseV2, error) {
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
