package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// remoteProduct is a product in the platforms' own books.
type remoteProduct struct {
	ID, Title, Status, Damaged string
	Deleted                    bool
	Items                      []struct {
		Item  string `json:"item_id"`
		SKU   string
		Price string
	}
}

// remoteLevel is a level of stock there. Shopify's places are numbers, of which we make names.
type remoteLevel struct {
	ID, Item, SKU, Location string
	Quantity                int
	Deleted                 bool
}

func (l remoteLevel) place(platform string) string {
	if platform == "shopify" {
		return "shopify-" + l.Location
	}
	return l.Location
}

// remote reads the platforms' own books.
func remote[T any](w *world, platform, resource string) (list []T, err error) {
	records, err := w.platforms.Records(platform, resource)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(records)
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(text, &list)
}

// mirrors compares all products and their stock with the platform's.
func (w *world) mirrors(platform string) error {
	theirs, err := remote[remoteProduct](w, platform, "products")
	if err != nil {
		return err
	}
	levels, err := remote[remoteLevel](w, platform, "inventory")
	if err != nil {
		return err
	}
	ours, stock, err := w.catalogue()
	if err != nil {
		return err
	}
	var wrong error
	for _, p := range theirs {
		wrong = errors.Join(wrong, p.against(ours))
	}
	for _, l := range levels {
		if got, want := stock[l.SKU+" "+l.place(platform)], max(l.Quantity, 0); !l.Deleted && got != want {
			wrong = errors.Join(wrong, fmt.Errorf("of %s there are %d at %s, and %d here", l.SKU, want, l.place(platform), got))
		}
	}
	return wrong
}

// catalogue is our products by their variants' skus, and our stock by sku and location.
func (w *world) catalogue() (products map[string]merchant.Product, stock map[string]int, err error) {
	list, err := w.merchant.Products(w.ctx, merchant.ProductQuery{Page: merchant.Page{Limit: 100}})
	if err != nil {
		return nil, nil, err
	}
	products, stock = map[string]merchant.Product{}, map[string]int{}
	for _, p := range list.Data {
		for _, v := range p.Variants {
			if v.Price != nil {
				p.Price = *v.Price
			}
			products[v.SKU] = p
		}
	}
	levels, err := w.merchant.Inventory(w.ctx, "", merchant.Page{Limit: 100})
	if err == nil && levels.Meta.Total > len(levels.Data) {
		err = errors.New("there is more stock than a page holds")
	}
	for _, l := range levels.Data {
		stock[l.SKU+" "+l.Location] = l.Quantity
	}
	return products, stock, err
}

func (p remoteProduct) against(ours map[string]merchant.Product) error {
	var wrong error
	for _, item := range p.Items {
		got, there := ours[item.SKU]
		want := p.Status
		if p.Deleted {
			want = "archived"
		}
		price, err := decimal.Parse(item.Price)
		switch {
		case err != nil:
			return err
		case !there && !p.Deleted:
			wrong = errors.Join(wrong, fmt.Errorf("%s is missing", item.SKU))
		case there && (got.Status != want || !p.Deleted && (got.Name != p.Title || got.Price.Cmp(price) != 0)):
			wrong = errors.Join(wrong, fmt.Errorf("%s is %s %q at %s, want %s %q at %s", item.SKU, got.Status, got.Name, got.Price, want, p.Title, item.Price))
		}
	}
	return wrong
}

// pick makes a product that came from a platform the one that steps speak of: on sale, in one size, in stock at the
// first place.
func (w *world) picks(platform string) error {
	products, err := remote[remoteProduct](w, platform, "products")
	if err != nil {
		return err
	}
	levels, err := remote[remoteLevel](w, platform, "inventory")
	if err != nil {
		return err
	}
	plenty := map[string]bool{}
	for _, l := range levels {
		if l.Quantity > 3 && (l.Location == "main" || l.Location == "61000001") {
			plenty[l.SKU] = true
		}
	}
	ours, _, err := w.catalogue()
	if err != nil {
		return err
	}
	for _, p := range products {
		if p.Deleted || p.Damaged != "" || p.Status != "active" || len(p.Items) != 1 || !plenty[p.Items[0].SKU] {
			continue
		}
		w.product = ours[p.Items[0].SKU]
		w.products[w.product.Name] = w.product
		if w.called == nil {
			w.called = map[string]string{}
		}
		w.called["remote"], w.called["item"], w.called["sku"] = p.ID, p.Items[0].Item, p.Items[0].SKU
		return nil
	}
	return errors.New("no product will do")
}

