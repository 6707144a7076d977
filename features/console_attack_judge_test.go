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

// mostOfKind bounds how many pages of a kind are read, which differ by an id or by their query.
const mostOfKind = 30

// reads follows the links of the console as a member, and judges each page.
func (a *attack) reads(name string) error {
	a.email, a.pages = a.w.emailOf(name), map[string]bool{}
	if err := a.signsIn(); err != nil {
		return err
	}
	ahead, kinds := []string{"/console/" + a.w.shop.Slug}, map[string]int{}
	for len(ahead) > 0 {
		path := ahead[0]
		ahead = ahead[1:]
		if a.pages[path] || kinds[kindOf(path)] == mostOfKind {
			continue
		}
		a.pages[path] = true
		kinds[kindOf(path)]++
		links, err := a.read(path)
		if errors.Is(err, errSessionTired) { // pages are counted by session
			if err = a.signsIn(); err == nil {
				links, err = a.read(path)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		ahead = append(ahead, links...)
	}
	return nil
}

func (a *attack) signsIn() error {
	in := url.Values{"email": {a.email}, "password": {memberPassword}}
	r, err := http.NewRequestWithContext(a.w.ctx, http.MethodPost, a.w.app.URL()+"/console/sign-in", strings.NewReader(in.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	a.cookie = nil
	status, content, err := a.ask(r)
	if err == nil && a.cookie == nil {
		err = fmt.Errorf("signing in: %d %.300s", status, content)
	}
	return err
}

var errSessionTired = errors.New("the session may open no more pages for now")

func (a *attack) read(path string) (links []string, err error) {
	r, err := http.NewRequestWithContext(a.w.ctx, http.MethodGet, a.w.app.URL()+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.AddCookie(a.cookie)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	status, content, err := a.ask(r)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusTooManyRequests:
		return nil, errSessionTired
	case status == http.StatusSeeOther:
		if !strings.HasPrefix(a.location, "/console/") {
			return nil, nil // signing in at a provider
		}
		return []string{a.location}, nil
	case status != http.StatusOK:
		return nil, fmt.Errorf("%d %.300s", status, content)
	case strings.HasSuffix(strings.Split(path, "?")[0], ".csv"):
		return nil, formulas(content)
	}
	page, err := html.Parse(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return inside(page), injected(page)
}

// formulas reports a cell of a CSV file that a spreadsheet would run (OWASP, "CSV Injection").
func formulas(content []byte) error {
	for line := range strings.Lines(string(content)) {
		for cell := range strings.SplitSeq(line, ",") {
			if cell = strings.Trim(cell, "\"\r\n"); cell != "" && strings.ContainsAny(cell[:1], "=+@") {
				return fmt.Errorf("a spreadsheet runs %q", cell)
			}
		}
	}
	return nil
}

// inside are the links of a page to pages of the console.
func inside(page *html.Node) (links []string) {
	for n := range page.Descendants() {
		for _, attribute := range n.Attr {
			if n.Data == "a" && attribute.Key == "href" && strings.HasPrefix(attribute.Val, "/console/") {
				links = append(links, attribute.Val)
			}
		}
	}
	return links
}

// elementsOfPages are all that the console's templates and drawings have.
var elementsOfPages = strings.Fields(`html head meta title link script body svg defs symbol path circle rect line g use text tspan polyline polygon pattern clipPath desc
	a nav header main section div span p h1 h2 h3 h4 ul ol li dl dt dd table caption thead tbody tfoot tr th td form label input select option optgroup textarea button
	fieldset legend details summary dialog b i em small strong del ins s code kbd pre time progress meter output br hr figure figcaption abbr datalist article aside footer sup blockquote`)

// injected reports what an attack has made of a page.
func injected(page *html.Node) error {
	for n := range page.Descendants() {
		switch n.Type {
		case html.ElementNode:
			if err := foreign(n); err != nil {
				return err
			}
		case html.CommentNode:
			return fmt.Errorf("a comment: %q", n.Data)
		}
	}
	return nil
}

func foreign(n *html.Node) error {
	if !slices.Contains(elementsOfPages, n.Data) || strings.Contains(n.Data, attackMark) {
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

// ownAddress reports whether an address leads to the console, or to a web page that has no attack in its scheme or host.
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

// visits opens a page of each kind in a browser, in which anything that runs leaves a mark or breaks the page's policy.
func (a *attack) visits(name string) error {
	t, err := a.w.tab(name)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for _, path := range slices.Sorted(maps.Keys(a.pages)) {
		kind := kindOf(path)
		if seen[kind]++; seen[kind] > 3 || strings.HasSuffix(kind, ".csv") {
			continue
		}
		var ran string
		if err := t.run(chromedp.Navigate(a.w.app.URL() + path)); err != nil {
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

// kindOf is a path without its query and ids.
func kindOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return idsInPaths.ReplaceAllString(path, "*")
}

var idsInPaths = regexp.MustCompile(`[a-z]+_[0-9a-z]{20,}`)

func TestInjected(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`<img src=x>`, `<p onclick="x">`, `<p style="x">`, `<a href="javascript:x">`, `<script>x</script>`, `<a href="//zx9.example">`, `<!-- x -->`,
		`<a href="data:text/html,x">`, `<iframe>`, `<meta http-equiv=refresh>`, `<svg><animate>`, `<zx9>`, `<p zx9=1>`, `<base href="/">`,
	} {
		page, err := html.Parse(strings.NewReader(bad))
		if err != nil || injected(page) == nil {
			t.Errorf("%s is taken for harmless (%v)", bad, err)
		}
	}
	page, err := html.Parse(strings.NewReader(`<a href="/console/x" title="<img src=x onerror=window.zx9=1>">&lt;script&gt;zx9</a>`))
	if err != nil || injected(page) != nil {
		t.Errorf("escaped text is taken for an attack: %v %v", err, injected(page))
	}
	if formulas([]byte("a,b\n1,=HYPERLINK(1)\n")) == nil || formulas([]byte("a,-1\n1,'=x\n")) != nil {
		t.Error("formulas are not told from values")
	}
}
