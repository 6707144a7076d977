package shopify

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

var errNoID = errors.New("it has no id")

type variantNode struct {
	ID              gid
	SKU             string
	Barcode         string
	Price           string
	SelectedOptions []option
	InventoryPolicy string
	InventoryItem   *struct {
		ID               gid
		Tracked          *bool
		RequiresShipping *bool
	}
}

// saleNode is the saleFields of a product.
type saleNode struct {
	PublishedAt         *string
	IsGiftCard          bool
	RequiresSellingPlan bool
}

func (n saleNode) sale(with recordContext) sale {
	return sale{
		unpublished:      with.unpublished(n.PublishedAt),
		giftCard:         n.IsGiftCard,
		subscriptionOnly: n.RequiresSellingPlan,
	}
}

// imageNode is an image. It is empty for other media.
type imageNode struct {
	Image *struct{ URL, AltText string }
}

type productNode struct {
	ID              gid
	Handle          string
	Title           string
	DescriptionHTML string
	Vendor          string
	ProductType     string
	Status          string
	Tags            []string
	UpdatedAt       moment
	saleNode
}

func (n productNode) product(with recordContext) product {
	return product{
		id:      string(n.ID),
		handle:  n.Handle,
		title:   n.Title,
		html:    n.DescriptionHTML,
		vendor:  n.Vendor,
		kind:    n.ProductType,
		status:  n.Status,
		tags:    n.Tags,
		updated: time.Time(n.UpdatedAt),
		sale:    n.sale(with),
	}
}

func (p *product) addVariant(n variantNode) {
	v := variant{
		id:      string(n.ID),
		sku:     strings.TrimSpace(n.SKU),
		price:   n.Price,
		barcode: n.Barcode,
		options: n.SelectedOptions,
	}
	if n.InventoryItem != nil {
		v.item = string(n.InventoryItem.ID)
		if n.InventoryItem.Tracked != nil {
			v.policy = policyOf(n.InventoryItem.Tracked, n.InventoryPolicy)
		}
		if shipped := n.InventoryItem.RequiresShipping; shipped != nil {
			v.shipping = syncrun.ShippingOf(*shipped)
		}
	}
	p.variants = append(p.variants, v)
}

func (p *product) addImage(n imageNode) {
	if n.Image != nil && n.Image.URL != "" && len(p.images) < maxImages {
		p.images = append(p.images, catalog.Image{URL: n.Image.URL, Alt: line(n.Image.AltText, 500)})
	}
}

func productRecords(node json.RawMessage, with recordContext) ([]syncrun.Record, error) {
	var n struct {
		productNode
		Variants page[variantNode]
		Media    page[imageNode]
	}
	if err := requireID(json.Unmarshal(node, &n), &n.ID); err != nil {
		return nil, err
	}
	p := n.product(with)
	for _, v := range n.Variants.Nodes {
		p.addVariant(v)
	}
	if n.Variants.PageInfo.HasNextPage {
		rest, gone := with.rest(p, n.Variants.PageInfo.EndCursor)
		if gone {
			return nil, nil
		}
		for _, v := range rest.list {
			p.addVariant(v)
		}
	}
	for _, image := range n.Media.Nodes {
		p.addImage(image)
	}
	return []syncrun.Record{p.record(with)}, nil
}

func requireID(err error, id *gid) error {
	if err == nil && *id == "" {
		return errNoID
	}
	return err
}

