package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const projectsPath = "/v1/projects"

// shopsContext opens, reads, changes and closes shops, and their settings.
type shopsContext struct{ *scenario }

func (c *shopsContext) openShop(name string) error {
	shop, err := c.merchant.CreateProject(c.ctx, merchant.NewProject{Name: name, Slug: uniqueSlug()})
	c.useShop(shop)
	return err
}

// useShop makes a shop the scenario's current one.
func (c *shopsContext) useShop(shop merchant.Project) {
	c.shop, c.shopper = shop, nil
	c.merchant = c.merchant.In(shop.ID)
}

func (c *shopsContext) openOtherShops(n int) error {
	for range n {
		other, err := c.merchant.CreateProject(c.ctx, merchant.NewProject{Name: "Another Shop", Slug: uniqueSlug()})
		if err != nil {
			return err
		}
		c.otherShops = append(c.otherShops, other)
	}
	return nil
}

func (c *shopsContext) openShopWith(field, value string) error {
	if err := c.tryOpeningWith("settings."+field, value); err != nil {
		return err
	}
	return c.refusal
}

func (c *shopsContext) tryOpening(body string) error {
	return c.attempt(func() error {
		if err := c.send("POST", projectsPath, c.expand(body), nil); err != nil {
			return err
		}
		var shop merchant.Project
		err := json.Unmarshal(c.recorder.last().body, &shop)
		c.useShop(shop)
		return err
	})
}

func (c *shopsContext) tryOpeningWith(field, value string) error {
	body, err := withField(map[string]any{"name": "Test Shop", "slug": c.newSlug}, field, c.expand(value))
	if err != nil {
		return err
	}
	return c.tryOpening(body)
}

func (c *shopsContext) shopPath() string { return projectsPath + "/" + c.shop.ID }

func (c *shopsContext) readsShop() error { return c.merchantSends("GET", c.shopPath(), "") }

func (c *shopsContext) renamesShop(name string) error {
	return c.keys.mustDo("the merchant", fmt.Sprintf(`PATCH /v1/projects/$shop {"name": %q}`, name), http.StatusOK)
}

func (c *shopsContext) opensWithSameSlug() error {
	return c.tryOpening(`{"name": "Copycat", "slug": "$slug"}`)
}

func (c *shopsContext) closeShop(confirmation string) error {
	header := http.Header{}
	if confirmation != "" {
		header.Set("X-Confirm-Delete", c.expand(confirmation))
	}
	return c.attempt(func() error { return c.send("DELETE", c.shopPath(), "", header) })
}

// closesConfirmed closes the shop with the confirmation that this requires.
func (c *shopsContext) closesConfirmed() error {
	if err := c.closeShop("$shop"); err != nil {
		return err
	}
	if err := c.unexpectedRefusal(); err != nil {
		return err
	}
	return c.statusIs(http.StatusNoContent)
}

func (c *shopsContext) readsShopWithCredentials(credentials string) error {
	header := http.Header{"Authorization": {""}}
	kind, value, _ := strings.Cut(credentials, ` "`)
	value = strings.TrimSuffix(value, `"`)
	switch kind {
	case "the key":
		header.Set("Authorization", "Bearer "+value)
	case "the authorization":
		header.Set("Authorization", value)
	}
	return c.attempt(func() error { return c.send("GET", c.shopPath(), "", header) })
}

// keyActions are the requests that holders of keys with few scopes try.
var keyActions = map[string]struct {
	method, path, body string
	status             int
}{
	"looks at the shop":    {"GET", "/v1/projects/$shop", "", 200},
	"closes the shop":      {"DELETE", "/v1/projects/$shop", "", 204},
	"changes the settings": {"PATCH", "/v1/projects/$shop/settings", `{"general": {"name": "Changed"}}`, 200},
	"lists products":       {"GET", "/v1/catalog/products", "", 200},
	"creates a product":    {"POST", "/v1/catalog/products", `{"name": "Tent", "sku": "T-1", "price": 10}`, 201},
}

func (c *shopsContext) keyHolderDoes(scope, what string) error {
	action, known := keyActions[what]
	if !known {
		return fmt.Errorf("nobody knows how one %s", what)
	}
	made, err := c.app.IssueKey(c.ctx, boot.KeyRequest{
		Name:   "narrow",
		Plan:   "enterprise",
		Scopes: []string{scope},
	})
	if err != nil {
		return err
	}
	header := http.Header{"Authorization": {"Bearer " + made.Secret}}
	err = c.attempt(func() error { return c.send(action.method, c.expand(action.path), action.body, header) })
	if err != nil || c.refusal != nil {
		return err
	}
	return c.statusIs(action.status)
}

