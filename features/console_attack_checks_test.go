package features

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"
)

// maxPagesPerKind limits how many pages are read that differ only in ids or query.
const maxPagesPerKind = 30

// readsConsole crawls the console as a member and checks each page for injections.
func (a *attack) readsConsole(name string) error {
	a.email, a.pages = a.scenario.members.emailOf(name), map[string]bool{}
	if err := a.signIn(); err != nil {
		return err
	}
	queue, kinds := []string{"/console/" + a.scenario.shop.Slug}, map[string]int{}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if a.pages[path] || kinds[pageKind(path)] == maxPagesPerKind {
			continue
		}
		a.pages[path] = true
		kinds[pageKind(path)]++
		links, err := a.readPage(path)
		if errors.Is(err, errPageLimit) { // the limit applies to a session
			if err = a.signIn(); err == nil {
				links, err = a.readPage(path)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		queue = append(queue, links...)
	}
	return nil
}

func (a *attack) signIn() error {
	in := url.Values{"email": {a.email}, "password": {memberPassword}}
	r, err := http.NewRequestWithContext(a.scenario.ctx, http.MethodPost, a.scenario.app.URL()+"/console/sign-in", strings.NewReader(in.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	a.cookie = nil
	status, content, err := a.do(r)
	if err == nil && a.cookie == nil {
		err = fmt.Errorf("signing in: %d %.300s", status, content)
	}
	return err
}

var errPageLimit = errors.New("the session may open no more pages for now")

func (a *attack) readPage(path string) (links []string, err error) {
	r, err := http.NewRequestWithContext(a.scenario.ctx, http.MethodGet, a.scenario.app.URL()+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.AddCookie(a.cookie)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	status, content, err := a.do(r)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusTooManyRequests:
		return nil, errPageLimit
	case status == http.StatusSeeOther:
		if !strings.HasPrefix(a.location, "/console/") {
			return nil, nil // sign-in at an OpenID provider
		}
		return []string{a.location}, nil
	case status != http.StatusOK:
		return nil, fmt.Errorf("%d %.300s", status, content)
	case strings.HasSuffix(strings.Split(path, "?")[0], ".csv"):
		return nil, findFormula(content)
	}
	page, err := html.Parse(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return consoleLinks(page), findInjection(page)
}

// findFormula returns an error for a CSV cell that a spreadsheet would run as a formula (OWASP, "CSV Injection").
func findFormula(content []byte) error {
	for line := range strings.Lines(string(content)) {
		for cell := range strings.SplitSeq(line, ",") {
			if cell = strings.Trim(cell, "\"\r\n"); cell != "" && strings.ContainsAny(cell[:1], "=+@") {
				return fmt.Errorf("a spreadsheet runs %q", cell)
			}
		}
	}
	return nil
}

// consoleLinks returns a page's links to other pages of the console.
func consoleLinks(page *html.Node) (links []string) {
	for n := range page.Descendants() {
		for _, attribute := range n.Attr {
			if n.Data == "a" && attribute.Key == "href" && strings.HasPrefix(attribute.Val, "/console/") {
				links = append(links, attribute.Val)
			}
		}
	}
	return links
}

// allowedElements are all elements that the console's templates and SVG drawings contain.
var allowedElements = strings.Fields(`html head meta title link script body svg defs symbol path circle rect line g use text tspan polyline polygon pattern clipPath desc
	a nav header main section div span p h1 h2 h3 h4 ul ol li dl dt dd table caption thead tbody tfoot tr th td form label input select option optgroup textarea button
	fieldset legend details summary dialog b i em small strong del ins s code kbd pre time progress meter output br hr figure figcaption abbr datalist article aside footer sup blockquote`)

// findInjection returns an error if a page contains an element, attribute, comment or URL that an attack injected.
func findInjection(page *html.Node) error {
	for n := range page.Descendants() {
		switch n.Type {
		case html.ElementNode:
			if err := checkElement(n); err != nil {
				return err
			}
		case html.CommentNode:
			return fmt.Errorf("a comment: %q", n.Data)
		}
	}
	return nil
}

func checkElement(n *html.Node) error {
	if !slices.Contains(allowedElements, n.Data) || strings.Contains(n.Data, attackMark) {
		return fmt.Errorf("an element %q", n.Data)
	}
	if n.FirstChild != nil && (n.Data == "script" || n.Data == "style") {
		return fmt.Errorf("%s inside the page: %q", n.Data, n.FirstChild.Data)
	}
	for _, attribute := range n.Attr {
		name, value := attribute.Key, strings.TrimSpace(attribute.Val)
		switch {
		case strings.HasPrefix(name, "on"), name == "style", name == "srcdoc", name == "http-equiv", strings.Contains(name, attackMark):
			return fmt.Errorf("an attribute %s=%q of %s", name, value, n.Data)
		case slices.Contains([]string{"href", "src", "action", "formaction", "data", "poster"}, name) && !ownAddress(value):
			return fmt.Errorf("an address %s=%q of %s", name, value, n.Data)
		}
	}
	return nil
}

// ownAddress reports whether a URL is relative, or an HTTP URL whose host contains no attack.
func ownAddress(value string) bool {
	u, err := url.Parse(value)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "":
		return u.Host == ""
	case "https", "http":
		return !strings.Contains(u.Host, attackMark)
	}
	return false
}

// opensInBrowser opens up to three pages of each kind in a browser. An attack that runs sets attackMark on the window or violates
// the page's policy.
func (a *attack) opensInBrowser(name string) error {
	t, err := a.scenario.console.tab(name)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for _, path := range slices.Sorted(maps.Keys(a.pages)) {
		kind := pageKind(path)
		if seen[kind]++; seen[kind] > 3 || strings.HasSuffix(kind, ".csv") {
			continue
		}
		var ran string
		if err := t.run(chromedp.Navigate(a.scenario.app.URL() + path)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := t.script(&ran, `() => typeof window.zx9 + " " + document.title`); err != nil {
			return err
		}
		if !strings.HasPrefix(ran, "undefined ") {
			return fmt.Errorf("an attack ran on %s", path)
		}
	}
	if len(seen) < 20 {
		return fmt.Errorf("only these kinds of pages were opened: %v", seen)
	}
	return nil
}

// pageKind returns a path without its query, and with its ids replaced by *.
func pageKind(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return idPattern.ReplaceAllString(path, "*")
}

var idPattern = regexp.MustCompile(`[a-z]+_[0-9a-z]{20,}`)

func TestFindInjection(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`<img src=x>`, `<p onclick="x">`, `<p style="x">`, `<a href="javascript:x">`, `<script>x</script>`, `<a href="//zx9.example">`, `<!-- x -->`,
		`<a href="data:text/html,x">`, `<iframe>`, `<meta http-equiv=refresh>`, `<svg><animate>`, `<zx9>`, `<p zx9=1>`, `<base href="/">`,
	} {
		page, err := html.Parse(strings.NewReader(bad))
		if err != nil || findInjection(page) == nil {
			t.Errorf("%s is taken for harmless (%v)", bad, err)
		}
	}
	page, err := html.Parse(strings.NewReader(`<a href="/console/x" title="<img src=x onerror=window.zx9=1>">&lt;script&gt;zx9</a>`))
	if err != nil || findInjection(page) != nil {
		t.Errorf("escaped text is taken for an attack: %v %v", err, findInjection(page))
	}
	if findFormula([]byte("a,b\n1,=HYPERLINK(1)\n")) == nil || findFormula([]byte("a,-1\n1,'=x\n")) != nil {
		t.Error("formulas are not told from values")
	}
}
