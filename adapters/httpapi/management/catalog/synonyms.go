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
	const tag, all, one = "Catalog", "/v1/catalog/synonyms", "/v1/catalog/synonyms/{synonym_id}"
	operation.Register(h.API, tag, operation.Spec{
		ID: "create-synonym", Method: "POST", Path: all, Scope: "catalog:write", On: operation.HeaderProject,
		Status: 201, Errors: []int{409}, Summary: "Say that words mean the same in searches",
	}, h.createSynonym)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "list-synonyms", Method: "GET", Path: all, Scope: "catalog:read", On: operation.HeaderProject,
		Summary: "List synonyms, in the order in which they were made",
	}, h.listSynonyms)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "get-synonym", Method: "GET", Path: one, Scope: "catalog:read", On: operation.HeaderProject,
		Summary: "Get a synonym",
	}, h.getSynonym)
	operation.Register(h.API, tag, operation.Spec{
		ID: "update-synonym", Method: "PATCH", Path: one, Scope: "catalog:write", On: operation.HeaderProject,
		Summary: "Change a synonym",
	}, h.updateSynonym)
	operation.Register(h.API, tag, operation.Spec{
		ID: "delete-synonym", Method: "DELETE", Path: one, Scope: "catalog:write", On: operation.HeaderProject,
		Status: 204, Summary: "Delete a synonym",
	}, h.deleteSynonym)
	operation.Register(h.API, tag, operation.Spec{
		ID: "replace-synonyms", Method: "PUT", Path: all, Scope: "catalog:write", On: operation.HeaderProject,
		Batch: true, Summary: "Put new synonyms in the place of all",
	}, h.replaceSynonyms)
}

// SynonymView is a synonym as merchants read it.
type SynonymView struct {
	ID        string    `json:"id" example:"syn_01h2xcejqtf2nbrexx3vqjhp41"`
	Input     *string   `json:"input" nullable:"true" doc:"A search for it finds the words too, and not the other way around. Null: each word finds the others."`
	Words     []string  `json:"words"`
	CreatedAt wire.Time `json:"created_at"`
	UpdatedAt wire.Time `json:"updated_at"`
}

// SynonymPatch is a synonym as merchants write it; what is left out stays as it is.
type SynonymPatch struct {
	Input wire.Optional[string]   `json:"input,omitzero" example:"phone" doc:"Makes a one-way street: a search for it finds the words too, and not the other way around. 1 to 80 characters. Null or left out: each word finds the others."`
	Words wire.Optional[[]string] `json:"words,omitzero" example:"[\"smartphone\", \"mobile phone\"]" doc:"2 to 20, or at least 1 with an input. Each has 1 to 80 characters, at least one letter or digit among them, and at most 6 words. Upper and lower case are the same."`
}

// newSynonym must say what a synonym cannot be without.
type newSynonym struct{ SynonymPatch }

func (newSynonym) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "words")
}

func fromAPISynonym(in SynonymPatch) catalog.SynonymDraft {
	return catalog.SynonymDraft{Input: in.Input.Field(), Words: in.Words.Field()}
}

func toAPISynonym(s *catalog.Synonym) SynonymView {
	return SynonymView{
		ID: s.ID.String(), Input: operation.ToOptionalText(s.Input), Words: s.Words,
		CreatedAt: wire.ToTime(s.CreatedAt), UpdatedAt: wire.ToTime(s.UpdatedAt),
	}
}

type createSynonymInput struct{ Body newSynonym }

type synonymOutput struct{ Body SynonymView }

func (h *handlers) createSynonym(ctx context.Context, rq operation.Request, in *createSynonymInput) (*synonymOutput, error) {
	made, err := h.catalogs(rq).CreateSynonym(ctx, rq.Caller.Project, fromAPISynonym(in.Body.SynonymPatch))
	if err != nil {
		return nil, err
	}
	out := &synonymOutput{toAPISynonym(made)}
	operation.NoteTarget(rq, out.Body.ID)
	operation.NoteChange(rq, nil, out.Body)
	return out, nil
}

type listSynonymsInput struct{ operation.Paging }

func (h *handlers) listSynonyms(ctx context.Context, rq operation.Request, in *listSynonymsInput) (*operation.ListOutput[SynonymView], error) {
	found, total, err := h.catalogs(rq).Synonyms.List(ctx, rq.Caller.Project.ID, in.Page())
	if err != nil {
		return nil, err
	}
	return operation.ToAPIList(found, toAPISynonym, in.Paging, total), nil
}

type OnSynonym struct {
	Synonym string `path:"synonym_id"`
}

// id is the synonym in the path.
func (o OnSynonym) id() (id.Synonym, error) { return wire.ID[id.Synonym](o.Synonym, "synonym") }

func (h *handlers) getSynonym(ctx context.Context, rq operation.Request, in *OnSynonym) (*synonymOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	s, err := h.catalogs(rq).Synonyms.Get(ctx, rq.Caller.Project.ID, wanted)
	if err != nil {
		return nil, err
	}
	return &synonymOutput{toAPISynonym(s)}, nil
}

type updateSynonymInput struct {
	OnSynonym
	Body SynonymPatch
}

func (h *handlers) updateSynonym(ctx context.Context, rq operation.Request, in *updateSynonymInput) (*synonymOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	before, after, err := h.catalogs(rq).UpdateSynonym(ctx, rq.Caller.Project, wanted, fromAPISynonym(in.Body))
	if err != nil {
		return nil, err
	}
	out := &synonymOutput{toAPISynonym(after)}
	operation.NoteTarget(rq, in.Synonym)
	operation.NoteChange(rq, toAPISynonym(before), out.Body)
	return out, nil
}

func (h *handlers) deleteSynonym(ctx context.Context, rq operation.Request, in *OnSynonym) (*struct{}, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	p := rq.Caller.Project
	gone, err := h.catalogs(rq).Synonyms.Get(ctx, p.ID, wanted)
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Synonym)
	operation.NoteChange(rq, toAPISynonym(gone), nil)
	return nil, h.catalogs(rq).DeleteSynonym(ctx, p, wanted)
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
	drafts := operation.Each(in.Body.Synonyms, func(s newSynonym) catalog.SynonymDraft { return fromAPISynonym(s.SynonymPatch) })
	all, err := h.catalogs(rq).ReplaceSynonyms(ctx, rq.Caller.Project, drafts)
	if err != nil {
		return nil, err
	}
	out := &synonymsOutput{}
	out.Body.Data = operation.Each(all, toAPISynonym)
	operation.NoteList(rq, "synonyms", out.Body.Data)
	return out, nil
}
