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

// MostVerified is how many links one call of Verify checks at most.
const MostVerified = 10_000

// Verified is the result of checking a chain of decisions.
type Verified struct {
	Decisions int // that were checked
	Head      ports.ChainHead
	BrokenAt  int64 // the first position that was altered or is missing, or the checkpoint's; 0: none
	Next      int64 // where to continue; 0: the head was reached, or the chain is broken
}

// KeptSince returns the time after which all decisions of the project are kept. Nil means that all decisions are kept.
func (s *Service) KeptSince(ctx context.Context, p *project.Project) (*time.Time, error) {
	head, err := s.Record.Head(ctx, p.ID)
	if err != nil || head.Checkpoint.Position == 0 {
		return nil, err
	}
	return &head.Checkpoint.Until, nil
}

// verifyTries is how often Verify reads a chain whose checkpoint moves meanwhile.
const verifyTries = 3

// Verify checks the chain of the project's decisions from a position, or from its checkpoint if that is later.
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
		first-- // its hash is part of the next link
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
			v.markMissing(from - 1)
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

// markMissing marks a position as missing, unless it lies beyond the chain's head.
func (v *Verified) markMissing(position int64) {
	if position <= v.Head.Position {
		v.BrokenAt = position
	}
}