func orderRecords(node json.RawMessage, _ recordContext) ([]syncrun.Record, error) {
	var n struct {
		ID                        gid
		Name, Email               string
		DisplayFinancialStatus    string
		DisplayFulfillmentStatus  string
		CancelledAt               *string
		SourceIdentifier          string
		CreatedAt, UpdatedAt      moment
		SubtotalLineItemsQuantity int
		Fulfillments              []struct {
			Status       string
			CreatedAt    moment
			DeliveredAt  *string
			TrackingInfo []struct{ Company, Number, URL string }
		}
		TotalPriceSet struct {
			ShopMoney struct{ Amount, CurrencyCode string }
		}
		TotalRefundedSet struct {
			ShopMoney struct{ Amount string }
		}
	}
	if err := requireID(json.Unmarshal(node, &n), &n.ID); err != nil {
		return nil, err
	}
	var sent []syncrun.Shipment
	for _, f := range n.Fulfillments {
		if f.Status == "SUCCESS" {
			s := syncrun.Shipment{ShippedAt: time.Time(f.CreatedAt), Delivered: f.DeliveredAt != nil}
			if len(f.TrackingInfo) > 0 {
				s.Carrier, s.Number, s.TrackingURL = f.TrackingInfo[0].Company, f.TrackingInfo[0].Number, f.TrackingInfo[0].URL
			}
			sent = append(sent, s)
		}
	}
	shipment := fulfilledShipment(n.DisplayFulfillmentStatus, sent)
	return []syncrun.Record{orderRecord(string(n.ID), time.Time(n.UpdatedAt), syncrun.Order{
		Number:    n.Name,
		Email:     n.Email,
		Status:    status(n.DisplayFinancialStatus, n.DisplayFulfillmentStatus, n.CancelledAt != nil),
		Total:     n.TotalPriceSet.ShopMoney.Amount,
		Currency:  n.TotalPriceSet.ShopMoney.CurrencyCode,
		Items:     n.SubtotalLineItemsQuantity,
		PlacedAt:  time.Time(n.CreatedAt),
		Reference: n.SourceIdentifier,
		Shipment:  shipment,
		Canceled:  n.CancelledAt != nil,
		Refunded:  refunded([]string{n.TotalRefundedSet.ShopMoney.Amount}, n.TotalPriceSet.ShopMoney.CurrencyCode),
	})}, nil
}

// fulfilledShipment returns the newest shipment of an order that is completely fulfilled, and nil for any other order.
func fulfilledShipment(status string, list []syncrun.Shipment) *syncrun.Shipment {
	if !strings.EqualFold(status, "fulfilled") || len(list) == 0 {
		return nil
	}
	return &list[len(list)-1]
}

func orderRecord(id string, at time.Time, o syncrun.Order) syncrun.Record {
	o.Number, o.Email = line(o.Number, maxText), strings.TrimSpace(o.Email)
	return syncrun.Record{
		Resource: syncrun.Orders,
		Remote:   id,
		At:       at,
		Order:    &o,
	}
}

// status returns an order's status, such as "paid/unfulfilled". It maps the different words of webhooks.
func status(financial, fulfillment string, cancelled bool) string {
	financial, fulfillment = strings.ToLower(financial), strings.ToLower(fulfillment)
	switch {
	case cancelled:
		return "cancelled"
	case fulfillment == "":
		fulfillment = "unfulfilled"
	case fulfillment == "partial":
		fulfillment = "partially_fulfilled"
	}
	if financial == "" {
		return fulfillment
	}
	return financial + "/" + fulfillment
}

// count is a number that the API writes as a string.
type count int

func (c *count) UnmarshalJSON(text []byte) error {
	plain := strings.Trim(string(text), `"`)
	if plain == "null" {
		return nil
	}
	n, err := strconv.Atoi(plain)
	*c = count(n)
	return err
}

func customerRecords(node json.RawMessage, _ recordContext) ([]syncrun.Record, error) {
	var n struct {
		ID                  gid
		FirstName, LastName string
		DefaultEmailAddress *struct{ EmailAddress string }
		Tags                []string
		NumberOfOrders      count
		UpdatedAt           moment
		Metafield           *struct{ Value string }
	}
	if err := requireID(json.Unmarshal(node, &n), &n.ID); err != nil {
		return nil, err
	}
	email, tier := "", tierOf(n.Tags)
	if n.DefaultEmailAddress != nil {
		email = n.DefaultEmailAddress.EmailAddress
	}
	if tier == "" && n.Metafield != nil {
		tier = n.Metafield.Value
	}
	return []syncrun.Record{customer(string(n.ID), time.Time(n.UpdatedAt), n.FirstName, n.LastName, syncrun.Customer{
		Email:     email,
		Tier:      tier,
		Purchases: int(n.NumberOfOrders),
	})}, nil
}

func customer(id string, at time.Time, first, last string, c syncrun.Customer) syncrun.Record {
	c.Name, c.Email, c.Tier = line(first+" "+last, maxText), strings.TrimSpace(c.Email), line(c.Tier, maxText)
	return syncrun.Record{
		Resource: syncrun.Customers,
		Remote:   id,
		At:       at,
		Customer: &c,
	}
}

func isTier(kind string) bool { return kind == "tier" || kind == "loyalty" }

// tierOf returns the loyalty tier from a tag such as "tier:gold".
func tierOf(tags []string) string {
	for _, tag := range tags {
		if kind, tier, ok := strings.Cut(tag, ":"); ok && isTier(strings.ToLower(strings.TrimSpace(kind))) {
			return strings.TrimSpace(tier)
		}
	}
	return ""
}
