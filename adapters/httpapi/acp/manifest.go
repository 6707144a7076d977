package acp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

const manifestPath = "/.well-known/acp/manifest.json"

func (h *handlers) registerManifest() {
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: manifestID,
		Method:      http.MethodGet,
		Path:        manifestPath,
		Tags:        discoveryTag,
		Summary:     "Read the shop's manifest",
		Description: "Returns the merchant, currencies, payment methods, shipping regions, the addresses of the other operations " +
			"and a guide to using them. urls are absolute; endpoints are the same as path templates: append them to the " +
			"address that precedes /.well-known. Responses have an ETag; a request with a matching If-None-Match gets 304 " +
			"without a body.",
		Responses: map[string]*huma.Response{"304": {Description: "The manifest still has the ETag of If-None-Match."}},
	}), h.manifest)
}

type manifestInput struct {
	Known string `header:"If-None-Match" doc:"The ETag of a previous response."`
}

type manifestReply struct {
	Status int
	ETag   string `header:"ETag"`
	Cache  string `header:"Cache-Control"`
	Body   manifest
}

type manifest struct {
	Version         string          `json:"acp_version" enum:"1.0"`
	Merchant        merchant        `json:"merchant"`
	Endpoints       endpoints       `json:"endpoints"`
	PaymentMethods  []paymentMethod `json:"payment_methods"`
	Currencies      []string        `json:"supported_currencies" doc:"ISO 4217. Every price of the shop is in the first currency."`
	ShippingRegions []string        `json:"shipping_regions" doc:"ISO 3166 alpha-2 countries."`
	Policies        policies        `json:"policies"`
	Categories      []category      `json:"categories" doc:"The top two levels."`

	URLs      urls              `json:"urls"`
	Protocols map[string]string `json:"protocols" doc:"Addresses of the shop's other protocols, by name."`
	Usage     usage             `json:"usage"`
}

type merchant struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Description  string   `json:"description"`
	LogoURL      string   `json:"logo_url" doc:"Empty if there is none."`
	Capabilities []string `json:"capabilities" enum:"negotiate,bundle,subscribe,recommend"`
}

type endpoints struct {
	Search   string `json:"search"`
	Product  string `json:"product"`
	Quote    string `json:"quote"`
	Checkout string `json:"checkout"`
	Finalize string `json:"finalize"`
	Orders   string `json:"orders"`
	Returns  string `json:"returns"`
}

type paymentMethod struct {
	Type       string   `json:"type" enum:"psp_spt,wallet_ba"`
	Currencies []string `json:"currencies"`
}

type policies struct {
	NegotiationEnabled    bool         `json:"negotiation_enabled"`
	MaxDiscountPercent    wire.Decimal `json:"max_discount_percent" minimum:"0" maximum:"90"`
	ReturnWindowDays      int          `json:"return_window_days" minimum:"0"`
	FreeShippingThreshold *wire.Money  `json:"free_shipping_threshold" nullable:"true" doc:"Subtotal from which standard shipping is free; null: never."`
}

type category struct {
	ID           string `json:"id" doc:"The path, as filters.category takes it." example:"outdoor/tents"`
	Name         string `json:"name" example:"Tents"`
	ProductCount int    `json:"product_count" minimum:"0" doc:"The number of products at or below the path."`
}

func (h *handlers) manifest(ctx context.Context, rq Request, in *manifestInput) (*manifestReply, error) {
	shop := rq.Caller.Shop
	categories, err := h.Discovery.In(rq.Stores).TopCategories(ctx, shop)
	if err != nil {
		return nil, err
	}
	mandate, err := h.Discovery.In(rq.Stores).Mandates.Mandate(ctx, shop, id.Session{})
	if err != nil {
		return nil, err
	}
	answer := &manifestReply{Status: http.StatusOK, Cache: "public, max-age=60"}
	answer.Body = toAPIManifest(shop, mandate.Policy, shop.ServedMethods(h.Sandbox), categories)
	answer.Body.URLs, answer.Body.Usage = urlsAt(h.Address(shop.Slug)), h.usage(shop)
	if h.Services.Protocols != nil {
		answer.Body.Protocols = h.Services.Protocols(shop)
	}
	text, err := wire.Marshal(answer.Body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	answer.ETag = `"` + hex.EncodeToString(sum[:16]) + `"`
	if wire.Matches(in.Known, answer.ETag) {
		answer.Status = http.StatusNotModified
	}
	return answer, nil
}

// usage returns howTo, with the payment tokens of the sandbox where no money moves.
func (h *handlers) usage(shop *project.Project) usage {
	u := howTo
	for _, method := range shop.ServedMethods(h.Sandbox) {
		if shop.PaymentRoute(method, h.Sandbox).Provider == project.SandboxProvider {
			u.Payment += " For tests, " + sandboxTokens[method] + " pays by " + commerce.PaymentMethods[method] + ", and " +
				declinedTokens[method] + " is declined."
		}
	}
	return u
}

func toAPIManifest(shop *project.Project, policy negotiation.Policy, methods []project.PaymentMethod, categories []catalog.Category) manifest {
	currencies := []string{shop.Settings.Currency.Code()}
	m := manifest{
		Version: "1.0",
		Merchant: merchant{
			ID:           shop.ID.String(),
			Name:         shop.Name,
			Description:  shop.Storefront.Description,
			LogoURL:      shop.Storefront.LogoURL,
			Capabilities: discovery.Capabilities(shop, policy),
		},
		Endpoints: endpoints{
			Search:   "/acp/search",
			Product:  "/acp/products/{id}",
			Quote:    "/acp/quote",
			Checkout: "/acp/checkout/init",
			Finalize: "/acp/checkout/finalize",
			Orders:   "/acp/orders/{id}",
			Returns:  "/acp/returns",
		},
		Currencies:      currencies,
		ShippingRegions: shop.Storefront.ShippingRegions,
		Protocols:       map[string]string{},
		Policies: policies{
			NegotiationEnabled:    policy.Enabled,
			MaxDiscountPercent:    wire.ToPercent(policy.MaxDiscount),
			ReturnWindowDays:      shop.Storefront.ReturnWindowDays,
			FreeShippingThreshold: wire.ToOptionalMoney(shop.Storefront.FreeShippingThreshold),
		},
	}
	for _, method := range methods {
		m.PaymentMethods = append(m.PaymentMethods, paymentMethod{commerce.PaymentMethods[method], currencies})
	}
	for _, c := range categories {
		m.Categories = append(m.Categories, category{c.Path, toAPICategoryName(c.Path), c.Count})
	}
	return m
}

// toAPICategoryName formats the last part of a path for people: "outdoor/camping-tents" becomes "Camping tents".
func toAPICategoryName(path string) string {
	last := path[strings.LastIndex(path, "/")+1:]
	words := strings.Join(strings.FieldsFunc(last, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }), " ")
	if words == "" {
		return path
	}
	first := []rune(words)[0]
	return strings.ToUpper(string(first)) + strings.TrimPrefix(words, string(first))
}
