package judge

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// anyProfile checks the rules that the profiles of both sides share.
func (r *report) anyProfile() {
	ucp := object(r.root["ucp"])
	r.require(text(ucp["version"]) == string(r.judge.version), "$.ucp.version", "it is %q, %s was expected", text(ucp["version"]), r.judge.version)
	r.constraints("$", r.root)
	for _, registry := range []string{"services", "capabilities", "payment_handlers"} {
		for name, entries := range object(ucp[registry]) {
			for i, entry := range list(entries) {
				r.entity(at(fmt.Sprintf("$.ucp.%s['%s']", registry, name), i), name, object(entry))
			}
		}
	}
	_, odd := ucp["request_constraints"]
	r.require(!odd, "$.ucp.request_constraints", "a profile has none")
	r.keys()
}

// entity checks that a schema, and the specification of a capability, is on the host that owns the name, and that UCP's
// own entities have the version of the profile.
func (r *report) entity(path, name string, entry map[string]any) {
	if strings.HasPrefix(name, "dev.ucp.") {
		said := text(entry["version"])
		r.require(said == string(r.judge.version), path+".version", "it is %q, the profile's is %s", said, r.judge.version)
	}
	capability := strings.HasPrefix(path, "$.ucp.capabilities[")
	for _, field := range []string{"schema", "spec"} {
		address, declared := entry[field].(string)
		if !declared {
			continue
		}
		parsed, err := url.Parse(address)
		own := Owns(address, name)
		if err == nil && !strings.HasPrefix(name, "dev.ucp.") {
			own = own || local(parsed) // a local host owns no name
		}
		if field == "spec" && !capability {
			own = err == nil && (parsed.Scheme == "https" || local(parsed))
		}
		r.require(own, path+"."+field, "the host of %q does not own the name %s", address, name)
	}
}

// Owns reports whether an address may serve the schema of a name: the reversed host must be the name or a prefix of it.
func Owns(address, name string) bool {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "https" || parsed.User != nil {
		return false
	}
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(parsed.Hostname(), ".")), ".")
	slices.Reverse(labels)
	authority := strings.Join(labels, ".")
	numeric := strings.Trim(parsed.Hostname(), "0123456789.:[]") == ""
	return len(labels) > 1 && !numeric && (name == authority || strings.HasPrefix(name, authority+"."))
}

// keys checks that keys are public, have different kids, and are where the version has them.
func (r *report) keys() {
	name, other := "keys", "signing_keys"
	if r.judge.version == schema.V20260408 {
		name, other = other, name
	}
	r.require(r.root[other] == nil, "$."+other, "%s has %s", r.judge.version, name)
	seen := map[string]bool{}
	for i, entry := range list(r.root[name]) {
		where, key := at("$."+name, i), object(entry)
		id := text(key["kid"])
		r.require(!seen[id], where+".kid", "%q is there twice", id)
		seen[id] = true
		for _, private := range []string{"d", "p", "q", "dp", "dq", "qi", "k"} {
			r.require(key[private] == nil, where+"."+private, "it is private")
		}
	}
}

// businessProfile checks the required parts of a shop's profile.
func (r *report) businessProfile() {
	r.anyProfile()
	ucp := object(r.root["ucp"])
	for name, entries := range object(ucp["services"]) {
		for i, entry := range list(entries) {
			where, service := at(fmt.Sprintf("$.ucp.services['%s']", name), i), object(entry)
			if text(service["transport"]) != "embedded" {
				r.https(where[2:]+".endpoint", service["endpoint"])
			}
		}
	}
	capabilities := object(ucp["capabilities"])
	for name, entries := range capabilities {
		for i, entry := range list(entries) {
			where := at(fmt.Sprintf("$.ucp.capabilities['%s']", name), i)
			r.require(object(entry)["schema"] != nil || r.judge.version == schema.V20260408, where+".schema", "a capability declares one")
			r.orphan(where, object(entry), capabilities)
			if name == Fulfillment {
				r.fulfillmentConfig(where, entry)
			}
		}
	}
	versions := object(ucp["supported_versions"])
	_, itself := versions[string(r.judge.version)]
	r.require(!itself, "$.ucp.supported_versions", "the profile's own version is no other")
	for version, address := range versions {
		r.https("ucp.supported_versions['"+version+"']", address)
	}
	handlers := map[string]bool{}
	for name, entries := range object(ucp["payment_handlers"]) {
		for i, entry := range list(entries) {
			id := text(object(entry)["id"])
			r.require(!handlers[id], at(fmt.Sprintf("$.ucp.payment_handlers['%s']", name), i)+".id", "%q is there twice", id)
			handlers[id] = true
		}
	}
}

// fulfillmentConfig checks the config of the fulfillment capability, which the schema of the profile does not.
func (r *report) fulfillmentConfig(path string, entry any) {
	found, err := schema.Validate(schema.Ref{
		Version:   r.judge.version,
		Direction: schema.Response,
		Operation: "read",
		Location:  "shopping/fulfillment.json#/$defs/" + Fulfillment + "/business_schema",
	}, entry)
	if err != nil {
		r.add(path, "%v", err)
	}
	for _, problem := range found {
		r.add(path+problem.Path[1:], "%s", problem.Reason)
	}
}

// orphan checks that an extension extends a capability that is offered.
func (r *report) orphan(path string, entry, capabilities map[string]any) {
	parents := list(entry["extends"])
	if single := text(entry["extends"]); single != "" {
		parents = []any{single}
	}
	offered := func(parent any) bool { return capabilities[text(parent)] != nil }
	r.require(len(parents) == 0 || slices.ContainsFunc(parents, offered), path+".extends", "none of %v is offered", parents)
}
