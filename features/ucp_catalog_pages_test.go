package features

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// followsCursors reads all pages of a search. sizes is a JSON array of the expected page sizes.
func (c *ucpContext) followsCursors(prefix, over string, want int, sizes string) error {
	seen, pages := map[any]bool{}, []any{}
	for body := map[string]any{"filters": map[string]any{"price": map[string]any{"min": 0}}}; ; {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		if err := c.agentSendsOver(over, "POST", prefix+"/ucp/catalog/search", string(text)); err != nil {
			return err
		}
		answer := c.recorder.last().value()
		ids, _ := valueAt(answer, "products.*.id")
		list, _ := ids.([]any)
		for _, id := range list {
			if seen[id] {
				return fmt.Errorf("%v is there twice", id)
			}
			seen[id] = true
		}
		pages = append(pages, len(list))
		more, said := valueAt(answer, "pagination.has_next_page")
		cursor, given := valueAt(answer, "pagination.cursor")
		switch {
		case !said, more == true && (!given || cursor == ""), len(pages) > want+1:
			return fmt.Errorf("page %d: has_next_page %v, cursor %v", len(pages), more, cursor)
		case more == true:
			body["pagination"] = map[string]any{"cursor": cursor}
			continue
		case len(seen) != want || encode(pages) != sizes:
			return fmt.Errorf("it read %d products in pages of %s", len(seen), encode(pages))
		}
		return nil
	}
}

func (c *ucpContext) looksUpMany(over string, n int, prefix, first string) error {
	ids := []string{c.expand(first)}
	for i := 1; i < n; i++ {
		ids = append(ids, fmt.Sprintf("prod_unknown_%d", i))
	}
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return err
	}
	return c.agentSendsOver(over, http.MethodPost, prefix+"/ucp/catalog/lookup", string(body))
}
