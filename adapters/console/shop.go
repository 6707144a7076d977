package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shop is a project that the member may see.
type shop struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Slug   string `json:"slug"`
	Status string `json:"status"`

	zone  *time.Location
	words *words
	// mostDiscount is the setting that bounds every policy, in per cent.
	mostDiscount float64
	// asksCode reports whether the shop asks for a code of the second factor.
	asksCode bool
}

// Path is where the shop's pages begin.
func (s *shop) Path() string { return Path + "/" + s.name() }

// name is the shop in addresses: its slug, or its id if its slug is the name of another page.
func (s *shop) name() string {
	if slices.Contains(taken, s.Slug) {
		return s.ID
	}
	return s.Slug
}

// taken are names in the place of a shop's that are those of other pages.
var taken = []string{"assets", "code", "join", "password", "sign-in", "sign-out"}

// mostShops is how many shops the shop switcher has.
const mostShops = 100

// shops are those that the member may see.
func (v *visit) shops() ([]shop, error) {
	found, err := fetch[list[shop]](v.api, "/v1/projects", url.Values{"limit": {strconv.Itoa(mostShops)}})
	return found.Data, err
}

// home is the only shop of the member, or the choice among several.
func (c *console) home(v *visit) error {
	shops, err := v.shops()
	if err != nil {
		return err
	}
	if len(shops) == 1 {
		http.Redirect(v.w, v.r, shops[0].Path(), http.StatusSeeOther)
		return nil
	}
	return v.show("shops", &shopsView{frame: v.frame("Shops", "", shops)})
}

type shopsView struct{ frame }

// shopPages serves the pages of one shop.
func (c *console) shopPages() http.Handler {
	mux := http.NewServeMux()
	routeShop(func(pattern string, show func(*visit) error) {
		mux.Handle(shopPattern(pattern), c.member(inShop(show)))
	})
	return mux
}

// routeShop names the pages of one shop. Their addresses continue the shop's.
func routeShop(page func(pattern string, show func(*visit) error)) {
	page("GET /{$}", (*visit).today)
	page("GET ", (*visit).today)
	page("GET /find", (*visit).find)
	page("POST /buyers", (*visit).sendBuyers)
	page("GET /orders", (*visit).orders)
	page("GET /orders/ship", (*visit).askShipMany)
	page("POST /orders/ship", (*visit).shipMany)
	page("GET /orders/selected.csv", (*visit).exportOrders)
	page("GET /orders/{order}", (*visit).order)
	page("POST /orders/{order}/ship", (*visit).ship)
	page("POST /orders/{order}/deliver", (*visit).deliver)
	page("POST /orders/{order}/refund", (*visit).refund)
	page("POST /orders/{order}/cancel", (*visit).cancel)
	page("POST /orders/{order}/note", (*visit).note)
	page("POST /orders/{order}/labels/{label}/void", (*visit).voidLabel)
	page("GET /live", (*visit).live)
	page("GET /negotiations", (*visit).negotiations)
	page("GET /negotiations/{negotiation}", (*visit).negotiation)
	page("GET /lost", (*visit).lost)
	routeCatalogue(page)
	routeIntegrations(page)
	routeConnect(page)
	page("GET /returns", (*visit).returns)
	page("GET /returns/{return}", (*visit).goodsBack)
	page("POST /returns/{return}/approve", (*visit).approve)
	page("POST /returns/{return}/reject", (*visit).reject)
	page("GET /disputes", (*visit).disputes)
	page("GET /disputes/{dispute}", (*visit).dispute)
	page("POST /disputes/{dispute}/evidence", (*visit).submitEvidence)
	page("POST /disputes/{dispute}/accept", (*visit).acceptDispute)
	page("GET /money", (*visit).money)
	page("GET /money/payments", (*visit).payments)
	page("GET /money/payments.csv", paymentsTable)
	page("GET /money/movements", (*visit).movements)
	page("GET /money/movements.csv", movementsTable)
	page("GET /money/unanswered/{checkout}", (*visit).unansweredPayment)
	page("POST /money/unanswered/{checkout}", (*visit).resolve)
	routeStudio(page)
	routeSettings(page)
	page("GET /{rest...}", func(*visit) error { return errNoPage })
}

// shopPattern is the whole pattern of a page of one shop.
func shopPattern(pattern string) string {
	method, path, _ := strings.Cut(pattern, " ")
	return method + " " + Path + "/{shop}" + path
}

// ShopRoutes are the patterns of all pages and forms of one shop.
func ShopRoutes() []string {
	var all []string
	routeShop(func(pattern string, _ func(*visit) error) { all = append(all, shopPattern(pattern)) })
	return all
}

var errNoPage = &problem{
	Status:  http.StatusNotFound,
	Code:    "page_not_found",
	Message: "There is no such page.",
}

// inShop finds the shop that the address names.
func inShop(show func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		shops, err := v.shops()
		if err != nil {
			return err
		}
		v.known = shops
		wanted := v.r.PathValue("shop")
		i := slices.IndexFunc(shops, func(s shop) bool { return s.name() == wanted || s.ID == wanted })
		if i < 0 {
			return &problem{
				Status:  http.StatusNotFound,
				Code:    "project_not_found",
				Message: "There is no shop of this name, or your role does not reach it.",
			}
		}
		v.shop = &shops[i]
		v.api.project = v.shop.ID
		if err := v.settle(); err != nil {
			return err
		}
		return show(v)
	}
}

// settle reads how the shop writes amounts and times.
func (v *visit) settle() error {
	var settings struct {
		General struct {
			Currency string `json:"default_currency"`
			Locale   string `json:"locale"`
			Timezone string `json:"timezone"`
		} `json:"general"`
		Security struct {
			AsksCode bool `json:"mfa_required"`
		} `json:"security"`
		Commerce struct {
			MostDiscount float64 `json:"max_discount_percent"`
		} `json:"commerce"`
	}
	if err := v.api.get("/v1/projects/"+v.shop.ID+"/settings", nil, &settings); err != nil {
		return err
	}
	zone, err := time.LoadLocation(settings.General.Timezone)
	if err != nil {
		zone = time.UTC
	}
	v.shop.asksCode = settings.Security.AsksCode
	v.shop.zone, v.shop.mostDiscount = zone, settings.Commerce.MostDiscount
	v.shop.words = newWords(settings.General.Locale, settings.General.Currency, zone, v.Clock.Now())
	return nil
}
