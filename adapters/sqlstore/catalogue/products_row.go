package catalogue

import (
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

type ProductRow struct {
	ID              string
	ProjectID       string `db:"project_id"`
	SKU             string
	Name            string
	Category        string
	Price           int64
	Currency        string
	Cost            *int64
	CompetitorPrice *int64 `db:"competitor_price"`
	Negotiable      bool
	Details         string
	Status          string
	CreatedAt       int64 `db:"created_at"`
	UpdatedAt       int64 `db:"updated_at"`
}

// details are what of a product is shown but neither searched nor computed with in SQL.
type details struct {
	Description string
	Brand       string
	Images      []catalog.Image
	Attributes  map[string]string
	Tags        []string
	Related     []string
	Reviews     catalog.Reviews
}

var detailsFormat = stored.JSON[details](nil)

func detailsOf(p *catalog.Product) details {
	return details{p.Description, p.Brand, p.Images, p.Attributes, p.Tags, p.Related, p.Reviews}
}

// folded is what a merchant's text filter looks through, here and in the filter itself.
func folded(text string) string { return strings.ToLower(text) }

type VariantRow struct {
	ID        string
	ProductID string `db:"product_id"`
	SKU       string
	Size      string
	Color     string
	Price     *int64
}

func fromProductRow(r ProductRow) (*catalog.Product, error) {
	currency, err := db.Currency(r.Currency)
	if err != nil {
		return nil, err
	}
	var d details
	if err := detailsFormat.Read(r.Details, &d, currency); err != nil {
		return nil, err
	}
	status, _ := catalog.ParseStatus(r.Status)
	p := &catalog.Product{
		ID: id.Stored[id.Product](r.ID), Project: id.Stored[id.Project](r.ProjectID),
		SKU: r.SKU, Name: r.Name, Category: r.Category, Price: money.Of(r.Price, currency),
		Cost: db.OptionalAmount(r.Cost, currency), CompetitorPrice: db.OptionalAmount(r.CompetitorPrice, currency),
		Negotiable: r.Negotiable, Status: status,
		CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
	}
	p.Description, p.Brand, p.Images, p.Attributes = d.Description, d.Brand, d.Images, d.Attributes
	p.Tags, p.Related, p.Reviews = d.Tags, d.Related, d.Reviews
	return p, nil
}

// FromProductRows puts products together with their variants, which come in order of position.
func FromProductRows(rows []ProductRow, variants []VariantRow) ([]*catalog.Product, error) {
	products := make([]*catalog.Product, len(rows))
	byID := make(map[string]*catalog.Product, len(rows))
	for i, r := range rows {
		p, err := fromProductRow(r)
		if err != nil {
			return nil, err
		}
		products[i], byID[r.ID] = p, p
	}
	for _, v := range variants {
		p := byID[v.ProductID]
		if p == nil {
			continue
		}
		p.Variants = append(p.Variants, catalog.Variant{
			ID: id.Stored[id.Variant](v.ID), SKU: v.SKU, Size: v.Size, Color: v.Color,
			Price: db.OptionalAmount(v.Price, p.Price.Currency()),
		})
	}
	return products, nil
}

type LevelRow struct {
	ProductID string `db:"product_id"`
	VariantID string `db:"variant_id"`
	SKU       string
	Location  string
	Quantity  int
	Oversold  int
}

func FromLevelRows(rows []LevelRow) []catalog.Level {
	levels := make([]catalog.Level, len(rows))
	for i, r := range rows {
		levels[i] = catalog.Level{
			Product: id.Stored[id.Product](r.ProductID), Variant: id.Stored[id.Variant](r.VariantID),
			SKU: r.SKU, Location: r.Location, Quantity: r.Quantity,
		}
	}
	return levels
}
