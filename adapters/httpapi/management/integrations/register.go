// Package integrations serves what connects a project with other systems: platforms and payment providers with their
// sync runs and webhooks, carriers' rates and labels, and event subscriptions.
package integrations

import "github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on integrations, shipping and event subscriptions.
func Register(a *operation.API) {
	h := &handlers{a}
	h.registerIntegrations()
	h.registerShipping()
	h.registerSubscriptions()
}
