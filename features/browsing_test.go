package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

func browsingSteps(sc book, w *world) {
	sc.When(`^a buyer asks (\{.*\})$`, w.asksJust)
	sc.When(`^a buyer reads all results of (\{.*\})$`, w.readsAll)
	sc.When(`^the buyer reads on to the end$`, w.readsOn)
	sc.When(`^the buyer keeps the cursor$`, w.keepsCursor)
	sc.Then(`^the buyer has seen (".*"), each once, on (\d+) pages?$`, w.hasSeen)
}

func (w *world) asksJust(text string) error {
	var request acp.SearchRequest
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		return err
	}
	w.pages = nil
	return w.turnsPage(request)
}

// turnsPage asks, and notes the names of what it is shown.
func (w *world) turnsPage(request acp.SearchRequest) error {
	if err := w.asks(request); err != nil {
		return err
	}
	w.pages = append(w.pages, w.found())
	return nil
}

func (w *world) readsAll(text string) error {
	if err := w.asksJust(text); err != nil {
		return err
	}
	return w.readsOn()
}

// readsOn reads at most a hundred pages.
func (w *world) readsOn() error {
	for range 100 {
		request := w.asked
		if request.Cursor = w.shopper.Found.NextCursor; request.Cursor == "" {
			return nil
		}
		if err := w.turnsPage(request); err != nil {
			return err
		}
	}
	return errors.New("there is no last page")
}

func (w *world) keepsCursor() error {
	if w.cursor = w.shopper.Found.NextCursor; w.cursor == "" {
		return errors.New("there is no further page")
	}
	return nil
}

func (w *world) hasSeen(list string, pages int) error {
	want := strings.Split(strings.Trim(list, `"`), `", "`)
	got := slices.Concat(w.pages...)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(w.pages) != pages {
		return fmt.Errorf("it has seen %q", w.pages)
	}
	return nil
}
