package console

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/haggle-commerce/haggle/domain/fault"
)

//go:embed templates
var templateFiles embed.FS

// pages returns the templates by name. Pages for members share one frame, and pages before the sign-in another. Handler parses
// them, which takes 45 ms, so that commands without pages start sooner.
var pages = sync.OnceValue(parsePages)

func parsePages() map[string]*template.Template {
	shared := template.Must(template.New("").ParseFS(templateFiles, "templates/parts.html", "templates/settings.html", "templates/policyparts.html", "templates/syncparts.html"))
	parsed := map[string]*template.Template{}
	for frame, names := range map[string][]string{
		"frame": {
			"today", "find", "orders", "order", "shipmany", "shipped", "returns", "return", "disputes", "dispute", "negotiations", "negotiation", "lost", "money", "payments", "movements", "unanswered",
			"studio", "nopolicy", "policyconfirm", "policyversions", "policyversion", "suggest",
			"people", "person", "ownaccess", "agents", "agent", "apikeys", "agentkeys", "auditlog", "shopsettings", "events", "subscription", "integrations", "integration", "syncrun", "webhookcalls", "conflicts", "platforms", "connect", "catalogue", "product", "changemany", "importform", "import", "shops", "problem",
		},
		"outside": {"signin", "code", "link", "join", "password", "gone"},
	} {
		for _, name := range names {
			page := template.Must(shared.Clone())
			parsed[name] = template.Must(page.ParseFS(templateFiles, "templates/"+frame+".html", "templates/"+name+".html")).Lookup(frame + ".html")
		}
	}
	return parsed
}

// frame is the part around the content of every page for members.
type frame struct {
	*memberRequest
	Title string
	Nav   string // the page's place in the navigation
	Shops []shop
	Undo  *undo // what the page offers to undo; nil: nothing

	waiting []waitingCount // nil: not read yet
}

func (v *memberRequest) frame(title, nav string, shops []shop) frame {
	return frame{
		memberRequest: v,
		Title:         title,
		Nav:           nav,
		Shops:         shops,
	}
}

// page returns the frame of a page of the request's shop.
func (v *memberRequest) page(title, nav string) frame {
	f := v.frame(title, nav, v.known)
	f.Undo = v.takeUndo()
	return f
}

// Shop returns the shop that the page is about, or nil.
func (f frame) Shop() *shop { return f.shop }

// Member is who has signed in.
func (f frame) Member() struct{ Name, Role, Initials string } {
	m := f.caller.Member
	return struct{ Name, Role, Initials string }{m.Name, m.Role.String(), initials(m.Name)}
}

// initials returns up to two letters for a name.
func initials(name string) string {
	var letters []rune
	for word := range strings.FieldsSeq(name) {
		letters = append(letters, []rune(word)[0])
	}
	if len(letters) > 2 {
		letters = []rune{letters[0], letters[len(letters)-1]}
	}
	return strings.ToUpper(string(letters))
}

// Haggles reports whether the member may see negotiations, and Limits whether they may also see price limits.
func (f frame) Haggles() bool { return f.may("finance:read") || f.may("agents:read") }
func (f frame) Limits() bool  { return f.may("agents:read") && f.may("analytics:read") }

// Tunes reports whether the member may see the policy studio.
func (f frame) Tunes() bool { return f.may("agents:read") }

// Sells reports whether the member may see orders and money.
func (f frame) Sells() bool { return f.may("finance:read") }

// show answers with a page. If rendering fails, nothing of the page is sent.
func (v *memberRequest) show(name string, view any) error {
	return v.render(v.w, http.StatusOK, name, view)
}

// fragment answers with one template of a page, which a script inserts into the page.
func (c *console) fragment(w http.ResponseWriter, status int, page, name string, view any) error {
	return c.write(w, status, func(text *bytes.Buffer) error { return pages()[page].ExecuteTemplate(text, name, view) })
}

func (c *console) render(w http.ResponseWriter, status int, name string, view any) error {
	return c.write(w, status, func(text *bytes.Buffer) error { return pages()[name].Execute(text, view) })
}

func (c *console) write(w http.ResponseWriter, status int, fill func(*bytes.Buffer) error) error {
	var text bytes.Buffer
	if err := fill(&text); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = text.WriteTo(w) // the client may have gone
	return nil
}

// outside shows a page to somebody who has not signed in.
func (c *console) outside(w http.ResponseWriter, r *http.Request, status int, name string, v outsideView) {
	v.console = c
	if err := c.render(w, status, name, v); err != nil {
		c.Log.ErrorContext(r.Context(), "a page of the console failed", "page", name, "error", err)
		http.Error(w, "The page could not be shown.", http.StatusInternalServerError)
	}
}

// outsideFailed shows an error to somebody who has not signed in.
func (c *console) outsideFailed(w http.ResponseWriter, r *http.Request, name string, v outsideView, err error) {
	v.Problem = c.explain(w, r, err)
	v.Request = w.Header().Get("X-Request-Id")
	c.outside(w, r, v.Problem.Status, name, v)
}

// fail shows an error instead of the page.
func (v *memberRequest) fail(err error) {
	view := &problemView{
		frame:   v.page("", ""),
		Problem: v.explain(v.w, v.r, err),
		Request: v.w.Header().Get("X-Request-Id"),
	}
	view.Title = view.Problem.title()
	if err := v.render(v.w, view.Problem.Status, "problem", view); err != nil {
		v.Log.ErrorContext(v.r.Context(), "a page of the console failed", "page", "problem", "error", err)
		http.Error(v.w, "The page could not be shown.", http.StatusInternalServerError)
	}
}

type problemView struct {
	frame
	Problem *problem
	Request string
}

// statuses maps the kinds of use cases' errors to HTTP statuses.
var statuses = map[fault.Kind]int{
	fault.Malformed:       http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Limited:         http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// explain converts an error to a problem that people may read. It logs internal errors and hides their text.
func (c *console) explain(w http.ResponseWriter, r *http.Request, err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &problem{
			Status:  http.StatusRequestEntityTooLarge,
			Code:    "request_too_large",
			Message: "The form is too large.",
		}
	}
	var e *fault.Error
	status, known := statuses[fault.KindOf(err)]
	if !errors.As(err, &e) || !known {
		c.Log.ErrorContext(r.Context(), "a page of the console failed", "error", err, "request_id", w.Header().Get("X-Request-Id"))
		return &problem{
			Status:  http.StatusInternalServerError,
			Code:    "internal",
			Message: "Something went wrong here, and was noted. Try again.",
		}
	}
	p = &problem{
		Status:  status,
		Code:    e.Code,
		Message: e.Message,
	}
	for _, d := range e.Details {
		p.Details = append(p.Details, detail(d))
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds())+1))
	}
	return p
}

// in returns the problem of a field, or "".
func (p *problem) in(field string) string {
	if p == nil {
		return ""
	}
	for _, d := range p.Details {
		if d.Field == field {
			return d.Message
		}
	}
	return ""
}

// title heads the page of an error.
func (p *problem) title() string {
	switch p.Status {
	case http.StatusNotFound:
		return "Not found"
	case http.StatusForbidden:
		return "Not for your role"
	case http.StatusTooManyRequests:
		return "Too many requests"
	}
	return "That did not work"
}
