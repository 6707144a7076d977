package management

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

func (h *handlers) registerSynonyms() {
	const tag, all, one = "Catalog", "/v1/catalog/synonyms", "/v1/catalog/synonyms/{synonym_id}"
	register(h, tag, operation{id: "create-synonym", method: "POST", path: all, scope: "catalog:write", on: headerProject,
		status: 201, errors: []int{409}, summary: "Say that words mean the same in searches"}, (*handlers).createSynonym)
	registerRead(h, tag, operation{id: "list-synonyms", method: "GET", path: all, scope: "catalog:read", on: headerProject,
		summary: "List synonyms, in the order in which they were made"}, (*handlers).listSynonyms)
	registerRead(h, tag, operation{id: "get-synonym", method: "GET", path: one, scope: "catalog:read", on: headerProject,
		summary: "Get a synonym"}, (*handlers).getSynonym)
	register(h, tag, operation{id: "update-synonym", method: "PATCH", path: one, scope: "catalog:write", on: headerProject,
		summary: "Change a synonym"}, (*handlers).updateSynonym)
	register(h, tag, operation{id: "delete-synonym", method: "DELETE", path: one, scope: "catalog:write", on: headerProject,
		status: 204, summary: "Delete a synonym"}, (*handlers).deleteSynonym)
	register(h, tag, operation{id: "replace-synonyms", method: "PUT", path: all, scope: "catalog:write", on: headerProject,
		batch: true, summary: "Put new synonyms in the place of all"}, (*handlers).replaceSynonyms)
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
	return documentRequired(s, "words")
}

func fromAPISynonym(in SynonymPatch) catalog.SynonymDraft {
	return catalog.SynonymDraft{Input: in.Input.Field(), Words: in.Words.Field()}
}

func toAPISynonym(s *catalog.Synonym) SynonymView {
	return SynonymView{
		ID: s.ID.String(), Input: toOptionalText(s.Input), Words: s.Words,
		CreatedAt: wire.ToTime(s.CreatedAt), UpdatedAt: wire.ToTime(s.UpdatedAt),
	}
}

type createSynonymInput struct{ Body newSynonym }

type synonymOutput struct{ Body SynonymView }

func (h *handlers) createSynonym(ctx context.Context, rq Request, in *createSynonymInput) (*synonymOutput, error) {
	made, err := h.catalogs(rq).CreateSynonym(ctx, rq.Caller.project, fromAPISynonym(in.Body.SynonymPatch))
	if err != nil {
		return nil, err
	}
	out := &synonymOutput{toAPISynonym(made)}
	noteTarget(rq, out.Body.ID)
	noteChange(rq, nil, out.Body)
	return out, nil
}

type listSynonymsInput struct{ Paging }

func (h *handlers) listSynonyms(ctx context.Context, rq Request, in *listSynonymsInput) (*listOutput[SynonymView], error) {
	found, total, err := h.catalogs(rq).Synonyms.List(ctx, rq.Caller.project.ID, in.page())
	if err != nil {
		return nil, err
	}
	return toAPIList(found, toAPISynonym, in.Paging, total), nil
}

type OnSynonym struct {
	Synonym string `path:"synonym_id"`
}

// id is the synonym in the path.
func (o OnSynonym) id() (id.Synonym, error) { return wire.ID[id.Synonym](o.Synonym, "synonym") }

func (h *handlers) getSynonym(ctx context.Context, rq Request, in *OnSynonym) (*synonymOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	s, err := h.catalogs(rq).Synonyms.Get(ctx, rq.Caller.project.ID, wanted)
	if err != nil {
		return nil, err
	}
	return &synonymOutput{toAPISynonym(s)}, nil
}

type updateSynonymInput struct {
	OnSynonym
	Body SynonymPatch
}

func (h *handlers) updateSynonym(ctx context.Context, rq Request, in *updateSynonymInput) (*synonymOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	before, after, err := h.catalogs(rq).UpdateSynonym(ctx, rq.Caller.project, wanted, fromAPISynonym(in.Body))
	if err != nil {
		return nil, err
	}
	out := &synonymOutput{toAPISynonym(after)}
	noteTarget(rq, in.Synonym)
	noteChange(rq, toAPISynonym(before), out.Body)
	return out, nil
}

func (h *handlers) deleteSynonym(ctx context.Context, rq Request, in *OnSynonym) (*struct{}, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	p := rq.Caller.project
	gone, err := h.catalogs(rq).Synonyms.Get(ctx, p.ID, wanted)
	if err != nil {
		return nil, err
	}
	noteTarget(rq, in.Synonym)
	noteChange(rq, toAPISynonym(gone), nil)
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

func (h *handlers) replaceSynonyms(ctx context.Context, rq Request, in *replaceSynonymsInput) (*synonymsOutput, error) {
	drafts := each(in.Body.Synonyms, func(s newSynonym) catalog.SynonymDraft { return fromAPISynonym(s.SynonymPatch) })
	all, err := h.catalogs(rq).ReplaceSynonyms(ctx, rq.Caller.project, drafts)
	if err != nil {
		return nil, err
	}
	out := &synonymsOutput{}
	out.Body.Data = each(all, toAPISynonym)
	noteList(rq, "synonyms", out.Body.Data)
	return out, nil
}
