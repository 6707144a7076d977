package features

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// startSimulator is a program in the place of haggle-sim whose buyers take their time.
func startSimulator(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "haggle-sim")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// told is what stands beside a place in the navigation.
const told = `(place) => {
	const found = [...document.querySelectorAll("nav a")].find(a => a.checkVisibility() && a.querySelector("span")?.innerText === place);
	return found ? found.querySelector(".count")?.textContent ?? "" : "no " + place;
}`

func (w *world) isTold(name, words, place string) error {
	return w.shows(name, "says "+words+" at "+place, words, told, place)
}

var sheet = regexp.MustCompile(`/Type\s*/Page[^s]`)

func (w *world) printsOnOneSheet(name string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.run(chromedp.ActionFunc(func(ctx context.Context) error {
		printed, _, err := page.PrintToPDF().WithPreferCSSPageSize(true).Do(ctx)
		if n := len(sheet.FindAll(printed, -1)); err == nil && n != 1 {
			err = fmt.Errorf("the page prints on %d sheets", n)
		}
		return err
	}))
}

func (w *world) isNoLongerTold(name, text string) error {
	return w.shows(name, "is silent about "+text, "false", `(text) => String(document.body.innerText.includes(text))`, text)
}

// isAsked looks for the title of a dialog over the page; "": there is none.
func (w *world) isAsked(name, title string) error {
	return w.shows(name, "asks "+title, w.expand(title), `() => document.querySelector("dialog:modal h2")?.innerText ?? ""`)
}

func (w *world) hasFocusOn(name, words string) error {
	return w.shows(name, "has the focus on "+words, words, `() => document.activeElement.innerText.trim()`)
}

// shows waits until a script on the page finds a text.
func (w *world) shows(name, what, wanted, script string, arguments ...string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	var found string
	return t.until(what, func() (bool, error) {
		err := t.script(&found, script, arguments...)
		return found == wanted, err
	})
}
