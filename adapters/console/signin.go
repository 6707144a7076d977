package console

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
)

// routeOutside adds the pages for people who have not signed in.
func (c *console) routeOutside(mux *http.ServeMux) {
	mux.HandleFunc("GET "+Path+"/sign-in", c.signInPage)
	mux.HandleFunc("POST "+Path+"/sign-in", c.signIn)
	mux.HandleFunc("GET "+providerPath, c.beginAtProvider)
	mux.HandleFunc("GET "+ReturnPath, c.returnFromProvider)
	mux.HandleFunc("GET "+Path+"/code", c.codePage)
	mux.HandleFunc("POST "+Path+"/code", c.prove)
	mux.HandleFunc("GET "+Path+"/sign-in/{secret}", c.linkPage(member.SignIn, "link"))
	mux.HandleFunc("POST "+Path+"/sign-in/{secret}", c.signInByLink)
	mux.HandleFunc("GET "+Path+"/join/{secret}", c.linkPage(member.Join, "join"))
	mux.HandleFunc("POST "+Path+"/join/{secret}", c.join)
	mux.HandleFunc("GET "+Path+"/password/{secret}", c.linkPage(member.Reset, "password"))
	mux.HandleFunc("POST "+Path+"/password/{secret}", c.setPassword)
	mux.Handle("POST "+Path+"/sign-out", c.member(c.signOut))
}

// outsideView is a page for people who have not signed in.
type outsideView struct {
	*console
	Title   string
	Email   string
	Name    string
	Role    string
	Next    string
	Secret  string // of the invitation
	Notice  string
	Problem *problem
	Request string
}

// Provider is the name of the OpenID Connect provider; "" without one.
func (v outsideView) Provider() string { return v.People.ProviderName() }

// ProviderLink begins a sign-in there.
func (v outsideView) ProviderLink() string {
	return link(providerPath, given(url.Values{"next": {v.Next}, "invitation": {v.Secret}}))
}

// In returns the problem of a field, or "".
func (v outsideView) In(field string) string { return v.Problem.in(field) }

// form parses a form of an unauthenticated client.
func (c *console) form(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form could not be read.", http.StatusBadRequest)
		return false
	}
	return true
}

func (c *console) signInPage(w http.ResponseWriter, r *http.Request) {
	v := outsideView{Title: "Sign in", Next: inside(r.URL.Query().Get("next"))}
	if r.URL.Query().Has("password-set") {
		v.Notice = "Your password is set. Sign in with it."
	}
	c.outside(w, r, http.StatusOK, "signin", v)
}

func (c *console) signIn(w http.ResponseWriter, r *http.Request) {
	if !c.form(w, r) {
		return
	}
	v := outsideView{
		Title: "Sign in",
		Email: r.PostForm.Get("email"),
		Next:  inside(r.PostForm.Get("next")),
	}
	in, err := c.People.SignIn(r.Context(), v.Email, r.PostForm.Get("password"), c.client(w, r))
	if err != nil {
		c.outsideFailed(w, r, "signin", v, err)
		return
	}
	c.enter(w, r, in, v.Next)
}

// enter continues a session that has been opened, with the requested page or the page that asks for a code.
func (c *console) enter(w http.ResponseWriter, r *http.Request, in people.SignedIn, next string) {
	c.setToken(w, in.Token)
	c.setDevice(w, in.Device)
	if in.Session.CodeDue {
		next = Path + "/code?" + url.Values{"next": {next}}.Encode()
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (c *console) codePage(w http.ResponseWriter, r *http.Request) {
	c.outside(w, r, http.StatusOK, "code", outsideView{Title: "Enter your code", Next: inside(r.URL.Query().Get("next"))})
}

func (c *console) prove(w http.ResponseWriter, r *http.Request) {
	if !c.form(w, r) {
		return
	}
	v := outsideView{Title: "Enter your code", Next: inside(r.PostForm.Get("next"))}
	in, err := c.People.Prove(r.Context(), c.token(r), r.PostForm.Get("code"), c.client(w, r))
	switch {
	case fault.Is(err, "unauthenticated"), fault.Is(err, "code_not_due"):
		http.Redirect(w, r, v.Next, http.StatusSeeOther) // the page asks to sign in if necessary
	case err != nil:
		c.outsideFailed(w, r, "code", v, err)
	default:
		c.enter(w, r, in, v.Next)
	}
}

// linkPage shows what a link does, and asks for confirmation. Opening a link changes nothing, because browsers and mail programs
// open links on their own.
func (c *console) linkPage(p member.Purpose, page string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := outsideView{Title: titles[page]}
		l, err := c.People.Look(r.Context(), p, r.PathValue("secret"), c.client(w, r))
		if err != nil {
			c.outsideFailed(w, r, "gone", v, err)
			return
		}
		v.Email, v.Role = l.Email, l.Grant.Role.String()
		if p == member.Join {
			v.Secret = r.PathValue("secret")
		}
		c.outside(w, r, http.StatusOK, page, v)
	}
}

var titles = map[string]string{
	"link":     "Sign in",
	"join":     "Join the console",
	"password": "Choose a password",
}

func (c *console) signInByLink(w http.ResponseWriter, r *http.Request) {
	in, err := c.People.SignInByLink(r.Context(), r.PathValue("secret"), c.client(w, r))
	if err != nil {
		c.outsideFailed(w, r, "gone", outsideView{Title: titles["link"]}, err)
		return
	}
	c.enter(w, r, in, Path)
}

func (c *console) join(w http.ResponseWriter, r *http.Request) {
	if !c.form(w, r) {
		return
	}
	secret, name := r.PathValue("secret"), r.PostForm.Get("name")
	in, err := c.People.Join(r.Context(), secret, name, r.PostForm.Get("password"), c.client(w, r))
	if err != nil {
		v := outsideView{Title: titles["join"], Name: name}
		if l, lookErr := c.People.Look(r.Context(), member.Join, secret, c.client(w, r)); lookErr == nil {
			v.Email, v.Role, v.Secret = l.Email, l.Grant.Role.String(), secret
		}
		c.outsideFailed(w, r, pageAfter("join", err), v, err)
		return
	}
	c.enter(w, r, in, Path)
}

func (c *console) setPassword(w http.ResponseWriter, r *http.Request) {
	if !c.form(w, r) {
		return
	}
	err := c.People.SetPassword(r.Context(), r.PathValue("secret"), r.PostForm.Get("password"), c.client(w, r))
	if err != nil {
		c.outsideFailed(w, r, pageAfter("password", err), outsideView{Title: titles["password"]}, err)
		return
	}
	c.setToken(w, "") // that session has ended
	http.Redirect(w, r, Path+"/sign-in?password-set", http.StatusSeeOther)
}

// pageAfter returns the page that shows an error: the form again, or the page about an invalid link.
func pageAfter(page string, err error) string {
	if errors.Is(err, member.ErrLink) {
		return "gone"
	}
	return page
}

// refuseForeign answers a form that another site sent.
func (c *console) refuseForeign(w http.ResponseWriter, r *http.Request) {
	err := fault.New(fault.Forbidden, "cross_origin", "This form was sent from another site, so nothing was done. Open the console, and do it there.")
	c.outsideFailed(w, r, "gone", outsideView{Title: "Not from here"}, err)
}
