package gallery

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

//go:embed testdata/axe-core-4.11.0/axe.min.js
var axe string

// patience is the timeout of a page.
const patience = 30 * time.Second

// window is one person's browser with its own cookies. It records the browser's complaints.
type window struct {
	ctx    context.Context
	origin string

	mutex  sync.Mutex
	faults []string
	status int64 // of the last page
}

func startBrowser(t *testing.T) context.Context {
	t.Helper()
	program, err := boottest.Browser()
	if err != nil {
		t.Fatal(err)
	}
	// Chromium's sandbox does not work for root, as in containers. Only pages of this test's server are opened.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		closeBrowser()
		stop()
	})
	if err := chromedp.Run(browser); err != nil {
		t.Fatal(err)
	}
	return browser
}

// open opens a window, with the cookie of a console session unless it is "".
func open(t *testing.T, browser context.Context, origin, session string) *window {
	t.Helper()
	ctx := cdp.WithExecutor(browser, chromedp.FromContext(browser).Browser)
	own, err := target.CreateBrowserContext().Do(ctx)
	if err != nil {
		t.Fatal(err)
	}
	made, err := target.CreateTarget("about:blank").WithBrowserContextID(own).WithNewWindow(true).Do(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := &window{origin: origin}
	var closeTab context.CancelFunc
	w.ctx, closeTab = chromedp.NewContext(browser, chromedp.WithTargetID(made))
	t.Cleanup(closeTab)
	chromedp.ListenTarget(w.ctx, w.record)
	w.run(t, network.Enable(), log.Enable())
	if session != "" {
		w.run(t, network.SetCookie("haggle_console", session).WithURL(origin+"/console").WithPath("/console"))
	}
	return w
}

func (w *window) run(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := w.try(actions...); err != nil {
		t.Fatal(err)
	}
}

func (w *window) try(actions ...chromedp.Action) error {
	if err := chromedp.Run(w.ctx); err != nil { // otherwise the first action's timeout would close the window
		return err
	}
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

// record records complaints. A page's own error status is none, because errors have pages too.
func (w *window) record(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.note("exception: " + e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			w.note(fmt.Sprintf("console %s: %s", e.Type, arguments(e.Args)))
		}
	case *log.EventEntryAdded:
		if (e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning) && e.Entry.Source != log.SourceNetwork {
			w.note(fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, w.origin+"/") && !strings.HasPrefix(u, "data:") && u != "about:blank" {
			w.note("request elsewhere: " + u)
		}
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument {
			w.mutex.Lock()
			w.status = e.Response.Status
			w.mutex.Unlock()
		}
		if e.Response.Status >= 400 && e.Type != network.ResourceTypeDocument {
			w.note(fmt.Sprintf("%s is answered %d", e.Response.URL, e.Response.Status))
		}
	case *network.EventLoadingFailed:
		if !e.Canceled && e.BlockedReason != "" {
			w.note("blocked: " + e.BlockedReason.String())
		}
	}
}

func arguments(of []*runtime.RemoteObject) string {
	words := make([]string, len(of))
	for i, o := range of {
		words[i] = string(o.Value) + o.Description
	}
	return strings.Join(words, " ")
}

func (w *window) note(fault string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !slices.Contains(w.faults, fault) {
		w.faults = append(w.faults, fault)
	}
}

// answered returns the status of the last page.
func (w *window) answered() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return int(w.status)
}

// complaints returns the complaints since the last call.
func (w *window) complaints() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	faults := w.faults
	w.faults = nil
	return faults
}

// scheme sets the preferred color scheme to light or dark.
func scheme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	})
}

// evaluate runs an expression in an isolated world, to which the page's content security policy does not apply.
func (w *window) evaluate(expression string, out any) error {
	return w.try(chromedp.ActionFunc(func(ctx context.Context) error {
		tree, err := page.GetFrameTree().Do(ctx)
		if err != nil {
			return err
		}
		world, err := page.CreateIsolatedWorld(tree.Frame.ID).WithWorldName("gallery").Do(ctx)
		if err != nil {
			return err
		}
		found, thrown, err := runtime.Evaluate(expression).WithContextID(world).WithAwaitPromise(true).WithReturnByValue(true).Do(ctx)
		switch {
		case err != nil:
			return err
		case thrown != nil:
			return thrown
		}
		return json.Unmarshal(found.Value, out)
	}))
}

// violation is an accessibility rule that a page violates.
type violation struct {
	ID, Impact, Help string
	Nodes            []string
}

// audit runs axe-core.
func (w *window) audit() (found []violation, err error) {
	err = w.evaluate(axe+`;
axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
  .filter(v => v.impact === "serious" || v.impact === "critical")
  .map(v => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 5).map(n => n.target.join(" ") + "  " + n.html.slice(0, 160) + "  " + n.any.map(c => c.message).join("; ").slice(0, 200))})))`, &found)
	return found, err
}

// paint has the times of the first and the largest contentful paint in milliseconds.
type paint struct{ FCP, LCP float64 }

func (w *window) paint() (p paint) {
	_ = w.evaluate(`new Promise(done => {
  let lcp = 0;
  new PerformanceObserver(list => { for (const e of list.getEntries()) lcp = e.startTime; }).observe({type: "largest-contentful-paint", buffered: true});
  const until = Date.now() + 3000, look = () => {
    const fcp = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
    fcp && lcp || Date.now() > until ? done({FCP: fcp, LCP: lcp}) : setTimeout(look, 50);
  };
  look();
})`, &p)
	return p
}

// overflow returns by how many pixels the page is wider than the window, and which element reaches beyond it.
func (w *window) overflow() (by int, what string, err error) {
	var found struct {
		By   int
		What string
	}
	err = w.evaluate(`(() => {
  const root = document.documentElement, by = root.scrollWidth - root.clientWidth;
  const out = by <= 0 ? [] : [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > root.clientWidth + 1);
  return {By: by, What: out.slice(0, 4).map(e => e.tagName.toLowerCase() + "." + (e.getAttribute("class") ?? "")).join(", ")};
})()`, &found)
	return found.By, found.What, err
}
