package console

import (
	"net/http"

	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// A sign-in by the OpenID Connect provider begins at providerPath and comes back to ReturnPath, which is registered there. It
// begins with a link and not with a form, because browsers also apply form-action to the redirects of a form.
const (
	providerPath = Path + "/sign-in/openid"
	ReturnPath   = providerPath + "/callback"
)

// setAttempt stores a sign-in that has begun in a cookie; "" deletes it. The cookie is SameSite=Lax because the browser returns
// from another site.
func (c *console) setAttempt(w http.ResponseWriter, kept string) {
	c.setCookie(w, attemptCookie, kept, people.AttemptFor, http.SameSiteLaxMode)
}

// beginAtProvider sends a browser to the provider.
func (c *console) beginAtProvider(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	next, invitation := inside(q.Get("next")), q.Get("invitation")
	address, kept, err := c.People.BeginAtProvider(c.Outbound(r.Context()), next, invitation, c.client(w, r))
	if err != nil {
		c.providerFailed(w, r, next, err)
		return
	}
	c.setAttempt(w, kept)
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// returnFromProvider completes a sign-in after the provider's redirect. The attempt is over in any case.
func (c *console) returnFromProvider(w http.ResponseWriter, r *http.Request) {
	kept := c.cookie(r, attemptCookie)
	c.setAttempt(w, "")
	q := r.URL.Query()
	in, next, err := c.People.ReturnFromProvider(c.Outbound(r.Context()), kept, people.Returned{
		State:  q.Get("state"),
		Code:   q.Get("code"),
		Error:  q.Get("error"),
		Issuer: q.Get("iss"),
	}, c.client(w, r))
	if err != nil {
		c.providerFailed(w, r, next, err)
		return
	}
	c.enter(w, r, in, inside(next))
}

// providerFailed offers to sign in again, with a password or at the provider.
func (c *console) providerFailed(w http.ResponseWriter, r *http.Request, next string, err error) {
	page, title := "signin", "Sign in"
	if fault.Is(err, "link_not_found") || fault.Is(err, "invitation_for_another") {
		page, title = "gone", titles["join"]
	}
	c.outsideFailed(w, r, page, outsideView{Title: title, Next: inside(next)}, err)
}
