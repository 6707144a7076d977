package features

import (
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const synonymsPath = "/v1/catalog/synonyms"

func synonymSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a shop with (\d+) synonyms$`, s.search.openShopWithSynonyms)
	sc.Given(`^the synonym (\{.*\})$`, s.search.createsSynonym)
	sc.When(`^the merchant replaces the synonyms by (\d+)$`, func(n int) error {
		return s.attempt(func() error {
			_, err := s.merchant.ReplaceSynonyms(s.ctx, manySynonyms(n))
			return err
		})
	})
	sc.Then(`^the synonym reads the same$`, s.search.synonymReadsTheSame)
	sc.Then(`^the shop has (\d+) synonyms?$`, s.search.synonymCountIs)
}

func (c *searchContext) openShopWithSynonyms(n int) error {
	if err := c.shops.openShop("Test Shop"); err != nil {
		return err
	}
	_, err := c.merchant.ReplaceSynonyms(c.ctx, manySynonyms(n))
	return err
}

func manySynonyms(n int) []merchant.NewSynonym {
	all := make([]merchant.NewSynonym, n)
	for i := range all {
		all[i] = merchant.NewSynonym{Words: []string{fmt.Sprint("word ", i), "other"}}
	}
	return all
}

// createsSynonym creates a synonym and names its id "synonym".
func (c *searchContext) createsSynonym(body string) error {
	if err := c.send("POST", synonymsPath, body, nil); err != nil {
		return err
	}
	return c.platforms.namesAnswerField("id", "synonym")
}

func (c *searchContext) synonymReadsTheSame() error {
	before := c.recorder.last().value()
	id, _ := valueAt(before, "id")
	if err := c.send("GET", synonymsPath+"/"+fmt.Sprint(id), "", nil); err != nil {
		return err
	}
	if now := c.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (c *searchContext) synonymCountIs(n int) error {
	all, err := c.merchant.Synonyms(c.ctx, merchant.Page{Limit: 1})
	if err == nil && all.Meta.Total != n {
		err = fmt.Errorf("there are %d synonyms", all.Meta.Total)
	}
	return err
}
