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

// reply is an answer of the GraphQL API. The status is 200 for most errors, too.
type reply struct {
	Data       json.RawMessage
	Errors     graphQLErrors
	Extensions struct{ Cost cost }
}

// graphQLError is an error in an answer. Only MAX_COST_EXCEEDED has Cost and MaxCost.
type graphQLError struct {
	Message    string
	Path       []any
	Extensions struct {
		Code    string
		Cost    float64
		MaxCost float64
	}
}

// graphQLErrors is a list, or a single text if the error is not from GraphQL.
type graphQLErrors []graphQLError

func (m *graphQLErrors) UnmarshalJSON(text []byte) error {
	var list []graphQLError
	if json.Unmarshal(text, &list) == nil {
		*m = list
		return nil
	}
	*m = graphQLErrors{{Message: string(text)}}
	return nil
}

// tooExpensive is the error of a query that costs more than Shopify allows for one query.
type tooExpensive struct{ cost, allowed float64 }

func (t tooExpensive) Error() string { return t.Unwrap().Error() }

// Unwrap returns the PlatformRefusal for callers that cannot request smaller pages.
func (tooExpensive) Unwrap() error {
	return &ports.PlatformRefusal{Reason: "Shopify does not answer a query as large as this."}
}

// judge distinguishes a missing permission, which connecting again does not solve, from refused credentials. It also
// explains the refusal of a token that never expires. Shopify's message for that is quoted in
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
	// For an address that is not on the app's IP allowlist, only the status is documented
	// (https://shopify.dev/docs/apps/build/dev-dashboard/ip-allowlist, read 2026-11-28). An invalid token is a 401.
	return &ports.PlatformRefusal{Reason: "Shopify does not let this server's address in (403): it is not on the app's IP allowlist. " +
		"Whoever runs this server adds the address from which it reaches the internet in Shopify's Dev Dashboard, at the app's Settings, IP allowlist."}
}

// nonExpiring returns what to do about an access token that never expires. Public apps created on or after 2026-04-01 must
// not use one, others not from 2027-01-01 on (https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/offline-access-tokens,
// read 2026-11-28).
func (c Config) nonExpiring() string {
	const what = "Shopify takes no access token any more that never expires, as this connection has. "
	if c.Custom {
		return what + "The app is public, and set up here as a custom one: set HAGGLE_SHOPIFY_APP to public, then connect again."
	}
	return what + "Connect again: this gives it one that expires and is refreshed."
}

// patience is how long ask waits for Shopify's budget before it returns Throttled.
const patience = 2 * time.Second

// ask sends a query once the shop's budget suffices. It returns an error if the answer has errors.
func (c *Connector) ask(ctx context.Context, conn ports.Connection, query string, variables map[string]any, into any) error {
	return c.withPatience(ctx, conn, query, func() error {
		r, err := c.send(ctx, conn, query, variables)
		if err == nil && len(r.Errors) > 0 {
			err = c.errorOf(conn, query, r)
		}
		if err != nil {
			return err
		}
		return c.decode(r, into)
	})
}

// askPartial is like ask, but tolerates missing permissions for fields and returns those fields.
func (c *Connector) askPartial(
	ctx context.Context, conn ports.Connection, query string, variables map[string]any, into any,
) (denied []denial, err error) {
	err = c.withPatience(ctx, conn, query, func() error {
		r, err := c.send(ctx, conn, query, variables)
		if err != nil {
			return err
		}
		denied = c.denials(conn, r)
		if len(r.Errors) > 0 && len(denied) == 0 {
			return c.errorOf(conn, query, r)
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

// withPatience calls request again after Throttled errors, as long as the total wait is at most patience.
func (c *Connector) withPatience(ctx context.Context, conn ports.Connection, query string, request func() error) error {
	a, waited := c.accounts.Of(conn.Key), time.Duration(0)
	for {
		err := a.checkBudget(query, time.Now())
		if err == nil {
			err = request()
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

// send sends a query.
func (c *Connector) send(ctx context.Context, conn ports.Connection, query string, variables map[string]any) (r reply, err error) {
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
	c.noteVersion(ctx, conn.Key, answer.Header.Get("X-Shopify-API-Version"))
	if err := c.platform.Decode(answer.Body, &r); err != nil {
		return r, err
	}
	c.accounts.Of(conn.Key).update(query, r.Extensions.Cost, time.Now())
	return r, nil
}

func (c *Connector) errorOf(conn ports.Connection, query string, r reply) error {
	first := r.Errors[0]
	switch first.Extensions.Code {
	case "THROTTLED":
		if of := r.Extensions.Cost; of.ThrottleStatus.MaximumAvailable > 0 && of.RequestedQueryCost > of.ThrottleStatus.MaximumAvailable {
			return tooExpensive{of.RequestedQueryCost, of.ThrottleStatus.MaximumAvailable}
		}
		return connectors.Wait(max(c.accounts.Of(conn.Key).waitFor(query, time.Now()), time.Second/2))
	case "MAX_COST_EXCEEDED":
		expensive := tooExpensive{first.Extensions.Cost, first.Extensions.MaxCost}
		if expensive.cost == 0 {
			_, _ = fmt.Sscanf(first.Message, "Query cost is %f, which exceeds the single query max cost limit (%f", &expensive.cost, &expensive.allowed)
		}
		return expensive
	case "UNAUTHENTICATED":
		return ports.ErrCredentialsRefused
	case "INTERNAL_SERVER_ERROR", "TIMEOUT":
		return c.platform.Failed("has a problem of its own", nil)
	case accessDenied:
		return &noAccess{c.refusal(conn, "does not permit it: ", first.Message)}
	}
	return c.refusal(conn, "refused the request: ", first.Message)
}

// userError is an error in the input of a mutation.
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
