package judge

import (
	"slices"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// kind says how the messages of an operation are checked.
type kind struct {
	base    string // location of the schema that requests and answers share
	verb    string // the operation in the schemas' annotations
	parent  string // the capability that relevant extensions extend
	reply   string // location of the schema of answers, if it is not base
	asked   string // location of the schema of requests, if it is not base
	profile string // of a profile: its name in the schema of profiles
	form    form   // which rules of the specification's text apply
}

// form is the subject of a message.
type form int

const (
	catalogueForm form = iota
	cartForm
	checkoutForm
	orderForm
	negotiationForm
	businessProfileForm
	anyProfileForm
)

// judgeText checks the rules that are only in the specification's text.
func (r *report) judgeText(form form) {
	switch form {
	case catalogueForm:
		r.catalogue()
	case cartForm:
		r.cart()
	case checkoutForm:
		r.checkout()
	case orderForm:
		r.order()
	case negotiationForm:
		r.negotiation()
	case businessProfileForm:
		r.businessProfile()
	case anyProfileForm:
		r.anyProfile()
	}
}

const negotiations = "haggle/negotiation.json#/$defs/"

var kinds = map[Operation]kind{
	SearchCatalog: {
		parent: Search,
		asked:  "shopping/catalog_search.json#/$defs/search_request",
		reply:  "shopping/catalog_search.json#/$defs/search_response",
		form:   catalogueForm,
	},
	LookupCatalog: {
		parent: Lookup,
		asked:  "shopping/catalog_lookup.json#/$defs/lookup_request",
		reply:  "shopping/catalog_lookup.json#/$defs/lookup_response",
		form:   catalogueForm,
	},
	GetProduct: {
		parent: Lookup,
		asked:  "shopping/catalog_lookup.json#/$defs/get_product_request",
		reply:  "shopping/catalog_lookup.json#/$defs/get_product_response",
		form:   catalogueForm,
	},
	CreateCart:       cartKind("create"),
	UpdateCart:       cartKind("update"),
	GetCart:          cartKind(""),
	CancelCart:       cartKind(""),
	CreateCheckout:   checkoutKind("create"),
	UpdateCheckout:   checkoutKind("update"),
	GetCheckout:      checkoutKind(""),
	CompleteCheckout: checkoutKind("complete"),
	CancelCheckout:   checkoutKind(""),
	GetOrder: {
		base:   "shopping/order.json",
		parent: Order,
		form:   orderForm,
	},
	OrderWebhook: {
		base:   "shopping/order.json",
		parent: Order,
		form:   orderForm,
	},
	StartNegotiation: negotiationKind("start_request"),
	MakeOffer:        negotiationKind("offer_request"),
	AcceptOffer:      negotiationKind("accept_request"),
	GetNegotiation:   negotiationKind(""),
	DeclineOffer:     negotiationKind("decline_request"),
	BusinessProfile:  {profile: "business", form: businessProfileForm},
	PlatformProfile:  {profile: "platform", form: anyProfileForm},
}

func cartKind(verb string) kind {
	return kind{
		base:   "shopping/cart.json",
		verb:   verb,
		parent: Cart,
		form:   cartForm,
	}
}

func checkoutKind(verb string) kind {
	return kind{
		base:   "shopping/checkout.json",
		verb:   verb,
		parent: Checkout,
		form:   checkoutForm,
	}
}

func negotiationKind(request string) kind {
	k := kind{reply: negotiations + "negotiation", form: negotiationForm}
	if request != "" {
		k.asked = negotiations + request
	}
	return k
}

// extensions maps extensions of carts and checkouts to their schema files.
var extensions = map[string]string{
	Discount:    "shopping/discount.json",
	Fulfillment: "shopping/fulfillment.json",
	Consent:     "shopping/buyer_consent.json",
}

// extends reports whether an extension extends a parent. That depends on the version: carts may have consent since
// 2026-08-25.
func extends(extension, parent string, version schema.Version) bool {
	switch {
	case parent == Checkout:
		return true
	case parent == Cart:
		return extension == Discount || extension == Consent && version != schema.V20260408
	}
	return false
}

// answer returns the schemas that an answer must satisfy.
func (k kind) answer(version schema.Version, active Capabilities) []string {
	switch {
	case k.profile != "" && version == schema.V20260408:
		return []string{schema.Host + "discovery/profile_schema.json#/$defs/" + k.profile + "_profile"}
	case k.profile != "":
		return []string{"profile.json#/$defs/" + k.profile + "_schema"}
	case k.reply != "":
		return []string{k.reply}
	}
	return append([]string{k.base}, k.composed(version, active)...)
}

// request returns the schemas that a request must satisfy.
func (k kind) request(version schema.Version, active Capabilities) []string {
	switch {
	case k.asked != "":
		return []string{k.asked}
	case k.verb == "" || k.base == "":
		return nil
	}
	locations := append([]string{k.base}, k.composed(version, active)...)
	if k.parent == Checkout && slices.Contains(active, Cart) {
		locations = append(locations, "shopping/cart.json#/$defs/checkout")
	}
	return locations
}

func (k kind) composed(version schema.Version, active Capabilities) []string {
	var locations []string
	for _, name := range active {
		if file, known := extensions[name]; known && extends(name, k.parent, version) {
			locations = append(locations, file+"#/$defs/"+k.parent)
		}
	}
	return locations
}
