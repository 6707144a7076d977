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
	shop, err := w.merchant.CreateProject(w.ctx, merchant.NewProject{Name: name, Slug: uniqueSlug()})
	w.useShop(shop)
	return err
}

// useShop makes a shop the scenario's current one.
func (w *world) useShop(shop merchant.Project) {
	w.shop, w.shopper = shop, nil
	w.merchant = w.merchant.In(shop.ID)
}

func (w *world) openOtherShops(n int) error {
	for range n {
		other, err := w.merchant.CreateProject(w.ctx, merchant.NewProject{Name: "Another Shop", Slug: uniqueSlug()})
		if err != nil {
			return err
		}
		w.otherShops = append(w.otherShops, other)
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
		err := json.Unmarshal(w.recorder.last().body, &shop)
		w.useShop(shop)
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

// send sends a request to the Management API. It returns a *merchant.Error for a status outside 2xx.
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

func (w *world) readsShop() error { return w.merchantSends("GET", w.shopPath(), "") }

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

func (w *world) readsShopWithCredentials(credentials string) error {
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

// keyActions are the requests that holders of keys with few scopes try.
var keyActions = map[string]struct{ method, path, body string }{
	"looks at the shop":    {"GET", "/v1/projects/$shop", ""},
	"closes the shop":      {"DELETE", "/v1/projects/$shop", ""},
	"changes the settings": {"PATCH", "/v1/projects/$shop/settings", `{"general": {"name": "Changed"}}`},
	"lists products":       {"GET", "/v1/catalog/products", ""},
	"creates a product":    {"POST", "/v1/catalog/products", `{"name": "Tent", "sku": "T-1", "price": 10}`},
}

func (w *world) keyHolderDoes(scope, what string) error {
	action, known := keyActions[what]
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
	return w.attempt(func() error { return w.send(action.method, w.expand(action.path), action.body, header) })
}

func (w *world) buyersFindShop() error {
	_, err := w.buyerClient(w.shop.Slug).Manifest(w.ctx)
	return err
}

func (w *world) buyersSeeName(want string) error {
	manifest, err := w.buyerClient(w.shop.Slug).Manifest(w.ctx)
	if err == nil && manifest.Merchant.Name != want {
		err = fmt.Errorf("it is %q", manifest.Merchant.Name)
	}
	return err
}

func (w *world) noShopAt(slug string) error {
	_, err := w.buyerClient(slug).Manifest(w.ctx)
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

func (w *world) managementAPIAnswers() error {
	path, ok := strings.CutPrefix(w.shop.Endpoints.API, w.app.URL())
	if !ok {
		return fmt.Errorf("%s is another server", w.shop.Endpoints.API)
	}
	return w.send("GET", path+"/projects/"+w.shop.ID, "", nil)
}

func (w *world) shopIsListedWith(fields *godog.Table) error {
	listed, _ := valueAt(w.recorder.last().value(), "data")
	projects, _ := listed.([]any)
	for _, project := range projects {
		if id, _ := valueAt(project, "id"); id == w.shop.ID {
			return hasOnlyFields(project, fields)
		}
	}
	return fmt.Errorf("the shop is not among %d", len(projects))
}

func hasOnlyFields(object any, fields *godog.Table) error {
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

func (w *world) shopUpdatedLater() error {
	shop, err := w.merchant.Project(w.ctx, w.shop.ID)
	if err == nil && !shop.UpdatedAt.After(shop.CreatedAt) {
		err = fmt.Errorf("created %s, updated %s", shop.CreatedAt, shop.UpdatedAt)
	}
	return err
}

func (w *world) shopIsNamed(name string) error {
	shop, err := w.merchant.Project(w.ctx, w.shop.ID)
	if err == nil && shop.Name != name {
		err = fmt.Errorf("it is named %q", shop.Name)
	}
	return err
}

func (w *world) shopNotFound() error {
	_, err := w.merchant.Project(w.ctx, w.shop.ID)
	return wantRefusal(err, http.StatusNotFound, "project_not_found")
}

func (w *world) slugIsFree() error {
	_, err := w.merchant.CreateProject(w.ctx, merchant.NewProject{Name: "Successor", Slug: w.shop.Slug})
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
