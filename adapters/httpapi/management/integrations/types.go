package integrations

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/integration"
)

// The document describes each type with texts of domain/integration, so that it includes new types by itself.

// byType joins the texts that of returns for the types, each after the type's name: "Stripe: … PayPal: …". It skips empty texts.
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

// topicsByType lists the topics of the webhooks that can be registered.
func topicsByType() string {
	return "A topic of the platform. " + byType(func(t integration.Type) string { return strings.Join(t.Topics(), ", ") })
}
