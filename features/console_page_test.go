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

// startSimulator writes a program that replaces haggle-sim and only sleeps, and returns its path.
func startSimulator(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "haggle-sim")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// navCountScript returns the count that the navigation shows next to an entry.
const navCountScript = `(place) => {
	const found = [...document.querySelectorAll("nav a")].find(a => a.checkVisibility() && a.querySelector("span")?.innerText === place);
	return found ? found.querySelector(".count")?.textContent ?? "" : "no " + place;
}`

func (c *consoleContext) seesNavigationCount(name, words, place string) error {
	return c.waitsForText(name, "says "+words+" at "+place, words, navCountScript, place)
}

var pdfPage = regexp.MustCompile(`/Type\s*/Page[^s]`)

func (c *consoleContext) printsOnOneSheet(name string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.run(chromedp.ActionFunc(func(ctx context.Context) error {
		printed, _, err := page.PrintToPDF().WithPreferCSSPageSize(true).Do(ctx)
		if n := len(pdfPage.FindAll(printed, -1)); err == nil && n != 1 {
			err = fmt.Errorf("the page prints on %d sheets", n)
		}
		return err
	}))
}

func (c *consoleContext) seesNoLonger(name, text string) error {
	return c.waitsForText(name, "is silent about "+text, "false", `(text) => String(document.body.innerText.includes(text))`, text)
}

// seesDialog waits for a modal dialog with the title; "" waits until there is none.
func (c *consoleContext) seesDialog(name, title string) error {
	return c.waitsForText(name, "asks "+title, c.expand(title), `() => document.querySelector("dialog:modal h2")?.innerText ?? ""`)
}

func (c *consoleContext) hasFocusOn(name, words string) error {
	return c.waitsForText(name, "has the focus on "+words, words, `() => document.activeElement.innerText.trim()`)
}

// waitsForText waits until a script returns the wanted text.
func (c *consoleContext) waitsForText(name, what, wanted, script string, arguments ...string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	var found string
	return t.until(what, func() (bool, error) {
		err := t.script(&found, script, arguments...)
		return found == wanted, err
	})
}
