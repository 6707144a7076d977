package platforms

import (
	"errors"
	"slices"
	"strings"
)

// rootObject is where queries and mutations begin.
type rootObject struct {
	s  *shopify
	c  *call
	is string
}

func (r rootObject) kind() string { return r.is }

func (r rootObject) field(name string, args map[string]any) any {
	s := r.s
	text := func(name string) string { value, _ := args[name].(string); return value }
	switch name {
	case "shop":
		return facts{"Shop", map[string]any{
			"id": gid("Shop", shopNumber), "name": "Trailhead Outfitters", "email": "hello@trailhead.example.com", "myshopifyDomain": s.p.config.Shop,
			"currencyCode": "USD", "url": "https://" + s.p.config.Shop, "ianaTimezone": "America/New_York", "createdAt": wholeSeconds(epoch.UnixMilli()),
		}}
	case "products", "productVariants", "inventoryItems", "orders", "customers", "locations":
		return s.list(name, args)
	case "productsCount":
		return facts{"Count", map[string]any{"count": tally(len(s.products), s.standing), "precision": "EXACT"}}
	case "node":
		return s.anything(text("id"))
	case "product", "inventoryItem", "order", "customer", "location":
		return s.one(strings.ToUpper(name[:1])+name[1:], text("id"))
	case "webhookSubscriptions":
		return s.listHooks(args)
	case "webhookSubscriptionCreate":
		return s.createHook(args)
	case "webhookSubscriptionDelete":
		return s.deleteHook(text("id"))
	case "bulkOperationRunQuery":
		return s.bulk.run(text("query"), s.p.url(Shopify, r.c.Request))
	case "bulkOperationCancel":
		return s.bulk.cancel(text("id"))
	case "currentBulkOperation":
		return s.bulk.current()
	}
	return nil
}

// facts is an object whose fields are known beforehand.
type facts struct {
	of     string
	values map[string]any
}

func (f facts) kind() string                            { return f.of }
func (f facts) field(name string, _ map[string]any) any { return f.values[name] }

func (s *shopify) standing(n int) bool { return !s.products[n].deleted }

func (s *shopify) anything(id string) any {
	kind, _, _ := strings.Cut(strings.TrimPrefix(id, "gid://shopify/"), "/")
	switch kind {
	case "BulkOperation":
		return s.bulk.find(id)
	case "Product", "ProductVariant", "InventoryItem", "Order", "Customer", "Location":
		return s.one(kind, id)
	}
	return nil
}

// one is nil, without a type, where there is none.
func (s *shopify) one(kind, id string) any {
	number, is := numberOf(id, kind)
	if !is {
		return errors.New("invalid id")
	}
	within := func(base, n int) (int, bool) { return number - base, number >= base && number-base < n }
	switch kind {
	case "Product":
		if n, found := within(productBase, len(s.products)); found && s.standing(n) {
			return productObject{s, n}
		}
	case "ProductVariant":
		if n, found := within(variantBase, len(s.items)); found && s.standing(s.items[n].product) {
			return variantObject{s, n}
		}
	case "InventoryItem":
		if n, found := within(itemBase, len(s.items)); found && s.standing(s.items[n].product) {
			return itemObject{s, n}
		}
	case "Order":
		if n, found := within(orderBase, len(s.orders)); found {
			return orderObject{s, n}
		}
	case "Customer":
		if n, found := within(customerBase, len(s.customers)); found && !s.customers[n].deleted {
			return customerObject{s, n}
		}
	case "Location":
		if n := slices.Index(locationNumbers[:], number); n >= 0 {
			return locationObject{s, n}
		}
	}
	return nil
}

