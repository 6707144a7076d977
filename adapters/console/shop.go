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

// name returns the shop's name in addresses: its slug, or its id if the slug is the name of another page.
func (s *shop) name() string {
	if slices.Contains(taken, s.Slug) {
		return s.ID
	}
	return s.Slug
}

// taken lists the names in addresses that belong to other pages.
var taken = []string{"assets", "code", "join", "password", "sign-in", "sign-out"}

// mostShops is the largest number of shops in the shop switcher.
const mostShops = 100

// shops are those that the member may see.
func (v *memberRequest) shops() ([]shop, error) {
	found, err := fetch[list[shop]](v.api, "/v1/projects", url.Values{"limit": {strconv.Itoa(mostShops)}})
	return found.Data, err
}

// home redirects to the only shop of the member, or lets the member choose among several.
func (c *console) home(v *memberRequest) error {
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
	routeShop(func(pattern string, show func(*memberRequest) error) {
		mux.Handle(shopPattern(pattern), c.member(inShop(show)))
	})
	return mux
}

// routeShop adds the pages of one shop. Their addresses are below the shop's.
func routeShop(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /{$}", (*memberRequest).today)
	page("GET ", (*memberRequest).today)
	page("GET /find", (*memberRequest).find)
	page("POST /buyers", (*memberRequest).sendBuyers)
	page("GET /orders", (*memberRequest).orders)
	page("GET /orders/ship", (*memberRequest).askShipMany)
	page("POST /orders/ship", (*memberRequest).shipMany)
	page("GET /orders/selected.csv", (*memberRequest).exportOrders)
	page("GET /orders/{order}", (*memberRequest).order)
	page("POST /orders/{order}/ship", (*memberRequest).ship)
	page("POST /orders/{order}/deliver", (*memberRequest).deliver)
	page("POST /orders/{order}/refund", (*memberRequest).refund)
	page("POST /orders/{order}/cancel", (*memberRequest).cancel)
	page("POST /orders/{order}/note", (*memberRequest).note)
	page("POST /orders/{order}/labels/{label}/void", (*memberRequest).voidLabel)
	page("GET /live", (*memberRequest).live)
	page("GET /negotiations", (*memberRequest).negotiations)
	page("GET /negotiations/{negotiation}", (*memberRequest).negotiation)
	page("GET /lost", (*memberRequest).lost)
	routeCatalogue(page)
	routeIntegrations(page)
	routeConnect(page)
	page("GET /returns", (*memberRequest).returns)
	page("GET /returns/{return}", (*memberRequest).goodsBack)
	page("POST /returns/{return}/approve", (*memberRequest).approve)
	page("POST /returns/{return}/reject", (*memberRequest).reject)
	page("GET /disputes", (*memberRequest).disputes)
	page("GET /disputes/{dispute}", (*memberRequest).dispute)
	page("POST /disputes/{dispute}/evidence", (*memberRequest).submitEvidence)
	page("POST /disputes/{dispute}/accept", (*memberRequest).acceptDispute)
	page("GET /money", (*memberRequest).money)
	page("GET /money/payments", (*memberRequest).payments)
	page("GET /money/payments.csv", paymentsTable)
	page("GET /money/movements", (*memberRequest).movements)
	page("GET /money/movements.csv", movementsTable)
	page("GET /money/unanswered/{checkout}", (*memberRequest).unansweredPayment)
	page("POST /money/unanswered/{checkout}", (*memberRequest).resolve)
	routeStudio(page)
	routeSettings(page)
	page("GET /{rest...}", func(*memberRequest) error { return errNoPage })
}

// shopPattern is the whole pattern of a page of one shop.
func shopPattern(pattern string) string {
	method, path, _ := strings.Cut(pattern, " ")
	return method + " " + Path + "/{shop}" + path
}

// ShopRoutes are the patterns of all pages and forms of one shop.
func ShopRoutes() []string {
	var all []string
	routeShop(func(pattern string, _ func(*memberRequest) error) { all = append(all, shopPattern(pattern)) })
	return all
}

var errNoPage = &problem{
	Status:  http.StatusNotFound,
	Code:    "page_not_found",
	Message: "There is no such page.",
}

// inShop finds the shop that the address names.
func inShop(show func(*memberRequest) error) func(*memberRequest) error {
	return func(v *memberRequest) error {
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

// settle reads the settings by which the shop formats amounts and times.
func (v *memberRequest) settle() error {
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