// hasQuantity compares what we have of the product, in all, with what the platform has and what was sold since.
func (w *world) hasLess(sold int, platform string) error {
	levels, err := remote[remoteLevel](w, platform, "inventory")
	if err != nil {
		return err
	}
	want := -sold
	for _, l := range levels {
		if l.SKU == w.product.SKU {
			want += max(l.Quantity, 0)
		}
	}
	return w.inStock(want, w.product.Name)
}

// isFound lets a buyer search for the product by its name.
func (w *world) isFound() error {
	if err := w.searched(w.product.Name, ""); err != nil {
		return err
	}
	for _, r := range w.shopper.Found.Results {
		if r.ProductID == w.product.ID {
			return nil
		}
	}
	return fmt.Errorf("it is not among %q", w.found())
}

func (w *world) isNotFound() error {
	if err := w.isFound(); err == nil {
		return errors.New("it is found")
	}
	return nil
}

func (w *world) ordersIt(quantity int) error { return w.hasOrdered(quantity, w.product.Name) }

// offeredStock is what a buyer's search says of how many there are.
func (w *world) offersWhatThereIs() error {
	_, stock, err := w.catalogue()
	if err != nil {
		return err
	}
	want := 0
	for place, quantity := range stock {
		if strings.HasPrefix(place, w.product.SKU+" ") {
			want += quantity
		}
	}
	return w.available(want, w.product.Name)
}

// knows vouches for a customer of the CRM who is of a tier, or of none.
func (w *world) vouchesFor(platform, tier string) error {
	customers, err := remote[struct {
		Email string
		Tier  string `json:"loyalty_tier"`
	}](w, platform, "customers")
	if err != nil {
		return err
	}
	for _, c := range customers {
		if c.Tier == tier {
			return w.vouches(c.Email)
		}
	}
	return fmt.Errorf("no customer is %q", tier)
}

func (w *world) vouches(email string) error {
	return w.attempt(func() error {
		if err := w.send("POST", "/v1/buyer-tokens", fmt.Sprintf(`{"email": %q}`, email), nil); err != nil {
			return err
		}
		return w.callsIt("buyer_token", "buyer_token")
	})
}

// comesVouched brings a buyer whose agent shows the token, or says something else of itself.
func (w *world) comesClaiming(claims, name string) error {
	said, err := claimsIn(w.expand(claims))
	if err != nil {
		return err
	}
	if err := w.arrive(); err != nil {
		return err
	}
	w.product = w.products[name]
	return w.act(func(b *shopper) {
		b.Claims = said
		b.Search(name).View(w.product.ID)
	})
}

// remembersOpening notes the price that the buyer is asked for, under a name.
func (w *world) remembersOpening(name string) error {
	err := w.must(func(b *shopper) { b.AskPrice() })
	if err != nil {
		return err
	}
	if w.called == nil {
		w.called = map[string]string{}
	}
	price, err := openingPrice(w.shopper.Quote)
	w.called[name] = price
	return err
}

func openingPrice(q acp.Quote) (string, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	value, err := decode(string(text))
	if err != nil {
		return "", err
	}
	for _, path := range []string{"quote.price", "price", "quoted_price"} {
		if found, ok := at(value, path); ok && found != nil {
			return fmt.Sprint(found), nil
		}
	}
	return "", fmt.Errorf("there is no price in %s", text)
}

func (w *world) isBelow(a, how, b string) error {
	x, errX := strconv.ParseFloat(w.called[a], 64)
	y, errY := strconv.ParseFloat(w.called[b], 64)
	if err := errors.Join(errX, errY); err != nil {
		return err
	}
	if x > y || x == y && how == "below" {
		return fmt.Errorf("%v is not %s %v", x, how, y)
	}
	return nil
}

// tokenIsShown tells whether any answer to a buyer has the token in it.
func (w *world) tokenIsNowhere() error {
	for _, a := range w.tape.all() {
		if a.toBuyer && strings.Contains(string(a.body), w.called["buyer_token"]) {
			return fmt.Errorf("%s tells it: %s", a.path, a.body)
		}
	}
	return nil
}