func (c *shopsContext) buyersFindShop() error {
	_, err := c.buyerClient(c.shop.Slug).Manifest(c.ctx)
	return err
}

func (c *shopsContext) buyersSeeName(want string) error {
	manifest, err := c.buyerClient(c.shop.Slug).Manifest(c.ctx)
	if err == nil && manifest.Merchant.Name != want {
		err = fmt.Errorf("it is %q", manifest.Merchant.Name)
	}
	return err
}

func (c *shopsContext) noShopAt(slug string) error {
	_, err := c.buyerClient(slug).Manifest(c.ctx)
	return wantRefusal(err, http.StatusNotFound, "project_not_found")
}

// wantRefusal returns an error unless err is a refusal with the status and code.
func wantRefusal(err error, status int, code string) error {
	if r := refusalOf(err); r == nil || r.status != status || r.code != code {
		return fmt.Errorf("want %d %s, got: %w", status, code, errOr(err, "no refusal"))
	}
	return nil
}

func errOr(err error, text string) error {
	if err == nil {
		return errors.New(text)
	}
	return err
}

func (c *shopsContext) managementAPIAnswers() error {
	path, ok := strings.CutPrefix(c.shop.Endpoints.API, c.app.URL())
	if !ok {
		return fmt.Errorf("%s is another server", c.shop.Endpoints.API)
	}
	return c.send("GET", path+"/projects/"+c.shop.ID, "", nil)
}

// shopIsListedWith checks that the latest answer lists the shop, with exactly these fields.
func (c *shopsContext) shopIsListedWith(fields ...string) error {
	listed, _ := valueAt(c.recorder.last().value(), "data")
	projects, _ := listed.([]any)
	for _, project := range projects {
		if id, _ := valueAt(project, "id"); id == c.shop.ID {
			shown, _ := project.(map[string]any)
			if names := slices.Sorted(maps.Keys(shown)); !slices.Equal(names, slices.Sorted(slices.Values(fields))) {
				return fmt.Errorf("the shop shows %v", names)
			}
			return nil
		}
	}
	return fmt.Errorf("the shop is not among %d", len(projects))
}

func (c *shopsContext) shopUpdatedLater() error {
	shop, err := c.merchant.Project(c.ctx, c.shop.ID)
	if err == nil && !shop.UpdatedAt.After(shop.CreatedAt) {
		err = fmt.Errorf("created %s, updated %s", shop.CreatedAt, shop.UpdatedAt)
	}
	return err
}

func (c *shopsContext) shopIsNamed(name string) error {
	shop, err := c.merchant.Project(c.ctx, c.shop.ID)
	if err == nil && shop.Name != name {
		err = fmt.Errorf("it is named %q", shop.Name)
	}
	return err
}

func (c *shopsContext) revenueIs(want string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/projects/$shop", http.StatusOK); err != nil {
		return err
	}
	return c.answerShows("statistics.revenue_30d", want)
}

func (c *shopsContext) shopNotFound() error {
	_, err := c.merchant.Project(c.ctx, c.shop.ID)
	return wantRefusal(err, http.StatusNotFound, "project_not_found")
}

func (c *shopsContext) slugIsFree() error {
	_, err := c.merchant.CreateProject(c.ctx, merchant.NewProject{Name: "Successor", Slug: c.shop.Slug})
	return err
}

var lengthPattern = regexp.MustCompile(`^(\d+) characters? long$`)

// withField returns the object as JSON with the field at a dotted path set to a JSON value, to a random text ("64 characters
// long"), or "missing".
func withField(object map[string]any, path, value string) (string, error) {
	inner := object
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		child, ok := inner[name].(map[string]any)
		if !ok {
			child = map[string]any{}
			inner[name] = child
		}
		inner = child
	}
	last := names[len(names)-1]
	inner[last] = json.RawMessage(value)
	if value == "missing" {
		delete(inner, last)
	}
	if parts := lengthPattern.FindStringSubmatch(value); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // digits
		inner[last] = randomLetters(n)
	}
	text, err := json.Marshal(object)
	return string(text), err
}
