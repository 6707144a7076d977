package shopify

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// appNumber is the app's API client id.
const appNumber = 287_654_321

const definitionBase = 17_000_000_001
const metafieldBase = 18_000_000_001

// metafield is a metafield of an order.
type metafield struct {
	id                          int
	namespace, key, kind, value string
	made                        int64
}

// definition is a metafield definition of orders.
type definition struct {
	id                         int
	namespace, key, name, kind string
	description                string
	unique                     bool
}

// orderBook has the data of orders that other platforms do not show. The shop's lock protects it.
type orderBook struct {
	last        int
	all         map[int]*purchase // by position
	definitions []*definition
	unique      map[string]int // position of the order, by namespace, key and value
	results     map[string]repeated
	jobs        []*job
	minute      host.Window // orders that a development store may create
}

// qualified returns the namespace as it is stored: "$app → app--123456, $app:influencer → app--123456--influencer"; "All
// APIs default to using a reserved namespace $app" (docs/apps/build/custom-data/ownership).
func qualified(namespace string) string {
	own := "app--" + strconv.Itoa(appNumber)
	switch rest, more := strings.CutPrefix(namespace, "$app:"); {
	case namespace == "" || namespace == "$app":
		return own
	case more:
		return own + "--" + rest
	}
	return namespace
}

func uniqueKey(namespace, key, value string) string { return namespace + "\x00" + key + "\x00" + value }

func (s *Platform) definition(namespace, key string) *definition {
	for _, d := range s.orders.definitions {
		if d.namespace == namespace && d.key == key {
			return d
		}
	}
	return nil
}

