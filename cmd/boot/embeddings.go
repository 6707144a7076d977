package boot

import (
	"cmp"
	"time"

	endpoint "github.com/haggle-commerce/haggle/adapters/llm/embedding"
	"github.com/haggle-commerce/haggle/app/embedding"
	"github.com/haggle-commerce/haggle/ports"
)

// embeddings are what matches products and queries by an outside model; all zero where none is configured.
type embeddings struct {
	model     string
	queries   ports.QueryEmbedder // for what buyers wait for
	worker    *embedding.Worker
	refresher *embedding.Refresher
}

// openEmbeddings asks the endpoint nothing yet: a server starts without it. The index is opened after it, for
// it asks for the vectors of queries.
func (a *App) openEmbeddings() {
	if a.config.EmbeddingsURL == "" {
		return
	}
	client := endpoint.New(endpoint.Config{
		URL:   a.config.EmbeddingsURL,
		Key:   a.config.EmbeddingsKey,
		Model: cmp.Or(a.config.EmbeddingModel, "text-embedding-3-small"),
	})
	queries := endpoint.ForQueries(client)
	a.rooms["embeddings"] = queries.Room()
	a.embeddings = embeddings{
		model:   client.Model(),
		queries: queries,
		worker: &embedding.Worker{
			Embedder: client,
			Queue:    a.store.Embeddings(),
			Vectors:  a.store.Embeddings(),
			Catalog:  a.store.Catalog(),
			Clock:    a.clock,
			Log:      a.log,
		},
		refresher: &embedding.Refresher{
			Vectors: a.store.Embeddings(),
			Model:   client.Model(),
			Clock:   a.clock,
		},
	}
}

// embedding is the loops that keep products' vectors.
func (a *App) embedding() (all []loop) {
	if a.embeddings.worker == nil {
		return nil
	}
	a.embeddings.refresher.Index = a.index
	return []loop{
		{
			name:  "give products their vectors",
			every: time.Second,
			run:   a.embeddings.refresher.Refresh,
		},
		{
			name:  "forget vectors",
			every: time.Hour,
			run:   a.embeddings.worker.Forget,
		},
	}
}
