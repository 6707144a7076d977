// Package shipstation is the look-alike of ShipStation: carriers, rates, orders, labels and SHIP_NOTIFY webhooks by API
// V1, and under /v2 by API V2, which has shipments instead of orders and signs its webhooks. Both show the same account.
// Seeded orders, faults and webhook delivery are those of package host.
package shipstation

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // time zones, even if the system has none

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// Platform ships parcels. It identifies orders by their key and creates a label at each request.
type Platform struct {
	*host.Side
	seeded *host.Shop

	mu        sync.Mutex
	ready     bool
	orders    []shipOrder
	shipments []shipment
	limit     host.Window
	spent     int64 // cents, for labels
}

type shipOrder struct {
	number, key, email, status string
	shipTo, items, given       any
	made, changed              time.Time
}

type shipment struct {
	order                           int
	carrier, service, pack, confirm string
	tracking, batch, shipDate       string
	cents                           int64
	weight                          any
	made                            time.Time
	voided                          bool
	voidedAt                        time.Time
	collected                       bool // the carrier has scanned the parcel
}

// pacific is the time zone of ShipStation's times, which have no offset.
var pacific = func() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		return time.FixedZone("PST", -8*3600)
	}
	return zone
}()

const shipTime = "2006-01-02T15:04:05.0000000"

func shipNumber(n int) int { return 93348001 + n }

// Open adds the platform to the host.
func Open(p *host.Host) *Platform {
	s := &Platform{seeded: &host.Shop{
		Config: p.Config,
		Stream: 4,
		Unit:   time.Second,
	}, limit: host.Window{Span: time.Minute, Limit: p.Config.ShipStationRate}}
	s.seeded.Config.Products = 0
	s.Side = p.Side(host.ShipStation, nil, func(_ int, text string) any { return map[string]any{"Message": text} })
	s.Side.Produce = s.announce
	s.Hooks.Send = s.sign
	s.Route("GET", "/carriers", "account", s.keyed(func(*host.Call) host.Answer { return host.OK(shipCarriers()) }))
	s.Route("GET", "/carriers/listservices", "account", s.keyed(s.services))
	s.Route("GET", "/stores", "account", s.keyed(s.stores))
	s.Route("POST", "/shipments/getrates", "rates", s.keyed(s.rates))
	s.Route("POST", "/orders/createorder", "orders", s.keyed(s.createOrder))
	s.Route("GET", "/orders", "orders", s.keyed(s.listOrders))
	s.Route("POST", "/orders/createlabelfororder", "labels", s.keyed(s.createLabel))
	s.Route("POST", "/shipments/voidlabel", "voids", s.keyed(s.voidLabel))
	s.Route("GET", "/shipments", "shipments", s.keyed(s.listShipments))
	s.Route("GET", "/webhooks", "webhooks", s.keyed(s.listHooks))
	s.Route("POST", "/webhooks/subscribe", "webhooks", s.keyed(s.subscribe))
	s.Route("DELETE", "/webhooks/{id}", "webhooks", s.keyed(s.unsubscribe))
	s.routeV2()
	return s
}

// seed adds the shop's orders, with shipments of those that are shipped. The caller must hold the lock.
func (s *Platform) seed() {
	if s.ready {
		return
	}
	s.ready = true
	s.seeded.Read(func(w *host.World) {
		for n, o := range w.Orders {
			c := w.Customers[o.Customer]
			number := "S-" + strconv.Itoa(3001+n)
			s.orders = append(s.orders, shipOrder{
				number:  number,
				key:     "seed-" + number,
				email:   c.Email,
				status:  "awaiting_shipment",
				made:    host.Moment(o.Placed),
				changed: host.Moment(o.Updated),
				items:   []any{},
				shipTo:  map[string]any{"name": c.Name(), "street1": o.Street, "city": o.City, "state": o.State, "postalCode": o.PostalCode, "country": "US"},
			})
			if o.Shipped > 0 {
				s.orders[n].status = "shipped"
				s.shipments = append(s.shipments, shipment{
					order:    n,
					carrier:  "stamps_com",
					service:  "usps_priority_mail",
					pack:     "package",
					confirm:  "none",
					tracking: o.Tracking,
					batch:    "seeded",
					shipDate: host.Moment(o.Shipped).In(pacific).Format(time.DateOnly),
					cents:    895,
					made:     host.Moment(o.Shipped),
				})
			}
		}
	})
}

// keyed checks the key and the rate limit, whose headers every answer has.
func (s *Platform) keyed(handle func(*host.Call) host.Answer) func(*host.Call) host.Answer {
	return func(c *host.Call) host.Answer {
		key, secret, _ := c.BasicAuth()
		same := subtle.ConstantTimeCompare([]byte(key+"\x00"+secret), []byte(s.Host.Config.ShipStationKey+"\x00"+s.Host.Config.ShipStationSecret))
		if same != 1 {
			return host.Answer{
				Status: http.StatusUnauthorized,
				Kind:   "text/plain",
				Body:   []byte("401 Unauthorized"),
			}
		}
		fits, left, ends := s.countRequest()
		a := host.Answer{Status: http.StatusTooManyRequests, Body: map[string]any{"message": "Too Many Requests"}}
		if fits {
			a = handle(c)
		} else {
			a = a.With("Retry-After", host.Seconds(ends))
		}
		return a.With("X-Rate-Limit-Limit", strconv.Itoa(s.limit.Limit)).With("X-Rate-Limit-Remaining", strconv.Itoa(left)).
			With("X-Rate-Limit-Reset", host.Seconds(ends))
	}
}