var namespaceForm = regexp.MustCompile(`^[A-Za-z0-9_-]{3,255}$`)
var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-]{2,64}$`)

// defineMetafield is metafieldDefinitionCreate for orders. "The unique values capability is required and enabled by
// default for the id type" (changelog custom-ids-more-lookups, 2025-03-22;
// docs/apps/build/metafields/working-with-custom-ids). The codes are those of MetafieldDefinitionCreateUserErrorCode.
// Their use is only documented by their descriptions, and the texts are not documented.
func (s *Platform) defineMetafield(args map[string]any) any {
	to := &userErrors{of: "MetafieldDefinitionCreateUserError"}
	values, _ := args["definition"].(map[string]any)
	i := input{values, []string{"definition"}, to}
	d := &definition{
		namespace:   qualified(i.text("namespace")),
		key:         i.text("key"),
		name:        i.text("name"),
		kind:        i.text("type"),
		description: i.text("description"),
	}
	unique := i.inner("capabilities").inner("uniqueValues")
	d.unique = d.kind == "id" || unique.flag("enabled", false)
	switch {
	case i.text("ownerType") != "ORDER":
		i.addError("ownerType", "INVALID", "The look-alike defines metafields of orders only")
	case !namespaceForm.MatchString(d.namespace):
		i.addError("namespace", "INVALID_CHARACTER", "Namespace must be 3 to 255 letters, digits, hyphens and underscores")
	case !keyForm.MatchString(d.key):
		i.addError("key", "INVALID_CHARACTER", "Key must be 2 to 64 letters, digits, hyphens and underscores")
	case d.name == "":
		i.addError("name", "BLANK", "Name can't be blank")
	case d.kind == "id" && unique.has("enabled") && !unique.flag("enabled", true):
		i.addError("capabilities", "CAPABILITY_REQUIRED_BUT_DISABLED", "The capability unique_values is required for the type id")
	case d.kind != "id" && d.kind != "single_line_text_field" && d.kind != "number_integer" && d.kind != "url" && d.kind != "json" && d.kind != "boolean":
		i.addError("type", "INCLUSION", "Type name %s is not a valid type", d.kind)
	case s.definition(d.namespace, d.key) != nil:
		i.addError("key", "TAKEN", "Key is in use for Order metafields on the '%s' namespace.", d.namespace)
	}
	payload := map[string]any{"createdDefinition": nil, "userErrors": to.shown()}
	if to.none() {
		d.id = definitionBase + len(s.orders.definitions)
		s.orders.definitions = append(s.orders.definitions, d)
		payload["createdDefinition"] = s.showDefinition(d)
	}
	return facts{"MetafieldDefinitionCreatePayload", payload}
}

func (s *Platform) showDefinition(d *definition) object {
	count := 0
	for _, p := range s.orders.all {
		count += len(slices.DeleteFunc(slices.Clone(p.metafields), func(m metafield) bool { return m.namespace != d.namespace || m.key != d.key }))
	}
	unique := facts{"MetafieldCapabilityUniqueValues", map[string]any{"eligible": true, "enabled": d.unique}}
	return facts{"MetafieldDefinition", map[string]any{
		"id": gid("MetafieldDefinition", d.id), "namespace": d.namespace, "key": d.key, "name": d.name, "description": host.OrNull(d.description), "ownerType": "ORDER",
		"type":            facts{"MetafieldDefinitionType", map[string]any{"name": d.kind, "category": strings.ToUpper(d.kind)}},
		"capabilities":    facts{"MetafieldCapabilities", map[string]any{"uniqueValues": unique}},
		"metafieldsCount": count,
	}}
}

// readMetafields reads the metafields of a new order. Namespace and key are "required when creating a metafield"
// (MetafieldInput, published schema of 2026-07), although "all APIs default to using a reserved namespace $app"; this is
// the stricter reading. "unique values" implies that a value that is taken refuses the whole order. The code is not
// documented (OrderCreateUserErrorCode has none for it): INVALID here.
func (s *Platform) readMetafields(i input, p *purchase) {
	seen := map[string]bool{}
	for _, one := range i.each("metafields") {
		m := metafield{
			namespace: qualified(one.text("namespace")),
			key:       one.text("key"),
			kind:      one.text("type"),
			value:     one.text("value"),
			made:      p.placed,
		}
		d := s.definition(m.namespace, m.key)
		switch {
		case !one.has("namespace"):
			one.addError("namespace", "INVALID", "Namespace can't be blank")
		case m.key == "":
			one.addError("key", "INVALID", "Key can't be blank")
		case m.value == "":
			one.addError("value", "INVALID", "Value can't be blank")
		case d == nil && m.kind == "":
			one.addError("type", "INVALID", "Type can't be blank")
		case d == nil && m.kind == "id": // not documented
			one.addError("type", "INVALID", "The type id needs a metafield definition")
		case d != nil && m.kind != "" && m.kind != d.kind:
			one.addError("type", "INVALID", "Type must be consistent with the definition's type: '%s'", d.kind)
		case seen[m.namespace+"\x00"+m.key]:
			one.addError("key", "INVALID", "Key must be unique within this namespace on this resource")
		case d != nil && d.unique && s.taken(m):
			one.addError("value", "INVALID", "Value has already been taken")
		}
		seen[m.namespace+"\x00"+m.key] = true
		if d != nil {
			m.kind = d.kind
		}
		p.metafields = append(p.metafields, m)
	}
}

func (s *Platform) taken(m metafield) bool {
	_, taken := s.orders.unique[uniqueKey(m.namespace, m.key, m.value)]
	return taken
}

// keepMetafields adds the order's unique values to the look-up.
func (s *Platform) keepMetafields(p *purchase) {
	for k := range p.metafields {
		m := &p.metafields[k]
		m.id = metafieldBase + s.nextID() - writtenBase
		if d := s.definition(m.namespace, m.key); d != nil && d.unique {
			s.orders.unique[uniqueKey(m.namespace, m.key, m.value)] = p.n
		}
	}
}

func (m metafield) show() object {
	return facts{"Metafield", map[string]any{
		"id": gid("Metafield", m.id), "namespace": m.namespace, "key": m.key, "value": m.value, "type": m.kind,
		"createdAt": host.WholeSeconds(m.made), "updatedAt": host.WholeSeconds(m.made),
	}}
}

func (s *Platform) metafieldOf(p *purchase, args map[string]any) any {
	namespace, _ := args["namespace"].(string)
	for _, m := range p.metafields {
		if m.namespace == qualified(namespace) && m.key == args["key"] {
			return m.show()
		}
	}
	return nil
}

// findOrder is orderByIdentifier. It finds a new order at once, because "look up by custom ID" uses the unique value and
// not the search index.
func (s *Platform) findOrder(args map[string]any) any {
	values, _ := args["identifier"].(map[string]any)
	i := input{values: values}
	if i.has("id") == i.has("customId") { // not documented
		return errors.New("exactly one of id and customId is required")
	}
	if i.has("id") {
		return s.one("Order", i.text("id"))
	}
	by := i.inner("customId")
	namespace := qualified(by.text("namespace"))
	if d := s.definition(namespace, by.text("key")); d == nil || d.kind != "id" { // the text and the code are not documented
		return coded("NOT_FOUND", "Metafield definition of type 'id' is required when using custom ids.")
	}
	n, found := s.orders.unique[uniqueKey(namespace, by.text("key"), by.text("value"))]
	if !found {
		return nil
	}
	return s.order(n)
}

// searchable reports whether searches find an order of that time: "search is eventually consistent". The lag here is
// Config.ShopifySearchLag; Shopify does not document its own.
func (s *Platform) searchable(placed int64) bool {
	return s.Host.Config.Now().Sub(host.Moment(placed)) >= s.Host.Config.ShopifySearchLag
}
