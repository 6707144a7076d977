package judge

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/theory/jsonpath"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// version checks that the answer has the negotiated version.
func (r *report) version() {
	said := text(object(r.root["ucp"])["version"])
	r.require(said == string(r.judge.version), "$.ucp.version", "it is %q, %s was agreed on", said, r.judge.version)
}

// envelope checks the ucp member of an answer with a resource.
func (r *report) envelope() {
	r.version()
	parent := kinds[r.operation].parent
	named := namedIn(r.root)
	for _, name := range named {
		where := fmt.Sprintf("$.ucp.capabilities['%s']", name)
		r.require(slices.Contains(r.active, name), where, "it is not active")
		r.require(relevant(name, parent, r.judge.version), where, "it does not matter to %s", r.operation)
	}
	if r.judge.house && parent != "" {
		r.require(slices.Contains(named, parent), "$.ucp.capabilities", "%s is not named", parent)
	}
	r.constraints("$", r.root)
	r.credentials("$", r.root)
}

// relevant reports whether an answer about parent may name a capability. It accepts every capability that UCP does not
// define.
func relevant(name, parent string, version schema.Version) bool {
	known := []string{Search, Lookup, Cart, Checkout, Order}
	switch {
	case parent == "" || !strings.HasPrefix(name, "dev.ucp.shopping."):
		return true
	case slices.Contains(known, name):
		return name == parent
	case extensions[name] != "":
		return extends(name, parent, version) || strings.HasPrefix(parent, "dev.ucp.shopping.catalog.") && name == Fulfillment
	}
	return true
}

// constraints checks every request_constraints by the shared schema, and its path by RFC 9535. They exist since
// 2026-08-25.
func (r *report) constraints(path string, value any) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			r.constraints(at(path, i), item)
		}
	case map[string]any:
		for name, child := range value {
			if name == "attribution" || name == "metadata" || name == "config" { // dictionaries: ucp is a key like any other
				continue
			}
			if members := object(child); name == "ucp" && members != nil {
				r.members(path, members, value)
			} else {
				r.constraints(path+schema.PathOf([]string{name})[1:], child)
			}
		}
	}
}

func (r *report) members(path string, members, around map[string]any) {
	path += ".ucp"
	_, recursive := members["ucp"]
	r.require(!recursive, path+".ucp", "a ucp member has none of its own")
	r.mapOrder(path, members, around)
	constraint, present := members["request_constraints"]
	if !present {
		return
	}
	path += ".request_constraints"
	if r.judge.version == schema.V20260408 {
		r.add(path, "2026-04-08 has no request constraints")
		return
	}
	ref := schema.Ref{
		Version:   r.judge.version,
		Direction: schema.Response,
		Operation: "read",
		Location:  "common/types/request_constraints.json",
	}
	found, err := schema.Validate(ref, constraint)
	if err != nil {
		r.add(path, "%v", err)
	}
	for _, problem := range found {
		r.add(path+problem.Path[1:], "%s", problem.Reason)
	}
	if query, explicit := object(constraint)["path"].(string); explicit {
		_, err := jsonpath.Parse(query)
		r.require(err == nil, path+".path", "%q is no RFC 9535 path: %v", query, err)
	}
}

// mapOrder checks that an order names existing maps, and existing keys in them once each.
func (r *report) mapOrder(path string, members, around map[string]any) {
	for name, keys := range object(members["map_order"]) {
		from := around
		if path == "$.ucp" {
			from = members
		}
		where := path + ".map_order." + name
		target := object(from[name])
		r.require(target != nil, where, "there is no map %q", name)
		seen := map[string]bool{}
		for _, key := range list(keys) {
			_, found := target[text(key)]
			r.require(target == nil || found, where, "%q is not in the map", text(key))
			r.require(!seen[text(key)], where, "%q is there twice", text(key))
			seen[text(key)] = true
		}
	}
}

// credentials checks that no credential is returned. The platform sends them to the shop only.
func (r *report) credentials(path string, value any) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			r.credentials(at(path, i), item)
		}
	case map[string]any:
		for name, child := range value {
			r.require(name != "credential", path+".credential", "a credential must not be sent back")
			r.credentials(path+schema.PathOf([]string{name})[1:], child)
		}
	}
}

// https checks that an address is absolute and uses https. A shop on the local machine may use http.
func (r *report) https(name string, value any) {
	address, given := value.(string)
	if !given {
		return
	}
	parsed, err := url.Parse(address)
	r.require(err == nil && (local(parsed) || parsed.Scheme == "https" && parsed.Host != ""), "$."+name, "%q is no absolute https address", address)
}

// local reports whether an address is on the local machine.
func local(address *url.URL) bool {
	return address.Scheme == "http" && slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, address.Hostname())
}
