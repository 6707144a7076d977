package host

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// kinds are the products of an outdoor shop: a name, a code for SKUs, a category, a usual price, and whether there are
// sizes.
var kinds = []struct {
	name, code, category string
	cents                int
	sizes                []string
}{
	{"Backpack", "BP", "Packs", 14900, nil},
	{"Daypack", "DP", "Packs", 7900, nil},
	{"Tent", "TN", "Camping", 32900, []string{"2P", "3P"}},
	{"Sleeping Bag", "SB", "Camping", 18900, []string{"Regular", "Long"}},
	{"Sleeping Pad", "SP", "Camping", 8900, []string{"Regular", "Wide"}},
	{"Camp Stove", "CS", "Kitchen", 6900, nil},
	{"Titanium Pot", "PT", "Kitchen", 5400, nil},
	{"Water Filter", "WF", "Kitchen", 4200, nil},
	{"Headlamp", "HL", "Lights", 4900, nil},
	{"Lantern", "LN", "Lights", 3900, nil},
	{"Trekking Poles", "TP", "Hiking", 9900, nil},
	{"Hiking Boots", "HB", "Footwear", 17900, []string{"40", "42", "44", "46"}},
	{"Trail Shoes", "TS", "Footwear", 12900, []string{"40", "42", "44"}},
	{"Rain Jacket", "RJ", "Apparel", 15900, []string{"S", "M", "L", "XL"}},
	{"Fleece", "FL", "Apparel", 8900, []string{"S", "M", "L"}},
	{"Merino Shirt", "MS", "Apparel", 6900, []string{"S", "M", "L"}},
	{"Climbing Harness", "CH", "Climbing", 7400, []string{"S", "M", "L"}},
	{"Rope 60m", "RP", "Climbing", 19900, nil},
	{"Dry Bag", "DB", "Paddling", 2900, []string{"10L", "20L"}},
	{"Map Case", "MC", "Navigation", 1900, nil},
}

var (
	places    = []string{"Ridgeline", "Alpine", "Summit", "Timberline", "Glacier", "Canyon", "Cascade", "Granite", "Meadow", "Tundra", "Fjord", "Sierra", "Basalt", "Juniper", "Larkspur", "Condor"}
	grades    = []string{"Pro", "Lite", "Ultralight", "Classic", "Trek", "Expedition", "Guide", "Scout"}
	brands    = []string{"North Fork", "Kestrel & Co", "Bivouac", "Stonefly", "Havredal", "Ptarmigan", "Low Camp", "Windrose"}
	colours   = []string{"Black", "Moss", "Slate", "Rust", "Sand"}
	materials = []string{"ripstop nylon", "recycled polyester", "merino wool", "aluminium", "titanium", "waxed cotton"}
	uses      = []string{"hiking", "camping", "trekking", "climbing", "travel", "winter"}
	tiers     = []string{"", "", "", "bronze", "silver", "gold", "platinum"}
	states    = []string{"CA", "CO", "NY", "OR", "TX", "UT", "WA"}
	carriers  = []string{"USPS", "UPS", "FedEx"}
)

// Epoch is when the seeded shops opened. It is fixed, so that the same seed gives the same data.
var Epoch = time.Date(2025, 1, 6, 8, 0, 0, 0, time.UTC)

const season = 150 * 24 * time.Hour // the period of the seeded data

// maker generates random data from the seed and the platform.
type maker struct {
	*rand.Rand
	faker *gofakeit.Faker
}

func NewMaker(seed, stream uint64) maker {
	source := rand.NewPCG(seed, stream)
	return maker{Rand: rand.New(source), faker: gofakeit.NewFaker(source, false)}
}

func pick[T any](m maker, of []T) T { return of[m.IntN(len(of))] }

// when returns a random time of the season, in whole seconds.
func (m maker) when() int64 {
	return Epoch.Add(time.Duration(m.Int64N(int64(season/time.Second))) * time.Second).UnixMilli()
}

// generate returns a shop's data.
func generate(c Config, stream uint64) *World {
	m := NewMaker(c.Seed, stream)
	w := &World{Products: make([]Product, 0, c.Products), Items: make([]item, 0, c.Products*2)}
	for n := range c.Products {
		most := 0
		if n == 0 && stream == ShopifyStream {
			most = c.ShopifyVariants
		}
		m.addProduct(w, m.when(), most)
	}
	for n := range w.Items {
		w.Items[n].Digital = slices.Contains(c.Digital, w.Items[n].SKU)
	}
	if stream == ShopifyStream {
		for n := range w.Items {
			i := &w.Items[n]
			i.Untracked, i.Continue = slices.Contains(c.ShopifyUntracked, i.SKU), slices.Contains(c.ShopifyContinue, i.SKU)
			p := &w.Products[i.Product]
			p.Unpublished = p.Unpublished || slices.Contains(c.ShopifyUnpublished, i.SKU)
			p.GiftCard = p.GiftCard || slices.Contains(c.ShopifyGiftCards, i.SKU)
			p.Subscription = p.Subscription || slices.Contains(c.ShopifySubscribed, i.SKU)
		}
	}
	for range c.Customers {
		m.addCustomer(w, m.when())
	}
	for range c.Orders {
		m.addOrder(w, m.when())
	}
	return w
}

