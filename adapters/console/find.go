package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// mostFound bounds the orders, products and people that are found.
const mostFound = 5

// screen is a page that can be found by its name or opened by a key.
type screen struct {
	Word  string
	Key   string // after g; "": none
	path  string // continues the shop's
	names string // other words for it
	sees  func(frame) bool
}

func everybody(frame) bool { return true }

// screens lists the main pages of a shop. The sections of the settings follow them.
var screens = []screen{
	{
		Word:  "Today",
		Key:   "t",
		path:  "",
		names: "home start waiting live feed",
		sees:  everybody,
	},
	{
		Word:  "Orders",
		Key:   "o",
		path:  "/orders",
		names: "sales shipping refund cancel",
		sees:  frame.Sells,
	},
	{
		Word:  "Returns",
		Key:   "r",
		path:  "/returns",
		names: "goods back",
		sees:  frame.Sells,
	},
	{
		Word:  "Negotiations",
		Key:   "n",
		path:  "/negotiations",
		names: "haggling offers prices",
		sees:  frame.Haggles,
	},
	{
		Word:  "Lost deals",
		Key:   "l",
		path:  "/lost",
		names: "left floor",
		sees:  frame.Limits,
	},
	{
		Word:  "Policy studio",
		Key:   "p",
		path:  "/policy",
		names: "preset sliders replay limits floor",
		sees:  frame.Tunes,
	},
	{
		Word:  "Policy versions",
		path:  "/policy/versions",
		names: "holdout roll back activate",
		sees:  frame.Tunes,
	},
	{
		Word:  "Money",
		Key:   "m",
		path:  "/money",
		names: "finance sales revenue wallets reconciliation",
		sees:  frame.Sells,
	},
	{
		Word:  "Payments",
		path:  "/money/payments",
		names: "refund charge card",
		sees:  frame.Sells,
	},
	{
		Word:  "Movements",
		path:  "/money/movements",
		names: "transactions ledger",
		sees:  frame.Sells,
	},
	{
		Word:  "Settings",
		Key:   ",",
		path:  "/settings",
		names: "preferences",
		sees:  everybody,
	},
}

// Jumps returns the pages with a key that the member may see.
func (f frame) Jumps() (seen []found) {
	for _, s := range screens {
		if s.Key != "" && s.sees(f) {
			seen = append(seen, found{
				Word:    s.Word,
				Key:     s.Key,
				Address: f.shop.Path() + s.path,
			})
		}
	}
	return seen
}

// found is a result of a search.
type found struct{ Word, Note, Address, Key string }

type foundGroup struct {
	Word string
	Rows []found
}

type findView struct {
	frame
	Text   string
	Groups []foundGroup
	Failed []string // groups that could not be searched
}

// find searches orders, products, negotiations, people and pages. The command palette requests the results only.
func (v *memberRequest) find() error {
	view := &findView{frame: v.page("Search", ""), Text: strings.TrimSpace(v.r.URL.Query().Get("q"))}
	for _, group := range []struct {
		word string
		look func(*findView) ([]found, error)
	}{
		{"Orders", (*findView).orders},
		{"Negotiations", (*findView).negotiations},
		{"Products", (*findView).products},
		{"People", (*findView).people},
		{"Pages", (*findView).screens},
	} {
		rows, err := group.look(view)
		switch {
		case err != nil:
			v.explain(v.w, v.r, err)
			view.Failed = append(view.Failed, group.word)
		case len(rows) > 0:
			view.Groups = append(view.Groups, foundGroup{group.word, rows})
		}
	}
	if v.r.Header.Get("HX-Request") == "" {
		return v.show("find", view)
	}
	return v.fragment(v.w, http.StatusOK, "find", "found", view)
}

// screens adds the pages whose name, or another word for it, begins with the text, or all pages if the text is empty.
func (f *findView) screens() (rows []found, err error) {
	base := f.shop.Path()
	for _, s := range screens {
		if s.sees(f.frame) && begins(s.Word+" "+s.names, f.Text) {
			rows = append(rows, found{
				Word:    s.Word,
				Key:     s.Key,
				Address: base + s.path,
			})
		}
	}
	if f.Text == "" {
		return rows, nil
	}
	for _, s := range f.sections("") {
		if begins(s.Word+" settings", f.Text) {
			rows = append(rows, found{
				Word:    s.Word,
				Note:    "Settings",
				Address: s.Address,
			})
		}
	}
	return rows, nil
}

// begins reports whether each word of the text begins a word of the name.
func begins(name, text string) bool {
	words := strings.Fields(strings.ToLower(name))
	for wanted := range strings.FieldsSeq(strings.ToLower(text)) {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, wanted) }) {
			return false
		}
	}
	return true
}

func (f *findView) orders() (rows []found, err error) {
	if f.Text == "" || !f.Sells() {
		return nil, nil
	}
	q := url.Values{"limit": {strconv.Itoa(mostFound)}}
	if strings.HasPrefix(f.Text, "ord_") {
		q.Set("ids", f.Text)
	} else {
		q.Set("q", f.Text)
	}
	page, err := fetch[list[order]](f.api, "/v1/orders", q)
	if refused(err) { // not an id
		return nil, nil
	}
	for n := range page.Data {
		o := &page.Data[n]
		rows = append(rows, found{
			Word:    o.Confirmation,
			Note:    f.shop.words.amount(o.Total, o.Currency) + " · " + o.what() + " · " + f.shop.words.age(o.CreatedAt),
			Address: f.shop.Path() + "/orders/" + url.PathEscape(o.ID),
		})
	}
	return rows, err
}

func (f *findView) negotiations() (rows []found, err error) {
	if !strings.HasPrefix(f.Text, "neg_") || !f.Haggles() {
		return nil, nil
	}
	err = f.api.get("/v1/negotiations/"+url.PathEscape(f.Text), nil, nil)
	if refused(err) {
		return nil, nil
	}
	return []found{{Word: f.Text, Address: f.shop.Path() + "/negotiations/" + url.PathEscape(f.Text)}}, err
}

// products adds the found products, with links to their negotiations.
func (f *findView) products() (rows []found, err error) {
	if f.Text == "" || !f.may("catalog:read") || !f.Haggles() {
		return nil, nil
	}
	page, err := fetch[list[struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		SKU  string `json:"sku"`
	}]](f.api, "/v1/catalog/products", url.Values{"limit": {strconv.Itoa(mostFound)}, "q": {f.Text}})
	if refused(err) {
		return nil, nil
	}
	for _, p := range page.Data {
		rows = append(rows, found{
			Word:    p.Name,
			Note:    p.SKU + " · negotiations about it",
			Address: link(f.shop.Path()+"/negotiations", url.Values{"product_id": {p.ID}}),
		})
	}
	return rows, err
}

func (f *findView) people() (rows []found, err error) {
	if f.Text == "" || !f.may("keys:read") {
		return nil, nil
	}
	members, err := fetchAll[person](f.api, "/v1/members", nil)
	for _, m := range members {
		if begins(m.Name+" "+m.Email, f.Text) && len(rows) < mostFound {
			rows = append(rows, found{
				Word:    m.Name,
				Note:    m.Email,
				Address: f.settingsPath("people") + "/" + url.PathEscape(m.ID),
			})
		}
	}
	return rows, err
}

// refused reports whether the API answered that a request is invalid or that nothing was found.
func refused(err error) bool {
	var p *problem
	return errors.As(err, &p) && (p.Status == http.StatusNotFound || p.Status == http.StatusBadRequest || p.Status == http.StatusUnprocessableEntity)
}
