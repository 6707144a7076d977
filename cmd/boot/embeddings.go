package boot

import (
	"cmp"
	"time"

	endpoint "github.com/haggle-commerce/haggle/adapters/llm/embedding"
	"github.com/haggle-commerce/haggle/app/embedding"
	"github.com/haggle-commerce/haggle/ports"
)

// embeddings holds what matches products and queries by an external model. It is zero if no model is configured.
type embeddings struct {
	model     string
	queries   ports.QueryEmbedder // for buyers' searches, which wait for it
	worker    *embedding.Worker
	refresher *embedding.Refresher
}

// openEmbeddings creates the client of the embeddings endpoint. It sends no request, so a server starts even if the endpoint
// is down. It must run before the index is created, which uses it to embed queries.
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

// embedding returns the loops that keep products' vectors up to date.
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
