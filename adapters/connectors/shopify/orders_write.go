package shopify

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.OrderWriter = (*Connector)(nil)

// orderNamespace and orderKey identify a metafield of type id with our order's id. Its values are unique: Shopify creates no second
// order with the same id, and finds the order at once, whereas a search may lag behind
// (https://shopify.dev/docs/apps/build/custom-data/metafields/working-with-custom-ids, read on 2026-11-28).
const (
	orderNamespace = "$app"
	orderKey       = "haggle_order"
)

const defineOrderID = `mutation DefineOrderID($definition: MetafieldDefinitionInput!) {
  metafieldDefinitionCreate(definition: $definition) {
    createdDefinition { id }
    userErrors { message code }
  }
}`

const writtenFields = `
fragment Written on Order {
  id name
  lineItems(first: 250) { nodes { variant { inventoryItem { id tracked } } } }
}`

const findOrder = `query FindOrder($identifier: OrderIdentifierInput!) {
  orderByIdentifier(identifier: $identifier) { ...Written }
}` + writtenFields

const variantsOfItems = `query VariantsOfItems($ids: [ID!]!) {
  nodes(ids: $ids) { ... on InventoryItem { id variant { id } } }
}`

// https://shopify.dev/docs/api/admin-graphql/2026-10/mutations/orderCreate, read on 2026-11-28.
const createOrder = `mutation CreateOrder($order: OrderCreateOrderInput!, $options: OrderCreateOptionsInput) {
  orderCreate(order: $order, options: $options) {
    order { ...Written }
    userErrors { message code }
  }
}` + writtenFields

const levelsOfItem = `query LevelsOfItem($id: ID!, $first: Int!, $after: String) {
  inventoryItem(id: $id) {
    tracked
    inventoryLevels(first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { updatedAt item { id sku } location { id } quantities(names: ["available"]) { name quantity } }
    }
  }
}`

// writtenOrder is an order in the fragment Written.
type writtenOrder struct {
	ID        gid
	Name      string
	LineItems page[struct {
		Variant *struct {
			InventoryItem struct {
				ID      gid
				Tracked bool
			}
		}
	}]
}

func (o writtenOrder) order(store string) ports.WrittenOrder {
	w := ports.WrittenOrder{
		Remote: string(o.ID),
		Name:   o.Name,
		URL:    "https://" + store + "/admin/orders/" + string(o.ID),
	}
	for _, l := range o.LineItems.Nodes {
		if l.Variant != nil && l.Variant.InventoryItem.Tracked {
			w.Counted = append(w.Counted, string(l.Variant.InventoryItem.ID))
		}
	}
	return w
}

// RepeatAfter returns 0, because the ids of orders are unique and refunds have idempotency keys.
func (c *Connector) RepeatAfter() time.Duration { return 0 }

// FindOrder finds an order by our id in its metafield.
func (c *Connector) FindOrder(ctx ports.Outbound, conn ports.Connection, d ports.OrderDraft) (*ports.WrittenOrder, error) {
	if err := c.defineMetafield(ctx, conn); err != nil {
		return nil, err
	}
	var found struct{ OrderByIdentifier *writtenOrder }
	identifier := map[string]any{"customId": map[string]any{
		"namespace": orderNamespace, "key": orderKey, "value": d.Order.ID.String(),
	}}
	err := c.ask(ctx, conn, findOrder, map[string]any{"identifier": identifier}, &found)
	if err != nil || found.OrderByIdentifier == nil {
		return nil, err
	}
	written := found.OrderByIdentifier.order(conn.Store)
	return &written, nil
}

// defineMetafield creates the definition of the metafield with our order's id. Each process requests it once per shop.
func (c *Connector) defineMetafield(ctx ports.Outbound, conn ports.Connection) error {
	a := c.accounts.Of(conn.Key)
	a.mu.Lock()
	defined := a.defined
	a.mu.Unlock()
	if defined {
		return nil
	}
	var made struct {
		MetafieldDefinitionCreate struct{ UserErrors []userError }
	}
	definition := map[string]any{
		"name": "Haggle order", "namespace": orderNamespace, "key": orderKey, "type": "id", "ownerType": "ORDER",
	}
	if err := c.ask(ctx, conn, defineOrderID, map[string]any{"definition": definition}, &made); err != nil {
		return err
	}
	problems := slices.DeleteFunc(made.MetafieldDefinitionCreate.UserErrors, func(e userError) bool { return e.Code == "TAKEN" })
	if err := c.userRefused(conn, problems); err != nil {
		return err
	}
	a.mu.Lock()
	a.defined = true
	a.mu.Unlock()
	return nil
}

