package shopify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/ports"
)

// reply is an answer of the GraphQL API. Its status is 200 also for most errors.
type reply struct {
	Data       json.RawMessage
	Errors     mistakes
	Extensions struct{ Cost cost }
}

// mistake is one of an answer's errors. Cost and MaxCost are those of MAX_COST_EXCEEDED.
type mistake struct {
	Message    string
	Path       []any
	Extensions struct {
		Code    string
		Cost    float64
		MaxCost float64
	}
}

// mistakes are a list, or, of what is no GraphQL error, a text.
type mistakes []mistake

func (m *mistakes) UnmarshalJSON(text []byte) error {
	var list []mistake
	if json.Unmarshal(text, &list) == nil {
		*m = list
		return nil
	}
	*m = mistakes{{Message: string(text)}}
	return nil
}

// tooDear is a query that costs more than Shopify allows for one.
type tooDear struct{ cost, allowed float64 }

func (t tooDear) Error() string { return t.Unwrap().Error() }

// Unwrap tells what it is to those who cannot ask for less.
func (tooDear) Unwrap() error {
	return &ports.PlatformRefusal{Reason: "Shopify does not answer a query as large as this."}
}

// judge tells what asking the merchant to connect again does not help against, a missing permission, from refused
// credentials, and says why a token is refused that never expires. Shopify's words for that are as quoted in
// https://github.com/chatwoot/chatwoot/issues/14462 (2026-05-14).
func (c Config) judge(a connectors.Answer) error {
	text := strings.ToLower(string(a.Body[:min(len(a.Body), 4<<10)]))
	switch {
	case a.Status != http.StatusForbidden:
		return nil
	case strings.Contains(text, "non-expiring"):
		return &ports.CredentialsRefusal{Reason: c.nonExpiring()}
	case strings.Contains(text, "scope") || strings.Contains(text, "approval"):
		return &noAccess{&ports.PlatformRefusal{Reason: "Shopify does not permit it: the app lacks an access scope."}}
	}
	// Of an address that is not on the app's IP allowlist no more is documented than the status
	// (https://shopify.dev/docs/apps/build/dev-dashboard/ip-allowlist, read 2026-11-28). A token that is of no use is a 401.
	return &ports.PlatformRefusal{Reason: "Shopify does not let this server's address in (403): it is not on the app's IP allowlist. " +
		"Whoever runs this server adds the address from which it reaches the internet in Shopify's Dev Dashboard, at the app's Settings, IP allowlist."}
}

// nonExpiring says what to do about an access token that never expires: public apps created on or after 2026-04-01 must
// not use one, others not from 2027-01-01 on (https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/offline-access-tokens,
// read 2026-11-28).
func (c Config) nonExpiring() string {
	const what = "Shopify takes no access token any more that never expires, as this connection has. "
	if c.Custom {
		return what + "The app is public, and set up here as a custom one: set HAGGLE_SHOPIFY_APP to public, then connect again."
	}
	return what + "Connect again: this gives it one that expires and is refreshed."
}

// patience is how long a query waits for Shopify's budget before it is put off.
const patience = 2 * time.Second

// ask sends a query, after the shop's budget allows for it. An answer with errors is one.
func (c *Connector) ask(ctx context.Context, conn ports.Connection, query string, variables map[string]any, into any) error {
	return c.patiently(ctx, conn, query, func() error {
		r, err := c.once(ctx, conn, query, variables)
		if err == nil && len(r.Errors) > 0 {
			err = c.mistaken(conn, query, r)
		}
		if err != nil {
			return err
		}
		return c.decode(r, into)
	})
}

// askPartly is ask for who goes on without the fields that the app may not read, which it returns.
func (c *Connector) askPartly(
	ctx context.Context, conn ports.Connection, query string, variables map[string]any, into any,
) (denied []denial, err error) {
	err = c.patiently(ctx, conn, query, func() error {
		r, err := c.once(ctx, conn, query, variables)
		if err != nil {
			return err
		}
		denied = c.denials(conn, r)
		if len(r.Errors) > 0 && len(denied) == 0 {
			return c.mistaken(conn, query, r)
		}
		return c.decode(r, into)
	})
	return denied, err
}

// decode reads the data of an answer.
func (c *Connector) decode(r reply, into any) error {
	if len(r.Data) == 0 || string(r.Data) == "null" {
		return c.platform.Failed("sent an answer without data", nil)
	}
	return c.platform.Decode(r.Data, into)
}

// patiently asks again what Shopify puts off for a moment.
func (c *Connector) patiently(ctx context.Context, conn ports.Connection, query string, once func() error) error {
	a, waited := c.accounts.Of(conn.Key), time.Duration(0)
	for {
		err := a.afford(query, time.Now())
		if err == nil {
			err = once()
		}
		var wait ports.Throttled
		if !errors.As(err, &wait) || waited+wait.After > patience {
			return err
		}
		waited += wait.After
		if !sleep(ctx, wait.After) {
			return ctx.Err()
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// once sends a query.
func (c *Connector) once(ctx context.Context, conn ports.Connection, query string, variables map[string]any) (r reply, err error) {
	address, err := c.address(conn.Store)
	if err != nil {
		return r, err
	}
	answer, err := c.platform.Send(ctx, connectors.Request{
		URL:    address + "/admin/api/" + Version + "/graphql.json",
		Header: map[string]string{"X-Shopify-Access-Token": conn.Credentials.Key},
		JSON:   map[string]any{"query": query, "variables": variables},
	})
	if err != nil {
		return r, err
	}
	if err := c.platform.Judge(answer); err != nil {
		return r, err
	}
	c.serve(ctx, conn.Key, answer.Header.Get("X-Shopify-API-Version"))
	if err := c.platform.Decode(answer.Body, &r); err != nil {
		return r, err
	}
	c.accounts.Of(conn.Key).learn(query, r.Extensions.Cost, time.Now())
	return r, nil
}

func (c *Connector) mistaken(conn ports.Connection, query string, r reply) error {
	first := r.Errors[0]
	switch first.Extensions.Code {
	case "THROTTLED":
		if of := r.Extensions.Cost; of.ThrottleStatus.MaximumAvailable > 0 && of.RequestedQueryCost > of.ThrottleStatus.MaximumAvailable {
			return tooDear{of.RequestedQueryCost, of.ThrottleStatus.MaximumAvailable}
		}
		return connectors.Wait(max(c.accounts.Of(conn.Key).short(query, time.Now()), time.Second/2))
	case "MAX_COST_EXCEEDED":
		dear := tooDear{first.Extensions.Cost, first.Extensions.MaxCost}
		if dear.cost == 0 {
			_, _ = fmt.Sscanf(first.Message, "Query cost is %f, which exceeds the single query max cost limit (%f", &dear.cost, &dear.allowed)
		}
		return dear
	case "UNAUTHENTICATED":
		return ports.ErrCredentialsRefused
	case "INTERNAL_SERVER_ERROR", "TIMEOUT":
		return c.platform.Failed("has a problem of its own", nil)
	case accessDenied:
		return &noAccess{c.refusal(conn, "does not permit it: ", first.Message)}
	}
	return c.refusal(conn, "refused the request: ", first.Message)
}

// userError is what a mutation says was wrong with its input.
type userError struct{ Message, Code string }

func (c *Connector) userRefused(conn ports.Connection, list []userError) error {
	if len(list) == 0 {
		return nil
	}
	return c.refusal(conn, "refused the request: ", list[0].Message)
}

func (c *Connector) refusal(conn ports.Connection, what, message string) error {
	return c.platform.Refused(what + c.plain(conn, message))
}
