package platforms

import (
	"fmt"
	"strconv"
	"strings"
)

type productObject struct {
	s *shopify
	n int
}

func (productObject) kind() string { return "Product" }

func (o productObject) field(name string, args map[string]any) any {
	s, p := o.s, o.s.products[o.n]
	switch name {
	case "id":
		return gid("Product", productBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(productBase + o.n)
	case "title":
		return s.showTitle(p)
	case "handle":
		return o.handle()
	case "description":
		return p.description
	case "descriptionHtml":
		return "<p>" + p.description + "</p>"
	case "vendor":
		return p.brand
	case "productType":
		return p.category
	case "tags":
		return p.tags()
	case "status":
		return strings.ToUpper(p.status)
	case "createdAt", "publishedAt":
		return wholeSeconds(p.created)
	case "updatedAt":
		return wholeSeconds(p.updated)
	case "totalInventory":
		return s.total(p)
	case "hasOnlyDefaultVariant":
		return p.count == 1
	}
	return o.nested(name, args)
}

func (o productObject) nested(name string, args map[string]any) any {
	s, p := o.s, o.s.products[o.n]
	each := func(of string, n int, show func(int) object) any {
		return listing{of: of, n: n, will: func(int) bool { return true }, show: show}.connection(args)
	}
	switch name {
	case "options":
		return o.options()
	case "category":
		return facts{"TaxonomyCategory", map[string]any{"id": "gid://shopify/TaxonomyCategory/sg-4", "name": p.category, "fullName": "Sporting Goods > Outdoor Recreation > " + p.category}}
	case "featuredImage":
		return o.image(0)
	case "images":
		return each("Image", p.images, o.image)
	case "media":
		return each("Media", p.images, o.media)
	case "variants":
		return each("ProductVariant", p.count, func(k int) object { return variantObject{s, p.first + k} })
	case "variantsCount":
		return facts{"Count", map[string]any{"count": p.count, "precision": "EXACT"}}
	}
	return nil // what this shop does not use
}

func (o productObject) handle() string {
	return strings.ReplaceAll(strings.ToLower(o.s.products[o.n].title), " ", "-") + "-" + strconv.Itoa(o.n+1)
}

func (s *shopify) total(p product) (sum int) {
	for _, i := range s.itemsOf(p) {
		sum += i.levels[0].quantity + i.levels[1].quantity
	}
	return sum
}

// options are none but Shopify's own title where there is one variant.
func (o productObject) options() []object {
	p := o.s.products[o.n]
	option := func(position int, name string, values []string) object {
		return facts{"ProductOption", map[string]any{
			"id": gid("ProductOption", 9_000_000_001+o.n*2+position), "name": name, "position": position, "values": values,
		}}
	}
	if p.count == 1 {
		return []object{option(1, "Title", []string{"Default Title"})}
	}
	var sizes []string
	for _, i := range o.s.itemsOf(p) {
		sizes = append(sizes, i.size)
	}
	return []object{option(1, "Size", sizes), option(2, "Color", []string{o.s.items[p.first].color})}
}

func (o productObject) imageURL(k int) string {
	return fmt.Sprintf("https://cdn.example.com/trailhead/%d-%d.jpg", o.n+1, k+1)
}

func (o productObject) image(k int) object {
	return facts{"Image", map[string]any{
		"id": gid("ProductImage", 30_000_000_001+o.n*4+k), "url": o.imageURL(k), "altText": o.s.products[o.n].title, "width": 1200, "height": 900,
	}}
}

func (o productObject) media(k int) object {
	image := o.image(k)
	return facts{"MediaImage", map[string]any{
		"id": gid("MediaImage", 30_000_000_001+o.n*4+k), "alt": o.s.products[o.n].title, "mediaContentType": "IMAGE", "image": image,
		"preview": facts{"MediaPreviewImage", map[string]any{"image": image}},
	}}
}

type variantObject struct {
	s *shopify
	n int
}

func (variantObject) kind() string { return "ProductVariant" }

func (o variantObject) title() string {
	if i := o.s.items[o.n]; i.size != "" {
		return i.size + " / " + i.color
	}
	return "Default Title"
}

func (o variantObject) field(name string, _ map[string]any) any {
	s, i := o.s, o.s.items[o.n]
	p := s.products[i.product]
	switch name {
	case "id":
		return gid("ProductVariant", variantBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(variantBase + o.n)
	case "sku":
		return i.sku
	case "title":
		return o.title()
	case "displayName":
		return p.title + " - " + o.title()
	case "price":
		return s.showPrice(i)
	case "position":
		return o.n - p.first + 1
	case "selectedOptions":
		return o.options()
	case "inventoryItem":
		return itemObject(o)
	case "inventoryQuantity":
		return i.levels[0].quantity + i.levels[1].quantity
	case "availableForSale":
		return i.levels[0].quantity+i.levels[1].quantity > 0
	case "createdAt":
		return wholeSeconds(p.created)
	case "updatedAt":
		return wholeSeconds(max(i.updated, p.updated))
	case "product":
		return productObject{s, i.product}
	}
	return nil
}

func (o variantObject) options() []object {
	option := func(name, value string) object {
		return facts{"SelectedOption", map[string]any{"name": name, "value": value}}
	}
	if i := o.s.items[o.n]; i.size != "" {
		return []object{option("Size", i.size), option("Color", i.color)}
	}
	return []object{option("Title", "Default Title")}
}

type itemObject struct {
	s *shopify
	n int
}

func (itemObject) kind() string { return "InventoryItem" }

func (o itemObject) field(name string, args map[string]any) any {
	i := o.s.items[o.n]
	switch name {
	case "id":
		return gid("InventoryItem", itemBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(itemBase + o.n)
	case "sku":
		return i.sku
	case "tracked", "requiresShipping":
		return true
	case "createdAt":
		return wholeSeconds(o.s.products[i.product].created)
	case "updatedAt":
		return wholeSeconds(i.updated)
	case "variant":
		return variantObject(o)
	case "inventoryLevel":
		id, _ := args["locationId"].(string)
		for place, number := range locationNumbers {
			if n, is := numberOf(id, "Location"); is && n == number {
				return levelObject{o.s, o.n, place}
			}
		}
	case "inventoryLevels":
		return o.s.levelListing([]int{o.n}, []int{0, 1}, args)
	}
	return nil
}

type levelObject struct {
	s        *shopify
	n, place int
}

func (levelObject) kind() string { return "InventoryLevel" }

func (o levelObject) number() int { return levelBase + o.n*2 + o.place }

func (o levelObject) field(name string, args map[string]any) any {
	l := o.s.items[o.n].levels[o.place]
	switch name {
	case "id":
		return gid("InventoryLevel", o.number()) + "?inventory_item_id=" + strconv.Itoa(itemBase+o.n)
	case "createdAt":
		return wholeSeconds(o.s.products[o.s.items[o.n].product].created)
	case "updatedAt":
		return wholeSeconds(l.updated)
	case "isActive":
		return true
	case "location":
		return locationObject{o.s, o.place}
	case "item":
		return itemObject{o.s, o.n}
	case "quantities":
		return o.quantities(args)
	}
	return nil
}

func (o levelObject) quantities(args map[string]any) any {
	l := o.s.items[o.n].levels[o.place]
	names, _ := args["names"].([]any)
	list := []object{}
	for _, one := range names {
		name, _ := one.(string)
		quantity := 0
		switch name {
		case "available", "on_hand":
			quantity = l.quantity
		case "committed", "incoming", "reserved", "damaged", "safety_stock", "quality_control":
		default:
			return fmt.Errorf("the quantity name %q is unknown", name)
		}
		list = append(list, facts{"InventoryQuantity", map[string]any{
			"id": gid("InventoryQuantity", o.number()) + "?name=" + name, "name": name, "quantity": quantity, "updatedAt": wholeSeconds(l.updated),
		}})
	}
	return list
}

type locationObject struct {
	s *shopify
	n int
}

func (locationObject) kind() string { return "Location" }

func (o locationObject) field(name string, args map[string]any) any {
	switch name {
	case "id":
		return gid("Location", locationNumbers[o.n])
	case "legacyResourceId":
		return strconv.Itoa(locationNumbers[o.n])
	case "name":
		return locationNames[o.n]
	case "inventoryLevels":
		return o.s.levelListing(nil, []int{o.n}, args)
	}
	return true // isActive, fulfillsOnlineOrders
}
