// Package consent serves the pages that a merchant's browser visits while an account is connected by OAuth: a page that asks for
// the shop, for platforms that need it, and the address to which the platform redirects the browser. The latter shows no page: it
// checks the platform's answer, and redirects the browser to the redirect_uri of the connection.
package consent

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Where the pages are.
const (
	CallbackPath = "/oauth/callback"
	StorePath    = "/oauth/shop"
)

// Services is what the pages work with.
type Services struct {
	// StoreOf returns the platform of a state for which a shop can still be chosen.
	StoreOf func(ctx context.Context, state string) (integration.Type, error)
	// ChooseStore sets the shop, and returns the address where the merchant consents.
	ChooseStore func(ctx context.Context, state, store string) (address string, err error)
	// Return handles the query of a platform's redirect, and returns the address for the browser's next redirect.
	Return func(ctx context.Context, query string) (address string, err error)
	// Limiter counts refused requests against Rate, by address, so that nobody can guess states.
	Limiter       ports.Limiter
	Rate          ports.Rate
	ClientAddress func(*http.Request) netip.Addr
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string

	page = template.Must(template.New("page").Parse(pageHTML))
)

// view is the data of the page: a form for a shop of the platform or, without a form, the reason why there is nothing to do.
type view struct {
	Style                  template.CSS
	Title                  string
	Platform, State, Store string
	Problem                string
}

// Register adds the pages.
func Register(mux *http.ServeMux, s Services) {
	mux.Handle("GET "+CallbackPath, s.limited(s.callback))
	mux.Handle("GET "+StorePath, s.limited(s.ask))
	mux.Handle("POST "+StorePath, s.limited(s.choose))
}

// limited counts refusals, and shows refusals as a page.
func (s Services) limited(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := "oauth " + wire.AddressKey(s.ClientAddress(r))
		err := wire.Limit(http.Header{}, s.Limiter.Peek(r.Context(), key, s.Rate), s.Rate)
		if err == nil {
			if err = serve(w, r); err == nil {
				return
			}
			s.Limiter.Allow(r.Context(), key, s.Rate)
		}
		s.refuse(w, r, err)
	})
}

func (s Services) callback(w http.ResponseWriter, r *http.Request) error {
	address, err := s.Return(r.Context(), r.URL.RawQuery)
	if err == nil {
		redirect(w, address)
	}
	return err
}

func (s Services) ask(w http.ResponseWriter, r *http.Request) error {
	state := r.URL.Query().Get("state")
	kind, err := s.StoreOf(r.Context(), state)
	if err == nil {
		show(w, http.StatusOK, form(kind, state))
	}
	return err
}

func form(kind integration.Type, state string) view {
	return view{
		Title:    "Connect " + kind.Label(),
		Platform: kind.Label(),
		State:    state,
	}
}

// mostForm is more than the form has.
const mostForm = 8 << 10

func (s Services) choose(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		return fault.New(fault.Malformed, "invalid_request", "The form could not be read.").Because(err)
	}
	state, store := r.PostFormValue("state"), r.PostFormValue("store_domain")
	address, err := s.ChooseStore(r.Context(), state, store)
	var wrong *fault.Error
	if errors.As(err, &wrong) && wrong.Kind == fault.Invalid && len(wrong.Details) > 0 {
		kind, err := s.StoreOf(r.Context(), state)
		if err != nil {
			return err
		}
		again := form(kind, state)
		again.Store, again.Problem = store, "The domain "+wrong.Details[0].Message+"."
		show(w, http.StatusUnprocessableEntity, again)
		return nil
	}
	if err == nil {
		redirect(w, address)
	}
	return err
}

// refuse shows a page that says why there is nothing to do.
func (Services) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var known *fault.Error
	problem := "Something went wrong on our side. Try again."
	if errors.As(err, &known) && known.Kind != fault.Internal {
		problem = known.Message
	} else {
		wire.LoggerOf(r.Context()).LogAttrs(r.Context(), slog.LevelError, "a consent could not be taken", slog.Any("error", err))
	}
	show(w, wire.StatusOf(fault.KindOf(err)), view{Title: "The connection cannot go on", Problem: problem})
}

// redirect redirects a browser, without caching and without a referrer, because the address contains a code.
func redirect(w http.ResponseWriter, address string) {
	guard(w)
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusSeeOther)
}

func show(w http.ResponseWriter, status int, v view) {
	v.Style = template.CSS(pageCSS)
	var text bytes.Buffer
	if err := page.Execute(&text, v); err != nil { // it fails only on a bug in the template
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	guard(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// guard sets the headers of pages and redirects. It does not restrict form-action, because browsers also apply it to the redirect
// after a form, which leads to the merchant's shop.
func guard(w http.ResponseWriter) {
	for name, value := range map[string]string{
		"Cache-Control":           "no-store",
		"Content-Security-Policy": "default-src 'none'; style-src 'sha256-" + digest + "'; base-uri 'none'; frame-ancestors 'none'",
		"Referrer-Policy":         "no-referrer",
		"X-Content-Type-Options":  "nosniff",
	} {
		w.Header().Set(name, value)
	}
}

var digest = func() string {
	sum := sha256.Sum256([]byte(pageCSS))
	return base64.StdEncoding.EncodeToString(sum[:])
}()
