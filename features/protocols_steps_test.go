package features

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// protocolsContext turns protocols of a shop on and off, and searches by each of them.
type protocolsContext struct{ *scenario }

func protocolSteps(sc stepRegistry, s *scenario) {
	c := &protocolsContext{s}
	sc.Step(`^the merchant turns (UCP|MCP) (on|off)$`, func(protocol, state string) error { return c.sets(protocol, strconv.FormatBool(state == "on")) })
	sc.Then(`^agents are served over (\w+) and (\w+)$`, c.areServed)
	sc.Then(`^agents are not served over (UCP|MCP)$`, c.areNotServed)
	sc.Then(`^the manifest names (UCP|MCP), and not (UCP|MCP)$`, c.manifestNames)
}

// sets changes the setting of a protocol to "true", "false" or, for the default, "null".
func (c *protocolsContext) sets(protocol, state string) error {
	if err := c.shops.setsPartField("/settings", "protocols."+strings.ToLower(protocol), state); err != nil {
		return err
	}
	return c.unexpectedRefusal()
}

// searchesOver searches for a tent.
func (c *protocolsContext) searchesOver(protocol string) error {
	switch protocol {
	case "UCP":
		return c.ucp.agentSends("", http.MethodPost, "/ucp/catalog/search", `{"query": "tent"}`)
	case "MCP":
		return c.ucp.modelSends("tools/call", `{"name": "search_catalog", "arguments": {"catalog": {"query": "tent"}}}`, "/mcp")
	case "ACP":
		return c.hostile.buyerSearchesFor("trail tent")
	}
	return fmt.Errorf("no protocol is %q", protocol)
}

func (c *protocolsContext) areServed(one, other string) error {
	for _, protocol := range []string{one, other} {
		if err := c.searchesOver(protocol); err != nil {
			return err
		}
		if err := c.unexpectedRefusal(); err != nil {
			return err
		}
		if err := c.statusIs(http.StatusOK); err != nil {
			return err
		}
	}
	return nil
}

func (c *protocolsContext) areNotServed(protocol string) error {
	if err := c.searchesOver(protocol); err != nil {
		return err
	}
	return c.statusIs(http.StatusNotFound)
}

func (c *protocolsContext) manifestNames(one, other string) error {
	if err := c.discovery.readsManifest(); err != nil {
		return err
	}
	paths := map[string]string{"UCP": `/.well-known/ucp$`, "MCP": `/mcp$`}
	return c.answerShows(
		"protocols."+strings.ToLower(one), "matches "+paths[one],
		"protocols."+strings.ToLower(other), "absent",
	)
}
