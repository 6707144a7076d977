package features

import (
	"cmp"
	"fmt"
	"strings"
)

// permission is a request that a member or the holder of a key may send, or may not.
type permission struct {
	request string // {who} stands for the name of its sender
	status  int
	refused string // status and code for those who may not; "" is 403 insufficient_scope
	field   string // that the refusal names; may be empty
}

// permissions are by the steps' words for them.
var permissions = map[string]permission{
	"see the account":             {request: "GET /v1/account", status: 200},
	"rename the account":          {request: `PATCH /v1/account {"name": "Mine"}`, status: 200},
	"enrol an authenticator":      {request: "POST /v1/account/mfa", status: 201},
	"remove the authenticator":    {request: "DELETE /v1/account/mfa", status: 204},
	"see the audit log":           {request: "GET /v1/audit-events", status: 200},
	"see the keys":                {request: "GET /v1/api-keys", status: 200},
	"see its own key":             {request: "GET /v1/api-keys/$key_{who}", status: 200},
	"create a key":                {request: `POST /v1/api-keys {"name": "Mine", "scopes": ["catalog:read"]}`, status: 201},
	"create a key to see keys":    {request: `POST /v1/api-keys {"name": "More", "scopes": ["keys:read"]}`, status: 201},
	"create a key for everything": {request: `POST /v1/api-keys {"name": "Mine", "scopes": ["*"]}`, status: 201},
	"revoke its own key":          {request: "DELETE /v1/api-keys/$key_{who}", status: 204},
	"see the members":             {request: "GET /v1/members", status: 200},
	"invite an analyst":           {request: `POST /v1/members/invitations {"email": "eve@example.com", "role": "analyst"}`, status: 201},
	"invite an owner": {
		request: `POST /v1/members/invitations {"email": "eve@example.com", "role": "owner"}`,
		status:  201,
		refused: "422 validation_error",
		field:   "role",
	},
	"become an owner":                     {request: `PATCH /v1/members/$member_{who} {"role": "owner"}`, status: 200},
	"rename Ada":                          {request: `PATCH /v1/members/$member_Ada {"name": "Eve"}`, status: 200},
	"remove Ada":                          {request: "DELETE /v1/members/$member_Ada", status: 204},
	"replace Ada's password":              {request: "POST /v1/members/$member_Ada/password-link", status: 201},
	"open a shop":                         {request: `POST /v1/projects {"name": "Another", "slug": "$new_slug"}`, status: 201},
	"see the shop":                        {request: "GET /v1/projects/$shop", status: 200},
	"see the settings":                    {request: "GET /v1/projects/$shop/settings", status: 200},
	"rename the shop":                     {request: `PATCH /v1/projects/$shop {"name": "Renamed"}`, status: 200},
	"export the buyer's data":             {request: `POST /v1/buyers/export {"email": "buyer@example.com"}`, status: 200},
	"erase the buyer's data":              {request: `POST /v1/buyers/erase {"email": "buyer@example.com"}`, status: 200},
	"add a product":                       {request: `POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}`, status: 201},
	"list products without naming a shop": {request: "GET /v1/catalog/products", status: 200, refused: "400 project_required"},
}

// may checks that somebody, "the merchant" or a quoted name, may do something, or may not.
func (c *keysContext) may(who, not, what string) error {
	p, known := permissions[what]
	if !known {
		return fmt.Errorf("there is no permission to %s", what)
	}
	if err := c.does(who, strings.ReplaceAll(p.request, "{who}", strings.Trim(who, `"`)), p.status); err != nil {
		return err
	}
	if not == "" {
		return c.unexpectedRefusal()
	}
	return c.isRefusedAs(cmp.Or(p.refused, "403 insufficient_scope"), p.field)
}

// does sends a request ("POST /v1/agents {}") as "the merchant", or as the member or holder of a key whose quoted name it is.
// It keeps a refusal for a Then step. An answer that is no refusal must have the status.
func (c *keysContext) does(who, request string, status int) error {
	if who = "holder of " + who; who == "holder of the merchant" {
		who = "merchant"
	}
	method, path, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(path, " ")
	if err := c.sends("", who, method, path, body); err != nil || c.refusal != nil {
		return err
	}
	return c.statusIs(status)
}

// mustDo is does, but returns an error for a refusal.
func (c *keysContext) mustDo(who, request string, status int) error {
	if err := c.does(who, request, status); err != nil {
		return err
	}
	return c.unexpectedRefusal()
}

// hasKeyFor creates a key for scopes in words, in the current shop ("in this shop only") or also the other one.
func (c *keysContext) hasKeyFor(name, scopes, where string) error {
	fields := `"scopes": ` + scopesIn(scopes)
	switch where {
	case ", in this shop only":
		fields += `, "project_ids": ["$shop"]`
	case ", in both shops":
		fields += `, "project_ids": ["$shop", "$other"]`
	}
	return c.hasKey(name, "{"+fields+"}")
}

// scopesIn returns the scopes that words such as "catalog:read and keys:write" name, as a JSON array.
func scopesIn(words string) string {
	if words == "everything" {
		return `["*"]`
	}
	list := strings.ReplaceAll(words, " and ", ", ")
	return `["` + strings.ReplaceAll(list, ", ", `", "`) + `"]`
}

func (c *keysContext) holderCreatesKeyFor(holder, scopes string) error {
	return c.holderCreatesKey(holder, `{"scopes": `+scopesIn(scopes)+`}`)
}

func (c *keysContext) keyStatusIs(name, status string) error {
	if err := c.mustDo("the merchant", "GET /v1/api-keys/$key_"+name, 200); err != nil {
		return err
	}
	return c.answerShows("status", `"`+status+`"`)
}

// keyNotFound checks that somebody can neither read nor revoke a key.
func (c *keysContext) keyNotFound(who, name string) error {
	for _, method := range []string{"GET", "DELETE"} {
		if err := c.does(who, method+" /v1/api-keys/$key_"+name, 200); err != nil {
			return err
		}
		if err := c.isRefusedAs("404 api_key_not_found", ""); err != nil {
			return err
		}
	}
	return nil
}

func (c *keysContext) seesOnlyKey(who, name string) error {
	if err := c.mustDo(who, "GET /v1/api-keys", 200); err != nil {
		return err
	}
	return c.answerShows("data.*.name", `["`+name+`"]`, "meta.total", "1")
}

func (c *keysContext) seesOnlyShop(who, name string) error {
	if err := c.mustDo(who, "GET /v1/projects", 200); err != nil {
		return err
	}
	return c.answerShows("data.*.name", `["`+name+`"]`, "meta.total", "1")
}

// findsNoShop checks that requests are refused because there is no such shop.
func (c *keysContext) findsNoShop(who string, requests ...string) error {
	for _, request := range requests {
		if err := c.does(who, request, 200); err != nil {
			return err
		}
		if err := c.isRefusedAs("404 project_not_found", ""); err != nil {
			return err
		}
	}
	return nil
}
