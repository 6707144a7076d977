package features

import (
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const synonymsPath = "/v1/catalog/synonyms"

func synonymSteps(sc stepRegistry, w *world) {
	sc.Given(`^a shop with (\d+) synonyms$`, w.openShopWithSynonyms)
	sc.Given(`^the synonym (\{.*\})$`, w.createsSynonym)
	sc.When(`^the merchant replaces the synonyms by (\d+)$`, func(n int) error {
		return w.attempt(func() error {
			_, err := w.merchant.ReplaceSynonyms(w.ctx, manySynonyms(n))
			return err
		})
	})
	sc.Then(`^the synonym reads the same$`, w.synonymReadsTheSame)
	sc.Then(`^the shop has (\d+) synonyms?$`, w.synonymCountIs)
}

func (w *world) openShopWithSynonyms(n int) error {
	if err := w.openShop("Test Shop"); err != nil {
		return err
	}
	_, err := w.merchant.ReplaceSynonyms(w.ctx, manySynonyms(n))
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
func (w *world) createsSynonym(body string) error {
	if err := w.send("POST", synonymsPath, body, nil); err != nil {
		return err
	}
	return w.namesAnswerField("id", "synonym")
}

func (w *world) synonymReadsTheSame() error {
	before := w.recorder.last().value()
	id, _ := valueAt(before, "id")
	if err := w.send("GET", synonymsPath+"/"+fmt.Sprint(id), "", nil); err != nil {
		return err
	}
	if now := w.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (w *world) synonymCountIs(n int) error {
	all, err := w.merchant.Synonyms(w.ctx, merchant.Page{Limit: 1})
	if err == nil && all.Meta.Total != n {
		err = fmt.Errorf("there are %d synonyms", all.Meta.Total)
	}
	return err
}