// WriteOrder creates a paid order. Its lines have the agreed prices, because orderCreate accepts no discount of a line.
func (c *Connector) WriteOrder(ctx ports.Outbound, conn ports.Connection, d ports.OrderDraft) (ports.WrittenOrder, error) {
	if err := c.defineMetafield(ctx, conn); err != nil {
		return ports.WrittenOrder{}, err
	}
	variants, err := c.variantsOf(ctx, conn, d.Items)
	if err != nil {
		return ports.WrittenOrder{}, err
	}
	var made struct {
		OrderCreate struct {
			Order      *writtenOrder
			UserErrors []userError
		}
	}
	err = c.ask(ctx, conn, createOrder, map[string]any{
		"order": c.orderInput(d, variants),
		"options": map[string]any{
			"inventoryBehaviour": "DECREMENT_OBEYING_POLICY", "sendReceipt": false, "sendFulfillmentReceipt": false,
		},
	}, &made)
	if err != nil {
		return ports.WrittenOrder{}, err
	}
	if o := made.OrderCreate.Order; o != nil {
		return o.order(conn.Store), nil
	}
	if found, err := c.FindOrder(ctx, conn, d); err != nil || found != nil { // another request created it meanwhile
		return valueOrZero(found), err
	}
	for _, e := range made.OrderCreate.UserErrors {
		if e.Code == "INVENTORY_CLAIM_FAILED" {
			return ports.WrittenOrder{}, &ports.SoldOut{Reason: "Shopify has too little stock for it."}
		}
	}
	if err := c.userRefused(conn, made.OrderCreate.UserErrors); err != nil {
		return ports.WrittenOrder{}, err
	}
	return ports.WrittenOrder{}, c.platform.Failed("did not say whether it created the order", nil)
}

func valueOrZero[T any](v *T) (none T) {
	if v == nil {
		return none
	}
	return *v
}

// variantsOf returns the variants of items, by item. It leaves out items of deleted products.
func (c *Connector) variantsOf(ctx ports.Outbound, conn ports.Connection, items []string) (map[string]string, error) {
	var ids []string
	for _, item := range items {
		if item != "" {
			ids = append(ids, "gid://shopify/InventoryItem/"+item)
		}
	}
	slices.Sort(ids)
	variants := map[string]string{}
	for some := range slices.Chunk(slices.Compact(ids), 50) {
		var found struct {
			Nodes []*struct {
				ID      gid
				Variant *struct{ ID gid }
			}
		}
		if err := c.ask(ctx, conn, variantsOfItems, map[string]any{"ids": some}, &found); err != nil {
			return nil, err
		}
		for _, n := range found.Nodes {
			if n != nil && n.Variant != nil {
				variants[string(n.ID)] = "gid://shopify/ProductVariant/" + string(n.Variant.ID)
			}
		}
	}
	return variants, nil
}

// recentOrder is the age up to which an order is sent without its time, because Shopify refuses a time that is ahead of its
// clock.
const recentOrder = 10 * time.Minute

// orderInput returns an OrderCreateOrderInput
// (https://shopify.dev/docs/api/admin-graphql/2026-10/input-objects/OrderCreateOrderInput, read on 2026-11-28).
func (c *Connector) orderInput(d ports.OrderDraft, variants map[string]string) map[string]any {
	o := d.Order
	first, last := o.Address.Names()
	input := map[string]any{
		"currency": o.Total.Currency().Code(), "email": o.Email, "financialStatus": "PAID", "taxesIncluded": false, "test": !d.Live,
		"sourceName": "haggle", "sourceIdentifier": o.ID.String(), "tags": []string{"haggle"},
		"customAttributes": []map[string]any{{"key": "Haggle order", "value": o.Confirmation}},
		"metafields":       []map[string]any{{"namespace": orderNamespace, "key": orderKey, "type": "id", "value": o.ID.String()}},
		"lineItems":        lineInputs(d, variants),
		"transactions": []map[string]any{{
			"kind": "SALE", "status": "SUCCESS", "gateway": "haggle", "amountSet": moneyBag(o.Total), "authorizationCode": o.Payment.Provider, "test": !d.Live,
		}},
	}
	if o.Email != "" {
		input["customer"] = map[string]any{"toUpsert": map[string]any{"email": o.Email, "firstName": first, "lastName": last}}
	}
	if o.Notes != "" {
		input["note"] = o.Notes
	}
	if o.Address.Line1 != "" {
		input["shippingAddress"] = addressInput(o.Address)
	}
	if o.Fulfillment.ShippingOption != "" {
		input["shippingLines"] = []map[string]any{{
			"title": o.Fulfillment.ShippingOption, "code": o.Fulfillment.ShippingOption, "priceSet": moneyBag(o.Shipping),
		}}
	}
	if o.Tax.IsPositive() {
		input["taxLines"] = []map[string]any{{"title": "Tax", "priceSet": moneyBag(o.Tax)}}
	}
	if c.Clock.Now().Sub(o.CreatedAt) > recentOrder {
		input["processedAt"] = o.CreatedAt.UTC().Format(time.RFC3339)
	}
	return input
}

