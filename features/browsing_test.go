package features

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

func browsingSteps(sc stepRegistry, s *scenario) {
	const paging = `for "([^"]*)", (\d+) a page, (best matching|cheapest|most expensive|newest) first$`
	sc.Given(`^a shop whose tents were reviewed:$`, s.search.openShopReviewed)
	sc.When(`^a buyer reads the first results `+paging, s.discovery.searchesFirstPage)
	sc.When(`^a buyer reads all results `+paging, s.discovery.readsAllPages)
	sc.When(`^the buyer reads the other pages$`, s.discovery.readsRemainingPages)
	sc.Then(`^the buyer has seen (".*"), each once, on (\d+) pages?$`, s.discovery.hasSeenResults)
}

// discoveryContext finds products as a buyer does: manifest, searches, pages, availability.
type discoveryContext struct{ *scenario }

func (c *discoveryContext) searchesFirstPage(query string, limit int, order string) error {
	c.buyers.pages = nil
	return c.searchesPage(acp.SearchRequest{
		Query: query,
		Limit: limit,
		Sort:  sortOrders[order],
	})
}

// searchesPage sends a search and records the names of its results.
func (c *discoveryContext) searchesPage(request acp.SearchRequest) error {
	if err := c.searchesFor(request); err != nil {
		return err
	}
	c.buyers.pages = append(c.buyers.pages, c.resultNames())
	return nil
}

func (c *discoveryContext) readsAllPages(query string, limit int, order string) error {
	if err := c.searchesFirstPage(query, limit, order); err != nil {
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

// remembersCursor stores the next_cursor of the latest search as $cursor.
func (c *discoveryContext) remembersCursor() error {
	next, _ := valueAt(c.recorder.last().value(), "next_cursor")
	if c.buyers.cursor, _ = next.(string); c.buyers.cursor == "" {
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
