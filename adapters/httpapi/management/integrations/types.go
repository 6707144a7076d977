package integrations

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/integration"
)

// What the document says of each type comes from domain/integration, so that a new one is in it.

// byType says of each type what it has, where it has something: "Stripe: … PayPal: …".
func byType(of func(integration.Type) string) string {
	var parts []string
	for _, t := range integration.Types {
		if text := of(t); text != "" {
			parts = append(parts, t.Label()+": "+text+".")
		}
	}
	return strings.Join(parts, " ")
}

func (IntegrationView) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["type"].Enum = make([]any, len(integration.Types))
	for i, t := range integration.Types {
		s.Properties["type"].Enum[i] = t.String()
	}
	return s
}

// topicsByType are those of the webhooks that can be registered.
func topicsByType() string {
	return "One of the platform's. " + byType(func(t integration.Type) string { return strings.Join(t.Topics(), ", ") })
}
