package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const projectsPath = "/v1/projects"

func (w *world) openShop(name string) error {
	shop, err := w.merchant.CreateProject(w.ctx, merchant.NewProject{Name: name, Slug: freshSlug()})
	w.enter(shop)
	return err
}

// enter makes a shop the scenario's own.
func (w *world) enter(shop merchant.Project) {
	w.shop, w.shopper = shop, nil
	w.merchant = w.merchant.In(shop.ID)
}

func (w *world) openOthers(n int) error {
	for range n {
		other, err := w.merchant.CreateProject(w.ctx, merchant.NewProject{Name: "Another Shop", Slug: freshSlug()})
		if err != nil {
			return err
		}
		w.others = append(w.others, other)
	}
	return nil
}

func (w *world) openShopWith(field, value string) error {
	if err := w.tryOpeningWith("settings."+field, value); err != nil {
		return err
	}
	return w.refusal
}

func (w *world) tryOpening(body string) error {
	return w.attempt(func() error {
		if err := w.send("POST", projectsPath, w.expand(body), nil); err != nil {
			return err
		}
		var shop merchant.Project
		err := json.Unmarshal(w.tape.last().body, &shop)
		w.enter(shop)
		return err
	})
}

func (w *world) tryOpeningWith(field, value string) error {
	body, err := withField(map[string]any{"name": "Test Shop", "slug": w.newSlug}, field, w.expand(value))
	if err != nil {
		return err
	}
	return w.tryOpening(body)
}

// send sends anything to the Management API. A status outside 2xx is a *merchant.Error.
func (w *world) send(method, path, body string, header http.Header) error {
	return w.sendBy(w.merchant, method, path, body, header)
}

func (w *world) sendBy(client *merchant.Client, method, path, body string, header http.Header) error {
	var content []byte
	if body != "" {
		content = []byte(body)
	}
	response, err := client.Do(w.ctx, method, path, header, content)
	if err == nil && !response.OK() {
		return merchant.ErrorOf(response)
	}
	return err
}

func (w *world) merchantSends(method, path, body string) error {
	return w.attempt(func() error { return w.send(method, w.expand(path), w.expand(body), nil) })
}

func (w *world) listShops(query string) error {
	return w.merchantSends("GET", projectsPath+"?"+query, "")
}

func (w *world) shopPath() string { return projectsPath + "/" + w.shop.ID }

func (w *world) lookAtShop() error { return w.merchantSends("GET", w.shopPath(), "") }

func (w *world) changeShop(body *godog.DocString) error {
	return w.merchantSends("PATCH", w.shopPath(), body.Content)
}

func (w *world) closeShop(confirmation string) error {
	header := http.Header{}
	if confirmation != "" {
		header.Set("X-Confirm-Delete", w.expand(confirmation))
	}
	return w.attempt(func() error { return w.send("DELETE", w.shopPath(), "", header) })
}

func (w *world) strangerLooks(credentials string) error {
	header := http.Header{"Authorization": {""}}
	kind, value, _ := strings.Cut(credentials, ` "`)
	value = strings.TrimSuffix(value, `"`)
	switch kind {
	case "the key":
		header.Set("Authorization", "Bearer "+value)
	case "the authorization":
		header.Set("Authorization", value)
	}
	return w.attempt(func() error { return w.send("GET", w.shopPath(), "", header) })
}

// deeds are what holders of narrow keys try.
var deeds = map[string]struct{ method, path, body string }{
	"looks at the shop":    {"GET", "/v1/projects/$shop", ""},
	"closes the shop":      {"DELETE", "/v1/projects/$shop", ""},
	"changes the settings": {"PATCH", "/v1/projects/$shop/settings", `{"general": {"name": "Changed"}}`},
	"lists products":       {"GET", "/v1/catalog/products", ""},
	"creates a product":    {"POST", "/v1/catalog/products", `{"name": "Tent", "sku": "T-1", "price": 10}`},
}

func (w *world) keyHolderDoes(scope, what string) error {
	deed, known := deeds[what]
	if !known {
		return fmt.Errorf("nobody knows how one %s", what)
	}
	made, err := w.app.IssueKey(w.ctx, boot.KeyRequest{
		Name:   "narrow",
		Plan:   "enterprise",
		Scopes: []string{scope},
	})
	if err != nil {
		return err
	}
	header := http.Header{"Authorization": {"Bearer " + made.Secret}}
	return w.attempt(func() error { return w.send(deed.method, w.expand(deed.path), deed.body, header) })
}

func (w *world) buyersFindShop() error {
	_, err := w.visitor(w.shop.Slug).Manifest(w.ctx)
	return err
}

func (w *world) buyersSeeName(want string) error {
	manifest, err := w.visitor(w.shop.Slug).Manifest(w.ctx)
	if err == nil && manifest.Merchant.Name != want {
		err = fmt.Errorf("it is %q", manifest.Merchant.Name)
	}
	return err
}

func (w *world) nothingAt(slug string) error {
	_, err := w.visitor(slug).Manifest(w.ctx)
	return wantRefusal(err, http.StatusNotFound, "project_not_found")
}

// wantRefusal is an error unless err is the refusal.
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

func (w *world) managementAddress() error {
	path, ok := strings.CutPrefix(w.shop.Endpoints.API, w.app.URL())
	if !ok {
		return fmt.Errorf("%s is another server", w.shop.Endpoints.API)
	}
	return w.send("GET", path+"/projects/"+w.shop.ID, "", nil)
}

func (w *world) isListedWith(fields *godog.Table) error {
	listed, _ := at(w.tape.last().value(), "data")
	projects, _ := listed.([]any)
	for _, project := range projects {
		if id, _ := at(project, "id"); id == w.shop.ID {
			return onlyFields(project, fields)
		}
	}
	return fmt.Errorf("the shop is not among %d", len(projects))
}

func onlyFields(object any, fields *godog.Table) error {
	shown, _ := object.(map[string]any)
	for _, row := range fields.Rows {
		if _, ok := shown[row.Cells[0].Value]; !ok {
			return fmt.Errorf("%s is missing in %s", row.Cells[0].Value, encode(object))
		}
	}
	if len(shown) != len(fields.Rows) {
		return fmt.Errorf("there is more in %s", encode(object))
	}
	return nil
}

func (w *world) updatedLater() error {
	shop, err := w.merchant.Project(w.ctx, w.shop.ID)
	if err == nil && !shop.UpdatedAt.After(shop.CreatedAt) {
		err = fmt.Errorf("created %s, updated %s", shop.CreatedAt, shop.UpdatedAt)
	}
	return err
}

func (w *world) stillNamed(name string) error {
	shop, err := w.merchant.Project(w.ctx, w.shop.ID)
	if err == nil && shop.Name != name {
		err = fmt.Errorf("it is named %q", shop.Name)
	}
	return err
}

func (w *world) shopIsGone() error {
	_, err := w.merchant.Project(w.ctx, w.shop.ID)
	return wantRefusal(err, http.StatusNotFound, "project_not_found")
}

func (w *world) slugIsFree() error {
	_, err := w.merchant.CreateProject(w.ctx, merchant.NewProject{Name: "Successor", Slug: w.shop.Slug})
	return err
}

var lengthy = regexp.MustCompile(`^(\d+) characters? long$`)

// withField is the object as JSON with one field, named by a dotted path, set to what a step says: a JSON value,
// a text of a length, or missing.
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
	if parts := lengthy.FindStringSubmatch(value); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // digits
		inner[last] = letters(n)
	}
	text, err := json.Marshal(object)
	return string(text), err
}
