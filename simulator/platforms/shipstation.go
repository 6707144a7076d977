package platforms

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the platforms' times are those of their homes, also where the system knows none
)

// shipstation ships parcels: it knows orders by their key and makes a label for each time it is asked.
type shipstation struct {
	*side
	seeded *shop

	mu        sync.Mutex
	ready     bool
	orders    []shipOrder
	shipments []shipment
	limit     window
	spent     int64 // cents, on labels
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
}

// pacific is the time zone that ShipStation writes its times in, without saying so.
var pacific = func() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		return time.FixedZone("PST", -8*3600)
	}
	return zone
}()

const shipTime = "2006-01-02T15:04:05.0000000"

func shipNumber(n int) int { return 93348001 + n }

func openShipStation(p *Platforms) *shipstation {
	s := &shipstation{seeded: &shop{config: p.config, stream: 4, unit: time.Second}, limit: window{span: time.Minute, limit: p.config.ShipStationRate}}
	s.seeded.config.Products = 0
	s.side = p.side(ShipStation, nil, func(_ int, text string) any { return map[string]any{"Message": text} })
	s.hooks.send = func(hook, delivery) (http.Header, error) { return http.Header{}, nil } // not signed
	s.route("GET", "/carriers", "account", s.keyed(func(*call) answer { return ok(shipCarriers()) }))
	s.route("GET", "/carriers/listservices", "account", s.keyed(s.services))
	s.route("GET", "/stores", "account", s.keyed(s.stores))
	s.route("POST", "/shipments/getrates", "rates", s.keyed(s.rates))
	s.route("POST", "/orders/createorder", "orders", s.keyed(s.createOrder))
	s.route("GET", "/orders", "orders", s.keyed(s.listOrders))
	s.route("POST", "/orders/createlabelfororder", "labels", s.keyed(s.createLabel))
	s.route("POST", "/shipments/voidlabel", "labels", s.keyed(s.voidLabel))
	s.route("GET", "/shipments", "shipments", s.keyed(s.listShipments))
	s.route("GET", "/webhooks", "webhooks", s.keyed(s.listHooks))
	s.route("POST", "/webhooks/subscribe", "webhooks", s.keyed(s.subscribe))
	s.route("DELETE", "/webhooks/{id}", "webhooks", s.keyed(s.unsubscribe))
	return s
}

// seed needs the lock: the shop's orders are here from the start, with shipments of those that were sent.
func (s *shipstation) seed() {
	if s.ready {
		return
	}
	s.ready = true
	s.seeded.read(func(w *world) {
		for n, o := range w.orders {
			c := w.customers[o.customer]
			number := "S-" + strconv.Itoa(3001+n)
			s.orders = append(s.orders, shipOrder{
				number: number, key: "seed-" + number, email: c.email, status: "awaiting_shipment", made: moment(o.placed), changed: moment(o.updated), items: []any{},
				shipTo: map[string]any{"name": c.name(), "street1": o.street, "city": o.city, "state": o.state, "postalCode": o.post, "country": "US"},
			})
			if o.shipped > 0 {
				s.orders[n].status = "shipped"
				s.shipments = append(s.shipments, shipment{
					order: n, carrier: "stamps_com", service: "usps_priority_mail", pack: "package", confirm: "none", tracking: o.tracking,
					batch: "seeded", shipDate: moment(o.shipped).In(pacific).Format(time.DateOnly), cents: 895, made: moment(o.shipped),
				})
			}
		}
	})
}

// keyed judges the key and the rate, which every answer tells of.
func (s *shipstation) keyed(handle func(*call) answer) func(*call) answer {
	return func(c *call) answer {
		key, secret, _ := c.BasicAuth()
		same := subtle.ConstantTimeCompare([]byte(key+"\x00"+secret), []byte(s.p.config.ShipStationKey+"\x00"+s.p.config.ShipStationSecret))
		if same != 1 {
			return answer{status: http.StatusUnauthorized, kind: "text/plain", body: []byte("401 Unauthorized")}
		}
		s.mu.Lock()
		s.seed()
		fits, left, ends := s.limit.take(s.p.config.Now())
		s.mu.Unlock()
		a := answer{status: http.StatusTooManyRequests, body: map[string]any{"message": "Too Many Requests"}}
		if fits {
			a = handle(c)
		} else {
			a = a.with("Retry-After", seconds(ends))
		}
		return a.with("X-Rate-Limit-Limit", strconv.Itoa(s.limit.limit)).with("X-Rate-Limit-Remaining", strconv.Itoa(left)).
			with("X-Rate-Limit-Reset", seconds(ends))
	}
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

func (s *shipstation) services(c *call) answer {
	list := []any{}
	for _, one := range shipServices {
		if one.carrier == c.URL.Query().Get("carrierCode") {
			list = append(list, map[string]any{"carrierCode": one.carrier, "code": one.code, "name": one.name, "domestic": true, "international": false})
		}
	}
	return ok(list)
}

func (s *shipstation) stores(*call) answer {
	return ok([]any{map[string]any{
		"storeId": 22766, "storeName": "Trailhead Outfitters", "marketplaceId": 0, "marketplaceName": "ShipStation", "accountName": nil, "email": nil,
		"integrationUrl": nil, "active": true, "companyName": "Trailhead Outfitters", "phone": "", "publicEmail": "", "website": "",
		"refreshDate": epoch.In(pacific).Format(shipTime), "createDate": epoch.In(pacific).Format(shipTime), "autoRefresh": true,
	}})
}

type weight struct {
	Value float64
	Units string
}

// ounces rounds up; nothing given is a pound.
func (w weight) ounces() int64 {
	factor := map[string]float64{"pounds": 16, "ounces": 1, "grams": 1 / 28.3495}[strings.ToLower(w.Units)]
	if factor == 0 || w.Value <= 0 {
		return 16
	}
	return int64(w.Value*factor + 0.999)
}

func (s *shipstation) rates(c *call) answer {
	var asked struct {
		CarrierCode, ServiceCode, FromPostalCode, ToPostalCode, ToCountry string
		Weight                                                            weight
	}
	if !readJSON(c.body, &asked) || asked.CarrierCode == "" || asked.FromPostalCode == "" || asked.ToPostalCode == "" || asked.ToCountry == "" || asked.Weight.Value <= 0 {
		return s.refuse(http.StatusBadRequest, "The request is invalid: carrierCode, fromPostalCode, toPostalCode, toCountry and weight are required.")
	}
	if shipNames[asked.CarrierCode] == "" {
		return answer{status: http.StatusInternalServerError, body: map[string]any{"Message": "An error has occurred.", "ExceptionMessage": "Invalid carrierCode"}}
	}
	list := []any{}
	for _, one := range shipServices {
		if one.carrier == asked.CarrierCode && (asked.ServiceCode == "" || asked.ServiceCode == one.code) {
			list = append(list, map[string]any{
				"serviceName": one.name, "serviceCode": one.code, "shipmentCost": number(one.cost(asked.Weight)), "otherCost": number(0),
			})
		}
	}
	return ok(list)
}

func (one shipService) cost(w weight) int64 { return one.base + one.perOunce*w.ounces() }

func serviceOf(carrier, code string) (shipService, bool) {
	n := slices.IndexFunc(shipServices, func(one shipService) bool { return one.carrier == carrier && one.code == code })
	if n < 0 {
		return shipService{}, false
	}
	return shipServices[n], true
}
