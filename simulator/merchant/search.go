package merchant

import "context"

// SearchIndex is the state of a shop's search index on the replica that answers.
type SearchIndex struct {
	Status         string `json:"status"` // ready, building, idle or behind
	CatalogVersion int64  `json:"catalog_version"`
	IndexedVersion int64  `json:"indexed_version"`
	Products       int    `json:"products"`
	Vectors        struct {
		Source   *string `json:"source"`
		Model    *string `json:"model"`
		Embedded int     `json:"embedded"`
		Pending  int     `json:"pending"`
	} `json:"vectors"`
	EmbeddingError *string `json:"embedding_error"`
	MemoryBytes    int64   `json:"memory_bytes"`
}

// SearchIndex reads the state of the shop's search index.
func (c *Client) SearchIndex(ctx context.Context, options ...Option) (SearchIndex, error) {
	return call[SearchIndex](ctx, c, "GET", "/v1/catalog/search-index", nil, options)
}
