package search

import (
	"math"
	"time"

	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// inUse is how long after a search a project counts as in use. Dropping its index is logged as a warning, because it will soon
// be rebuilt.
const inUse = time.Minute

// evict drops the least recently searched indexes until the rest fits into memory. It keeps the given project's, whose size is
// limited separately.
func (x *Index) evict(keep id.Project) {
	for x.memory > 0 && x.bytes() > x.memory {
		project, least := id.Project{}, int64(math.MaxInt64)
		x.projects.Range(func(key, c any) bool {
			if used := c.(*replica).used.Load(); used < least && key != keep && c.(*replica).current.Load() != nil {
				project, least = key.(id.Project), used
			}
			return true
		})
		if project.IsZero() {
			return
		}
		x.projects.Delete(project)
		if unused := time.Since(time.Unix(0, least)); unused < inUse {
			x.log.Warn("the search index of a project in use was dropped: HAGGLE_SEARCH_MEMORY is too small for the projects in use",
				"project", project.String(), "unused", unused)
		} else {
			x.log.Info("the search index of an idle project was dropped", "project", project.String())
		}
	}
}

// Bytes returns the approximate memory of the indexes of all projects.
func (x *Index) Bytes() int64 { return x.bytes() }

func (x *Index) bytes() (sum int64) {
	x.projects.Range(func(_, c any) bool {
		if s := c.(*replica).current.Load(); s != nil {
			sum += s.bytes()
		}
		return true
	})
	return sum
}

// State returns the state of a project's index.
func (x *Index) State(project id.Project) ports.IndexState {
	s := x.snapshot(project)
	if s == nil {
		return ports.IndexState{}
	}
	state := ports.IndexState{
		Version:  s.version,
		Products: live(s.parts),
		Bytes:    s.bytes(),
		Model:    s.model,
		Learnt:   s.latent != nil,
		Sold:     s.sales != nil,
		Limit:    x.memory / 2,
		LeftOut:  s.leftOut(),
	}
	for i := range s.parts {
		if p := &s.parts[i]; p.embedded != nil {
			for number := range p.Documents {
				if p.embedded.Has(uint32(number)) && !p.dead.has(uint32(number)) {
					state.Embedded++
				}
			}
		}
	}
	return state
}

// bytes returns the approximate memory of a snapshot, including the products themselves.
func (s *snapshot) bytes() int64 {
	sum := s.named + s.synonyms.bytes()
	for i := range s.parts {
		sum += s.parts[i].bytes()
	}
	return sum
}

// liveBytes returns the approximate memory of a snapshot without its dead documents.
func (s *snapshot) liveBytes() int64 {
	sum := s.named + s.synonyms.bytes()
	for i := range s.parts {
		if p := &s.parts[i]; p.live() > 0 {
			sum += p.bytes() / int64(len(p.Documents)) * int64(p.live())
		}
	}
	return sum
}

func (p *part) bytes() int64 {
	return p.Segment.Bytes + vectorBytes(p.latent) + vectorBytes(p.embedded)
}

func vectorBytes(set *vectors.Set) int64 {
	if set == nil {
		return 0
	}
	return int64(set.Len()) * int64(set.Dims()+8)
}
