package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

func browsingSteps(sc stepRegistry, s *scenario) {
	sc.When(`^a buyer asks (\{.*\})$`, s.discovery.searchesFirstPage)
	sc.When(`^a buyer reads all results of (\{.*\})$`, s.discovery.readsAllPages)
	sc.When(`^the buyer reads on to the end$`, s.discovery.readsRemainingPages)
	sc.When(`^the buyer keeps the cursor$`, s.discovery.remembersCursor)
	sc.Then(`^the buyer has seen (".*"), each once, on (\d+) pages?$`, s.discovery.hasSeenResults)
}

// discoveryContext finds products as a buyer does: manifest, searches, pages, availability.
type discoveryContext struct{ *scenario }

func (c *discoveryContext) searchesFirstPage(text string) error {
	var request acp.SearchRequest
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		return err
	}
	c.buyers.pages = nil
	return c.searchesPage(request)
}

// searchesPage sends a search and records the names of its results.
func (c *discoveryContext) searchesPage(request acp.SearchRequest) error {
	if err := c.searchesFor(request); err != nil {
		return err
	}
	c.buyers.pages = append(c.buyers.pages, c.resultNames())
	return nil
}

func (c *discoveryContext) readsAllPages(text string) error {
	if err := c.searchesFirstPage(text); err != nil {
		return err
	}
	return c.readsRemainingPages()
}

// readsRemainingPages follows the cursor to the last page, for at most a hundred pages.
func (c *discoveryContext) readsRemainingPages() error {
	for range 100 {
		request := c.buyers.searchRequest
		if request.Cursor = c.shopper.Found.NextCursor; request.Cursor == "" {
			return nil
		}
		if err := c.searchesPage(request); err != nil {
			return err
		}
	}
	return errors.New("there is no last page")
}

func (c *discoveryContext) remembersCursor() error {
	if c.buyers.cursor = c.shopper.Found.NextCursor; c.buyers.cursor == "" {
		return errors.New("there is no further page")
	}
	return nil
}

func (c *discoveryContext) hasSeenResults(list string, pages int) error {
	want := strings.Split(strings.Trim(list, `"`), `", "`)
	got := slices.Concat(c.buyers.pages...)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(c.buyers.pages) != pages {
		return fmt.Errorf("it has seen %q", c.buyers.pages)
	}
	return nil
}
