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

// pageTimeout limits how long a page may take to show something.
const pageTimeout = time.Minute

// startBrowser starts the browser that all scenarios of an engine share. The first scenario that opens a page starts it.
func (s *server) startBrowser() (context.Context, error) {
	program, err := boottest.Browser()
	if err != nil {
		return nil, err
	}
	// Chromium's sandbox does not work as root, as in containers. The tests open only pages of their own server.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser, closeBrowser := chromedp.NewContext(allocator)
	s.tb.Cleanup(func() {
		closeBrowser()
		stop()
	})
	return browser, chromedp.Run(browser)
}

// tab is one member's browser window, with its own cookies.
type tab struct {
	ctx    context.Context
	close  context.CancelFunc
	mutex  sync.Mutex
	faults []string // script errors and policy violations of its pages
}

// consoleContext drives members' browser tabs.
type consoleContext struct {
	*scenario

	tabs map[string]*tab
	file string // the latest download: status, headers, content
}

func (c *consoleContext) tab(name string) (*tab, error) {
	if t := c.tabs[name]; t != nil {
		return t, nil
	}
	browser, err := c.server.browser()
	if err != nil {
		return nil, err
	}
	own, err := newWindow(browser)
	if err != nil {
		return nil, err
	}
	t := &tab{}
	t.ctx, t.close = chromedp.NewContext(browser, chromedp.WithTargetID(own))
	chromedp.ListenTarget(t.ctx, t.onEvent)
	if c.tabs == nil {
		c.tabs = map[string]*tab{}
	}
	c.tabs[name] = t
	return t, t.run(
		chromedp.EmulateViewport(1280, 900),
		emulation.SetFocusEmulationEnabled(true), // the tab gets keys even if another window is in front
		network.Enable(),
		network.SetExtraHTTPHeaders(network.Headers{"X-Forwarded-For": tabAddress()}),
	)
}

var tabCount atomic.Uint32

// tabAddress returns another client address for each tab, because the server limits sign-ins per address.
func tabAddress() string {
	n := tabCount.Add(1)
	return fmt.Sprintf("198.18.%d.%d", n/250, n%250+1)
}

// newWindow opens a window in a new browser context. Chromium opens no tab in a context that has no window.
func newWindow(browser context.Context) (target.ID, error) {
	ctx, cancel := context.WithTimeout(browser, pageTimeout)
	defer cancel()
	ctx = cdp.WithExecutor(ctx, chromedp.FromContext(browser).Browser)
	own, err := target.CreateBrowserContext().Do(ctx)
	if err != nil {
		return "", err
	}
	return target.CreateTarget("about:blank").WithBrowserContextID(own).WithNewWindow(true).Do(ctx)
}

// run runs actions within pageTimeout.
func (t *tab) run(actions ...chromedp.Action) error {
	if err := chromedp.Run(t.ctx); err != nil { // opens the tab, which would otherwise close with ctx below
		return err
	}
	ctx, cancel := context.WithTimeout(t.ctx, pageTimeout)
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

func (t *tab) onEvent(event any) {
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

// closeTabs closes the scenario's tabs and returns the faults of their pages.
func (c *consoleContext) closeTabs() error {
	var problems []error
	for name, t := range c.tabs {
		t.close()
		t.mutex.Lock()
		if len(t.faults) > 0 {
			problems = append(problems, fmt.Errorf("the browser of %q complains: %s", name, strings.Join(t.faults, "; ")))
		}
		t.mutex.Unlock()
	}
	c.tabs = nil
	return errors.Join(problems...)
}

// script calls a JavaScript function in the page.
func (t *tab) script(out any, function string, arguments ...string) error {
	quoted := make([]string, len(arguments))
	for i, a := range arguments {
		quoted[i] = fmt.Sprintf("%q", a)
	}
	return t.run(chromedp.Evaluate("("+function+")("+strings.Join(quoted, ",")+")", out))
}

// until retries try until it returns true or pageTimeout has passed, because the page may still be loading.
func (t *tab) until(what string, try func() (bool, error)) error {
	deadline := time.Now().Add(pageTimeout)
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

// text returns the page's path and visible text.
func (t *tab) text() (text string) {
	_ = t.script(&text, `() => location.pathname + "\n" + document.body.innerText`)
	return text
}
