package agentprofiles

import (
	"maps"
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/domain/capability"
)

// item is an entry of a registry with its position.
type item struct {
	field   string // its path
	name    capability.Name
	version capability.Version
	entity  entity
}

// eachItem reads the entries of a registry in order of name, and checks the members that all entries have.
func eachItem(field string, registry map[string][]entity, read func(item) error) error {
	if len(registry) > maxNames {
		return malformed(field, "has more than "+strconv.Itoa(maxNames)+" names")
	}
	for _, text := range slices.Sorted(maps.Keys(registry)) {
		name, ok := capability.ParseName(text)
		if !ok {
			return malformed(field, "must have names such as "+capability.Checkout.String())
		}
		if len(registry[text]) > maxEntries {
			return malformed(field+"."+text, "has more than "+strconv.Itoa(maxEntries)+" entries")
		}
		for n, e := range registry[text] {
			i := item{
				field:  field + "." + text + "." + strconv.Itoa(n),
				name:   name,
				entity: e,
			}
			if err := i.check(); err != nil {
				return err
			}
			if err := read(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (i *item) check() error {
	if err := i.require("version", i.entity.Version); err != nil {
		return err
	}
	var ok bool
	if i.version, ok = capability.ParseVersion(*i.entity.Version); !ok {
		return malformed(i.field+".version", "must be a date such as "+capability.Current().String())
	}
	if kind := i.entity.Config.Kind(); len(i.entity.Config) > 0 && kind != '{' && kind != 'n' {
		return malformed(i.field+".config", "must be an object")
	}
	return nil
}

func (i *item) require(member string, value *string) error {
	if value == nil {
		return malformed(i.field+"."+member, "is required")
	}
	return nil
}

// described checks the members that every entry needs, except a service with the transport a2a.
func (i *item) described() error {
	if err := i.require("spec", i.entity.Spec); err != nil {
		return err
	}
	return i.require("schema", i.entity.Schema)
}
