package catalog

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
)

func (h *handlers) registerSearchIndex() {
	g := h.Group("Catalog", "catalog", operation.HeaderProject)
	operation.Register(g, "get-search-index", "GET /v1/catalog/search-index", "See how far the search index is, on the replica that answers",
		wire.HandleOne(h.searchIndex, toAPISearchIndex))
}

// SearchIndex is the state of a project's search index. Each replica has its own index, in memory.
type SearchIndex struct {
	Status         string        `json:"status" enum:"ready,building,idle,behind" doc:"ready: it has the whole catalogue. behind: an older copy, which the next search brings up to date. building: there is none yet, and searches wait for it or are answered 503 index_building. idle: there is none, and the next search builds it."`
	CatalogVersion int64         `json:"catalog_version" minimum:"0" doc:"Rises with every change of products and synonyms."`
	IndexedVersion int64         `json:"indexed_version" minimum:"0" doc:"The catalogue version that the index has; 0: none."`
	Products       int           `json:"products" minimum:"0" doc:"Active products in the index."`
	Vectors        SearchVectors `json:"vectors"`
	EmbeddingError *string       `json:"embedding_error" nullable:"true" doc:"Why the last attempt to embed the products failed; null: it did not. It is tried again by itself."`
	MemoryBytes    int64         `json:"memory_bytes" minimum:"0" doc:"What the index takes, about."`
	MemoryLimit    int64         `json:"memory_limit_bytes" minimum:"0" doc:"What one project's index may take: half of HAGGLE_SEARCH_MEMORY; 0: any."`
	LeftOut        []string      `json:"left_out" nullable:"false" enum:"spelling,descriptions,products" doc:"What the index leaves out because it would take more memory than memory_limit_bytes. spelling: misspellings of rare words are not recognized. descriptions: some words of descriptions are not found. New words of names, brands, categories and attributes are left out after those. products: some products are not found; they can be read and bought by their ids. Once the catalogue takes a quarter less, the index is built again."`
}

// SearchVectors describes the embeddings by which an index compares the meaning of queries and products, in addition to their
// words.
type SearchVectors struct {
	Source   *string `json:"source" nullable:"true" example:"catalogue" doc:"embeddings: an embedding model. catalogue: what was learnt from the catalogue itself, which takes 50 products. Null: nothing, words alone count."`
	Model    *string `json:"model" nullable:"true" doc:"The embedding model that is configured; null: none."`
	Embedded int     `json:"embedded" minimum:"0" doc:"Products in the index with a vector of the model."`
	Pending  int     `json:"pending" minimum:"0" doc:"Those that are still without one; 0 where no model is configured."`
}

func (h *handlers) searchIndex(ctx context.Context, rq operation.Request, _ *struct{}) (discovery.Standing, error) {
	return h.Discovery.In(rq.Stores).Standing(ctx, rq.Caller.Project)
}

func toAPISearchIndex(s discovery.Standing) SearchIndex {
	leftOut := []string{}
	if s.LeftOut.Spelling {
		leftOut = append(leftOut, "spelling")
	}
	if s.LeftOut.Descriptions {
		leftOut = append(leftOut, "descriptions")
	}
	if s.LeftOut.Products {
		leftOut = append(leftOut, "products")
	}
	return SearchIndex{
		Status:         s.Readiness.String(),
		CatalogVersion: s.Wanted,
		IndexedVersion: s.Has,
		Products:       s.Products,
		Vectors: SearchVectors{
			Source:   wire.ToOptional(s.Meaning.String()),
			Model:    wire.ToOptional(s.Model),
			Embedded: s.Embedded,
			Pending:  s.Pending,
		},
		EmbeddingError: wire.ToOptional(s.Failure),
		MemoryBytes:    s.Bytes,
		MemoryLimit:    s.Limit,
		LeftOut:        leftOut,
	}
}
