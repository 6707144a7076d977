package shopify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// levelsQuery reads the changed stock of one location. A bulk operation reads all stock. The query is for levels, because an item does
// not count as updated when its stock changes, but a level does, and a location's levels can be filtered by that time.
const levelsQuery = `query Levels($location: ID!, $first: Int!, $after: String, $query: String) {
  location(id: $location) {
    inventoryLevels(first: $first, after: $after, query: $query) {
      pageInfo { hasNextPage endCursor }
      nodes { updatedAt item { id sku } quantities(names: ["available"]) { name quantity } }
    }
  }
}`

// levelsBulk requests the item of each level, so that a line contains everything about a level.
const levelsBulk = `{
  inventoryItems {
    edges { node {
      id
      inventoryLevels { edges { node {
        id updatedAt item { id sku } location { id } quantities(names: ["available"]) { name quantity }
      } } }
    } }
  }
}`

const locationsQuery = `query Locations($after: String) {
  locations(first: 100, after: $after, includeInactive: true) {
    pageInfo { hasNextPage endCursor }
    nodes { id }
  }
}`

// maxLocations is ten times the limit of Shopify's largest plan.
const maxLocations = 10_000

// readLevels reads a page of a location's levels. at is the location and the cursor in it; "" is the first location.
func (c *Connector) readLevels(ctx context.Context, conn ports.Connection, r ports.PageRequest, at string) (ports.RecordPage, error) {
	location, after, _ := strings.Cut(at, ":")
	if location == "" {
		first, err := c.locationAfter(ctx, conn, "")
		if err != nil || first == "" {
			return ports.RecordPage{}, err
		}
		location = first
	}
	window := parseWindow(after)
	variables := window.filter(r.Since, "inventory_item_id")
	variables["location"] = "gid://shopify/Location/" + location
	var found struct {
		Location *struct{ InventoryLevels *page[json.RawMessage] }
	}
	denied, err := c.fetch(ctx, conn, levelsQuery, levelsPage, variables, &found)
	if err != nil {
		return ports.RecordPage{}, err
	}
	p := ports.RecordPage{Notices: notices(syncrun.Inventory, denied)}
	if found.Location != nil { // nil: the location was closed meanwhile
		list := found.Location.InventoryLevels
		cursor, err := c.next(list)
		if err != nil {
			return ports.RecordPage{}, err
		}
		for _, node := range list.Nodes {
			p.Records = append(p.Records, read(syncrun.Inventory, node, recordContext{location: location}, levelRecords)...)
		}
		if cursor != "" {
			next, err := c.nextLevels(window, list, cursor)
			p.Next = pageCursor + location + ":" + next.String()
			return p, err
		}
	}
	next, err := c.locationAfter(ctx, conn, location)
	if err != nil {
		return ports.RecordPage{}, err
	}
	if next != "" {
		p.Next = pageCursor + next + ":"
	}
	return p, nil
}

const levelsPage = 250

// unordered replaces a window's last item once the items are not in ascending order.
const unordered = "-"

// nextLevels returns the position of a location's next page. The order of levels is not documented. If they are not in the order
// of the items, no new window can continue after as many as Shopify pages through.
func (c *Connector) nextLevels(at window, list *page[json.RawMessage], cursor string) (window, error) {
	if cursor == at.after {
		return at, nil // the pages form a circle, which ends the run
	}
	ids := idsOf(list.Nodes, itemOf)
	next := window{
		above: at.above,
		read:  at.read + len(list.Nodes),
		last:  at.last,
		after: cursor,
	}
	switch {
	case len(ids) == 0:
	case at.last == unordered, !ascending(ids), at.last != "" && compareIDs(ids[0], at.last) <= 0:
		next.last = unordered
	default:
		next.last = ids[len(ids)-1]
	}
	switch {
	case next.read+levelsPage <= pagedObjects:
		return next, nil
	case next.last == unordered || next.last == "":
		return window{}, c.platform.Refused(fmt.Sprintf("pages through %d stock levels of a location and no more: "+
			"allow the app bulk queries in the Partner Dashboard, at its API access requests", pagedObjects))
	}
	return window{above: next.last, last: next.last}, nil
}

// locationAfter returns the shop's next location after another by number, or "" if there is none.
func (c *Connector) locationAfter(ctx context.Context, conn ports.Connection, before string) (string, error) {
	variables := map[string]any{"after": nil}
	var all []string
	for {
		var found struct {
			Locations *page[struct{ ID gid }]
		}
		if err := c.ask(ctx, conn, locationsQuery, variables, &found); err != nil {
			return "", err
		}
		if found.Locations == nil || found.Locations.Nodes == nil || len(all) > maxLocations {
			return "", c.platform.Failed("does not tell the shop's locations", nil)
		}
		for _, l := range found.Locations.Nodes {
			all = append(all, string(l.ID))
		}
		if !found.Locations.PageInfo.HasNextPage || len(found.Locations.Nodes) == 0 {
			break
		}
		variables["after"] = found.Locations.PageInfo.EndCursor
	}
	slices.SortFunc(all, compareIDs)
	for _, location := range all {
		if compareIDs(location, before) > 0 {
			return location, nil
		}
	}
	return "", nil
}

func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// levelsOf parses levels.
func levelsOf(part []byte, last bool, _ recordContext) (records []syncrun.Record, used int) {
	for used < len(part) && len(records) < bulkPage {
		length := lineLength(part[used:], last)
		if length == 0 {
			break
		}
		records = append(records, levelLine(bytes.TrimSpace(part[used:used+length]))...)
		used += length
	}
	return records, used
}

// levelLine reads a line of the file. It returns no record for the line of an item, which has no parent.
func levelLine(text []byte) []syncrun.Record {
	var n struct {
		Parent   json.RawMessage `json:"__parentId"`
		Location struct{ ID gid }
	}
	if err := json.Unmarshal(text, &n); len(text) == 0 || err == nil && n.Parent == nil {
		return nil
	}
	return read(syncrun.Inventory, text, recordContext{location: string(n.Location.ID)}, levelRecords)
}

// levelRecords returns no record for a level without an available quantity.
func levelRecords(node json.RawMessage, with recordContext) ([]syncrun.Record, error) {
	var n struct {
		Item struct {
			ID  gid
			SKU string
		}
		UpdatedAt  moment
		Quantities []struct {
			Name     string
			Quantity int
		}
	}
	if err := requireID(json.Unmarshal(node, &n), &n.Item.ID); err != nil {
		return nil, err
	}
	if with.location == "" {
		return nil, errNoLocation
	}
	for _, q := range n.Quantities {
		if q.Name == "available" {
			return []syncrun.Record{level(string(n.Item.ID), strings.TrimSpace(n.Item.SKU), with.location, q.Quantity, time.Time(n.UpdatedAt))}, nil
		}
	}
	return nil, nil
}

var errNoLocation = errors.New("a level without a location")

// levelID returns the id of a level, or "" if the item or the location is unknown.
func levelID(item, location string) string {
	if item == "" || location == "" {
		return ""
	}
	return item + ":" + location
}

func level(item, sku, location string, quantity int, at time.Time) syncrun.Record {
	return syncrun.Record{
		Resource: syncrun.Inventory,
		Remote:   levelID(item, location),
		At:       at,
		Level: &syncrun.Level{
			Item:     item,
			SKU:      sku,
			Location: "shopify-" + location,
			Quantity: quantity,
		},
	}
}
