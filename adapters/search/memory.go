package search

import (
	"math"
	"time"
	"unsafe"

	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// inUse is how long after a search a project counts as in use: dropping its index deserves a warning, since it
// will be built again soon.
const inUse = time.Minute

// evict drops the indexes that were not searched for the longest time, until all together fit into memory. It
// keeps that of the project given, which alone stays within limits.
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

func (x *Index) bytes() (sum int64) {
	x.projects.Range(func(_, c any) bool {
		if s := c.(*replica).current.Load(); s != nil {
			sum += s.bytes()
		}
		return true
	})
	return sum
}

// State is what there is of a project's index.
func (x *Index) State(project id.Project) ports.IndexState {
	s := x.snapshot(project)
	if s == nil {
		return ports.IndexState{}
	}
	state := ports.IndexState{
		Version: s.version, Products: live(s.parts), Bytes: s.bytes(), Model: s.model,
		Learnt: s.latent != nil, Sold: s.sales != nil,
		Limit: x.memory / 2, LeftOut: s.leftOut(),
	}
	for i := range s.parts {
		if p := &s.parts[i]; p.embedded != nil {
			for number := range p.documents {
				if p.embedded.Has(uint32(number)) && !p.dead.has(uint32(number)) {
					state.Embedded++
				}
			}
		}
	}
	return state
}

// bytes is about what a snapshot takes, the products themselves included.
func (s *snapshot) bytes() int64 {
	sum := s.named + s.synonyms.bytes()
	for i := range s.parts {
		sum += s.parts[i].bytes()
	}
	return sum
}

// liveBytes is about what a snapshot takes without the documents that are gone.
func (s *snapshot) liveBytes() int64 {
	sum := s.named + s.synonyms.bytes()
	for i := range s.parts {
		if p := &s.parts[i]; p.live() > 0 {
			sum += p.bytes() / int64(len(p.documents)) * int64(p.live())
		}
	}
	return sum
}

func (p *part) bytes() int64 {
	return p.segment.bytes + vectorBytes(p.latent) + vectorBytes(p.embedded)
}

func vectorBytes(set *vectors.Set) int64 {
	if set == nil {
		return 0
	}
	return int64(set.Len()) * int64(set.Dims()+8)
}

// What maps and the like take for an entry, measured.
const (
	bytesOfProduct  = 900 // its columns, three lookups and the product's own frame
	bytesOfVariant  = 220
	bytesOfSpelling = 130
	bytesOfName     = 120
	bytesOfText     = 24 // a text of a list, besides its letters
)

// measureBytes adds up a segment's lists.
func (s *segment) measureBytes() {
	s.bytes = int64(len(s.words.postings))*int64(unsafe.Sizeof(posting{})) + int64(len(s.titles))*4 +
		int64(len(s.documents))*bytesOfProduct + int64(len(s.variants))*bytesOfVariant +
		int64(len(s.words.terms.text)+len(s.spoken.words.text)) + int64(s.spoken.words.len())*bytesOfSpelling
	for i := range s.products {
		s.bytes += textBytes(s.product(uint32(i)))
	}
}

// productBytes is what a product takes in a segment, but for the words that lead to it.
func productBytes(p *catalog.Product) int64 {
	return bytesOfProduct + int64(len(p.Variants))*bytesOfVariant + textBytes(p)
}

func textBytes(p *catalog.Product) (n int64) {
	n = int64(len(p.Name) + len(p.Description) + len(p.Brand) + len(p.Category) + len(p.SKU) + len(p.Reviews.Summary))
	for key, value := range p.Attributes {
		n += int64(len(key)+len(value)) + 48
	}
	for _, image := range p.Images {
		n += int64(len(image.URL)+len(image.Alt)) + 32
	}
	for _, text := range p.Tags {
		n += int64(len(text)) + bytesOfText
	}
	for _, text := range p.Related {
		n += int64(len(text)) + bytesOfText
	}
	for _, v := range p.Variants {
		n += int64(len(v.SKU) + len(v.Size) + len(v.Color))
	}
	return n
}
