package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// product is a line of the catalogue, in the format of imports.
type product struct {
	SKU             string            `json:"sku"`
	Name            string            `json:"name"`
	Price           json.Number       `json:"price"`
	Category        string            `json:"category"`
	Brand           string            `json:"brand"`
	Description     string            `json:"description"`
	Attributes      map[string]string `json:"attributes"`
	Tags            []string          `json:"tags"`
	Images          []image           `json:"images"`
	Cost            json.Number       `json:"cost"`
	CompetitorPrice json.Number       `json:"competitor_price,omitempty"`
	Negotiable      bool              `json:"negotiable"`
	Reviews         reviews           `json:"reviews"`
	Related         []string          `json:"related"`
	Quantity        *int              `json:"quantity,omitempty"`
	Variants        []variant         `json:"variants,omitempty"`
}

type image struct {
	URL string `json:"url"`
	Alt string `json:"alt"`
}

type reviews struct {
	AverageRating json.Number `json:"average_rating"`
	Count         int         `json:"count"`
	Summary       string      `json:"summary"`
}

type variant struct {
	SKU      string      `json:"sku"`
	Size     string      `json:"size,omitempty"`
	Color    string      `json:"color,omitempty"`
	Quantity int         `json:"quantity"`
	Price    json.Number `json:"price,omitempty"`
}

func (b blueprint) product() product {
	p := product{
		SKU:         b.sku,
		Name:        b.name,
		Price:       dollars(b.cents),
		Category:    b.category,
		Brand:       b.brand,
		Description: b.description,
		Attributes:  b.attributes,
		Tags:        b.tags,
		Related:     b.related,
		Images:      []image{{"/demo/images/" + b.sku + ".svg", b.name + " by " + b.brand}},
		Cost:        dollars(b.cents * between(b.sku, "cost", 40, 75) / 100),
		Negotiable:  !oneIn(30, b.sku, "negotiable"),
		Reviews:     b.reviews(),
		Variants:    b.variants(),
	}
	if oneIn(3, b.sku, "competitor") {
		p.CompetitorPrice = dollars(b.cents * between(b.sku, "competitor price", 88, 112) / 100)
	}
	if p.Variants == nil {
		stock := b.stock(b.sku)
		p.Quantity = &stock
	}
	return p
}

// variants returns all combinations of sizes and colors, or none if the blueprint has neither.
func (b blueprint) variants() []variant {
	if b.sizes == nil && b.colors == nil {
		return nil
	}
	var all []variant
	for _, size := range orOne(b.sizes) {
		for _, color := range orOne(b.colors) {
			v := variant{
				SKU:   b.sku + suffix(size.name) + suffix(color),
				Size:  size.name,
				Color: color,
			}
			v.Quantity = b.stock(v.SKU)
			if oneIn(12, v.SKU, "gone") {
				v.Quantity = 0
			}
			if size.extra > 0 {
				v.Price = dollars(b.cents + size.extra)
			}
			all = append(all, v)
		}
	}
	return all
}

// orOne returns values, or a list with one zero value if it is empty.
func orOne[T any](values []T) []T {
	if values == nil {
		return make([]T, 1)
	}
	return values
}

// suffix turns "Sage Green" into "-SAGE-GREEN".
func suffix(value string) string {
	words := strings.FieldsFunc(strings.ToUpper(value), func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if len(words) == 0 {
		return ""
	}
	return "-" + strings.Join(words, "-")
}

// stock returns a quantity: fewer pieces of expensive products, and none of about one product in forty.
func (b blueprint) stock(sku string) int {
	switch {
	case oneIn(40, b.sku, "sold out"):
		return 0
	case b.cents < 5_000:
		return between(sku, "stock", 18, 140)
	case b.cents < 20_000:
		return between(sku, "stock", 7, 60)
	case b.cents < 60_000:
		return between(sku, "stock", 4, 28)
	}
	return between(sku, "stock", 2, 12)
}

func (b blueprint) reviews() reviews {
	average := between(b.sku, "rating", 37, 49)
	first := between(b.sku, "first like", 0, len(b.likes)-1)
	second := (first + between(b.sku, "second like", 1, len(b.likes)-1)) % len(b.likes)
	dislike := b.dislikes[between(b.sku, "dislike", 0, len(b.dislikes)-1)]
	return reviews{
		AverageRating: json.Number(fmt.Sprintf("%d.%d", average/10, average%10)),
		Count:         between(b.sku, "few", 4, 90) * between(b.sku, "many", 1, 12),
		Summary:       opinion(average, between(b.sku, "words", 0, 2), b.likes[first], b.likes[second], dislike),
	}
}

// opinion returns a review's text. The best ratings mention no dislike.
func opinion(average, wording int, like, alsoLike, dislike string) string {
	if average >= 48 {
		return fmt.Sprintf("Buyers praise %s and %s, with hardly a complaint.", like, alsoLike)
	}
	forms := []string{
		"Buyers praise %s and %s; a few mention %s.",
		"Most reviews mention %s and %s, some also %s.",
		"Liked for %s and %s, less so for %s.",
	}
	return fmt.Sprintf(forms[wording], like, alsoLike, dislike)
}
