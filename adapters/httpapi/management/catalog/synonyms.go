package catalog

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

func (h *handlers) registerSynonyms() {
	const all, one = "/v1/catalog/synonyms", "/v1/catalog/synonyms/{synonym_id}"
	g := h.Group("Catalog", "catalog", operation.HeaderProject)
	operation.Register(g, "create-synonym", "POST "+all, "Create a synonym for searches", h.createSynonym, operation.Created, operation.Errors(409))
	operation.Register(g, "list-synonyms", "GET "+all, "List synonyms, in the order of their creation",
		operation.HandleList(h.listSynonyms, toAPISynonym))
	operation.Register(g, "get-synonym", "GET "+one, "Get a synonym", wire.HandleOne(h.getSynonym, toAPISynonym))
	operation.Register(g, "update-synonym", "PATCH "+one, "Change a synonym", operation.HandleUpdate(h.updateSynonym, toAPISynonym))
	operation.Register(g, "delete-synonym", "DELETE "+one, "Delete a synonym", h.deleteSynonym)
	operation.Register(g, "replace-synonyms", "PUT "+all, "Replace all synonyms", h.replaceSynonyms, operation.Batch)
}

// SynonymView is a synonym as merchants read it.
type SynonymView struct {
	ID        string    `json:"id" example:"syn_01h2xcejqtf2nbrexx3vqjhp41"`
	Input     *string   `json:"input" nullable:"true" doc:"A search for it also finds the words, but not the reverse. Null: each word finds the others."`
	Words     []string  `json:"words"`
	CreatedAt wire.Time `json:"created_at"`
	UpdatedAt wire.Time `json:"updated_at"`
}

// SynonymPatch is a synonym as merchants write it. Fields that are left out keep their values.
type SynonymPatch struct {
	Input wire.Optional[string]   `json:"input,omitzero" example:"phone" doc:"Makes a one-way synonym: a search for it also finds the words, but not the reverse. 1 to 80 characters. Null or omitted: each word finds the others."`
	Words wire.Optional[[]string] `json:"words,omitzero" example:"[\"smartphone\", \"mobile phone\"]" doc:"2 to 20, or at least 1 with an input. Each has 1 to 80 characters, at least one letter or digit, and at most 6 words. Case is ignored."`
}

// newSynonym is a SynonymPatch whose required fields are documented.
type newSynonym struct{ SynonymPatch }

func (newSynonym) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "words")
}

func fromAPISynonym(in SynonymPatch) catalog.SynonymDraft {
	return catalog.SynonymDraft{Input: in.Input.Field(), Words: in.Words.Field()}
}

func toAPISynonym(s *catalog.Synonym) SynonymView {
	return SynonymView{
		ID:        s.ID.String(),
		Input:     wire.ToOptional(s.Input),
		Words:     s.Words,
		CreatedAt: wire.ToTime(s.CreatedAt),
		UpdatedAt: wire.ToTime(s.UpdatedAt),
	}
}

func (h *handlers) createSynonym(ctx context.Context, rq operation.Request, in *wire.Input[newSynonym]) (*wire.Output[SynonymView], error) {
	made, err := h.Catalogs.In(rq.Stores).CreateSynonym(ctx, rq.Caller.Project, fromAPISynonym(in.Body.SynonymPatch))
	if err != nil {
		return nil, err
	}
	out := &wire.Output[SynonymView]{Body: toAPISynonym(made)}
	operation.NoteCreated(rq, out.Body.ID, out.Body)
	return out, nil
}

func (h *handlers) listSynonyms(ctx context.Context, rq operation.Request, in *operation.Paging) ([]*catalog.Synonym, int, error) {
	return rq.Stores.Synonyms.List(ctx, rq.Caller.Project.ID, in.Page())
}

type OnSynonym struct {
	Synonym wire.Ref[id.Synonym] `path:"synonym_id"`
}

func (h *handlers) getSynonym(ctx context.Context, rq operation.Request, in *OnSynonym) (*catalog.Synonym, error) {
	return rq.Stores.Synonyms.Get(ctx, rq.Caller.Project.ID, in.Synonym.ID)
}

type updateSynonymInput struct {
	OnSynonym
	Body SynonymPatch
}

func (h *handlers) updateSynonym(ctx context.Context, rq operation.Request, in *updateSynonymInput) (before, after *catalog.Synonym, err error) {
	return h.Catalogs.In(rq.Stores).UpdateSynonym(ctx, rq.Caller.Project, in.Synonym.ID, fromAPISynonym(in.Body))
}

func (h *handlers) deleteSynonym(ctx context.Context, rq operation.Request, in *OnSynonym) (*struct{}, error) {
	gone, err := h.getSynonym(ctx, rq, in)
	if err != nil {
		return nil, err
	}
	operation.NoteChange(rq, toAPISynonym(gone), nil)
	return nil, h.Catalogs.In(rq.Stores).DeleteSynonym(ctx, rq.Caller.Project, in.Synonym.ID)
}

type replaceSynonymsInput struct {
	Body struct {
		Synonyms []newSynonym `json:"synonyms" maxItems:"10000"`
	}
}

type synonymsOutput struct {
	Body struct {
		Data []SynonymView `json:"data"`
	}
}

func (h *handlers) replaceSynonyms(ctx context.Context, rq operation.Request, in *replaceSynonymsInput) (*synonymsOutput, error) {
	drafts := wire.Each(in.Body.Synonyms, func(s newSynonym) catalog.SynonymDraft { return fromAPISynonym(s.SynonymPatch) })
	all, err := h.Catalogs.In(rq.Stores).ReplaceSynonyms(ctx, rq.Caller.Project, drafts)
	if err != nil {
		return nil, err
	}
	out := &synonymsOutput{}
	out.Body.Data = wire.Each(all, toAPISynonym)
	operation.NoteList(rq, "synonyms", out.Body.Data)
	return out, nil
}