// ShopifyStream is the random stream of Shopify's data.
const ShopifyStream = 1

// addProduct adds a product with a number of variants; 0 means as many as its kind has.
func (m maker) addProduct(w *World, at int64, variants int) {
	kind, number := pick(m, kinds), len(w.Products)
	p := Product{
		Brand:    pick(m, brands),
		Category: kind.category,
		kind:     strings.ToLower(kind.name),
		Material: pick(m, materials),
		Use:      pick(m, uses),
		Images:   1 + m.IntN(2),
		Status:   "active",
		First:    len(w.Items),
		Created:  at,
		Updated:  at,
	}
	p.Title = pick(m, places) + " " + pick(m, grades) + " " + kind.name
	p.Description = m.describe(p)
	if m.IntN(25) == 0 {
		p.Status = "archived"
	}
	cents := int64(kind.cents/100*(70+m.IntN(80))/100)*100 + pick(m, []int64{0, 50, 95, 99})
	colour := pick(m, colours)
	sizes := kind.sizes
	if sizes == nil {
		sizes = []string{""}
	}
	if variants > 0 {
		sizes = make([]string, variants)
		for n := range sizes {
			sizes[n] = strconv.Itoa(n + 1)
		}
	}
	for _, size := range sizes {
		sku := fmt.Sprintf("%s-%05d", kind.code, number+1)
		if size != "" {
			sku += "-" + strings.ToUpper(size)
		}
		i := item{
			Product: number,
			SKU:     sku,
			Size:    size,
			Color:   colour,
			Cents:   cents,
			Updated: at,
		}
		i.Levels = [2]level{{m.IntN(40), at}, {m.IntN(12), at}}
		w.Items = append(w.Items, i)
	}
	p.Count = len(sizes)
	w.Products = append(w.Products, p)
}

func (m maker) describe(p Product) string {
	return "Made of " + p.Material + " for " + p.Use + ": " + p.Brand + " built it " + pick(m, []string{
		"light enough to forget and tough enough to lend out.", "after two wet seasons on the coast trail.",
		"with fewer seams, so less can fail.", "to be repaired rather than replaced.", "for the days when the forecast is wrong.",
	})
}

func (m maker) addCustomer(w *World, at int64) {
	first, last := m.faker.FirstName(), m.faker.LastName()
	w.Customers = append(w.Customers, customer{
		First:   first,
		Last:    last,
		Tier:    pick(m, tiers),
		Created: at,
		Updated: at,
		Email:   strings.ToLower(fmt.Sprintf("%s.%s.%d@example.com", first, strings.ReplaceAll(last, " ", ""), len(w.Customers)+1)),
	})
}

func (m maker) addOrder(w *World, at int64) {
	if len(w.Customers) == 0 {
		m.addCustomer(w, at)
	}
	o := order{
		Customer: m.IntN(len(w.Customers)),
		Status:   pick(m, []string{"paid", "paid", "fulfilled", "fulfilled", "refunded", "canceled"}),
		Placed:   at,
		Updated:  at,
	}
	for range 1 + m.IntN(3) {
		if len(w.Items) == 0 {
			break
		}
		n := m.IntN(len(w.Items))
		l := line{
			Item:     n,
			Quantity: 1 + m.IntN(2),
			Cents:    w.Items[n].Cents,
		}
		o.Lines, o.Cents = append(o.Lines, l), o.Cents+l.Cents*int64(l.Quantity)
	}
	if len(o.Lines) == 0 {
		o.Cents = int64(1000 + m.IntN(50000))
	}
	o.Street, o.City, o.State, o.PostalCode = m.faker.Street(), m.faker.City(), pick(m, states), m.faker.Zip()
	if o.Status == "fulfilled" {
		m.ship(&o, at+86400_000)
	}
	w.Customers[o.Customer].Purchases++
	w.Orders = append(w.Orders, o)
}

func (m maker) ship(o *order, at int64) {
	o.Status, o.Shipped, o.Updated = "fulfilled", at, at
	o.Carrier, o.Tracking = pick(m, carriers), fmt.Sprintf("94%018d", m.Uint64N(1e18))
}
