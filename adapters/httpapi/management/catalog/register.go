// Package catalog serves products, categories, inventory, synonyms and the state of the search index.
package catalog

import "github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on products, categories, inventory, synonyms and the search index.
func Register(a *operation.API) {
	h := &handlers{a}
	h.registerProducts()
	h.registerCategories()
	h.registerInventory()
	h.registerSynonyms()
	h.registerSearchIndex()
}