// countRequest counts a request against the account's rate limit.
func (s *Platform) countRequest() (fits bool, left int, ends time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed()
	return s.limit.Take(s.Host.Config.Now())
}

type shipService struct {
	carrier, code, name string
	base, perOunce      int64
}

var shipServices = []shipService{
	{"stamps_com", "usps_first_class_mail", "USPS First Class Mail", 395, 12},
	{"stamps_com", "usps_priority_mail", "USPS Priority Mail", 695, 14},
	{"stamps_com", "usps_priority_mail_express", "USPS Priority Mail Express", 2695, 30},
	{"ups_walleted", "ups_ground", "UPS Ground", 845, 11},
	{"ups_walleted", "ups_2nd_day_air", "UPS 2nd Day Air", 1895, 25},
	{"fedex", "fedex_home_delivery", "FedEx Home Delivery", 915, 10},
	{"fedex", "fedex_2day", "FedEx 2Day", 1995, 24},
}

var shipNames = map[string]string{"stamps_com": "Stamps.com", "ups_walleted": "UPS by ShipStation", "fedex": "FedEx"}

func shipCarriers() []any {
	list := []any{}
	for n, code := range []string{"stamps_com", "ups_walleted", "fedex"} {
		list = append(list, map[string]any{
			"name": shipNames[code], "code": code, "accountNumber": "SS" + strconv.Itoa(1230+n), "requiresFundedAccount": n == 0, "balance": 250.00,
			"nickname": nil, "shippingProviderId": 9001 + n, "primary": n == 0,
		})
	}
	return list
}

func (s *Platform) services(c *host.Call) host.Answer {
	list := []any{}
	for _, one := range shipServices {
		if one.carrier == c.URL.Query().Get("carrierCode") {
			list = append(list, map[string]any{"carrierCode": one.carrier, "code": one.code, "name": one.name, "domestic": true, "international": false})
		}
	}
	return host.OK(list)
}

func (s *Platform) stores(*host.Call) host.Answer {
	return host.OK([]any{map[string]any{
		"storeId": 22766, "storeName": "Trailhead Outfitters", "marketplaceId": 0, "marketplaceName": "ShipStation", "accountName": nil, "email": nil,
		"integrationUrl": nil, "active": true, "companyName": "Trailhead Outfitters", "phone": "", "publicEmail": "", "website": "",
		"refreshDate": host.Epoch.In(pacific).Format(shipTime), "createDate": host.Epoch.In(pacific).Format(shipTime), "autoRefresh": true,
	}})
}

type weight struct {
	Value float64
	Units string
}

// ounces returns the weight, rounded up. A missing weight is a pound.
func (w weight) ounces() int64 {
	factor := map[string]float64{"pounds": 16, "ounces": 1, "grams": 1 / 28.3495}[strings.ToLower(w.Units)]
	if factor == 0 || w.Value <= 0 {
		return 16
	}
	return int64(w.Value*factor + 0.999)
}

func (s *Platform) rates(c *host.Call) host.Answer {
	var asked struct {
		CarrierCode, ServiceCode, FromPostalCode, ToPostalCode, ToCountry string
		Weight                                                            weight
		Residential                                                       bool
	}
	if !host.ReadJSON(c.Content, &asked) || asked.CarrierCode == "" || asked.FromPostalCode == "" || asked.ToPostalCode == "" || asked.ToCountry == "" || asked.Weight.Value <= 0 {
		return s.Refuse(http.StatusBadRequest, "The request is invalid: carrierCode, fromPostalCode, toPostalCode, toCountry and weight are required.")
	}
	if shipNames[asked.CarrierCode] == "" {
		return host.Answer{Status: http.StatusInternalServerError, Body: map[string]any{"Message": "An error has occurred.", "ExceptionMessage": "Invalid carrierCode"}}
	}
	list := []any{}
	for _, one := range shipServices {
		if one.carrier == asked.CarrierCode && (asked.ServiceCode == "" || asked.ServiceCode == one.code) {
			list = append(list, map[string]any{
				"serviceName": one.name, "serviceCode": one.code, "shipmentCost": host.ExactNumber(one.cost(asked.Weight)),
				"otherCost": host.ExactNumber(one.surcharge(asked.Residential)),
			})
		}
	}
	return host.OK(list)
}

func (one shipService) cost(w weight) int64 { return one.base + one.perOunce*w.ounces() }

// surcharge returns what UPS and FedEx add for a residential address. The postal service adds nothing.
func (one shipService) surcharge(residential bool) int64 {
	if !residential || one.carrier == "stamps_com" {
		return 0
	}
	return 465
}

func serviceOf(carrier, code string) (shipService, bool) {
	n := slices.IndexFunc(shipServices, func(one shipService) bool { return one.carrier == carrier && one.code == code })
	if n < 0 {
		return shipService{}, false
	}
	return shipServices[n], true
}
