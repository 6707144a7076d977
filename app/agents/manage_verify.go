package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// MostVerified is how many links one call verifies.
const MostVerified = 10_000

// Verified is how far a chain was followed.
type Verified struct {
	Decisions int // that were looked at
	Head      ports.ChainHead
	BrokenAt  int64 // the first position that is not as it was sealed, or is missing; 0: none
	Next      int64 // where to go on; 0: the head was reached, or the chain is broken
}

// Verify follows the chain of the project's decisions from a position on.
func (s *Service) Verify(ctx context.Context, p *project.Project, of id.Agent, from int64) (v Verified, err error) {
	if _, err = s.Agents.ByID(ctx, p.ID, of); err != nil {
		return v, err
	}
	if v.Head, err = s.Record.Head(ctx, p.ID); err != nil {
		return v, err
	}
	from = max(from, 1)
	// One more, for the hash that the first one follows.
	read, err := s.Record.Sealed(ctx, p.ID, max(from-1, 1), MostVerified+1)
	if err != nil {
		return v, err
	}
	v.follow(linksOf(read), from)
	return v, nil
}

func linksOf(read []ports.Decided) []negotiation.Link {
	links := make([]negotiation.Link, len(read))
	for i, d := range read {
		links[i] = negotiation.Link(d)
	}
	return links
}

func (v *Verified) follow(links []negotiation.Link, from int64) {
	end := negotiation.ChainEnd{}
	if from > 1 {
		if len(links) == 0 || links[0].Position != from-1 {
			v.miss(from - 1)
			return
		}
		end, links = negotiation.ChainEnd{Position: from - 1, Hash: links[0].Hash}, links[1:]
	}
	links = links[:min(len(links), MostVerified)]
	v.Decisions = len(links)
	end, v.BrokenAt = negotiation.VerifyChain(end, links)
	switch {
	case v.BrokenAt > 0:
	case end.Position < v.Head.Position && len(links) == MostVerified:
		v.Next = end.Position + 1
	case end.Position < v.Head.Position:
		v.BrokenAt = end.Position + 1
	case end.Position == v.Head.Position && end.Hash != v.Head.Hash:
		v.BrokenAt = end.Position
	}
}

// miss tells that a link is not there, unless the chain does not reach so far.
func (v *Verified) miss(position int64) {
	if position <= v.Head.Position {
		v.BrokenAt = position
	}
}
