package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Index finds products by the meaning of buyers' queries. It is a copy of the catalogue in memory, one for each
// project, and safe for concurrent use.
type Index interface {
	// Version is the catalogue version that the project's copy has; 0 when there is none.
	Version(project id.Project) int64
	// Apply applies changes. Changes that the copy already has are ignored, so calls may race. Changes that begin after
	// its version are ignored, too.
	Apply(project id.Project, changes CatalogChanges)
	// Restock replaces the total stock of variants. It decides ranking and what counts as in stock.
	Restock(project id.Project, totals map[id.Variant]int)
	Search(ctx Outbound, project id.Project, q catalog.Query) (catalog.Found, error)
	// Complements returns in-stock products that go with the given ones and are none of them, best first: related skus
	// first, then products bought together with them, then other categories' products under the same top-level
	// category, of the same brand first.
	Complements(project id.Project, products []id.Product, limit int) []Complement
}

// Complement is a product to recommend, with its first variant in stock.
type Complement struct {
	Product *catalog.Product
	Variant catalog.Variant
}

// Learner is an index that learns facts about products from other processes' work. A project without a copy is ignored.
type Learner interface {
	// Learn replaces the project's sales figures.
	Learn(project id.Project, sales Sales)
	// Loaded are the projects that the index has copies of.
	Loaded() []id.Project
	// State returns the state of a project's index; the zero value if there is none.
	State(project id.Project) IndexState
}

// IndexState is the state of one project's index.
type IndexState struct {
	Version  int64 // of the catalogue
	Products int   // active ones
	Learnt   bool  // vectors were learnt from the catalogue
	Sold     bool  // sales have been learnt
	Embedded int   // products with a vector of an embedding model
	Model    string
	Bytes    int64 // of memory, about
	Limit    int64 // of Bytes; 0: none
	LeftOut  LeftOut
}

// LeftOut is what an index leaves out to stay within its limit of memory.
type LeftOut struct {
	Spelling     bool // misspellings of rare words
	Descriptions bool // words of some descriptions
	Products     bool // some products
}

// Or combines what both leave out.
func (l LeftOut) Or(other LeftOut) LeftOut {
	return LeftOut{
		Spelling:     l.Spelling || other.Spelling,
		Descriptions: l.Descriptions || other.Descriptions,
		Products:     l.Products || other.Products,
	}
}

// Sales are figures of a project's products from its orders, over some time.
type Sales struct {
	Sold     map[id.Product]int          // pieces, at least 1
	Together map[id.Product][]id.Product // what was bought along with it, the most often first
}

// SalesReader reads what was sold.
type SalesReader interface {
	// Sales sums up the orders since a moment that were not canceled: for each product up to limit
	// companions, only those of at least two orders. Of a shop that sold more it sums up the newest orders
	// alone, those of some 50,000 lines.
	Sales(ctx context.Context, project id.Project, since time.Time, limit int) (Sales, error)
}

// Synonyms keeps a project's synonyms. Every write raises the project's CatalogVersion by one in the same
// transaction, as those of products do.
type Synonyms interface {
	Create(ctx context.Context, s *catalog.Synonym) error
	Get(ctx context.Context, project id.Project, synonym id.Synonym) (*catalog.Synonym, error)
	// List is in order of creation, then of id.
	List(ctx context.Context, project id.Project, page Page) ([]*catalog.Synonym, int, error)
	Update(ctx context.Context, project id.Project, synonym id.Synonym, change func(*catalog.Synonym) error) (*catalog.Synonym, error)
	Delete(ctx context.Context, project id.Project, synonym id.Synonym) error
	// Replace replaces all synonyms by these.
	Replace(ctx context.Context, project id.Project, all []*catalog.Synonym) error
}

// Embedder makes vectors of texts: the closer two vectors, the more alike the texts' meanings.
type Embedder interface {
	// Model names what makes the vectors. Those of different models can't be compared.
	Model() string
	// Embed is a vector for each text, all of one length, or an error for all of them.
	Embed(ctx Outbound, texts []string) ([][]float32, error)
}

// QueryEmbedder is an Embedder that caches vectors.
type QueryEmbedder interface {
	Embedder
	// Forget drops a text's cached vector, which was of no use.
	Forget(text string)
}
