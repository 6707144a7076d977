package acp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

const documentPath = "/acp/openapi.json"

func (h *handlers) registerDocument() {
	h.template = sync.OnceValues(func() (*documentTemplate, error) { return newDocumentTemplate(h.mount.API.OpenAPI()) })
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: documentID,
		Method:      http.MethodGet,
		Path:        documentPath,
		Tags:        discoveryTag,
		Summary:     "Read the shop's OpenAPI document",
		Description: "Returns the operations for buyers' agents, at the shop's own address, with examples from its catalog. It has an ETag.",
		Responses: map[string]*huma.Response{
			"200": {Description: "An OpenAPI 3.1 document", Content: map[string]*huma.MediaType{
				documentType: {Schema: &huma.Schema{Type: huma.TypeObject}},
			}},
			"304": {Description: "The document still has the ETag of If-None-Match."},
		},
	}), h.document)
}

const documentType = "application/openapi+json"

type documentInput struct {
	Known string `header:"If-None-Match" doc:"The ETag of a previous response."`
}

type documentReply struct {
	Status int
	Type   string `header:"Content-Type"`
	ETag   string `header:"ETag"`
	Cache  string `header:"Cache-Control"`
	Body   []byte
}

func (h *handlers) document(ctx context.Context, rq Request, in *documentInput) (*documentReply, error) {
	shop := rq.Caller.Shop
	sample, err := h.Discovery.In(rq.Stores).Sample(ctx, shop)
	if err != nil {
		return nil, err
	}
	template, err := h.template()
	if err != nil {
		return nil, err
	}
	slots, err := h.slots(shop, sample)
	if err != nil {
		return nil, err
	}
	answer := &documentReply{
		Status: http.StatusOK,
		Type:   documentType,
		ETag:   template.tag(slots),
		Cache:  "public, max-age=60",
	}
	if wire.Matches(in.Known, answer.ETag) {
		answer.Status = http.StatusNotModified
		return answer, nil
	}
	answer.Body = template.fill(slots)
	return answer, nil
}

// slots returns the values that differ between shops, as JSON, by their names between "@" in the template.
func (h *handlers) slots(shop *project.Project, of discovery.Sample) (map[string][]byte, error) {
	product, variant, name, price := of.Product.String(), of.Variant.String(), of.Name, of.Price
	if of.Product.IsZero() { // the shop sells nothing
		product, variant, name, price = anyShop["product"].(string), anyShop["variant"].(string), anyShop["query"].(string), money.Of(100, shop.Settings.Currency)
	}
	country, state := home(shop.Storefront), ""
	if country == "US" {
		state = "OR"
	}
	method, token := "psp_spt", "A payment token of the buyer"
	if served := shop.ServedMethods(h.Sandbox); len(served) > 0 {
		method = commerce.PaymentMethods[served[0]]
		if shop.PaymentRoute(served[0], h.Sandbox).Provider == project.SandboxProvider {
			token = sandboxTokens[served[0]]
		}
	}
	values := map[string]any{
		"title":      shop.Name + ": the buyers' API",
		"address":    h.Address(shop.Slug),
		"product":    product,
		"variant":    variant,
		"query":      name,
		"list_price": wire.ToMoney(price),
		"offer":      wire.ToMoney(money.Of(max(1, price.Minor()-price.Minor()/10), price.Currency())),
		"country":    country,
		"state":      state,
		"method":     method,
		"token":      token,
	}
	slots := make(map[string][]byte, len(values))
	for name, value := range values {
		text, err := wire.Marshal(value)
		if err != nil {
			return nil, err
		}
		slots[name] = text
	}
	return slots, nil
}

// sandboxTokens are payment tokens that the built-in provider accepts.
var sandboxTokens = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "spt_sandbox_ok",
	project.BillingAgreement:   "ba_sandbox_ok",
}

// declinedTokens are payment tokens that it declines, so that the buyer may try another one.
var declinedTokens = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "spt_sandbox_decline_insufficient_funds",
	project.BillingAgreement:   "ba_sandbox_decline_insufficient_funds",
}

