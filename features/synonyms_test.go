package features

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const synonymsPath = "/v1/catalog/synonyms"

func synonymSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a shop with (\d+) synonyms?$`, s.search.openShopWithSynonyms)
	sc.When(`^the merchant replaces the synonyms by (\d+)$`, func(n int) error {
		return s.attempt(func() error {
			_, err := s.merchant.ReplaceSynonyms(s.ctx, manySynonyms(n))
			return err
		})
	})
	sc.When(`^the merchant replaces the synonyms of the other shop by none$`, func() error {
		return s.sendsToOtherShop("PUT", synonymsPath, `{"synonyms": []}`)
	})
	sc.When(`^the merchant (?:adds a|tries to add another) synonym$`, func() error { return s.merchantSends("POST", synonymsPath, sofaSynonym) })
	sc.When(`^the merchant adds a synonym (\d+) times at once$`, func(times int) { s.sendsConcurrently(times, "POST", synonymsPath, sofaSynonym) })

	sc.Then(`^that is one synonym too many$`, func() error { return s.isRefused(http.StatusConflict, "limit_reached") })
	sc.Then(`^(\d+) of the synonyms are added and (\d+) are too many$`, func(added, refused int) error {
		return s.succeedAndRefused(added, refused, http.StatusConflict, "limit_reached")
	})
	sc.Then(`^that is refused, because a shop has no room for as many synonyms$`, func() error {
		return errors.Join(s.isRefused(http.StatusUnprocessableEntity, "validation_error"), s.refusalNames("synonyms"))
	})
	sc.Then(`^the shop has (\d+) synonyms?$`, s.search.synonymCountIs)
	sc.Then(`^the other shop has no synonyms$`, func() error {
		return errors.Join(s.sendsToOtherShop("GET", synonymsPath, ""), s.answerShows("meta.total", "0"))
	})
}

const sofaSynonym = `{"words": ["sofa", "couch"]}`

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
