package merchant

import (
	"context"
	"net/url"
	"time"
)

// NewSynonym is the request to create a synonym. Without an input, each of its words finds the others.
type NewSynonym struct {
	Input string   `json:"input,omitempty"`
	Words []string `json:"words"`
}

// Synonym is a set of words with the same meaning in a shop's searches.
type Synonym struct {
	ID        string    `json:"id"`
	Input     *string   `json:"input"`
	Words     []string  `json:"words"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

const synonymsPath = "/v1/catalog/synonyms"

// CreateSynonym adds a synonym.
func (c *Client) CreateSynonym(ctx context.Context, s NewSynonym, options ...Option) (Synonym, error) {
	return call[Synonym](ctx, c, "POST", synonymsPath, s, options)
}

// Synonyms lists synonyms.
func (c *Client) Synonyms(ctx context.Context, page Page, options ...Option) (List[Synonym], error) {
	return call[List[Synonym]](ctx, c, "GET", synonymsPath+page.query(nil), nil, options)
}

// Synonym reads a synonym.
func (c *Client) Synonym(ctx context.Context, id string, options ...Option) (Synonym, error) {
	return call[Synonym](ctx, c, "GET", synonymPath(id), nil, options)
}

// PatchSynonym changes a synonym.
func (c *Client) PatchSynonym(ctx context.Context, id string, patch Patch, options ...Option) (Synonym, error) {
	return call[Synonym](ctx, c, "PATCH", synonymPath(id), patch, options)
}

// DeleteSynonym deletes a synonym.
func (c *Client) DeleteSynonym(ctx context.Context, id string, options ...Option) error {
	_, err := call[nothing](ctx, c, "DELETE", synonymPath(id), nil, options)
	return err
}

// ReplaceSynonyms replaces all synonyms by up to a thousand new ones.
func (c *Client) ReplaceSynonyms(ctx context.Context, all []NewSynonym, options ...Option) ([]Synonym, error) {
	out, err := call[List[Synonym]](ctx, c, "PUT", synonymsPath, map[string]any{"synonyms": all}, options)
	return out.Data, err
}

func synonymPath(id string) string { return synonymsPath + "/" + url.PathEscape(id) }
