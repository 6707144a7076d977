package catalogs

import (
	"cmp"
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// CreateSynonym adds a synonym. This and every other write of synonyms takes effect in the next search.
func (s *Service) CreateSynonym(ctx context.Context, p *project.Project, d catalog.SynonymDraft) (*catalog.Synonym, error) {
	made, err := catalog.CreateSynonym(p.ID, ids{s.Entropy}.Synonym(), d, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	return made, s.afterWrite(ctx, p, s.Synonyms.Create(ctx, made))
}

// UpdateSynonym changes the fields of a synonym that the draft has.
func (s *Service) UpdateSynonym(ctx context.Context, p *project.Project, synonym id.Synonym, d catalog.SynonymDraft) (before, after *catalog.Synonym, err error) {
	after, err = s.Synonyms.Update(ctx, p.ID, synonym, func(current *catalog.Synonym) error {
		was := *current
		before = &was
		next, err := current.Update(d, s.Clock.Now())
		if err == nil {
			*current = *next
		}
		return err
	})
	return before, after, s.afterWrite(ctx, p, err)
}

// DeleteSynonym removes a synonym.
func (s *Service) DeleteSynonym(ctx context.Context, p *project.Project, synonym id.Synonym) error {
	return s.afterWrite(ctx, p, s.Synonyms.Delete(ctx, p.ID, synonym))
}

// ReplaceSynonyms replaces all synonyms. Lists show the new ones in the given order, because it sorts their ids, which order
// synonyms of the same time.
func (s *Service) ReplaceSynonyms(ctx context.Context, p *project.Project, drafts []catalog.SynonymDraft) ([]*catalog.Synonym, error) {
	fresh := make([]id.Synonym, len(drafts))
	for i := range fresh {
		fresh[i] = ids{s.Entropy}.Synonym()
	}
	slices.SortFunc(fresh, func(a, b id.Synonym) int { return cmp.Compare(a.String(), b.String()) })
	all, err := catalog.CreateSynonyms(p.ID, fresh, drafts, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	return all, s.afterWrite(ctx, p, s.Synonyms.Replace(ctx, p.ID, all))
}
