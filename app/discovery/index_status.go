package discovery

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Readiness of a project's search index.
type Readiness struct{ name string }

// The states of an index, by its version and by whether a load is in progress.
//
//	              no load     load in progress
//	no index      Idle        Building
//	older index   Behind      Behind
//	up to date    Ready       Ready
var (
	Ready    = Readiness{"ready"}
	Building = Readiness{"building"}
	Idle     = Readiness{"idle"} // the next search builds it
	Behind   = Readiness{"behind"}
)

func (r Readiness) String() string { return r.name }

// Meaning is the source of the vectors by which an index compares the meaning of queries and products.
type Meaning struct{ name string }

// The sources of vectors; the zero value means that there are none.
var (
	FromEmbeddings = Meaning{"embeddings"} // an embedding model; products without a vector are found by their words
	FromCatalogue  = Meaning{"catalogue"}  // learnt from the catalogue itself
)

func (m Meaning) String() string { return m.name }

// IndexStatus is the state of a project's search index in this process.
type IndexStatus struct {
	Readiness Readiness
	Wanted    int64 // version of the catalogue
	Has       int64 // version of the index, 0 if there is none
	Products  int   // active ones in the index
	Bytes     int64 // of memory, approximately
	Limit     int64 // of Bytes; 0: none
	LeftOut   ports.LeftOut

	Meaning  Meaning
	Model    string // the embedding model for products; empty: none
	Embedded int    // products in the index that have their vector
	Pending  int    // products in the index without a vector
	// Failure is the error of the last attempt to embed the project's products; empty if it succeeded.
	Failure string
}

// IndexStatus returns the state of the project's index. It does not start a load.
func (s *Service) IndexStatus(ctx context.Context, p *project.Project) (IndexStatus, error) {
	building := s.Building(p.ID) // read before State, so that a load that ends in between counts as done
	var state ports.IndexState
	if s.Learner != nil {
		state = s.Learner.State(p.ID)
	}
	status := IndexStatus{
		Readiness: readiness(state.Version, p.CatalogVersion, building),
		Wanted:    p.CatalogVersion,
		Has:       state.Version,
		Products:  state.Products,
		Bytes:     state.Bytes,
		Limit:     state.Limit,
		LeftOut:   state.LeftOut,
		Model:     s.Model,
	}
	if state.Learnt {
		status.Meaning = FromCatalogue
	}
	if s.Model == "" {
		return status, nil
	}
	if state.Model == s.Model && state.Embedded > 0 {
		status.Meaning, status.Embedded = FromEmbeddings, state.Embedded
	}
	status.Pending = state.Products - status.Embedded
	progress, err := s.Vectors.Progress(ctx, s.Model, []id.Project{p.ID})
	status.Failure = progress[p.ID].Error
	return status, err
}

// readiness returns the state of an index at version has; 0 means that there is no index.
func readiness(has, wanted int64, building bool) Readiness {
	switch {
	case has >= wanted:
		return Ready
	case has > 0:
		return Behind
	case building:
		return Building
	}
	return Idle
}
