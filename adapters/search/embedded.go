package search

import (
	"context"
	"strings"
	"sync"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// embeddings are vectors of an embedding model that have not been added to a replica's sets yet.
type embeddings struct {
	mu    sync.Mutex
	model string
	dims  int // of the model's vectors, once there is one
	news  map[id.Product][]float32
	asked map[id.Product]*catalog.Product // as they were when their vectors were requested
}

func (e *embeddings) waiting() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.news) > 0
}

// put stores vectors. If they are of another model, all earlier ones are dropped.
func (e *embeddings) put(model string, vectors map[id.Product][]float32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.model != model || e.news == nil {
		e.news = make(map[id.Product][]float32)
	}
	if e.model != model {
		e.model, e.dims = model, 0
	}
	for product, v := range vectors {
		if e.dims == 0 {
			e.dims = len(v)
		}
		if len(v) == e.dims && e.dims > 0 {
			e.news[product] = v
		}
	}
}

// taken are the vectors that waited.
type taken struct {
	model string
	dims  int
	news  map[id.Product][]float32
	asked map[id.Product]*catalog.Product
}

func (e *embeddings) take() taken {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := taken{e.model, e.dims, e.news, make(map[id.Product]*catalog.Product, len(e.news))}
	for product := range e.news {
		t.asked[product] = e.asked[product]
		delete(e.asked, product)
	}
	e.news = nil
	return t
}

// ask records the state of products whose vectors are requested.
func (e *embeddings) ask(products []*catalog.Product) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked == nil {
		e.asked = make(map[id.Product]*catalog.Product, len(products))
	}
	for _, p := range products {
		e.asked[p.ID] = p
	}
}

// of returns a product's new vector, nil if there is none or its text has changed since.
func (t *taken) of(p *catalog.Product) []float32 {
	v := t.news[p.ID]
	if asked := t.asked[p.ID]; v == nil || asked != nil && !segment.SameText(asked, p) {
		return nil
	}
	return v
}

func (e *embeddings) has(product id.Product) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.news[product] != nil
}

// Embed sets the vectors of products. They take effect once they have been added to the index in the background.
func (x *Index) Embed(project id.Project, model string, vectors map[id.Product][]float32) {
	c := x.replica(project)
	if c == nil || len(vectors) == 0 {
		return
	}
	c.embedded.put(model, vectors)
	x.maintain(c)
}

// Unembedded returns products without a vector of a model.
func (x *Index) Unembedded(project id.Project, model string, limit int) (products []*catalog.Product) {
	c := x.replica(project)
	s := x.snapshot(project)
	if s == nil {
		return nil
	}
	for i := range s.parts {
		p := &s.parts[i]
		for number := range uint32(len(p.Documents)) {
			known := s.model == model && p.embedded != nil && p.embedded.Has(number)
			if known || p.dead.has(number) || c.embedded.has(p.Product(number).ID) {
				continue
			}
			products = append(products, p.Product(number))
			if len(products) == limit {
				c.embedded.ask(products)
				return products
			}
		}
	}
	c.embedded.ask(products)
	return products
}

// embed adds the waiting vectors to the index.
func (c *replica) embed(ctx context.Context) error {
	news := c.embedded.take()
	s := c.current.Load()
	keep := s.model == news.model
	sets := make(map[*segment.Segment]*vectors.Set, len(s.parts))
	for i := range s.parts {
		set := s.parts[i].withEmbedded(&news, keep)
		if err := seal(ctx, set); err != nil { // a shared set is never stale
			return err
		}
		sets[s.parts[i].Segment] = set
	}
	c.applying.Lock()
	defer c.applying.Unlock()
	next := c.current.Load().copy()
	next.model = news.model
	for i := range next.parts {
		p := &next.parts[i]
		if set, done := sets[p.Segment]; done {
			p.embedded = set
		} else {
			p.embedded = p.withEmbedded(&news, keep)
		}
	}
	c.publish(next, func() {})
	return nil
}

// withEmbedded returns the part's vectors together with new ones; the part's own set if none is new.
func (p *part) withEmbedded(news *taken, keep bool) *vectors.Set {
	further := make(map[uint32][]float32)
	for product := range news.news {
		number, has := p.ByProduct[product]
		if !has || p.dead.has(number) {
			continue
		}
		if v := news.of(p.Product(number)); v != nil {
			further[number] = v
		}
	}
	keep = keep && p.embedded != nil && p.embedded.Dims() == news.dims
	switch {
	case len(further) == 0 && keep:
		return p.embedded
	case len(further) == 0:
		return nil
	case keep:
		return p.embedded.Extend(further)
	}
	return vectors.New(news.dims, len(p.Documents)).Extend(further)
}

// meaning returns the vector of a query's text, nil if there is none in time or nothing to compare it with.
func (x *Index) meaning(ctx ports.Outbound, s *snapshot, text string) []float32 {
	if x.embedder == nil || s.model != x.embedder.Model() || strings.TrimSpace(text) == "" {
		return nil
	}
	made, err := x.embedder.Embed(ctx, []string{text})
	if err != nil || len(made) != 1 {
		return nil
	}
	if len(made[0]) != s.dims() {
		x.embedder.Forget(text)
		return nil
	}
	return made[0]
}

// dims returns the length of the embedding model's vectors, 0 if there are none.
func (s *snapshot) dims() int {
	for i := range s.parts {
		if s.parts[i].embedded != nil {
			return s.parts[i].embedded.Dims()
		}
	}
	return 0
}
