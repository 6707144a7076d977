package shopify

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// apiVersion returns the version that a request names: a date such as 2026-10, or unstable, which compares as later than
// all dates.
func apiVersion(c *host.Call) string { return c.PathValue("version") }

// withShop runs the work of an operation under the shop's lock: the write lock for a mutation that changes the shop.
func (s *Platform) withShop(operation *ast.OperationDefinition, work func(*host.World)) {
	s.runDueJobs()
	changes := func(f *ast.Field) bool { return writes[f.Name].resource != "" }
	if operation.Operation == ast.Mutation && slices.ContainsFunc(fields(operation.SelectionSet, "Mutation"), changes) {
		s.Write(work)
		return
	}
	s.Read(work)
}

// resourceOf returns the resource of an operation that writes or looks up orders, to which faults apply.
func resourceOf(operation *ast.OperationDefinition, vars map[string]any) string {
	if operation == nil || len(operation.SelectionSet) == 0 {
		return resourceOfQuery(operation)
	}
	f, is := operation.SelectionSet[0].(*ast.Field)
	if !is {
		return resourceOfQuery(operation)
	}
	if name := writes[f.Name].resource; name != "" {
		return name
	}
	if query, _ := f.ArgumentMap(vars)["query"].(string); f.Name == "orders" && strings.Contains(query, "source_identifier:") {
		return "order_find"
	}
	return resourceOfQuery(operation)
}

// writes are the root fields for writing orders, with their resource and the access scopes of which the token needs one.
// Sources are the fields' pages (docs/api/admin-graphql/latest/mutations/…, api_version 2026-10).
var writes = map[string]struct {
	resource string
	scopes   []string
}{
	"orderCreate":                   {"order_create", []string{"write_orders"}},
	"orderByIdentifier":             {"order_find", []string{"read_orders", "write_orders"}},
	"orderCancel":                   {"order_cancel", []string{"write_orders"}},
	"refundCreate":                  {"refund_create", []string{"write_orders"}},
	"fulfillmentCreate":             {"fulfillment_create", fulfillmentScopes},
	"fulfillmentTrackingInfoUpdate": {"fulfillment_update", fulfillmentScopes},
	"refund":                        {"refund_find", []string{"read_orders", "write_orders"}},
	"fulfillment":                   {"fulfillment_find", []string{"read_orders", "write_orders"}},
	"fulfillmentOrder":              {"fulfillment_find", fulfillmentOrderScopes},
	"metafieldDefinitionCreate":     {"metafield_definition", []string{"write_orders"}}, // "the appropriate access scopes for the owner type"
	"currentAppInstallation":        {"app_installation", nil},
	"job":                           {"job", nil},
}

// The merchant manages the shop's locations. Of the three documented scopes, this one is required for them.
var fulfillmentScopes = []string{"write_merchant_managed_fulfillment_orders"}

var fulfillmentOrderScopes = []string{"read_merchant_managed_fulfillment_orders", "write_merchant_managed_fulfillment_orders"}

// deniedWriting returns an error for a root field for writing orders that the token's scopes do not allow.
func deniedWriting(operation *ast.OperationDefinition, scopes []string) *gqlerror.Error {
	for _, f := range fields(operation.SelectionSet, "Mutation") {
		if needed := writes[f.Name].scopes; !oneOf(needed, scopes) {
			return deniedField(f.Name, needed)
		}
		if selects(f.SelectionSet, "fulfillmentOrders", map[*ast.FragmentDefinition]bool{}) && !oneOf(fulfillmentOrderScopes, scopes) {
			return deniedField("fulfillmentOrders", fulfillmentOrderScopes)
		}
	}
	return nil
}

func oneOf(needed, scopes []string) bool {
	return len(needed) == 0 || slices.ContainsFunc(needed, func(scope string) bool { return slices.Contains(scopes, scope) })
}

func deniedField(name string, needed []string) *gqlerror.Error {
	return coded("ACCESS_DENIED", "Access denied for %s field. Required access: `%s` access scope.", name, strings.Join(needed, "` or `"))
}

// selects reports whether a selection contains a field with a name, at any depth.
func selects(set ast.SelectionSet, name string, seen map[*ast.FragmentDefinition]bool) bool {
	return slices.ContainsFunc(set, func(one ast.Selection) bool {
		switch of := one.(type) {
		case *ast.Field:
			return of.Name == name || selects(of.SelectionSet, name, seen)
		case *ast.InlineFragment:
			return selects(of.SelectionSet, name, seen)
		case *ast.FragmentSpread:
			if seen[of.Definition] {
				return false
			}
			seen[of.Definition] = true
			return selects(of.Definition.SelectionSet, name, seen)
		}
		return false
	})
}

// writing answers the root fields for writing orders.
func (r rootObject) writing(f string, args map[string]any) any {
	s := r.s
	text := func(name string) string { value, _ := args[name].(string); return value }
	switch f {
	case "orderCreate":
		return s.createOrder(args, apiVersion(r.c))
	case "orderCancel":
		return s.cancelOrder(args)
	case "refundCreate":
		return s.createRefund(args, apiVersion(r.c))
	case "fulfillmentCreate":
		return s.createFulfillment(args)
	case "fulfillmentTrackingInfoUpdate":
		return s.updateTracking(args)
	case "refund":
		return s.written("Refund", text("id"))
	case "fulfillment":
		return s.written("Fulfillment", text("id"))
	case "fulfillmentOrder":
		return s.written("FulfillmentOrder", text("id"))
	case "metafieldDefinitionCreate":
		return s.defineMetafield(args)
	case "orderByIdentifier":
		return s.findOrder(args)
	case "currentAppInstallation":
		return s.installation(r.c)
	case "nodes":
		return s.nodes(args)
	case "job":
		return s.job(text("id"))
	}
	return nil
}

// installation returns the granted scopes (docs/api/admin-graphql/latest/objects/AppInstallation, AccessScope). It is not
// documented whether a read scope is listed next to the write scope that includes it; here only granted scopes are.
func (s *Platform) installation(c *host.Call) object {
	granted, _ := s.scopes(c)
	list := []object{}
	for _, scope := range granted {
		list = append(list, facts{"AccessScope", map[string]any{"handle": scope, "description": strings.ReplaceAll(scope, "_", " ")}})
	}
	app := facts{"App", map[string]any{"id": gid("App", appNumber), "title": "Haggle", "apiKey": s.Host.Config.ClientID, "handle": "haggle"}}
	return facts{"AppInstallation", map[string]any{
		"id": gid("AppInstallation", appNumber+1), "accessScopes": list, "app": app, "launchUrl": "https://" + s.Host.Config.Shop + "/admin/apps/haggle",
	}}
}

// nodes: "Returns the list of nodes with the given IDs", with null for each missing node
// (docs/api/admin-graphql/latest/queries/nodes).
func (s *Platform) nodes(args map[string]any) any {
	ids, _ := args["ids"].([]any)
	list := []object{}
	for _, one := range ids {
		id, _ := one.(string)
		found, _ := s.anything(id).(object)
		list = append(list, found)
	}
	return list
}
