package shopify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// accessDenied is the error code for a missing scope or approval.
const accessDenied = "ACCESS_DENIED"

// noAccess is a refusal because of a missing scope or approval.
type noAccess struct{ error }

func (n *noAccess) Unwrap() error { return n.error }

// denial is a field that the app may not read, with Shopify's reason.
type denial struct{ field, reason string }

// denials returns the fields that are missing in an answer because the app may not read them: personal data of customers that
// Shopify has not approved the app for (https://shopify.dev/docs/apps/launch/protected-customer-data, read 2026-11-28), or
// fields that need another access scope. Such fields are null. The list is empty if there are none, if the answer has another
// error, or if everything is missing.
func (c *Connector) denials(conn ports.Connection, r reply) (list []denial) {
	if len(r.Data) == 0 || string(r.Data) == "null" {
		return nil
	}
	for _, m := range r.Errors {
		if m.Extensions.Code != accessDenied || len(m.Path) < 2 {
			return nil
		}
		d := denial{lastName(m.Path), c.plain(conn, m.Message)}
		if d.field != "" && !slices.Contains(list, d) && len(list) < syncrun.MaxNotices {
			list = append(list, d)
		}
	}
	return list
}

// lastName returns the last field name of a path.
func lastName(path []any) string {
	for _, part := range slices.Backward(path) {
		if name, is := part.(string); is {
			return name
		}
	}
	return ""
}

func (c *Connector) plain(conn ports.Connection, message string) string {
	return connectors.Plain(message, c.ClientSecret, c.PreviousSecret, conn.Credentials.Key, conn.Credentials.Refresh)
}

// notices returns the notices for the merchant about the fields that a page lacks.
func notices(of syncrun.Resource, denied []denial) (list []syncrun.Notice) {
	for _, d := range denied {
		list = append(list, syncrun.Notice{
			Code: syncrun.FieldDenied, Resource: of,
			Message: fmt.Sprintf("Shopify does not show the app %s of %s: %s", d.field, of, d.reason),
		})
	}
	return list
}

// bulkNotices returns the notice for the merchant that a read goes page by page because the app may not run bulk queries. Since 2026-11-07 an app
// needs access to them, which it loses after 31 days without one (https://shopify.dev/changelog/posts/apps-must-enable-bulk-operations-before-use),
// and since 2026-11-12 a public app needs an IP allowlist for them
// (https://shopify.dev/changelog/ip-allowlists-are-now-required-for-public-apps; both read 2026-11-28).
func bulkNotices(of syncrun.Resource, err error) []syncrun.Notice {
	var no *noAccess
	if !errors.As(err, &no) {
		return nil
	}
	return []syncrun.Notice{{
		Code: syncrun.BulkDenied, Resource: of,
		Message: "Shopify does not let the app run bulk queries, so all was read page by page, which takes longer. Allow bulk queries in the " +
			"Partner Dashboard, at the app's API access requests, and, for a public app, set up its IP allowlist.",
	}}
}
