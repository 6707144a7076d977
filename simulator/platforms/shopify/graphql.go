package shopify

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

//go:embed schema.graphql
var schemaText string

//go:embed orders.graphql
var ordersText string

//go:embed aftermath.graphql
var aftermathText string

var schema = gqlparser.MustLoadSchema(
	&ast.Source{Name: "schema.graphql", Input: schemaText},
	&ast.Source{Name: "orders.graphql", Input: ordersText},
	&ast.Source{Name: "aftermath.graphql", Input: aftermathText},
)

// object is a value with fields that can be selected.
type object interface {
	kind() string
	field(name string, args map[string]any) any
}

// connection is a page of objects.
type connection struct {
	of               string
	nodes            []object
	cursors          []string
	hasNext, hasPrev bool
}

// execution answers one operation, under the shop's lock.
type execution struct {
	vars   map[string]any
	cost   int
	errors gqlerror.List
	bulk   *bulkWriter // nil: connections are nested in the answer
	circle string      // if not empty, the end cursor of every page
	denied []string    // fields that the app is not approved for
	path   ast.Path    // of the current field
}

// errDenied is the name of a field that the app may not read.
type errDenied string

func (e errDenied) Error() string { return string(e) }

// load parses and validates a query.
func load(text, name string, variables map[string]any) (*ast.OperationDefinition, map[string]any, gqlerror.List) {
	document, errs := gqlparser.LoadQueryWithRules(schema, text, rules.NewDefaultRules())
	if len(errs) > 0 {
		return nil, nil, errs
	}
	operation := document.Operations.ForName(name)
	if operation == nil {
		return nil, nil, gqlerror.List{gqlerror.Errorf("An operation name is required")}
	}
	vars, err := validator.VariableValues(schema, operation, variables)
	if err != nil {
		return nil, nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	return operation, vars, nil
}

// fields returns the selected fields of a type. Selections of fields with the same name are merged.
func fields(set ast.SelectionSet, kind string) (list []*ast.Field) {
	at := map[string]int{}
	add := func(f *ast.Field) {
		if n, twice := at[f.Alias]; twice {
			merged := *list[n]
			merged.SelectionSet = append(slices.Clone(merged.SelectionSet), f.SelectionSet...)
			list[n] = &merged
			return
		}
		at[f.Alias] = len(list)
		list = append(list, f)
	}
	for _, one := range set {
		switch s := one.(type) {
		case *ast.Field:
			add(s)
		case *ast.InlineFragment:
			if s.TypeCondition == "" || is(kind, s.TypeCondition) {
				for _, f := range fields(s.SelectionSet, kind) {
					add(f)
				}
			}
		case *ast.FragmentSpread:
			if is(kind, s.Definition.TypeCondition) {
				for _, f := range fields(s.Definition.SelectionSet, kind) {
					add(f)
				}
			}
		}
	}
	return list
}

func is(kind, condition string) bool {
	return kind == condition || slices.ContainsFunc(schema.PossibleTypes[condition], func(d *ast.Definition) bool { return d.Name == kind })
}

func (e *execution) object(set ast.SelectionSet, o object) map[string]any {
	e.cost++
	shown := map[string]any{}
	for _, f := range fields(set, o.kind()) {
		if f.Name == "__typename" {
			shown[f.Alias] = o.kind()
			continue
		}
		args := f.ArgumentMap(e.vars)
		if e.bulk != nil && strings.HasSuffix(f.Definition.Type.Name(), "Connection") {
			args = maps.Clone(args)
			args["first"] = everything
		}
		if slices.Contains(e.denied, o.kind()+"."+f.Name) {
			e.recordError(f.Alias, errDenied("This app is not approved to use the "+f.Name+" field. See https://shopify.dev/docs/apps/launch/protected-customer-data for more details."))
			shown[f.Alias] = nil
			continue
		}
		value, nested := e.value(f, o.field(f.Name, e.withKey(f, args)))
		if !nested {
			shown[f.Alias] = value
		}
	}
	return shown
}

// value returns a field's value. In bulk operations, connections become lines of their own.
func (e *execution) value(f *ast.Field, held any) (value any, elsewhere bool) {
	switch v := held.(type) {
	case error:
		e.recordError(f.Alias, v)
		return nil, false
	case *connection:
		if e.bulk != nil {
			e.bulk.defers(f, v)
			return nil, true
		}
		e.atPath(f.Alias, -1, func() { value = e.connection(f.SelectionSet, v) })
		return value, false
	case []object:
		list := make([]any, len(v))
		for n, one := range v {
			if one != nil {
				e.atPath(f.Alias, n, func() { list[n] = e.object(f.SelectionSet, one) })
			}
		}
		return list, false
	case object:
		e.atPath(f.Alias, -1, func() { value = e.object(f.SelectionSet, v) })
		return value, false
	}
	return held, false
}

func (e *execution) connection(set ast.SelectionSet, c *connection) map[string]any {
	e.cost += 2
	shown := map[string]any{}
	for _, f := range fields(set, c.of+"Connection") {
		switch f.Name {
		case "__typename":
			shown[f.Alias] = c.of + "Connection"
		case "nodes":
			list := make([]any, len(c.nodes))
			for n, one := range c.nodes {
				e.atPath(f.Alias, n, func() { list[n] = e.object(f.SelectionSet, one) })
			}
			shown[f.Alias] = list
		case "edges":
			shown[f.Alias] = e.edges(f, c)
		case "pageInfo":
			shown[f.Alias] = e.pageInfo(f, c)
		}
	}
	return shown
}

func (e *execution) edges(f *ast.Field, c *connection) []any {
	list := make([]any, len(c.nodes))
	for n, one := range c.nodes {
		edge := map[string]any{}
		for _, g := range fields(f.SelectionSet, c.of+"Edge") {
			switch g.Name {
			case "cursor":
				edge[g.Alias] = c.cursors[n]
			case "node":
				e.atPath(f.Alias, n, func() {
					e.atPath(g.Alias, -1, func() { edge[g.Alias] = e.object(g.SelectionSet, one) })
				})
			default:
				edge[g.Alias] = c.of + "Edge"
			}
		}
		list[n] = edge
	}
	return list
}

func (e *execution) pageInfo(f *ast.Field, c *connection) map[string]any {
	all := map[string]any{"hasNextPage": c.hasNext, "hasPreviousPage": c.hasPrev, "startCursor": nil, "endCursor": nil, "__typename": "PageInfo"}
	if len(c.cursors) > 0 {
		all["startCursor"], all["endCursor"] = c.cursors[0], c.cursors[len(c.cursors)-1]
	}
	if e.circle != "" {
		all["hasNextPage"], all["endCursor"] = true, e.circle
	}
	shown := map[string]any{}
	for _, g := range fields(f.SelectionSet, "PageInfo") {
		shown[g.Alias] = all[g.Name]
	}
	return shown
}

// price returns the maximum cost of a query: 1 for an object, and 2 plus size times the cost of one node for a
// connection.
func price(set ast.SelectionSet, kind string, vars map[string]any) (sum int) {
	for _, f := range fields(set, kind) {
		if f.Definition == nil || len(f.SelectionSet) == 0 {
			continue
		}
		of := f.Definition.Type.Name()
		switch {
		case strings.HasSuffix(of, "Connection"):
			size := number64(f.ArgumentMap(vars)["first"])
			sum += 2 + size*max(1, priceOfNode(f.SelectionSet, of, vars))
		case of == "PageInfo":
		case strings.HasSuffix(of, "Payload"):
			sum += 10
		default:
			sum += 1 + price(f.SelectionSet, of, vars)
		}
	}
	return sum
}

func priceOfNode(set ast.SelectionSet, kind string, vars map[string]any) (most int) {
	for _, f := range fields(set, kind) {
		switch f.Name {
		case "nodes":
			most = max(most, 1+price(f.SelectionSet, f.Definition.Type.Name(), vars))
		case "edges":
			most = max(most, price(f.SelectionSet, f.Definition.Type.Name(), vars))
		}
	}
	return most
}

func number64(value any) int {
	switch n := value.(type) {
	case int64:
		return int(n)
	case int:
		return n
	case float64:
		return int(n)
	}
	return 0
}

// graphql serves the GraphQL endpoint of every version.
func (s *Platform) graphql(c *host.Call) host.Answer {
	version := s.served(c.PathValue("version"))
	if version == "" {
		return s.Refuse(http.StatusNotFound, "Not Found")
	}
	return s.answer(c).With("X-Shopify-API-Version", version)
}

// served returns the version that answers a request. A request for a version that is no longer accessible gets the oldest
// accessible one, which the answer's header names (https://shopify.dev/docs/api/usage/versioning, read 2026-11-28). It
// returns "" if there is none.
func (s *Platform) served(asked string) string {
	all := s.Host.Config.ShopifyVersions
	switch {
	case slices.Contains(all, asked):
		return asked
	case len(asked) == len("2026-10") && asked < all[0]:
		return all[0]
	}
	return ""
}

func (s *Platform) answer(c *host.Call) host.Answer {
	var asked struct {
		Query         string
		OperationName string
		Variables     map[string]any
	}
	scopes, refused := s.authenticate(c)
	readable := host.ReadJSON(c.Content, &asked)
	operation, vars, errs := load(asked.Query, asked.OperationName, asked.Variables)
	return s.Meet(c, resourceOf(operation, vars), func() host.Answer {
		switch {
		case refused != nil:
			return *refused
		case !readable:
			return s.Refuse(http.StatusBadRequest, "Bad Request")
		case len(errs) > 0:
			return host.OK(map[string]any{"errors": errs})
		}
		if err := denied(operation, scopes); err != nil {
			return host.OK(map[string]any{"errors": gqlerror.List{err}, "data": nil})
		}
		return s.charge(c, operation, vars)
	})
}

// resourceOfQuery returns the resource of a query, to which faults apply.
func resourceOfQuery(operation *ast.OperationDefinition) string {
	if operation == nil || len(operation.SelectionSet) == 0 {
		return "graphql"
	}
	f, is := operation.SelectionSet[0].(*ast.Field)
	if !is {
		return "graphql"
	}
	switch name := strings.TrimSuffix(f.Name, "Count"); {
	case strings.HasPrefix(name, "inventory"), strings.HasPrefix(name, "location"):
		return "inventory"
	case strings.HasPrefix(name, "webhook"):
		return "webhooks"
	case strings.HasPrefix(name, "product"):
		return "products"
	case strings.HasPrefix(name, "order"), strings.HasPrefix(name, "customer"):
		return strings.TrimSuffix(name, "s") + "s"
	case strings.Contains(strings.ToLower(name), "bulk"), name == "node":
		return "bulk_operation"
	}
	return f.Name
}

var needed = map[string]string{
	"products": "read_products", "product": "read_products", "productVariants": "read_products", "inventoryItems": "read_inventory", "inventoryItem": "read_inventory",
	"orders": "read_orders", "order": "read_orders", "customers": "read_customers", "customer": "read_customers", "locations": "read_locations",
}

// denied returns an error for a field that the token may not read. A write scope includes reading, and read_inventory
// includes locations.
func denied(operation *ast.OperationDefinition, scopes []string) *gqlerror.Error {
	if err := deniedWriting(operation, scopes); err != nil {
		return err
	}
	for _, f := range fields(operation.SelectionSet, "QueryRoot") {
		scope := needed[f.Name]
		may := scope == "" || slices.Contains(scopes, scope) || slices.Contains(scopes, "write"+strings.TrimPrefix(scope, "read")) ||
			scope == "read_locations" && slices.Contains(scopes, "read_inventory")
		if !may {
			err := gqlerror.Errorf("Access denied for %s field. Required access: `%s` access scope.", f.Name, scope)
			err.Extensions = map[string]any{"code": "ACCESS_DENIED"}
			return err
		}
	}
	return nil
}

var errFirst = errors.New("you must provide one of first or last")

func coded(code, format string, args ...any) *gqlerror.Error {
	err := gqlerror.Errorf("%s", fmt.Sprintf(format, args...))
	err.Extensions = map[string]any{"code": code}
	return err
}
