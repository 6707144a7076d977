package shopify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

type productObject struct {
	s *Platform
	n int
}

func (productObject) kind() string { return "Product" }

func (o productObject) field(name string, args map[string]any) any {
	s, p := o.s, o.s.Products[o.n]
	switch name {
	case "id":
		return gid("Product", productBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(productBase + o.n)
	case "title":
		return s.ShowTitle(p)
	case "handle":
		return o.handle()
	case "description":
		return p.Description
	case "descriptionHtml":
		return "<p>" + p.Description + "</p>"
	case "vendor":
		return p.Brand
	case "productType":
		return p.Category
	case "tags":
		return p.Tags()
	case "status":
		return strings.ToUpper(p.Status)
	case "publishedAt":
		// "The date and time when the product was published to the online store"
		// (docs/api/admin-graphql/latest/objects/Product, api_version 2026-01, read 2026-11-29). Null while it is not.
		if p.Unpublished {
			return nil
		}
		return host.WholeSeconds(p.Created)
	case "isGiftCard": // "Whether the product is a gift card" (as above)
		return p.GiftCard
	case "requiresSellingPlan": // "Whether the product can only be purchased with a selling plan" (as above)
		return p.Subscription
	case "createdAt":
		return host.WholeSeconds(p.Created)
	case "updatedAt":
		return host.WholeSeconds(p.Updated)
	case "totalInventory":
		return s.total(p)
	case "hasOnlyDefaultVariant":
		return p.Count == 1
	}
	return o.nested(name, args)
}

func (o productObject) nested(name string, args map[string]any) any {
	s, p := o.s, o.s.Products[o.n]
	each := func(of string, n int, show func(int) object) any {
		return listing{
			of:   of,
			n:    n,
			will: func(int) bool { return true },
			show: show,
		}.connection(args)
	}
	switch name {
	case "options":
		return o.options()
	case "category":
		return facts{"TaxonomyCategory", map[string]any{"id": "gid://shopify/TaxonomyCategory/sg-4", "name": p.Category, "fullName": "Sporting Goods > Outdoor Recreation > " + p.Category}}
	case "featuredImage":
		return o.image(0)
	case "images":
		return each("Image", p.Images, o.image)
	case "media":
		return each("Media", p.Images, o.media)
	case "variants":
		return each("ProductVariant", p.Count, func(k int) object { return variantObject{s, p.First + k} })
	case "variantsCount":
		return facts{"Count", map[string]any{"count": p.Count, "precision": "EXACT"}}
	}
	return nil // fields that this shop does not use
}

func (o productObject) handle() string {
	return strings.ReplaceAll(strings.ToLower(o.s.Products[o.n].Title), " ", "-") + "-" + strconv.Itoa(o.n+1)
}

func (s *Platform) total(p host.Product) (sum int) {
	for _, i := range s.ItemsOf(p) {
		sum += i.Levels[0].Quantity + i.Levels[1].Quantity
	}
	return sum
}

// options returns the product's options. With one variant it is only Shopify's default title.
func (o productObject) options() []object {
	p := o.s.Products[o.n]
	option := func(position int, name string, values []string) object {
		return facts{"ProductOption", map[string]any{
			"id": gid("ProductOption", 9_000_000_001+o.n*2+position), "name": name, "position": position, "values": values,
		}}
	}
	if p.Count == 1 {
		return []object{option(1, "Title", []string{"Default Title"})}
	}
	var sizes []string
	for _, i := range o.s.ItemsOf(p) {
		sizes = append(sizes, i.Size)
	}
	return []object{option(1, "Size", sizes), option(2, "Color", []string{o.s.Items[p.First].Color})}
}

func (o productObject) imageURL(k int) string {
	return fmt.Sprintf("https://cdn.example.com/trailhead/%d-%d.jpg", o.n+1, k+1)
}

func (o productObject) image(k int) object {
	return facts{"Image", map[string]any{
		"id": gid("ProductImage", 30_000_000_001+o.n*4+k), "url": o.imageURL(k), "altText": o.s.Products[o.n].Title, "width": 1200, "height": 900,
	}}
}

func (o productObject) media(k int) object {
	image := o.image(k)
	return facts{"MediaImage", map[string]any{
		"id": gid("MediaImage", 30_000_000_001+o.n*4+k), "alt": o.s.Products[o.n].Title, "mediaContentType": "IMAGE", "image": image,
		"preview": facts{"MediaPreviewImage", map[string]any{"image": image}},
	}}
}

type variantObject struct {
	s *Platform
	n int
}

func (variantObject) kind() string { return "ProductVariant" }

func (o variantObject) title() string {
	if i := o.s.Items[o.n]; i.Size != "" {
		return i.Size + " / " + i.Color
	}
	return "Default Title"
}

func (o variantObject) field(name string, _ map[string]any) any {
	s, i := o.s, o.s.Items[o.n]
	p := s.Products[i.Product]
	switch name {
	case "id":
		return gid("ProductVariant", variantBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(variantBase + o.n)
	case "sku":
		return i.SKU
	case "title":
		return o.title()
	case "displayName":
		return p.Title + " - " + o.title()
	case "price":
		return s.ShowPrice(i)
	case "position":
		return o.n - p.First + 1
	case "selectedOptions":
		return o.options()
	case "inventoryItem":
		return itemObject(o)
	case "inventoryQuantity":
		return i.Levels[0].Quantity + i.Levels[1].Quantity
	case "availableForSale":
		return i.Untracked || i.Continue || i.Levels[0].Quantity+i.Levels[1].Quantity > 0
	case "inventoryPolicy":
		return strings.ToUpper(policyOf(i.Continue))
	case "createdAt":
		return host.WholeSeconds(p.Created)
	case "updatedAt":
		return host.WholeSeconds(max(i.Updated, p.Updated))
	case "product":
		return productObject{s, i.Product}
	}
	return nil
}

func (o variantObject) options() []object {
	option := func(name, value string) object {
		return facts{"SelectedOption", map[string]any{"name": name, "value": value}}
	}
	if i := o.s.Items[o.n]; i.Size != "" {
		return []object{option("Size", i.Size), option("Color", i.Color)}
	}
	return []object{option("Title", "Default Title")}
}

// policyOf returns the inventory policy for an out-of-stock variant.
func policyOf(continued bool) string {
	if continued {
		return "continue"
	}
	return "deny"
}

type itemObject struct {
	s *Platform
	n int
}

func (itemObject) kind() string { return "InventoryItem" }

func (o itemObject) field(name string, args map[string]any) any {
	i := o.s.Items[o.n]
	switch name {
	case "id":
		return gid("InventoryItem", itemBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(itemBase + o.n)
	case "sku":
		return i.SKU
	case "tracked":
		return !i.Untracked
	case "requiresShipping": // "Whether the inventory item requires shipping" (objects/InventoryItem, read 2026-11-29)
		return !i.Digital
	case "createdAt":
		return host.WholeSeconds(o.s.Products[i.Product].Created)
	case "updatedAt":
		return host.WholeSeconds(i.Updated)
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
	s        *Platform
	n, place int
}

func (levelObject) kind() string { return "InventoryLevel" }

func (o levelObject) number() int { return levelBase + o.n*2 + o.place }

func (o levelObject) field(name string, args map[string]any) any {
	l := o.s.Items[o.n].Levels[o.place]
	switch name {
	case "id":
		return gid("InventoryLevel", o.number()) + "?inventory_item_id=" + strconv.Itoa(itemBase+o.n)
	case "createdAt":
		return host.WholeSeconds(o.s.Products[o.s.Items[o.n].Product].Created)
	case "updatedAt":
		return host.WholeSeconds(l.Updated)
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
	l := o.s.Items[o.n].Levels[o.place]
	names, _ := args["names"].([]any)
	list := []object{}
	for _, one := range names {
		name, _ := one.(string)
		quantity := 0
		switch name {
		case "available":
			quantity = l.Quantity
		case "committed":
			quantity = o.s.committed(o.n, o.place)
		case "on_hand":
			quantity = l.Quantity + o.s.committed(o.n, o.place)
		case "incoming", "reserved", "damaged", "safety_stock", "quality_control":
		default:
			return fmt.Errorf("the quantity name %q is unknown", name)
		}
		list = append(list, facts{"InventoryQuantity", map[string]any{
			"id": gid("InventoryQuantity", o.number()) + "?name=" + name, "name": name, "quantity": quantity, "updatedAt": host.WholeSeconds(l.Updated),
		}})
	}
	return list
}

type locationObject struct {
	s *Platform
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
