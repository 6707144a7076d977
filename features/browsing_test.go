package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

func browsingSteps(sc stepRegistry, w *world) {
	sc.When(`^a buyer asks (\{.*\})$`, w.searchesFirstPage)
	sc.When(`^a buyer reads all results of (\{.*\})$`, w.readsAllPages)
	sc.When(`^the buyer reads on to the end$`, w.readsRemainingPages)
	sc.When(`^the buyer keeps the cursor$`, w.remembersCursor)
	sc.Then(`^the buyer has seen (".*"), each once, on (\d+) pages?$`, w.hasSeenResults)
}

func (w *world) searchesFirstPage(text string) error {
	var request acp.SearchRequest
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		return err
	}
	w.pages = nil
	return w.searchesPage(request)
}

// searchesPage sends a search and records the names of its results.
func (w *world) searchesPage(request acp.SearchRequest) error {
	if err := w.searchesFor(request); err != nil {
		return err
	}
	w.pages = append(w.pages, w.resultNames())
	return nil
}

func (w *world) readsAllPages(text string) error {
	if err := w.searchesFirstPage(text); err != nil {
		return err
	}
	return w.readsRemainingPages()
}

// readsRemainingPages follows the cursor to the last page, for at most a hundred pages.
func (w *world) readsRemainingPages() error {
	for range 100 {
		request := w.searchRequest
		if request.Cursor = w.shopper.Found.NextCursor; request.Cursor == "" {
			return nil
		}
		if err := w.searchesPage(request); err != nil {
			return err
		}
	}
	return errors.New("there is no last page")
}

func (w *world) remembersCursor() error {
	if w.cursor = w.shopper.Found.NextCursor; w.cursor == "" {
		return errors.New("there is no further page")
	}
	return nil
}

func (w *world) hasSeenResults(list string, pages int) error {
	want := strings.Split(strings.Trim(list, `"`), `", "`)
	got := slices.Concat(w.pages...)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(w.pages) != pages {
		return fmt.Errorf("it has seen %q", w.pages)
	}
	return nil
}