func (s *shopify) list(name string, args map[string]any) any {
	query, _ := args["query"].(string)
	terms, err := readSearch(query, "updated_at", "created_at", "id", "status", "sku", "email", "name")
	if err != nil {
		return err
	}
	var l listing
	switch name {
	case "products":
		l = s.productListing(terms)
	case "productVariants", "inventoryItems":
		l = s.itemListing(name, terms)
	case "orders":
		l = s.orderListing(terms)
	case "customers":
		l = s.customerListing(terms)
	default:
		l = listing{of: "Location", n: 2, will: func(int) bool { return true }, show: func(n int) object { return locationObject{s, n} }}
	}
	switch sort, _ := args["sortKey"].(string); sort {
	case "ID", "", "RELEVANCE", "POSITION", "ORDER_NUMBER":
		l.value = nil
	case "CREATED_AT", "PROCESSED_AT":
		l.value = l.created
	case "UPDATED_AT":
	default:
		return errors.New("the look-alike cannot sort by " + sort)
	}
	return l.connection(args)
}

func (s *shopify) productListing(terms []term) listing {
	return listing{
		of: "Product", n: len(s.products),
		will: func(n int) bool {
			p := s.products[n]
			return s.standing(n) && (len(terms) == 0 || all(terms,
				map[string]int64{"updated_at": p.updated, "created_at": p.created, "id": int64(productBase + n)},
				map[string]string{"status": p.status, "sku": s.items[p.first].sku}))
		},
		value:   func(n int) int64 { return s.products[n].updated },
		created: func(n int) int64 { return s.products[n].created },
		show:    func(n int) object { return productObject{s, n} },
	}
}

func (s *shopify) itemListing(name string, terms []term) listing {
	l := listing{of: "InventoryItem", n: len(s.items), show: func(n int) object { return itemObject{s, n} }}
	base := itemBase
	if name == "productVariants" {
		l.of, base, l.show = "ProductVariant", variantBase, func(n int) object { return variantObject{s, n} }
	}
	l.will = func(n int) bool {
		i := s.items[n]
		return s.standing(i.product) && (len(terms) == 0 || all(terms,
			map[string]int64{"updated_at": i.updated, "created_at": s.products[i.product].created, "id": int64(base + n)},
			map[string]string{"sku": i.sku}))
	}
	return l
}

func (s *shopify) orderListing(terms []term) listing {
	return listing{
		of: "Order", n: len(s.orders),
		will: func(n int) bool {
			o := s.orders[n]
			return len(terms) == 0 || all(terms,
				map[string]int64{"updated_at": o.updated, "created_at": o.placed, "id": int64(orderBase + n)},
				map[string]string{"email": s.customers[o.customer].email, "status": "any", "name": orderName(n)})
		},
		value:   func(n int) int64 { return s.orders[n].updated },
		created: func(n int) int64 { return s.orders[n].placed },
		show:    func(n int) object { return orderObject{s, n} },
	}
}

func (s *shopify) customerListing(terms []term) listing {
	return listing{
		of: "Customer", n: len(s.customers),
		will: func(n int) bool {
			c := s.customers[n]
			return !c.deleted && (len(terms) == 0 || all(terms,
				map[string]int64{"updated_at": c.updated, "created_at": c.created, "id": int64(customerBase + n)},
				map[string]string{"email": c.email}))
		},
		value:   func(n int) int64 { return s.customers[n].updated },
		created: func(n int) int64 { return s.customers[n].created },
		show:    func(n int) object { return customerObject{s, n} },
	}
}

// levelListing is the levels of one item at both places, or of all items at one.
func (s *shopify) levelListing(items []int, places []int, args map[string]any) any {
	query, _ := args["query"].(string)
	terms, err := readSearch(query, "updated_at", "created_at", "id")
	if err != nil {
		return err
	}
	count := len(items)
	if items == nil {
		count = len(s.items)
	}
	at := func(n int) levelObject {
		item := n / len(places)
		if items != nil {
			item = items[item]
		}
		return levelObject{s, item, places[n%len(places)]}
	}
	return listing{
		of: "InventoryLevel", n: count * len(places), show: func(n int) object { return at(n) },
		will: func(n int) bool {
			o := at(n)
			i := s.items[o.n]
			return s.standing(i.product) && (len(terms) == 0 || all(terms,
				map[string]int64{"updated_at": i.levels[o.place].updated, "created_at": s.products[i.product].created, "id": int64(o.number())}, nil))
		},
	}.connection(args)
}
