package agentprofiles

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// Bounds of a profile. Documented ones have less than 5 KiB.
const (
	MaxSize      = 256 << 10 // bytes
	maxDepth     = 32        // of its JSON
	maxNames     = 64        // of capabilities, of services, and of handlers
	maxEntries   = 16        // under a name
	maxParents   = 16        // of an extension
	maxKeys      = 32
	maxKeyID     = 256 // bytes
	maxTypes     = 32  // of a handler's instruments
	maxTypeName  = 100 // bytes
	maxHookBytes = agentid.MaxProfile
)

// Read parses the profile at an address. If the protocol's release is not one of ours, it reads only the release, because
// the schema may differ. A violation of the platform profile's schema, in the members that we read, is profile_malformed
// and names the first such member.
//
// A capability whose schema lies on a host that its name is not bound to is omitted unless the profile is trusted, because
// anybody could claim a capability of another's domain.
func Read(body []byte, address string, trusted bool) (agentid.Profile, error) {
	p := agentid.Profile{URL: address}
	if err := readable(body); err != nil {
		return p, err
	}
	var first struct {
		UCP *struct {
			Version *string `json:"version"`
		} `json:"ucp"`
	}
	if err := decode("", body, &first); err != nil {
		return p, err
	}
	if first.UCP == nil || first.UCP.Version == nil {
		return p, malformed("ucp.version", "is required")
	}
	release, ok := capability.ParseVersion(*first.UCP.Version)
	if !ok {
		return p, malformed("ucp.version", "must be a date such as "+capability.Current().String())
	}
	p.Declares.Release = release
	if !release.Ours() {
		return p, nil
	}
	var d document
	if err := decode("", body, &d); err != nil {
		return p, err
	}
	return p, d.read(&p, trusted)
}

// readable checks that a body is JSON within the limits of size and depth.
func readable(body []byte) error {
	if len(body) > MaxSize {
		return malformed("", "is larger than "+strconv.Itoa(MaxSize>>10)+" KiB")
	}
	d := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		_, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF) && d.InputOffset() > 0:
			return nil
		case err != nil:
			return malformed("", "is not JSON").Because(err)
		case d.StackDepth() > maxDepth:
			return malformed("", "is nested deeper than "+strconv.Itoa(maxDepth))
		}
	}
}

// decode decodes the JSON at a path of the profile.
func decode(at string, body []byte, into any) error {
	err := json.Unmarshal(body, into)
	var semantic *json.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &semantic):
		return malformed(strings.Trim(at+"."+dotted(semantic.JSONPointer), "."), "has a value of the wrong type")
	}
	return malformed(at, "is not JSON").Because(err)
}

// maxPath bounds the path in an error, because the profile chooses the names in it.
const maxPath = 300

func dotted(pointer jsontext.Pointer) string {
	var parts []string
	for part := range pointer.Tokens() {
		parts = append(parts, part)
	}
	path := strings.Join(parts, ".")
	if len(path) > maxPath {
		path = strings.ToValidUTF8(path[:maxPath], "") + "…"
	}
	return path
}

// malformed returns the error for a field of the profile, "" for all of it, and its problem.
func malformed(field, problem string) *fault.Error {
	if field == "" {
		return fault.New(fault.Invalid, codeMalformed, "The agent's profile "+problem+".")
	}
	return fault.New(fault.Invalid, codeMalformed, "The agent's profile is malformed: "+field+" "+problem+".").With(field, problem)
}

// document is a profile of either version: keys are the keys of 2026-08-25, and signing_keys those of 2026-04-08.
type document struct {
	UCP struct {
		Services     map[string][]entity `json:"services"`
		Capabilities map[string][]entity `json:"capabilities"`
		Handlers     map[string][]entity `json:"payment_handlers"`
	} `json:"ucp"`
	Keys        jsontext.Value `json:"keys"` // in the other version this may be anything
	SigningKeys jsontext.Value `json:"signing_keys"`
}

// entity is an entry of one of the registries.
type entity struct {
	Version     *string        `json:"version"`
	Spec        *string        `json:"spec"`
	Schema      *string        `json:"schema"`
	ID          *string        `json:"id"`
	Transport   *string        `json:"transport"`
	Extends     *names         `json:"extends"`
	Config      jsontext.Value `json:"config"`
	Instruments *[]struct {
		Type *string `json:"type"`
	} `json:"available_instruments"`
}

// names is one name or a list of names in JSON.
type names []string

