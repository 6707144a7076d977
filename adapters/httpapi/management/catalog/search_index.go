package catalog

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
)

func (h *handlers) registerSearchIndex() {
	g := h.Group("Catalog", "catalog", operation.HeaderProject)
	operation.Register(g, "get-search-index", "GET /v1/catalog/search-index", "Get the state of the search index, on the replica that responds",
		wire.HandleOne(h.searchIndex, toAPISearchIndex))
}

// SearchIndex is the state of a project's search index. Each replica has its own index, in memory.
type SearchIndex struct {
	Status         string        `json:"status" enum:"ready,building,idle,behind" doc:"ready: it has the whole catalog. behind: it has an older catalog; the next search updates it. building: there is none yet; searches wait for it or get 503 index_building. idle: there is none; the next search builds it."`
	CatalogVersion int64         `json:"catalog_version" minimum:"0" doc:"Increases with every change of products and synonyms."`
	IndexedVersion int64         `json:"indexed_version" minimum:"0" doc:"The catalog version of the index; 0: none."`
	Products       int           `json:"products" minimum:"0" doc:"Active products in the index."`
	Vectors        SearchVectors `json:"vectors"`
	EmbeddingError *string       `json:"embedding_error" nullable:"true" doc:"The error of the last attempt to embed the products, which is retried automatically. Null: no error."`
	MemoryBytes    int64         `json:"memory_bytes" minimum:"0" doc:"The approximate memory of the index."`
	MemoryLimit    int64         `json:"memory_limit_bytes" minimum:"0" doc:"The memory limit of one project's index: half of HAGGLE_SEARCH_MEMORY; 0: no limit."`
	LeftOut        []string      `json:"left_out" nullable:"false" enum:"spelling,descriptions,products" doc:"Parts that the index omits because it would exceed memory_limit_bytes. spelling: misspellings of rare words are not recognized. descriptions: some words of descriptions are not found. After those, new words of names, brands, categories and attributes are omitted. products: some products are not found; they can be read and bought by their ids. The index is rebuilt once the catalog takes a quarter less memory."`
}

// SearchVectors describes the embeddings by which an index compares the meaning of queries and products, in addition to their
// words.
type SearchVectors struct {
	Source   *string `json:"source" nullable:"true" example:"catalogue" doc:"embeddings: an embedding model. catalogue: learned from the catalog itself, which requires 50 products. Null: none, only words match."`
	Model    *string `json:"model" nullable:"true" doc:"The configured embedding model. Null: none."`
	Embedded int     `json:"embedded" minimum:"0" doc:"Products in the index with a vector from the model."`
	Pending  int     `json:"pending" minimum:"0" doc:"Products without a vector yet; 0 if no model is configured."`
}

func (h *handlers) searchIndex(ctx context.Context, rq operation.Request, _ *struct{}) (discovery.IndexStatus, error) {
	return h.Discovery.In(rq.Stores).IndexStatus(ctx, rq.Caller.Project)
}

func toAPISearchIndex(s discovery.IndexStatus) SearchIndex {
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
