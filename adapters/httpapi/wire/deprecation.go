package wire

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// MigrationPeriod is the minimum time that a deprecated operation keeps working (features/MANAGEMENT.md#versions).
const MigrationPeriod = 180 * 24 * time.Hour

// Deprecation announces the removal of an operation. Each answer, including errors, has the headers Deprecation (RFC 9745),
// Sunset (RFC 8594) and Link with deprecation and successor-version (RFC 5829). The OpenAPI document has the same information.
type Deprecation struct {
	Since     time.Time // when it became deprecated, or will
	Sunset    time.Time // when it may stop working, MigrationPeriod after Since or later
	Successor string    // address of the operation that replaces it, such as /v2/projects; may be empty
	Guide     string    // address of a migration guide; may be empty
}

const deprecationKey = "deprecation"

// on adds the notice to an operation before it is registered. It panics if the notice gives less than MigrationPeriod or has
// malformed addresses.
func (d *Deprecation) on(op *huma.Operation) {
	if d.Since.IsZero() || d.Sunset.Before(d.Since.Add(MigrationPeriod)) {
		panic(fmt.Sprintf("deprecation: from %s to %s is less than %d days", d.Since, d.Sunset, MigrationPeriod/(24*time.Hour)))
	}
	for _, address := range []string{d.Successor, d.Guide} {
		if _, err := url.Parse(address); err != nil || strings.ContainsAny(address, "<> \"") {
			panic(fmt.Sprintf("deprecation: %q is no address", address))
		}
	}
	setMetadata(op, deprecationKey, d)
}

// announce sets the headers of the operation's deprecation, if there is one.
func announce(op *huma.Operation, h http.Header) {
	if d, ok := op.Metadata[deprecationKey].(*Deprecation); ok {
		for name, value := range d.headers() {
			h.Set(name, value)
		}
	}
}

func (d Deprecation) headers() map[string]string {
	headers := map[string]string{
		"Deprecation": fmt.Sprintf("@%d", d.Since.Unix()),
		"Sunset":      d.Sunset.UTC().Format(http.TimeFormat),
	}
	var links []string
	if d.Guide != "" {
		links = append(links, fmt.Sprintf(`<%s>; rel="deprecation"`, d.Guide))
	}
	if d.Successor != "" {
		links = append(links, fmt.Sprintf(`<%s>; rel="successor-version"`, d.Successor))
	}
	if links != nil {
		headers["Link"] = strings.Join(links, ", ")
	}
	return headers
}

var headerMeanings = map[string]string{
	"Deprecation": "When the operation was deprecated, in seconds of Unix time (RFC 9745).",
	"Sunset":      "The earliest time at which the operation may stop working (RFC 8594).",
	"Link":        "Links to the migration guide (deprecation) and to the replacement (successor-version).",
}

func (d Deprecation) document(op *huma.Operation) {
	op.Deprecated = true
	op.Description = strings.TrimSpace(op.Description + "\n\n" + d.sentence())
	for _, response := range op.Responses {
		if response.Headers == nil {
			response.Headers = map[string]*huma.Header{}
		}
		for name, value := range d.headers() {
			response.Headers[name] = &huma.Header{
				Description: headerMeanings[name],
				Example:     value,
				Schema:      &huma.Schema{Type: huma.TypeString},
			}
		}
	}
}

func (d Deprecation) sentence() string {
	text := fmt.Sprintf("Deprecated since %s; works until %s at least.",
		d.Since.UTC().Format(time.DateOnly), d.Sunset.UTC().Format(time.DateOnly))
	if d.Successor != "" {
		text += " Use " + d.Successor + " instead."
	}
	if d.Guide != "" {
		text += " See " + d.Guide + "."
	}
	return text
}
