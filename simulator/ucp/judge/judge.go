// Package judge says whether a message of the Universal Commerce Protocol (UCP) is right: by the published schemas,
// composed by the capabilities that are active, and by the rules that only the texts state. It was written from the
// specification alone and knows nothing of a server's code. It judges one message at a time; what a shop promised
// in an earlier one is the witness's business.
package judge

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// Operation names what is asked for, as MCP's tools are named.
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

// What is no operation and yet judged as an answer.
const (
	BusinessProfile Operation = "business_profile"
	PlatformProfile Operation = "platform_profile"
	OrderWebhook    Operation = "order_webhook" // what the shop posts to the platform
)

// Capabilities are the names of the capabilities that are active between the two sides. nil: those that the answer names.
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

// Judge judges messages of one version of the protocol. It is safe for concurrent use.
type Judge struct {
	version schema.Version
	house   bool
	now     func() time.Time
}

// New makes a judge of the version's schemas and texts.
func New(version schema.Version) Judge { return Judge{version: version} }

// House adds the rules that Haggle sets itself beyond the texts: which totals there are and in what order, what an incomplete
// checkout says, how a deal shows.
func (j Judge) House() Judge {
	j.house = true
	return j
}

// At adds the rules about time, by a clock.
func (j Judge) At(now func() time.Time) Judge {
	j.now = now
	return j
}

// Version is the version of the protocol that it judges by.
func (j Judge) Version() schema.Version { return j.version }

// Answer returns what is wrong with a shop's answer, as schema.Problems; nil for a right one. Whether an error envelope
// is the right answer to the request is not its business.
func (j Judge) Answer(operation Operation, active Capabilities, body []byte) error {
	value, err := decode(body)
	if err != nil {
		return err
	}
	return j.AnswerValue(operation, active, value)
}

// AnswerValue is Answer for a decoded body, numbers as json.Number.
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

// Request returns what is wrong with a platform's request body.
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

// unsent reports top-level properties that are the shop's to write.
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

// location is where a type's schema lies in the judge's version.
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

// namedIn are the capabilities that an answer names.
func namedIn(root map[string]any) Capabilities {
	names := Capabilities{}
	for name := range object(object(root["ucp"])["capabilities"]) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
