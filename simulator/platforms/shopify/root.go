package shopify

import (
	"errors"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// rootObject is the root of queries and mutations.
type rootObject struct {
	s  *Platform
	c  *host.Call
	is string
}

func (r rootObject) kind() string { return r.is }

func (r rootObject) field(name string, args map[string]any) any {
	s := r.s
	text := func(name string) string { value, _ := args[name].(string); return value }
	switch name {
	case "shop":
		return facts{"Shop", map[string]any{
			"id": gid("Shop", shopNumber), "name": "Trailhead Outfitters", "email": "hello@trailhead.example.com", "myshopifyDomain": s.Host.Config.Shop,
			"currencyCode": s.Host.Config.ShopifyCurrency, "url": "https://" + s.Host.Config.Shop, "ianaTimezone": "America/New_York", "createdAt": host.WholeSeconds(host.Epoch.UnixMilli()),
		}}
	case "products", "productVariants", "inventoryItems", "orders", "customers", "locations":
		return s.list(name, args)
	case "productsCount", "ordersCount", "customersCount":
		return s.count(strings.TrimSuffix(name, "Count"), args)
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
		if s.Host.Config.ShopifyNoBulk {
			return errDenied("Access denied for bulkOperationRunQuery field.")
		}
		return s.bulk.run(text("query"), s.Host.Address(host.Shopify, r.c.Request))
	case "bulkOperationCancel":
		return s.bulk.cancel(text("id"))
	case "currentBulkOperation":
		return s.bulk.current()
	}
	return r.writing(name, args)
}

// facts is an object with known fields.
type facts struct {
	of     string
	values map[string]any
}

func (f facts) kind() string                            { return f.of }
func (f facts) field(name string, _ map[string]any) any { return f.values[name] }

func (s *Platform) exists(n int) bool { return !s.Products[n].Deleted }

func (s *Platform) anything(id string) any {
	kind, _, _ := strings.Cut(strings.TrimPrefix(id, "gid://shopify/"), "/")
	switch kind {
	case "BulkOperation":
		return s.bulk.find(id)
	case "Product", "ProductVariant", "InventoryItem", "Order", "Customer", "Location":
		return s.one(kind, id)
	}
	return s.written(kind, id)
}

// one returns an object by its id, or an untyped nil if there is none.
func (s *Platform) one(kind, id string) any {
	number, is := numberOf(id, kind)
	if !is {
		return errors.New("invalid id")
	}
	within := func(base, n int) (int, bool) { return number - base, number >= base && number-base < n }
	switch kind {
	case "Product":
		if n, found := within(productBase, len(s.Products)); found && s.exists(n) {
			return productObject{s, n}
		}
	case "ProductVariant":
		if n, found := within(variantBase, len(s.Items)); found && s.exists(s.Items[n].Product) {
			return variantObject{s, n}
		}
	case "InventoryItem":
		if n, found := within(itemBase, len(s.Items)); found && s.exists(s.Items[n].Product) {
			return itemObject{s, n}
		}
	case "Order":
		if n, found := within(orderBase, len(s.Orders)); found {
			return s.order(n)
		}
	case "Customer":
		if n, found := within(customerBase, len(s.Customers)); found && !s.Customers[n].Deleted {
			return customerObject{s, n}
		}
	case "Location":
		if n := slices.Index(locationNumbers[:], number); n >= 0 {
			return locationObject{s, n}
		}
	}
	return nil
}

// count returns the number of search results, up to a limit of 10,000 unless limit is set or null, and whether there may
// be more (https://shopify.dev/docs/api/admin-graphql/latest/queries/customersCount, …/ordersCount and
// …/enums/CountPrecision, api_version 2026-10; https://www.shopify.dev/changelog/uncapped-graphql-counts, 2025-05-21).
func (s *Platform) count(name string, args map[string]any) any {
	l, err := s.listing(name, args)
	if err != nil {
		return err
	}
	n, precision := host.Tally(l.n, l.will), "EXACT"
	if args["limit"] != nil && n > number64(args["limit"]) {
		n, precision = number64(args["limit"]), "AT_LEAST"
	}
	return facts{"Count", map[string]any{"count": n, "precision": precision}}
}

func (s *Platform) list(name string, args map[string]any) any {
	l, err := s.listing(name, args)
	if err != nil {
		return err
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
	l.most = s.Host.Config.ShopifyPaged
	return l.connection(args)
}

// listing returns the search results of a list.
func (s *Platform) listing(name string, args map[string]any) (l listing, err error) {
	query, _ := args["query"].(string)
	terms, err := readSearch(query, "updated_at", "created_at", "id", "status", "sku", "email", "name", "source_identifier")
	if err != nil {
		return l, err
	}
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
		l = listing{
			of:   "Location",
			n:    2,
			will: func(int) bool { return true },
			show: func(n int) object { return locationObject{s, n} },
		}
	}
	return l, nil
}

func (s *Platform) productListing(terms []term) listing {
	return listing{
		of: "Product", n: len(s.Products),
		will: func(n int) bool {
			p := s.Products[n]
			return s.exists(n) && (len(terms) == 0 || all(terms,
				map[string]int64{"updated_at": p.Updated, "created_at": p.Created, "id": int64(productBase + n)},
				map[string]string{"status": p.Status, "sku": s.Items[p.First].SKU}))
		},
		value:   func(n int) int64 { return s.Products[n].Updated },
		created: func(n int) int64 { return s.Products[n].Created },
		show:    func(n int) object { return productObject{s, n} },
	}
}

func (s *Platform) itemListing(name string, terms []term) listing {
	l := listing{
		of:   "InventoryItem",
		n:    len(s.Items),
		show: func(n int) object { return itemObject{s, n} },
	}
	base := itemBase
	if name == "productVariants" {
		l.of, base, l.show = "ProductVariant", variantBase, func(n int) object { return variantObject{s, n} }
	}
	l.will = func(n int) bool {
		i := s.Items[n]
		return s.exists(i.Product) && (len(terms) == 0 || all(terms,
			map[string]int64{"updated_at": i.Updated, "created_at": s.Products[i.Product].Created, "id": int64(base + n)},
			map[string]string{"sku": i.SKU}))
	}
	return l
}

func (s *Platform) orderListing(terms []term) listing {
	return listing{
		of: "Order", n: len(s.Orders),
		will: func(n int) bool {
			o := s.Orders[n]
			return len(terms) == 0 || s.searchable(o.Placed) && all(terms,
				map[string]int64{"updated_at": o.Updated, "created_at": o.Placed, "id": int64(orderBase + n)},
				map[string]string{"email": s.EmailOf(n), "status": "any", "name": s.nameOf(n), "source_identifier": o.Reference})
		},
		value:   func(n int) int64 { return s.Orders[n].Updated },
		created: func(n int) int64 { return s.Orders[n].Placed },
		show:    s.order,
	}
}

func (s *Platform) customerListing(terms []term) listing {
	return listing{
		of: "Customer", n: len(s.Customers),
		will: func(n int) bool {
			c := s.Customers[n]
			return !c.Deleted && (len(terms) == 0 || all(terms,
				map[string]int64{"updated_at": c.Updated, "created_at": c.Created, "id": int64(customerBase + n)},
				map[string]string{"email": c.Email}))
		},
		value:   func(n int) int64 { return s.Customers[n].Updated },
		created: func(n int) int64 { return s.Customers[n].Created },
		show:    func(n int) object { return customerObject{s, n} },
	}
}

// levelListing returns the stock levels of one item at both locations, or of all items at one.
func (s *Platform) levelListing(items []int, places []int, args map[string]any) any {
	query, _ := args["query"].(string)
	terms, err := readSearch(query, "updated_at", "created_at", "id", "inventory_item_id")
	if err != nil {
		return err
	}
	count := len(items)
	if items == nil {
		count = len(s.Items)
	}
	at := func(n int) levelObject {
		item := n / len(places)
		if items != nil {
			item = items[item]
		}
		return levelObject{s, item, places[n%len(places)]}
	}
	return listing{
		of:   "InventoryLevel",
		n:    count * len(places),
		show: func(n int) object { return at(n) },
		will: func(n int) bool {
			o := at(n)
			i := s.Items[o.n]
			return s.exists(i.Product) && (len(terms) == 0 || all(terms,
				map[string]int64{"updated_at": i.Levels[o.place].Updated, "created_at": s.Products[i.Product].Created, "id": int64(o.number()), "inventory_item_id": int64(itemBase + o.n)}, nil))
		},
		most: s.Host.Config.ShopifyPaged,
	}.connection(args)
}