func lineInputs(d ports.OrderDraft, variants map[string]string) []map[string]any {
	lines := make([]map[string]any, len(d.Order.Lines))
	for n, l := range d.Order.Lines {
		line := map[string]any{"quantity": l.Quantity, "priceSet": moneyBag(l.Unit), "taxable": true, "requiresShipping": !l.Digital}
		if variant := variants[d.Items[n]]; variant != "" {
			line["variantId"] = variant
		} else {
			line["title"], line["sku"] = cmp.Or(l.Name, l.SKU), l.SKU
		}
		if l.Original.Minor() > l.Unit.Minor() {
			line["properties"] = []map[string]any{{"name": "List price", "value": l.Original.String() + " " + l.Original.Currency().Code()}}
		}
		lines[n] = line
	}
	return lines
}

// moneyBag returns a MoneyBagInput. The shop's currency is that of the project: see Inspect.
func moneyBag(a money.Amount) map[string]any {
	return map[string]any{"shopMoney": map[string]any{"amount": a.String(), "currencyCode": a.Currency().Code()}}
}

var provinceCode = regexp.MustCompile(`^[A-Z0-9]{1,3}$`)

// addressInput returns a MailingAddressInput.
func addressInput(a checkout.Address) map[string]any {
	first, last := a.Names()
	input := map[string]any{
		"firstName": first, "lastName": last, "address1": a.Line1, "address2": a.Line2, "city": a.City, "zip": a.PostalCode,
		"countryCode": a.Country, "phone": a.Phone,
	}
	switch {
	case provinceCode.MatchString(a.State):
		input["provinceCode"] = a.State
	case a.State != "":
		input["province"] = a.State
	}
	for name, text := range input {
		if text == "" {
			delete(input, name)
		}
	}
	return input
}

// ReadLevels reads the levels of items at all locations.
func (c *Connector) ReadLevels(ctx ports.Outbound, conn ports.Connection, items []string) (records []syncrun.Record, err error) {
	for _, item := range items {
		variables := map[string]any{"id": "gid://shopify/InventoryItem/" + item, "after": nil}
		for more := true; more; {
			var found struct {
				InventoryItem *struct {
					Tracked         bool
					InventoryLevels *page[levelNode]
				}
			}
			if _, err := c.fetch(ctx, conn, levelsOfItem, 100, variables, &found); err != nil {
				return nil, err
			}
			if found.InventoryItem == nil || !found.InventoryItem.Tracked || found.InventoryItem.InventoryLevels == nil {
				break // the item was deleted, or the shop does not track its stock
			}
			levels := found.InventoryItem.InventoryLevels
			for _, n := range levels.Nodes {
				records = append(records, n.record()...)
			}
			more = levels.PageInfo.HasNextPage && levels.PageInfo.EndCursor != ""
			variables["after"] = levels.PageInfo.EndCursor
		}
	}
	for n, r := range records { // a webhook of the same second may have had a more precise time
		records[n].WholeSecond = wholeSecond(r.At)
	}
	return records, nil
}

// levelNode is a level with its item and location.
type levelNode struct {
	Item struct {
		ID  gid
		SKU string
	}
	Location   struct{ ID gid }
	UpdatedAt  moment
	Quantities []struct {
		Name     string
		Quantity int
	}
}

func (n levelNode) record() []syncrun.Record {
	for _, q := range n.Quantities {
		if q.Name == "available" {
			return []syncrun.Record{level(string(n.Item.ID), strings.TrimSpace(n.Item.SKU), string(n.Location.ID), q.Quantity, time.Time(n.UpdatedAt))}
		}
	}
	return nil
}

// UpdateOrder sends a change of an order to the shop. It reports whether the shop restocks the pieces.
func (c *Connector) UpdateOrder(ctx ports.Outbound, conn ports.Connection, remote string, d ports.OrderDraft, step order.PlatformStep) (restocked bool, err error) {
	id := orderID(remote)
	switch s := step.(type) {
	case order.CancelStep:
		return true, c.cancelOrder(ctx, conn, id)
	case order.RefundStep:
		return c.refundOrder(ctx, conn, id, d, s)
	case order.ShipStep:
		return false, c.shipOrder(ctx, conn, id, s)
	}
	return false, &ports.PlatformRefusal{Reason: "Shopify cannot be told of it."}
}
