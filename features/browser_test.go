package features

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// patience is how long a page may take to show something.
const patience = 15 * time.Second

// startBrowser starts a browser, with which all scenarios of an engine look at pages, when the first one does.
func (s *server) startBrowser() (context.Context, error) {
	program, err := boottest.Browser()
	if err != nil {
		return nil, err
	}
	// Root, as in containers, cannot have Chromium's sandbox. Only pages of this test's server are opened.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser, closeBrowser := chromedp.NewContext(allocator)
	s.t.Cleanup(func() {
		closeBrowser()
		stop()
	})
	return browser, chromedp.Run(browser)
}

// tab is one person's browser, with cookies of its own.
type tab struct {
	ctx    context.Context
	close  context.CancelFunc
	mutex  sync.Mutex
	faults []string // what the page's policy or its script complained of
}

// looking is what a scenario knows of the people who look at pages.
type looking struct {
	tabs map[string]*tab
	file string // what was downloaded last, after its status and headers
}

func (w *world) tab(name string) (*tab, error) {
	if t := w.tabs[name]; t != nil {
		return t, nil
	}
	browser, err := w.server.browser()
	if err != nil {
		return nil, err
	}
	own, err := newWindow(browser)
	if err != nil {
		return nil, err
	}
	t := &tab{}
	t.ctx, t.close = chromedp.NewContext(browser, chromedp.WithTargetID(own))
	chromedp.ListenTarget(t.ctx, t.hear)
	if w.tabs == nil {
		w.tabs = map[string]*tab{}
	}
	w.tabs[name] = t
	return t, t.run(
		chromedp.EmulateViewport(1280, 900),
		emulation.SetFocusEmulationEnabled(true), // keys arrive here, whichever window is in front
		network.Enable(),
		network.SetExtraHTTPHeaders(network.Headers{"X-Forwarded-For": visitorAddress()}),
	)
}

var visitors atomic.Uint32

// visitorAddress is another address for each tab: sign-ins from one are limited.
func visitorAddress() string {
	n := visitors.Add(1)
	return fmt.Sprintf("198.18.%d.%d", n/250, n%250+1)
}

// newWindow opens a window with cookies of its own. Chromium opens no tab where there is no window yet.
func newWindow(browser context.Context) (target.ID, error) {
	ctx, cancel := context.WithTimeout(browser, patience)
	defer cancel()
	ctx = cdp.WithExecutor(ctx, chromedp.FromContext(browser).Browser)
	own, err := target.CreateBrowserContext().Do(ctx)
	if err != nil {
		return "", err
	}
	return target.CreateTarget("about:blank").WithBrowserContextID(own).WithNewWindow(true).Do(ctx)
}

// run does something that must not take long.
func (t *tab) run(actions ...chromedp.Action) error {
	if err := chromedp.Run(t.ctx); err != nil { // or its context would end with the first action's
		return err
	}
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

func (t *tab) hear(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = e.ExceptionDetails.Error()
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError && e.Entry.Source != log.SourceNetwork {
			fault = e.Entry.Text
		}
	}
	if fault != "" {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		t.faults = append(t.faults, fault)
	}
}

// closeTabs closes what the scenario opened, and tells what pages complained of.
func (w *world) closeTabs() error {
	var problems []error
	for name, t := range w.tabs {
		t.close()
		t.mutex.Lock()
		if len(t.faults) > 0 {
			problems = append(problems, fmt.Errorf("the browser of %q complains: %s", name, strings.Join(t.faults, "; ")))
		}
		t.mutex.Unlock()
	}
	w.tabs = nil
	return errors.Join(problems...)
}

// script runs a function of JavaScript on arguments in the page.
func (t *tab) script(out any, function string, arguments ...string) error {
	quoted := make([]string, len(arguments))
	for i, a := range arguments {
		quoted[i] = fmt.Sprintf("%q", a)
	}
	return t.run(chromedp.Evaluate("("+function+")("+strings.Join(quoted, ",")+")", out))
}

// until tries something until it holds: the page may still be on its way.
func (t *tab) until(what string, try func() (bool, error)) error {
	deadline := time.Now().Add(patience)
	for {
		ok, err := try()
		if ok {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the page never %s (%v); it is:\n%s", what, err, t.text())
		}
		select {
		case <-t.ctx.Done():
			return t.ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// text is what can be read on the page.
func (t *tab) text() (text string) {
	_ = t.script(&text, `() => location.pathname + "\n" + document.body.innerText`)
	return text
}
