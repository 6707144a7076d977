// Package wire has what all HTTP APIs share: the request pipeline (Mount), the encoding of bodies, errors, ids, money and time,
// rate limit headers, and idempotency keys. It knows no resource and no use case.
//
// # Choices
//
// A body is read twice: once as plain values, which Huma validates against the schema, and once into
// the request's struct. Both readings are case-sensitive and refuse duplicate names, so that what was
// validated is what is used.
//
// The APIs differ in their Style: the form of errors, the limit of bodies, and whether unknown fields and query parameters are
// ignored (features/MANAGEMENT.md#errors). All APIs refuse a field that differs from a known one in case alone, because ignoring
// it would hide a mistake.
//
// Huma ignores embedded structs of unexported types in requests, responses and the document, so types that others embed are
// exported. Types in which ACP accepts unknown fields must not be used in bodies of the Management API.
//
// A wrong Content-Type is 400 invalid_request. 415 is for a Content-Encoding other than identity.
//
// An Idempotency-Key works on PUT too. The answer that is stored under it is encrypted, because answers contain secrets that are
// shown once. Refusals that other headers, another credential or a later time would change (400, 401, 403, 5xx, Retry-After) are
// not stored. While an Atomic or Prepared request is in its transaction, the next one with its key waits for up to two seconds,
// and then gets its answer or 409 idempotency_in_progress; for a Claimed or Phased request the answer is 409 at once. While the
// second stage of a Staged request runs, its key has the answer of the first.
//
// RateLimit-Limit is the size of the bucket, so that RateLimit-Remaining is never more.
package wire

import (
	"maps"
	"net/http"
	"path"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Limits of request bodies in bytes (features/MANAGEMENT.md#errors, features/MANAGEMENT.md#limits).
const (
	ManagementBody = 1 << 20
	ProductBody    = 4 << 20 // 2,048 variants with texts of full length
	BatchBody      = 16 << 20
	ACPBody        = 64 << 10
)

// BodyTime is by when a body has arrived (features/MANAGEMENT.md#limits).
const BodyTime = 15 * time.Second

// Config is what the OpenAPI document says about the server.
type Config struct {
	Title       string
	Version     string
	Description string
	PublicURL   string
}

// BearerScheme is the name of the security scheme of API keys in the OpenAPI document.
const BearerScheme = "api_key"

func init() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false // nil slices are written as []
	huma.NewError = newError
	huma.NewErrorWithContext = newErrorWithContext
	phraseMessages()
}

// NewAPI returns the API for Haggle's own operations. It serves the OpenAPI document and the answers to unknown paths and methods
// on mux.
func NewAPI(mux *http.ServeMux, c Config) huma.API {
	api := NewPart(mux, c)
	serveDocument(mux, api)
	mux.HandleFunc("/", Unrouted(mux, Plain))
	return api
}

// NewPart returns an API without a document on the mux of another one, for a protocol that is documented elsewhere.
func NewPart(mux *http.ServeMux, c Config) huma.API {
	config := huma.DefaultConfig(c.Title, c.Version)
	config.CreateHooks = nil // no $schema in bodies
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.Info.Description = c.Description
	config.Info.License = &huma.License{Name: "MIT", Identifier: "MIT"}
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		BearerScheme: {
			Type:        "http",
			Scheme:      "bearer",
			Description: "An API key: hk_test_… or hk_live_…",
		},
	}
	if c.PublicURL != "" {
		config.Servers = []*huma.Server{{URL: c.PublicURL}}
	}
	config.Formats = map[string]huma.Format{"application/json": {Marshal: encode, Unmarshal: decode}}
	config.OnAddOperation = []huma.AddOpFunc{finishOperation}
	return humago.New(mux, config)
}

// schemaName returns Huma's name, with the prefix ACP for types of the acp package, so that both APIs may have a product, for
// example.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	if path.Base(t.PkgPath()) == "acp" {
		return "ACP" + name
	}
	return name
}

// finishOperation sets what follows from an operation's API: the limit of its body, the schemas of its errors, and whether its
// bodies may contain unknown fields.
func finishOperation(doc *huma.OpenAPI, op *huma.Operation) {
	style := styleOf(op)
	if op.MaxBodyBytes == 1<<20 { // Huma's default
		op.MaxBodyBytes = style.MaxBody
	}
	if op.RequestBody != nil {
		op.MaxBodyBytes++ // Huma refuses bodies of exactly the limit
	}
	op.BodyReadTimeout = BodyTime
	op.Metadata = maps.Clone(op.Metadata)
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[schemasOf] = doc.Components.Schemas
	op.RejectUnknownQueryParameters = !style.Lenient // a misspelled filter would list everything
	if style.Public && op.Security == nil {
		op.Security = []map[string][]string{{}} // none is needed, and the document says so
	}
	if op.Method != http.MethodGet {
		documentKey(op)
	}
	documentErrors(doc.Components.Schemas, op, style)
	documentRate(op.Responses)
	if style.Lenient && op.RequestBody != nil {
		for _, media := range op.RequestBody.Content {
			allowUnknown(doc.Components.Schemas, media.Schema, map[*huma.Schema]bool{})
		}
	}
	if notice, ok := op.Metadata[deprecationKey].(*Deprecation); ok {
		notice.document(op)
	}
}

// allowUnknown makes every object of a schema accept unknown fields.
func allowUnknown(r huma.Registry, s *huma.Schema, seen map[*huma.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	if s.Ref != "" {
		allowUnknown(r, r.SchemaFromRef(s.Ref), seen)
		return
	}
	if closed, ok := s.AdditionalProperties.(bool); ok && !closed {
		s.AdditionalProperties = true
	}
	if element, ok := s.AdditionalProperties.(*huma.Schema); ok {
		allowUnknown(r, element, seen)
	}
	allowUnknown(r, s.Items, seen)
	for _, property := range s.Properties {
		allowUnknown(r, property, seen)
	}
}
