package shopify

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// apiVersion is the version that a request names: 2026-10, or unstable, which is later than all.
func apiVersion(c *host.Call) string { return c.PathValue("version") }

// during does the work of an operation while nobody else changes the shop. A mutation that changes it works alone.
func (s *Platform) during(operation *ast.OperationDefinition, work func(*host.World)) {
	s.settle()
	changes := func(f *ast.Field) bool { return writes[f.Name].resource != "" }
	if operation.Operation == ast.Mutation && slices.ContainsFunc(fields(operation.SelectionSet, "Mutation"), changes) {
		s.Write(work)
		return
	}
	s.Read(work)
}

// resourceOf is by which a fault finds an operation, where it is about orders that are written.
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

// writes are the fields of the root that are about writing orders: the resource of faults, and the access scopes of which
// one is needed. Each is as the field's page says it (docs/api/admin-graphql/latest/mutations/…, api_version 2026-10).
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

// The shop's locations are managed by the merchant: of the three scopes that the pages name, this one opens them.
var fulfillmentScopes = []string{"write_merchant_managed_fulfillment_orders"}

var fulfillmentOrderScopes = []string{"read_merchant_managed_fulfillment_orders", "write_merchant_managed_fulfillment_orders"}

// deniedWriting tells of a field about writing orders that the token may not use.
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

// selects reports whether a field of a name is asked for anywhere within.
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

// writing answers the root's fields about writing orders.
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

// installation tells the scopes that were granted (docs/api/admin-graphql/latest/objects/AppInstallation, AccessScope).
// Whether a read scope is listed beside the write scope that contains it is not documented; here only what was granted is.
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

// nodes: "Returns the list of nodes with the given IDs", null for each that there is not (docs/api/admin-graphql/latest/queries/nodes).
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
