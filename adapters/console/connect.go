package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/integration"
)

func routeConnect(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /connect", (*memberRequest).platforms)
	page("GET /connect/{type}", (*memberRequest).connectForm)
	page("POST /connect/{type}", (*memberRequest).connect)
	page("GET /connect/{type}/return", (*memberRequest).completeConnection)
}

// ownSystem is what people call the type custom.
const ownSystem = "Your own system"

// platformName returns the name of an integration type.
func platformName(code string) string {
	kind, err := integration.ParseType(code)
	switch {
	case err != nil:
		return code
	case kind == integration.Custom:
		return ownSystem
	}
	return kind.Label()
}

// platformUse describes the purpose of an integration type.
func platformUse(kind integration.Type) string {
	switch kind.Kind() {
	case integration.Payment:
		return "Takes buyers' payments."
	case integration.Fulfillment:
		return "Shipping rates, labels and tracking."
	case integration.CRM:
		return "Customers and past orders, for loyalty in prices. Sales are written to it as deals."
	}
	use := "Products, stock, customers and orders."
	if kind.WritesOrders() {
		use += " Sales are written to it as orders."
	}
	return use
}

type platformsView struct {
	frame
	Back string
	Rows []platformRow
}

type platformRow struct{ Name, Use, How, Address string }

func (v *memberRequest) platforms() error {
	if !v.may("integrations:write") {
		return errNotConnecting
	}
	view := &platformsView{frame: v.page("Connect", "integrations"), Back: v.integrationsPath()}
	for _, kind := range integration.Types {
		row := platformRow{
			Name:    platformName(kind.String()),
			Use:     platformUse(kind),
			How:     "By a key",
			Address: v.connectPath(kind),
		}
		if kind.OAuth() {
			row.How = "By signing in there"
		}
		view.Rows = append(view.Rows, row)
	}
	return v.show("platforms", view)
}

var errNotConnecting = &problem{
	Status:  http.StatusForbidden,
	Code:    "insufficient_scope",
	Message: "Your role does not connect anything. A manager or an owner does.",
}

func (v *memberRequest) connectPath(kind integration.Type) string {
	return v.shop.Path() + "/connect/" + kind.String()
}

// platform returns the integration type named in the address, if the member may connect it.
func (v *memberRequest) platform() (kind integration.Type, err error) {
	if !v.may("integrations:write") {
		return kind, errNotConnecting
	}
	kind, err = integration.ParseType(v.r.PathValue("type"))
	if err != nil {
		err = &problem{
			Status:  http.StatusNotFound,
			Code:    "not_found",
			Message: "There is no such platform.",
		}
	}
	return kind, err
}

type connectView struct {
	frame
	Back     string
	Platform string
	Use      string
	OAuth    bool
	Consent  string // where the account's owner consents; "": nobody has asked for it yet
	Ask      *form
}

func (v *memberRequest) connectForm() error {
	kind, err := v.platform()
	if err != nil {
		return err
	}
	return v.showConnect(kind, nil)
}

// showConnect shows the form for connecting a platform, and the problem of a failed attempt.
func (v *memberRequest) showConnect(kind integration.Type, failed *problem) error {
	view := v.connectView(kind)
	view.Ask = newForm(v.connectPath(kind), failed, v.connectFields(kind)...)
	return v.showAfter(failed, "connect", view)
}

func (v *memberRequest) connectView(kind integration.Type) *connectView {
	name := platformName(kind.String())
	title := "Connect " + name
	if kind == integration.Custom {
		title = "Connect your own system"
	}
	return &connectView{
		frame:    v.page(title, "integrations"),
		Back:     v.shop.Path() + "/connect",
		Platform: name,
		Use:      platformUse(kind),
		OAuth:    kind.OAuth(),
	}
}

