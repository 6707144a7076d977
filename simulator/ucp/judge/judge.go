// Package judge checks messages of the Universal Commerce Protocol (UCP) against the published schemas, composed by the
// active capabilities, and against the rules that are only in the specification's text. It was written from the
// specification alone and uses none of the server's code. It checks one message at a time; the simulator's witness
// compares messages.
package judge

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// Operation is the name of an operation, which is also the name of its MCP tool.
type Operation string

// The operations of the shopping service.
const (
	SearchCatalog    Operation = "search_catalog"
	LookupCatalog    Operation = "lookup_catalog"
	GetProduct       Operation = "get_product"
	CreateCart       Operation = "create_cart"
	UpdateCart       Operation = "update_cart"
	GetCart          Operation = "get_cart"
	CancelCart       Operation = "cancel_cart"
	CreateCheckout   Operation = "create_checkout"
	UpdateCheckout   Operation = "update_checkout"
	GetCheckout      Operation = "get_checkout"
	CompleteCheckout Operation = "complete_checkout"
	CancelCheckout   Operation = "cancel_checkout"
	GetOrder         Operation = "get_order"
)

// The operations of Haggle's negotiation capability.
const (
	StartNegotiation Operation = "start_negotiation"
	MakeOffer        Operation = "make_offer"
	AcceptOffer      Operation = "accept_offer"
	GetNegotiation   Operation = "get_negotiation"
	DeclineOffer     Operation = "decline_offer"
)

// Documents and messages that are checked like answers.
const (
	BusinessProfile Operation = "business_profile"
	PlatformProfile Operation = "platform_profile"
	OrderWebhook    Operation = "order_webhook" // what the shop posts to the platform
)

// Capabilities are the names of the active capabilities. nil means those that the answer names.
type Capabilities []string

// The capabilities and extensions that the judge knows.
const (
	Search      = "dev.ucp.shopping.catalog.search"
	Lookup      = "dev.ucp.shopping.catalog.lookup"
	Cart        = "dev.ucp.shopping.cart"
	Checkout    = "dev.ucp.shopping.checkout"
	Order       = "dev.ucp.shopping.order"
	Discount    = "dev.ucp.shopping.discount"
	Fulfillment = "dev.ucp.shopping.fulfillment"
	Consent     = "dev.ucp.shopping.buyer_consent"
)

// Judge checks messages of one version of the protocol. It is safe for concurrent use.
type Judge struct {
	version schema.Version
	house   bool
	now     func() time.Time
}

// New returns a judge of a version.
func New(version schema.Version) Judge { return Judge{version: version} }

// House adds Haggle's own rules beyond the specification: which totals there are and in which order, what an incomplete
// checkout says, how a deal is shown.
func (j Judge) House() Judge {
	j.house = true
	return j
}

// At adds the rules about time, which need a clock.
func (j Judge) At(now func() time.Time) Judge {
	j.now = now
	return j
}

// Version returns the version of the protocol.
func (j Judge) Version() schema.Version { return j.version }

// Answer returns the problems of a shop's answer as schema.Problems, or nil. It does not check whether an error envelope
// is the right answer to the request.
func (j Judge) Answer(operation Operation, active Capabilities, body []byte) error {
	value, err := decode(body)
	if err != nil {
		return err
	}
	return j.AnswerValue(operation, active, value)
}

// AnswerValue is Answer for a decoded body, with numbers as json.Number.
func (j Judge) AnswerValue(operation Operation, active Capabilities, value any) error {
	kind, known := kinds[operation]
	if !known {
		return fmt.Errorf("%w: operation %q", schema.ErrUnknown, operation)
	}
	root, isObject := value.(map[string]any)
	if !isObject {
		return schema.Problems{{Path: "$", Reason: "the answer is no object"}}
	}
	unknown := active == nil
	if unknown {
		active = namedIn(root)
	}
	envelope := kind.profile == "" && text(object(root["ucp"])["status"]) == "error"
	locations := kind.answer(j.version, active)
	if envelope {
		locations = []string{j.location("error_response.json")}
	}
	r := &report{
		judge:     j,
		root:      root,
		operation: operation,
		active:    active,
		lenient:   unknown,
	}
	for _, location := range locations {
		found, err := schema.Validate(schema.Ref{
			Version:   j.version,
			Direction: schema.Response,
			Operation: "read",
			Location:  location,
		}, value)
		if err != nil {
			return err
		}
		r.problems = append(r.problems, found...)
	}
	if envelope {
		r.errorEnvelope()
	} else {
		r.judgeText(kind.form)
	}
	return r.sorted().Err()
}

// Request returns the problems of a platform's request body.
func (j Judge) Request(operation Operation, active Capabilities, body []byte) error {
	value, err := decode(body)
	if err != nil {
		return err
	}
	kind, known := kinds[operation]
	if !known {
		return fmt.Errorf("%w: operation %q", schema.ErrUnknown, operation)
	}
	r := &report{
		judge:     j,
		operation: operation,
		active:    active,
	}
	for _, location := range kind.request(j.version, active) {
		found, err := schema.Validate(schema.Ref{
			Version:   j.version,
			Direction: schema.Request,
			Operation: kind.verb,
			Location:  location,
		}, value)
		if err != nil {
			return err
		}
		r.problems = append(r.problems, found...)
	}
	if err := r.unsent(kind, object(value)); err != nil {
		return err
	}
	return r.sorted().Err()
}

// unsent reports top-level properties that only the shop may send.
func (r *report) unsent(kind kind, body map[string]any) error {
	if kind.base == "" || kind.verb == "" {
		return nil
	}
	document, err := schema.Document(r.judge.version, kind.base)
	if err != nil {
		return err
	}
	for _, name := range schema.Omitted(document, kind.verb) {
		if _, sent := body[name]; sent {
			r.add("$."+name, "is not sent in a request to %s", kind.verb)
		}
	}
	return nil
}

// location returns the location of a type's schema in the judge's version.
func (j Judge) location(name string) string {
	if j.version == schema.V20260408 {
		return "shopping/types/" + name
	}
	return "common/types/" + name
}

func decode(body []byte) (any, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return nil, schema.Problems{{Path: "$", Reason: "no JSON: " + err.Error()}}
	}
	return value, nil
}

// namedIn returns the capabilities that an answer names.
func namedIn(root map[string]any) Capabilities {
	names := Capabilities{}
	for name := range object(object(root["ucp"])["capabilities"]) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
