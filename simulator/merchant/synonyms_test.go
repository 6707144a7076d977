package merchant_test

import (
	"context"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func TestClient_synonymRequests(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	sofa := merchant.NewSynonym{Words: []string{"sofa", "couch"}}
	eachSends(t, map[string]sent{
		"create a synonym": {func(c *merchant.Client) error {
			_, err := c.CreateSynonym(ctx, merchant.NewSynonym{Input: "phone", Words: []string{"smartphone"}})
			return err
		}, "POST /v1/catalog/synonyms", `{"input":"phone","words":["smartphone"]}`},
		"create one without an input": {func(c *merchant.Client) error { _, err := c.CreateSynonym(ctx, sofa); return err },
			"POST /v1/catalog/synonyms", `{"words":["sofa","couch"]}`},
		"list synonyms": {func(c *merchant.Client) error { _, err := c.Synonyms(ctx, merchant.Page{Limit: 5}); return err },
			"GET /v1/catalog/synonyms?limit=5", ""},
		"read a synonym": {func(c *merchant.Client) error { _, err := c.Synonym(ctx, "syn_1"); return err }, "GET /v1/catalog/synonyms/syn_1", ""},
		"take the input away": {func(c *merchant.Client) error {
			_, err := c.PatchSynonym(ctx, "syn_1", merchant.Patch{"input": nil})
			return err
		}, "PATCH /v1/catalog/synonyms/syn_1", `{"input":null}`},
		"delete a synonym": {func(c *merchant.Client) error { return c.DeleteSynonym(ctx, "syn_1") }, "DELETE /v1/catalog/synonyms/syn_1", ""},
		"replace all": {func(c *merchant.Client) error {
			_, err := c.ReplaceSynonyms(ctx, []merchant.NewSynonym{sofa})
			return err
		},
			"PUT /v1/catalog/synonyms", `{"synonyms":[{"words":["sofa","couch"]}]}`},
	})
}
