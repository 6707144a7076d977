package discovery

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Readiness of a project's search index.
type Readiness struct{ name string }

// What an index can be.
//
//	             no work under way   work under way
//	no copy      Idle                Building
//	older copy   Behind              Behind
//	up to date   Ready               Ready
var (
	Ready    = Readiness{"ready"}
	Building = Readiness{"building"}
	Idle     = Readiness{"idle"} // the next search builds it
	Behind   = Readiness{"behind"}
)

func (r Readiness) String() string { return r.name }

// Meaning is where the vectors come from by which an index compares what queries and products mean.
type Meaning struct{ name string }

// The sources of vectors; the zero value is that there are none.
var (
	FromEmbeddings = Meaning{"embeddings"} // an embedding model; products without a vector go by their words
	FromCatalogue  = Meaning{"catalogue"}  // learnt from the catalogue itself
)

func (m Meaning) String() string { return m.name }

// Standing is how far the search index of a project is in this process.
type Standing struct {
	Readiness Readiness
	Wanted    int64 // version of the catalogue
	Has       int64 // version of the index, 0 if there is none
	Products  int   // active ones in the index
	Bytes     int64 // of memory, about
	Limit     int64 // of Bytes; 0: none
	LeftOut   ports.LeftOut

	Meaning  Meaning
	Model    string // that products are to be embedded by; empty: none
	Embedded int    // products in the index that have their vector
	Pending  int    // those that have none yet
	// Failure is why the last attempt to embed the project's products failed; empty if it did not.
	Failure string
}

// Standing tells how far the project's index is. It builds nothing.
func (s *Service) Standing(ctx context.Context, p *project.Project) (Standing, error) {
	building := s.Building(p.ID) // before State: what is finished in between is seen to be there
	var state ports.IndexState
	if s.Learner != nil {
		state = s.Learner.State(p.ID)
	}
	standing := Standing{
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
		standing.Meaning = FromCatalogue
	}
	if s.Model == "" {
		return standing, nil
	}
	if state.Model == s.Model && state.Embedded > 0 {
		standing.Meaning, standing.Embedded = FromEmbeddings, state.Embedded
	}
	standing.Pending = state.Products - standing.Embedded
	progress, err := s.Vectors.Progress(ctx, s.Model, []id.Project{p.ID})
	standing.Failure = progress[p.ID].Error
	return standing, err
}

// readiness of an index that has a version of the catalogue, 0 for none at all.
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
