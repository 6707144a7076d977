package demo_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/demo"
	"github.com/haggle-commerce/haggle/domain/money"
)

type product struct {
	SKU, Name, Category, Brand, Description string
	Price, Cost                             json.Number
	CompetitorPrice                         json.Number `json:"competitor_price"`
	Negotiable                              bool
	Attributes                              map[string]string
	Tags, Related                           []string
	Images                                  []struct{ URL, Alt string }
	Quantity                                *int
	Variants                                []struct {
		SKU, Size, Color string
		Quantity         int
		Price            json.Number
	}
}

func (p product) stock() int {
	sum := 0
	if p.Quantity != nil {
		sum = *p.Quantity
	}
	for _, v := range p.Variants {
		sum += v.Quantity
	}
	return sum
}

func products(t *testing.T) []product {
	t.Helper()
	var all []product
	lines := bufio.NewScanner(demo.Catalogue())
	for lines.Scan() {
		var p product
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, p)
	}
	return all
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	all := products(t)
	if len(all) < 320 || len(all) != demo.Count() {
		t.Errorf("%d products, Count says %d; want the same and at least 320", len(all), demo.Count())
	}
	departments := map[string]int{}
	soldOut, fixed, compared := 0, 0, 0
	for _, p := range all {
		department, sub, _ := strings.Cut(p.Category, "/")
		departments[department]++
		if sub == "" {
			t.Errorf("%s: category %q has no second level", p.SKU, p.Category)
		}
		soldOut += one(p.stock() == 0)
		fixed += one(!p.Negotiable)
		compared += one(p.CompetitorPrice != "")
	}
	if len(departments) != 8 {
		t.Errorf("departments %v, want 8", departments)
	}
	within(t, "sold out", soldOut, len(all)/80, len(all)/25)
	within(t, "not negotiable", fixed, 3, len(all)/15)
	within(t, "with a competitor's price", compared, len(all)/4, len(all)/2)
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func within(t *testing.T, what string, n, low, high int) {
	t.Helper()
	if n < low || n > high {
		t.Errorf("%d products %s, want %d to %d", n, what, low, high)
	}
}

func TestCatalogue_skus(t *testing.T) {
	t.Parallel()
	seen, named := map[string]bool{}, map[string]bool{}
	for _, p := range products(t) {
		skus := []string{p.SKU}
		for _, v := range p.Variants {
			skus = append(skus, v.SKU)
		}
		for _, sku := range skus {
			if seen[sku] {
				t.Errorf("sku %s is given twice", sku)
			}
			seen[sku] = true
		}
		if named[p.Name] {
			t.Errorf("name %q is given twice", p.Name)
		}
		named[p.Name] = true
	}
	own := map[string]bool{}
	for _, p := range products(t) {
		own[p.SKU] = true
	}
	for _, p := range products(t) {
		for _, sku := range p.Related {
			if !own[sku] || sku == p.SKU {
				t.Errorf("%s is related to %s, which is no other product", p.SKU, sku)
			}
		}
	}
}

func TestCatalogue_prices(t *testing.T) {
	t.Parallel()
	for _, p := range products(t) {
		price, cost := dollars(t, p, p.Price), dollars(t, p, p.Cost)
		if cost.Minor() >= price.Minor() || cost.Minor() < price.Minor()*39/100 {
			t.Errorf("%s: cost %s for a price of %s", p.SKU, cost, price)
		}
		if price.Minor() < 600 || price.Minor() > 190_000 {
			t.Errorf("%s: price %s is out of the shop's range", p.SKU, price)
		}
		if p.CompetitorPrice != "" {
			dollars(t, p, p.CompetitorPrice)
		}
		for _, v := range p.Variants {
			if v.Price != "" && dollars(t, p, v.Price).Minor() <= price.Minor() {
				t.Errorf("%s: a larger size costs %s, no more than %s", v.SKU, v.Price, price)
			}
		}
	}
}

func dollars(t *testing.T, p product, n json.Number) money.Amount {
	t.Helper()
	amount, err := money.Parse(n.String(), money.USD)
	if err != nil {
		t.Errorf("%s: %q %v", p.SKU, n, err)
	}
	return amount
}

func TestCatalogue_descriptions(t *testing.T) {
	t.Parallel()
	said := map[string]string{}
	for _, p := range products(t) {
		if p.Name == "" || p.Brand == "" || len(p.Description) < 40 || len(p.Attributes) == 0 || len(p.Tags) == 0 {
			t.Errorf("%s lacks a name, brand, description, attributes or tags", p.SKU)
		}
		if other, ok := said[p.Description]; ok {
			t.Errorf("%s and %s share a description", p.SKU, other)
		}
		said[p.Description] = p.SKU
		want := fmt.Sprintf("/demo/images/%s.svg", p.SKU)
		if len(p.Images) != 1 || p.Images[0].URL != want || p.Images[0].Alt == "" {
			t.Errorf("%s: images %v, want one at %s", p.SKU, p.Images, want)
		}
		if (p.Quantity == nil) == (len(p.Variants) == 0) {
			t.Errorf("%s: want either a quantity or variants", p.SKU)
		}
	}
}
