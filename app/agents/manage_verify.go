package agents

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/app/checkpoint"
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
	BrokenAt  int64 // the first position that is not as it was sealed, or is missing, or the checkpoint's; 0: none
	Next      int64 // where to go on; 0: the head was reached, or the chain is broken
}

// KeptSince is the time after which all decisions of the project are kept; nil: all are.
func (s *Service) KeptSince(ctx context.Context, p *project.Project) (*time.Time, error) {
	head, err := s.Record.Head(ctx, p.ID)
	if err != nil || head.Checkpoint.Position == 0 {
		return nil, err
	}
	return &head.Checkpoint.Until, nil
}

// verifyTries is how often a chain is read anew whose checkpoint moves meanwhile.
const verifyTries = 3

// Verify follows the chain of the project's decisions from a position on, or from its checkpoint if that is later.
func (s *Service) Verify(ctx context.Context, p *project.Project, of id.Agent, from int64) (v Verified, err error) {
	if _, err = s.Agents.ByID(ctx, p.ID, of); err != nil {
		return v, err
	}
	head, err := s.Record.Head(ctx, p.ID)
	for range verifyTries {
		if err != nil {
			return v, err
		}
		if v, err = s.verify(ctx, p.ID, head, from); err != nil || v.BrokenAt == 0 {
			return v, err
		}
		if head, err = s.Record.Head(ctx, p.ID); err == nil && head.Checkpoint.Position == v.Head.Checkpoint.Position {
			break
		}
	}
	return v, err
}

func (s *Service) verify(ctx context.Context, p id.Project, head ports.ChainHead, from int64) (Verified, error) {
	v := Verified{Head: head}
	behind := head.Checkpoint.Position
	if !(checkpoint.Seals{Vault: s.Vault, Project: p}).Sound(head.Checkpoint.Text(), []byte(head.Seal)) {
		v.BrokenAt = max(behind, 1)
		return v, nil
	}
	from = max(from, behind+1)
	first := from
	if from > behind+1 {
		first-- // for the hash that the first one follows
	}
	read, err := s.Record.Sealed(ctx, p, first, MostVerified+1)
	if err != nil {
		return v, err
	}
	v.follow(read, from)
	return v, nil
}

func (v *Verified) follow(links []negotiation.Link, from int64) {
	end := v.Head.Checkpoint.ChainEnd
	if from > end.Position+1 {
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
