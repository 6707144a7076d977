package console

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bulkView is the bar of bulk actions above a list.
type bulkView struct {
	Ship   string // where selected orders are shipped; "": the role may not ship
	Export string
}

func (v *memberRequest) bulk() bulkView {
	bar := bulkView{Export: v.shop.Path() + "/orders/selected.csv"}
	if v.may("finance:write") {
		bar.Ship = v.shop.Path() + "/orders/ship"
	}
	return bar
}

// selected returns the existing orders that a form names, in the order of the list.
func (v *memberRequest) selected(names []string) ([]order, error) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > pageSize {
		return nil, &problem{
			Status:  http.StatusUnprocessableEntity,
			Code:    "validation_error",
			Message: "Select at most " + strconv.Itoa(pageSize) + " orders.",
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	found, err := fetch[list[order]](v.api, "/v1/orders", url.Values{"ids": {strings.Join(names, ",")}, "limit": {strconv.Itoa(pageSize)}})
	return found.Data, err
}

// toShip reports whether an order waits to be shipped.
func (o *order) toShip() bool { return o.Status == "confirmed" && o.Fulfillment.Status == "processing" }

type shipManyView struct {
	frame
	Ask     *confirmation
	Orders  []shipRow
	Left    []shipRow // that are not shipped, and why
	Carrier field
	Back    string
}

type shipRow struct {
	ID, Number, Address, Who, Why string
	Pill                          pill
	Tracking                      field
}

func (v *memberRequest) shipRow(o *order) shipRow {
	return shipRow{
		ID:      o.ID,
		Number:  o.Confirmation,
		Address: v.shop.Path() + "/orders/" + o.ID,
		Who:     o.Email,
		Tracking: field{
			Name:  "tracking." + o.ID,
			Label: o.Confirmation + ", tracking number",
			Kind:  "text",
			Most:  200,
		},
	}
}

// askShipMany asks for confirmation to ship the selected orders, and lists those that cannot be shipped.
func (v *memberRequest) askShipMany() error {
	if !v.may("finance:write") {
		return errNotShipping
	}
	orders, err := v.selected(v.r.URL.Query()["order"])
	if err != nil {
		return err
	}
	view := &shipManyView{
		frame: v.page("Ship orders", "orders"),
		Back:  v.shop.Path() + "/orders",
		Carrier: field{
			Name:  "carrier",
			Label: "Carrier",
			Kind:  "text",
			Most:  200,
		},
	}
	for i := range orders {
		row := v.shipRow(&orders[i])
		if orders[i].toShip() {
			view.Orders = append(view.Orders, row)
			continue
		}
		row.Pill = orders[i].pills()[len(orders[i].pills())-1]
		view.Left = append(view.Left, row)
	}
	if n := len(view.Orders); n > 0 {
		ask := newForm(v.shop.Path()+"/orders/ship", nil)
		view.Ask = confirm("ship", "Ship "+count(n, "order", "orders")+"?", "Ship "+count(n, "order", "orders"), ask,
			"Buyers' agents are told at once.", "What was shipped cannot be cancelled.")
		view.Ask.Back = view.Back
	}
	return v.show("shipmany", view)
}

var errNotShipping = &problem{
	Status:  http.StatusForbidden,
	Code:    "insufficient_scope",
	Message: "Your role does not ship orders. Support, a manager or an owner does.",
}

type shippedView struct {
	frame
	Rows []shipRow
	Back string
}

// shipMany ships orders one by one, and shows the result of each. It is idempotent if the form is sent twice.
func (v *memberRequest) shipMany() error {
	if !v.may("finance:write") {
		return errNotShipping
	}
	f := v.r.PostForm
	orders, err := v.selected(f["order"])
	if err != nil {
		return err
	}
	if len(orders) == 0 {
		return &problem{
			Status:  http.StatusUnprocessableEntity,
			Code:    "validation_error",
			Message: "Select the orders to ship.",
		}
	}
	view := &shippedView{frame: v.page("", "orders"), Back: v.shop.Path() + "/orders?status=to_ship"}
	shipped := 0
	for i := range orders {
		row := v.shipRow(&orders[i])
		err := v.api.post(http.MethodPost, "/v1/orders/"+url.PathEscape(row.ID)+"/fulfillment", change{
			key: f.Get("key") + "-" + row.ID,
			body: map[string]string{
				"status":          "shipped",
				"carrier":         f.Get("carrier"),
				"tracking_number": f.Get(row.Tracking.Name),
			},
		}, nil)
		switch {
		case err != nil:
			p := v.explain(v.w, v.r, err)
			row.Pill, row.Why = pill{"Not shipped", "bad"}, p.Message
			for _, d := range p.Details {
				row.Why += " " + capital(strings.ReplaceAll(d.Field, "_", " ")) + " " + d.Message + "."
			}
		default:
			row.Pill = pill{"Shipped", "info"}
			shipped++
		}
		view.Rows = append(view.Rows, row)
	}
	view.Title = strconv.Itoa(shipped) + " of " + count(len(orders), "order is shipped", "orders are shipped")
	return v.show("shipped", view)
}

// exportOrders answers with the selected orders as CSV.
func (v *memberRequest) exportOrders() error {
	orders, err := v.selected(v.r.URL.Query()["order"])
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="orders.csv"`)
	table := csv.NewWriter(v.w)
	_ = table.Write([]string{"order", "created_at", "status", "fulfillment", "email", "products", "total", "savings", "currency", "carrier", "tracking_number"})
	for i := range orders {
		o := &orders[i]
		_ = table.Write([]string{
			o.Confirmation, o.CreatedAt.UTC().Format(time.RFC3339), o.Status, o.Fulfillment.Status, cell(o.Email), cell(o.what()),
			o.Total.String(), o.Savings.String(), o.Currency, cell(o.Fulfillment.Carrier), cell(o.Fulfillment.TrackingNumber),
		})
	}
	table.Flush() // the client may have gone
	return nil
}

// cell escapes text that a spreadsheet would run as a formula, as the API's CSV files do.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
