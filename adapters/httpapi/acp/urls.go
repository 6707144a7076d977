package acp

// urls are the absolute addresses of a shop's operations. Those with {id} are URI templates (RFC 6570).
type urls struct {
	Search         string `json:"search" format:"uri" doc:"POST."`
	Product        string `json:"product" format:"uri-template" doc:"GET."`
	Availability   string `json:"availability" format:"uri" doc:"POST."`
	Quote          string `json:"quote" format:"uri" doc:"POST."`
	Session        string `json:"session" format:"uri-template" doc:"GET."`
	SessionExtend  string `json:"session_extend" format:"uri-template" doc:"POST."`
	Cart           string `json:"cart" format:"uri" doc:"GET, PUT: replaces it, DELETE: empties it."`
	Checkout       string `json:"checkout" format:"uri" doc:"POST: opens one."`
	CheckoutRead   string `json:"checkout_read" format:"uri-template" doc:"GET."`
	CheckoutRevise string `json:"checkout_revise" format:"uri-template" doc:"PUT."`
	CheckoutPage   string `json:"checkout_page" format:"uri-template" doc:"GET: a web page for people."`
	CheckoutCancel string `json:"checkout_cancel" format:"uri" doc:"POST."`
	Finalize       string `json:"finalize" format:"uri" doc:"POST: pays a checkout."`
	Orders         string `json:"orders" format:"uri-template" doc:"GET."`
	OrderCancel    string `json:"order_cancel" format:"uri-template" doc:"POST."`
	Receipt        string `json:"receipt" format:"uri-template" doc:"GET: a web page without personal data, for people."`
	Returns        string `json:"returns" format:"uri" doc:"POST: requests one."`
	ReturnRead     string `json:"return_read" format:"uri-template" doc:"GET."`
	Page           string `json:"page" format:"uri" doc:"GET: the shop as a web page for people."`
	LLMs           string `json:"llms" format:"uri" doc:"GET: a short introduction for language models."`
	Manifest       string `json:"manifest" format:"uri" doc:"GET: this document."`
	Keys           string `json:"keys" format:"uri" doc:"GET: the public keys that verify the shop's signatures."`
	OpenAPI        string `json:"openapi" format:"uri" doc:"GET: the OpenAPI document of these operations."`
}

// urlsAt returns the addresses of operations below a shop's address.
func urlsAt(shop string) urls {
	return urls{
		Search:         shop + "/acp/search",
		Product:        shop + "/acp/products/{id}",
		Availability:   shop + "/acp/availability",
		Quote:          shop + "/acp/quote",
		Session:        shop + "/acp/sessions/{id}",
		SessionExtend:  shop + "/acp/sessions/{id}/extend",
		Cart:           shop + cartPath,
		Checkout:       shop + "/acp/checkout/init",
		CheckoutRead:   shop + "/acp/checkout/{id}",
		CheckoutRevise: shop + "/acp/checkout/{id}",
		CheckoutPage:   shop + "/acp/checkout/{id}/page",
		CheckoutCancel: shop + "/acp/checkout/cancel",
		Finalize:       shop + "/acp/checkout/finalize",
		Orders:         shop + "/acp/orders/{id}",
		OrderCancel:    shop + "/acp/orders/{id}/cancel",
		Receipt:        shop + "/acp/orders/{id}/receipt",
		Returns:        shop + "/acp/returns",
		ReturnRead:     shop + "/acp/returns/{id}",
		Page:           shop,
		LLMs:           shop + llmsPath,
		Manifest:       shop + manifestPath,
		Keys:           shop + keySetPath,
		OpenAPI:        shop + documentPath,
	}
}

// usage tells agents how to ask best.
type usage struct {
	Order       string            `json:"order" doc:"The order of calls."`
	Search      string            `json:"search" doc:"How to search."`
	Prices      string            `json:"prices" doc:"How a price is negotiated and accepted."`
	IDs         string            `json:"ids" doc:"What ids are for, and where they come from."`
	Checkout    string            `json:"checkout" doc:"The fields of checkout."`
	Payment     string            `json:"payment" doc:"The fields of finalize."`
	Retries     string            `json:"retries" doc:"How to send a request again."`
	NextActions map[string]string `json:"next_actions" doc:"The meaning of each word of next_actions. The operations are named as in urls."`
}

// howTo is the usage of every shop.
var howTo = usage{
	Order: "search, product, quote until a price is accepted, checkout, finalize, orders. availability is optional. Use urls; " +
		"endpoints are the same without the address. Each response lists in next_actions what can follow it. Send and read " +
		"JSON; prices are for one piece, in the first of supported_currencies.",
	Search: "Send keywords of one product in query (\"waterproof hiking jacket\"), not a sentence about the buyer or several " +
		"products at once. Put constraints into filters: {\"price_max\": 250, \"size\": \"M\", \"category\": an id of categories}. " +
		"Unknown fields have no effect; warnings name them.",
	Prices: "quote without offer_price returns a price. quote with offer_price makes an offer; follow up with session_id and " +
		"quote_id. The current price is counter_price, or offered_price. To accept it, send exactly that price as offer_price " +
		"before valid_until. The response accept has a checkout_token: send it to checkout, or the list price applies.",
	IDs: "Product and variant ids come from search and product. Ids of sessions, checkouts, orders and returns are capabilities: " +
		"anyone who has one can use it, so do not share them. finalize returns order.manage_token, which cancels the order.",
	Checkout: "checkout takes shipping_address {name, line1, line2, city, state, postal_code, country}, buyer {email}, " +
		"shipping_option (an id of the response's shipping_options), and order_webhook {url} to receive changes of the order. " +
		"With allow_incomplete: true, checkout_revise can add missing fields later.",
	Payment: "finalize takes payment {method, token}: one of payment_methods, and the buyer's token for it.",
	Retries: "Send an Idempotency-Key of 16 to 255 random characters with each POST, and the same key to repeat it. After an " +
		"error with retry_after, wait that many seconds. finalize charges once, no matter how often you send it.",
	NextActions: meanings(),
}
