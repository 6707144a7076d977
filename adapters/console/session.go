package console

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/ports"
)

// cookies are those of the console, by their names.
const (
	sessionCookie = "haggle_console"
	deviceCookie  = "haggle_browser" // identifies a browser in which a member has signed in
	attemptCookie = "haggle_openid"  // a sign-in by the provider that has begun
)

// secure reports whether the console is served over https.
func (c *console) secure() bool { return strings.HasPrefix(c.URL, "https://") }

// cookieName returns a cookie's name. Browsers accept the prefix over https only.
func (c *console) cookieName(name string) string {
	if c.secure() {
		return "__Secure-" + name
	}
	return name
}

// setCookie sets a cookie for a duration or, if that is zero, until the browser is closed. An empty value deletes the cookie.
func (c *console) setCookie(w http.ResponseWriter, name, value string, keep time.Duration, site http.SameSite) {
	cookie := &http.Cookie{
		Name:     c.cookieName(name),
		Value:    value,
		Path:     Path,
		MaxAge:   int(keep.Seconds()),
		HttpOnly: true,
		Secure:   c.secure(),
		SameSite: site,
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// cookie is the value of a request's cookie; "" if it has none.
func (c *console) cookie(r *http.Request, name string) string {
	cookie, err := r.Cookie(c.cookieName(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setToken stores a session's token until the browser is closed. The database has the end of the session.
func (c *console) setToken(w http.ResponseWriter, token string) {
	c.setCookie(w, sessionCookie, token, 0, http.SameSiteLaxMode)
}

// setDevice stores the device cookie, which identifies the browser from now on. It does nothing for "".
func (c *console) setDevice(w http.ResponseWriter, device string) {
	if device != "" {
		c.setCookie(w, deviceCookie, device, people.DeviceFor, http.SameSiteStrictMode)
	}
}

// token returns the token of the request's session, or "".
func (c *console) token(r *http.Request) string { return c.cookie(r, sessionCookie) }

// client is where a request comes from.
func (c *console) client(w http.ResponseWriter, r *http.Request) people.Client {
	return people.Client{
		Address: c.ClientAddress(r).String(),
		Browser: r.UserAgent(),
		Device:  c.cookie(r, deviceCookie),
		Request: w.Header().Get("X-Request-Id"),
	}
}

// These rates limit the pages of a session, and the requests of an address with an invalid token, because each costs a lookup.
var (
	pageRate     = ports.Rate{PerMinute: 300, Burst: 100}
	strangerRate = ports.Rate{PerMinute: 60, Burst: 60}
)

// memberRequest is a signed-in member's request for a page.
type memberRequest struct {
	*console
	w      http.ResponseWriter
	r      *http.Request
	caller access.Caller
	api    *api
	shop   *shop // nil: the page is about no shop
	known  []shop
}

// member serves a page to members. Everyone else is sent to the sign-in page, and back after it.
func (c *console) member(page func(*memberRequest) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stranger := "console-address " + c.ClientAddress(r).String()
		if v := c.Limiter.Peek(r.Context(), stranger, strangerRate); !v.Allowed {
			c.outsideFailed(w, r, "gone", outsideView{Title: "Too many requests"}, tooMany(v))
			return
		}
		caller, err := c.Access.Authenticate(r.Context(), c.token(r))
		if fault.KindOf(err) == fault.Unauthenticated && c.token(r) != "" {
			c.Limiter.Allow(r.Context(), stranger, strangerRate)
		}
		if fault.KindOf(err) == fault.Unauthenticated || err == nil && caller.Member == nil {
			c.sendToSignIn(w, r)
			return
		}
		v := &memberRequest{
			console: c,
			w:       w,
			r:       r,
			caller:  caller,
			api: &api{
				handler: c.API,
				page:    r,
				caller:  caller,
			},
		}
		if err == nil {
			err = v.count()
		}
		if err == nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
			most := int64(largestForm)
			if multipartForm(r) {
				most += job.MostFileBytes
			}
			r.Body = http.MaxBytesReader(w, r.Body, most)
			err = r.ParseForm()
		}
		if err == nil {
			err = page(v)
		}
		if err != nil {
			v.fail(err)
		}
	})
}

// count counts a page for its session.
func (v *memberRequest) count() error {
	verdict := v.Limiter.Allow(v.r.Context(), "console "+v.caller.Session.ID.String(), pageRate)
	if verdict.Allowed {
		return nil
	}
	return tooMany(verdict)
}

func tooMany(v ports.Verdict) error {
	return fault.New(fault.Limited, "rate_limited", "There were too many requests. Wait a minute.").After(v.RetryAfter)
}

// sendToSignIn redirects to the sign-in page, which returns to the requested page.
func (c *console) sendToSignIn(w http.ResponseWriter, r *http.Request) {
	target := Path + "/sign-in"
	if r.Method == http.MethodGet && r.URL.Path != Path {
		target += "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// inside returns the page of the console that an address names. It never returns an address outside of the console.
func inside(address string) string {
	u, err := url.Parse(address)
	plain := err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && !strings.ContainsAny(address, "\\\x00\r\n\t")
	if !plain || !strings.HasPrefix(u.Path, Path+"/") || strings.Contains(u.Path, "//") || strings.Contains(u.Path, "/../") {
		return Path
	}
	return u.RequestURI()
}

// may reports whether the member's role has a scope.
func (v *memberRequest) may(scope string) bool { return v.caller.Key.Allows(scope) }

// now returns the time in the shop's zone.
func (v *memberRequest) now() time.Time { return v.Clock.Now().In(v.zone()) }

func (v *memberRequest) zone() *time.Location {
	if v.shop == nil {
		return time.UTC
	}
	return v.shop.zone
}

// signOut ends the session.
func (c *console) signOut(v *memberRequest) error {
	err := v.api.post(http.MethodDelete, "/v1/console-sessions/"+v.caller.Session.ID.String(), change{}, nil)
	if err != nil {
		return err
	}
	c.setToken(v.w, "")
	http.Redirect(v.w, v.r, Path+"/sign-in", http.StatusSeeOther)
	return nil
}
