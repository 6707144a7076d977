package acp

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

var (
	//go:embed page.css
	pageCSS string
	//go:embed shop.html
	shopHTML string
	//go:embed home.html
	homeHTML string

	shopPage = template.Must(template.New("shop").Parse(shopHTML))
	homePage = template.Must(template.New("home").Parse(homeHTML))
)

// pagePolicy allows pages their own style and nothing else, and forbids framing them.
var pagePolicy = "default-src 'none'; style-src 'sha256-" + digest(pageCSS) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pageReply is a page or a text for people and language models.
type pageReply struct {
	Type   string `header:"Content-Type"`
	Policy string `header:"Content-Security-Policy"`
	Cache  string `header:"Cache-Control"`
	Vary   string `header:"Vary"`
	Body   []byte
}

const (
	shopPageID = "acp-shop-page"
	shopLLMsID = "acp-llms"
	llmsPath   = "/llms.txt"
	pageCache  = "public, max-age=60"
)

func (h *handlers) registerPages() {
	answer := func(description string, types ...string) map[string]*huma.Response {
		content := map[string]*huma.MediaType{}
		for _, t := range types {
			content[t] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		}
		return map[string]*huma.Response{"200": {Description: description, Content: content}}
	}
	page := answer("The page", "text/html")
	page["200"].Content["application/json"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeObject}}
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: shopPageID,
		Method:      http.MethodGet,
		Path:        "",
		Tags:        discoveryTag,
		Summary:     "Show the shop as a web page",
		Description: "Returns an HTML page that loads no other files, with links for agents. A request that accepts application/json and not text/html gets them as JSON.",
		Responses:   page,
	}), h.shopPage)
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: shopLLMsID,
		Method:      http.MethodGet,
		Path:        llmsPath,
		Tags:        discoveryTag,
		Summary:     "Introduce the shop to language models",
		Description: "Returns Markdown in the form of llmstxt.org.",
		Responses:   answer("The text", "text/plain"),
	}), h.shopLLMs)
}

// pointers has the addresses that a client gets instead of a page if it wants JSON.
type pointers struct {
	Name     string `json:"name"`
	Manifest string `json:"manifest,omitempty"`
	OpenAPI  string `json:"openapi"`
	LLMs     string `json:"llms"`
	Shops    string `json:"shops,omitempty"`
	Docs     string `json:"docs,omitempty"`
}

type pageInput struct {
	Accept string `header:"Accept" doc:"application/json without text/html returns only the links."`
}

// wantsJSON reports whether a client that accepts these types gets JSON instead of a page.
func wantsJSON(accept string) bool {
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

func (h *handlers) shopPage(ctx context.Context, rq Request, in *pageInput) (*pageReply, error) {
	shop := rq.Caller.Shop
	address := h.Address(shop.Slug)
	if wantsJSON(in.Accept) {
		return jsonReply(pointers{
			Name:     shop.Name,
			Manifest: address + manifestPath,
			OpenAPI:  address + documentPath,
			LLMs:     address + llmsPath,
		})
	}
	view, err := h.shopView(ctx, rq)
	if err != nil {
		return nil, err
	}
	return htmlReply(shopPage, view)
}

func jsonReply(p pointers) (*pageReply, error) {
	text, err := wire.Marshal(p)
	return &pageReply{
		Type:   "application/json",
		Policy: pagePolicy,
		Cache:  pageCache,
		Vary:   "Accept",
		Body:   text,
	}, err
}

func htmlReply(page *template.Template, view any) (*pageReply, error) {
	var text bytes.Buffer
	if err := page.Execute(&text, view); err != nil {
		return nil, err
	}
	return &pageReply{
		Type:   "text/html; charset=utf-8",
		Policy: pagePolicy,
		Cache:  pageCache,
		Vary:   "Accept",
		Body:   text.Bytes(),
	}, nil
}

// shopView is what a shop's page shows.
type shopView struct {
	Style                   template.CSS
	Name, Description       string
	Address                 string
	Haggles                 bool
	Currency                string
	ShipsTo, Payment        string
	ReturnDays              int
	Categories              []shopCategory
	More                    int // categories that are not shown
	Manifest, OpenAPI, LLMs string
	Home                    string
}

type shopCategory struct {
	Name  string
	Count int
}

// mostShown is the largest number of categories on a page.
const mostShown = 30

func (h *handlers) shopView(ctx context.Context, rq Request) (shopView, error) {
	shop := rq.Caller.Shop
	categories, err := h.Discovery.In(rq.Stores).TopCategories(ctx, shop)
	if err != nil {
		return shopView{}, err
	}
	address := h.Address(shop.Slug)
	view := shopView{
		Style:       template.CSS(pageCSS),
		Name:        shop.Name,
		Description: shop.Storefront.Description,
		Address:     address,
		Haggles:     shop.Settings.NegotiationEnabled,
		Currency:    shop.Settings.Currency.Code(),
		ShipsTo:     fault.Known(shop.Storefront.ShippingRegions),
		Payment:     payment(shop.ServedMethods(h.Sandbox)),
		ReturnDays:  shop.Storefront.ReturnWindowDays,
		Manifest:    address + manifestPath,
		OpenAPI:     address + documentPath,
		LLMs:        address + llmsPath,
		Home:        strings.TrimSuffix(h.PublicURL, "/") + "/",
	}
	shelves := slices.DeleteFunc(categories, func(c catalog.Category) bool { return strings.Contains(c.Path, "/") })
	for _, c := range shelves[:min(len(shelves), mostShown)] {
		view.Categories = append(view.Categories, shopCategory{toAPICategoryName(c.Path), c.Count})
	}
	view.More = len(shelves) - len(view.Categories)
	return view, nil
}

// payment describes how a shop can be paid, or returns "" if it cannot.
func payment(methods []project.PaymentMethod) string {
	words := map[project.PaymentMethod]string{
		project.SharedPaymentToken: "shared payment token",
		project.BillingAgreement:   "wallet billing agreement",
	}
	named := make([]string, len(methods))
	for i, m := range methods {
		named[i] = words[m]
	}
	text := fault.Known(named)
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