// connectFields returns the fields of a type that is connected by a key. Keys are never shown again, so a wrong one must be
// retyped.
func (v *memberRequest) connectFields(kind integration.Type) (fields []field) {
	if kind.OAuth() {
		return nil
	}
	f := v.r.PostForm
	if kind.Hosted() {
		fields = append(fields, field{
			Name:        "config.base_url",
			Label:       "Address",
			Kind:        "url",
			Value:       f.Get("config.base_url"),
			Required:    true,
			Most:        2000,
			Help:        "Where its API begins.",
			Placeholder: "https://shop.example.com",
		})
	}
	fields = append(fields, keyFields(kind, "credentials.")...)
	return append(fields, field{
		Name:  "name",
		Label: "Name",
		Kind:  "text",
		Value: f.Get("name"),
		Most:  200,
		Help:  "How it is called here. Left out: " + kind.Label() + ".",
	})
}

// keyFields ask for credentials, within what their names begin with.
func keyFields(kind integration.Type, within string) []field {
	fields := []field{{
		Name:     within + "api_key",
		Label:    "API key",
		Kind:     "password",
		Required: true,
		Most:     500,
		Help:     capital(kind.Key()) + ".",
	}}
	if secret := kind.Secret(); secret != "" {
		fields = append(fields, field{
			Name:  within + "api_secret",
			Label: "API secret",
			Kind:  "password",
			Most:  500,
			Help:  capital(secret) + ".",
		})
	}
	return fields
}

func (v *memberRequest) connect() error {
	kind, err := v.platform()
	if err != nil {
		return err
	}
	if kind.OAuth() {
		return v.beginConsent(kind)
	}
	f := v.r.PostForm
	var made connected
	sent, err := v.send(func(c change) error {
		c.body = map[string]any{
			"type":        kind.String(),
			"name":        f.Get("name"),
			"credentials": filled("api_key", f.Get("credentials.api_key"), "api_secret", f.Get("credentials.api_secret")),
			"config":      filled("base_url", f.Get("config.base_url")),
		}
		return v.api.post(http.MethodPost, "/v1/integrations/connect/api-key", c, &made)
	}, func(p *problem) error { return v.showConnect(kind, p) })
	if !sent {
		return err
	}
	return v.finish(v.integrationsPath()+"/"+made.ID, "connected")
}

// filled returns the non-empty values by name, without the surrounding spaces of copied values.
func filled(pairs ...string) map[string]string {
	fields := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if value := strings.TrimSpace(pairs[i+1]); value != "" {
			fields[pairs[i]] = value
		}
	}
	return fields
}

// beginConsent shows the link to the platform. A form cannot lead there, because the content security policy limits forms to the
// console.
func (v *memberRequest) beginConsent(kind integration.Type) error {
	var begun struct {
		URL string `json:"authorization_url"`
	}
	sent, err := v.send(func(c change) error {
		c.body = map[string]string{"type": kind.String(), "redirect_uri": v.URL + v.connectPath(kind) + "/return"}
		return v.api.post(http.MethodPost, "/v1/integrations/connect", c, &begun)
	}, func(p *problem) error { return v.showConnect(kind, p) })
	if !sent {
		return err
	}
	view := v.connectView(kind)
	view.Consent = begun.URL
	return v.show("connect", view)
}

// completeConnection handles the redirect of the account's owner from the platform. The state in the address is valid for one
// connection, and only for the account and the shop that requested it, so that an attacker cannot make somebody complete another
// connection.
func (v *memberRequest) completeConnection() error {
	kind, err := v.platform()
	if err != nil {
		return err
	}
	query := v.r.URL.Query()
	if query.Has("error") {
		return v.showConnect(kind, &problem{
			Status:  http.StatusUnprocessableEntity,
			Code:    "consent_denied",
			Message: "Nothing was connected: " + platformName(kind.String()) + " was not given consent.",
		})
	}
	var made connected
	body := filled("code", query.Get("code"), "state", query.Get("state"))
	body["type"] = kind.String()
	err = v.api.post(http.MethodPost, "/v1/integrations/connect/complete", change{body: body}, &made)
	if p, refused := refusal(err); refused {
		if slices.ContainsFunc(p.Details, func(d detail) bool { return d.Field == "state" || d.Field == "code" }) {
			p = &problem{
				Status:  p.Status,
				Code:    "link_expired",
				Message: "This link was used or has expired. Connect again.",
			}
		}
		return v.showConnect(kind, p)
	}
	if err != nil {
		return err
	}
	return v.finish(v.integrationsPath()+"/"+made.ID, "connected")
}