// UnmarshalJSONFrom reads either form.
func (n *names) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '"' {
		var one string
		err := json.UnmarshalDecode(d, &one)
		*n = names{one}
		return err
	}
	var list []string
	err := json.UnmarshalDecode(d, &list)
	*n = list
	return err
}

func (d *document) read(p *agentid.Profile, trusted bool) error {
	for _, registry := range []struct {
		field   string
		entries map[string][]entity
	}{{"ucp.services", d.UCP.Services}, {"ucp.payment_handlers", d.UCP.Handlers}} {
		if registry.entries == nil {
			return malformed(registry.field, "is required")
		}
	}
	if err := eachItem("ucp.services", d.UCP.Services, checkService); err != nil {
		return err
	}
	if err := eachItem("ucp.capabilities", d.UCP.Capabilities, func(i item) error { return readCapability(p, i, trusted) }); err != nil {
		return err
	}
	if err := eachItem("ucp.payment_handlers", d.UCP.Handlers, func(i item) error { return readHandler(p, i) }); err != nil {
		return err
	}
	if p.Declares.Release == capability.V20260408 {
		return readKeys(p, "signing_keys", d.SigningKeys)
	}
	return readKeys(p, "keys", d.Keys)
}

// checkService checks a service and stores nothing, because we call no services of agents.
func checkService(i item) error {
	switch transport := i.entity.Transport; {
	case transport == nil:
		return malformed(i.field+".transport", "is required")
	case *transport == "a2a":
		return i.require("spec", i.entity.Spec)
	case *transport != "rest" && *transport != "mcp" && *transport != "embedded":
		return malformed(i.field+".transport", "must be rest, mcp, a2a or embedded")
	}
	return i.described()
}

func readCapability(p *agentid.Profile, i item, trusted bool) error {
	d := capability.Declared{Name: i.name, Version: i.version}
	if err := i.described(); err != nil {
		return err
	}
	if i.entity.Extends != nil {
		if n := len(*i.entity.Extends); n == 0 || n > maxParents {
			return malformed(i.field+".extends", "must have between 1 and "+strconv.Itoa(maxParents)+" names")
		}
		for _, text := range *i.entity.Extends {
			parent, ok := capability.ParseName(text)
			if !ok {
				return malformed(i.field+".extends", "must be names such as "+capability.Checkout.String())
			}
			d.Extends = append(d.Extends, parent)
		}
	}
	if !trusted && !bound(i.name, *i.entity.Schema) {
		return nil
	}
	p.Declares.Capabilities = append(p.Declares.Capabilities, d)
	if i.name != capability.Order {
		return nil
	}
	return readHook(p, i)
}

// bound reports whether a capability's name is bound to the address of its schema ("Authority Binding").
func bound(name capability.Name, schema string) bool {
	u, err := url.Parse(schema)
	return err == nil && u.Scheme == "https" && u.User == nil && name.BoundTo(u.Hostname())
}

// readHook reads the agent's webhook URL for orders.
func readHook(p *agentid.Profile, i item) error {
	var config struct {
		URL *string `json:"webhook_url"`
	}
	if len(i.entity.Config) == 0 {
		return nil
	}
	if json.Unmarshal(i.entity.Config, &config) != nil {
		return malformed(i.field+".config.webhook_url", "must be a URL")
	}
	if config.URL == nil {
		return nil
	}
	if u, err := url.Parse(*config.URL); err != nil || u.Host == "" || len(*config.URL) > maxHookBytes {
		return malformed(i.field+".config.webhook_url", "must be a URL of at most "+strconv.Itoa(maxHookBytes)+" bytes")
	}
	if p.OrderHooks == nil {
		p.OrderHooks = map[capability.Version]string{}
	}
	p.OrderHooks[i.version] = *config.URL
	return nil
}

func readHandler(p *agentid.Profile, i item) error {
	if err := i.described(); err != nil {
		return err
	}
	if err := i.require("id", i.entity.ID); err != nil {
		return err
	}
	h := capability.Handler{Name: i.name}
	if i.entity.Instruments != nil {
		if n := len(*i.entity.Instruments); n == 0 || n > maxTypes {
			return malformed(i.field+".available_instruments", "must have between 1 and "+strconv.Itoa(maxTypes)+" entries")
		}
		for _, instrument := range *i.entity.Instruments {
			if instrument.Type == nil || len(*instrument.Type) > maxTypeName {
				return malformed(i.field+".available_instruments", "must have types of at most "+strconv.Itoa(maxTypeName)+" bytes")
			}
			h.Instruments = append(h.Instruments, *instrument.Type)
		}
	}
	p.Handlers = append(p.Handlers, h)
	return nil
}