// documentTemplate is the document of all shops: texts[0], the slot names[0], texts[1], and so on.
type documentTemplate struct {
	texts [][]byte
	names []string
	hash  [sha256.Size]byte
}

var slot = regexp.MustCompile(`"@([a-z_]+)@"`)

// newDocumentTemplate builds the template from the registered operations. Call it after all are registered.
func newDocumentTemplate(doc *huma.OpenAPI) (*documentTemplate, error) {
	part := wire.Excerpt(doc, "/p/{slug}", ofBuyers, func(op *huma.Operation) {
		exemplify(op)
		shorten(op)
	})
	part.Info = &huma.Info{
		Title:       "@title@",
		Version:     doc.Info.Version,
		Description: documentText(),
	}
	part.Servers = []*huma.Server{{URL: "@address@"}}
	part.Tags = tags
	text, err := stdjson.Marshal(part)
	if err != nil {
		return nil, err
	}
	t := &documentTemplate{hash: sha256.Sum256(text)}
	from := 0
	for _, at := range slot.FindAllSubmatchIndex(text, -1) {
		t.texts = append(t.texts, text[from:at[0]])
		t.names = append(t.names, string(text[at[2]:at[3]]))
		from = at[1]
	}
	t.texts = append(t.texts, text[from:])
	return t, nil
}

// ofBuyers reports whether buyers' agents need an operation. A receipt's address comes with the order, and other pages are for
// people.
func ofBuyers(op *huma.Operation) bool {
	return strings.HasPrefix(op.OperationID, "acp-") && !slices.Contains([]string{receiptID, shopPageID, checkoutPageID}, op.OperationID)
}

// shorten removes what all operations have in common, because agents read the whole document. documentText says it once.
func shorten(op *huma.Operation) {
	for _, p := range op.Parameters {
		if p.Name == wire.KeyHeader {
			p.Description = "See Repeating."
		}
		if p.Schema == nil {
			continue
		}
		schema := *p.Schema     // the document of all operations has it too
		schema.Description = "" // the parameter says it
		p.Schema = &schema
		if schema.Type != huma.TypeArray {
			p.Explode = nil // that concerns lists
		}
	}
	for status, r := range op.Responses {
		switch status {
		case "400", "413", "415", "429", "500", "503":
			delete(op.Responses, status)
		default:
			r.Headers = nil
		}
	}
}

func (t *documentTemplate) fill(slots map[string][]byte) []byte {
	var out bytes.Buffer
	for i, text := range t.texts {
		out.Write(text)
		if i < len(t.names) {
			out.Write(slots[t.names[i]])
		}
	}
	return out.Bytes()
}

// tag returns the ETag of the filled document.
func (t *documentTemplate) tag(slots map[string][]byte) string {
	sum := sha256.New()
	sum.Write(t.hash[:])
	for _, name := range sorted(slots) {
		sum.Write(slots[name])
		sum.Write([]byte{0})
	}
	return `"` + hex.EncodeToString(sum.Sum(nil)[:16]) + `"`
}

// documentText introduces the document.
func documentText() string {
	return "Operations for buyers' agents in this shop. No credentials are needed.\n\n" +
		"- Order of calls: " + howTo.Order + "\n" +
		"- Search: " + howTo.Search + "\n" +
		"- Prices: " + howTo.Prices + "\n" +
		"- Amounts are numbers with all of their currency's decimals.\n" +
		"- Ids: " + howTo.IDs + "\n" +
		"- Checkout: " + howTo.Checkout + "\n" +
		"- Payment: " + howTo.Payment + "\n" +
		"- Repeating: " + howTo.Retries + "\n\n" +
		"Any request may also fail with 400 (it cannot be parsed), 413, 429, 500 or 503 (wait for Retry-After), in the form of the default response. RateLimit-Remaining is the number of requests left.\n\n" +
		"The examples run as they are. Replace a value such as `" + of(initID, "/checkout_id") + "` by the field of that " +
		"response: here checkout_id of the response to " + initID + ", called with its (first) example."
}
