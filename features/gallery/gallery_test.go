package gallery

import (
	"context"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var (
	widths   = []int{360, 390, 768, 1280, 1920}
	pictured = []int{390, 768, 1280}
	schemes  = []string{"light", "dark"}
)

// shown is a page of the gallery with its pictures.
type shown struct {
	screen
	Paint    paint
	Pictures []picture
}

type picture struct {
	File, Scheme string
	Width        int
}

func TestGallery(t *testing.T) {
	dir := os.Getenv("GALLERY")
	if dir == "" {
		t.Skip("GALLERY names no directory: make gallery")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	browser := startBrowser(t)
	s := openShop(t)
	windows := map[string]*window{}
	var all []shown
	for _, one := range s.screens() {
		if only := os.Getenv("SCREENS"); only != "" && !strings.Contains(one.Name, only) {
			continue
		}
		key := one.origin + one.session
		if windows[key] == nil {
			windows[key] = open(t, browser, one.origin, one.session)
		}
		t.Run(one.Name, func(t *testing.T) {
			all = append(all, windows[key].look(t, dir, one))
		})
	}
	writeIndex(t, dir, all)
	for _, p := range all {
		fmt.Printf("%-36s first paint %4.0f ms, largest %4.0f ms\n", p.Name, p.Paint.FCP, p.Paint.LCP)
	}
}

// look checks one page in both color schemes at all widths.
func (w *window) look(t *testing.T, dir string, one screen) shown {
	seen := shown{screen: one}
	for _, s := range schemes {
		w.complaints()
		w.run(t, scheme(s), resize(1280), chromedp.Navigate(one.origin+one.path))
		if got := w.answered(); one.status != 0 && got != one.status {
			t.Errorf("%s is answered %d", one.path, got)
		}
		if one.fill != "" {
			if err := w.fill(one.fill); err != nil {
				t.Fatal(err)
			}
		}
		if s == schemes[0] {
			seen.Paint = w.paint()
		}
		for _, width := range widths {
			w.run(t, resize(width), chromedp.Sleep(40*time.Millisecond))
			by, what, err := w.overflow()
			if err != nil {
				t.Fatal(err)
			}
			if by > 0 {
				t.Errorf("%s at %d px is %d px too wide: %s", one.path, width, by, what)
			}
			if slices.Contains(pictured, width) {
				seen.Pictures = append(seen.Pictures, w.picture(t, dir, one, s, width))
				if s == schemes[0] || width == pictured[len(pictured)-1] { // dark differs only in colors
					w.judge(t, one, s, width)
				}
			}
		}
		for _, fault := range w.complaints() {
			t.Errorf("%s (%s): %s", one.path, s, fault)
		}
	}
	return seen
}

func (w *window) judge(t *testing.T, one screen, scheme string, width int) {
	t.Helper()
	found, err := w.audit()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("%s at %d px, %s: %s (%s): %s\n  %s", one.path, width, scheme, v.ID, v.Impact, v.Help, strings.Join(v.Nodes, "\n  "))
	}
}

// fill runs a script that fills in and submits a form, and waits for the resulting page.
func (w *window) fill(script string) error {
	loaded := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	chromedp.ListenTarget(ctx, func(event any) {
		if _, ok := event.(*page.EventLoadEventFired); ok {
			select {
			case loaded <- struct{}{}:
			default:
			}
		}
	})
	if err := w.try(chromedp.Evaluate(script, nil)); err != nil {
		return err
	}
	select {
	case <-loaded:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("nothing came of %s", script)
	}
}

func resize(width int) chromedp.Action {
	height := int64(900)
	if width < 500 {
		height = 844
	}
	return emulation.SetDeviceMetricsOverride(int64(width), height, 1, false)
}

func (w *window) picture(t *testing.T, dir string, one screen, scheme string, width int) picture {
	t.Helper()
	var image []byte
	w.run(t, chromedp.FullScreenshot(&image, 100), resize(width))
	p := picture{fmt.Sprintf("%s-%d-%s.png", one.Name, width, scheme), scheme, width}
	if err := os.WriteFile(filepath.Join(dir, p.File), image, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

var index = template.Must(template.New("index").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Gallery</title>
<style>body { font: 14px/1.5 system-ui; margin: 24px; background: #ddd } section { margin-bottom: 32px } div { display: flex; gap: 12px; align-items: flex-start; overflow-x: auto } img { height: 420px; width: auto; border: 1px solid #888 }</style>
<h1>Gallery</h1>
{{range .}}<section><h2>{{.Name}}</h2><p>{{.Path}} · first paint {{printf "%.0f" .Paint.FCP}} ms, largest {{printf "%.0f" .Paint.LCP}} ms</p>
<div>{{range .Pictures}}<a href="{{.File}}"><img src="{{.File}}" loading="lazy" alt="{{.Width}} px, {{.Scheme}}"></a>{{end}}</div></section>
{{end}}`))

func writeIndex(t *testing.T, dir string, all []shown) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Execute(file, all); err != nil {
		t.Error(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
