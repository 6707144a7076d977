package woocommerce

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// orderRequest has the supported fields of a request to create or update an order.
type orderRequest struct {
	Status      string         `json:"status"`
	Currency    string         `json:"currency"`
	Note        *string        `json:"customer_note"`
	Billing     map[string]any `json:"billing"`
	Shipping    map[string]any `json:"shipping"`
	Method      *string        `json:"payment_method"`
	Title       *string        `json:"payment_method_title"`
	Transaction string         `json:"transaction_id"`
	SetPaid     bool           `json:"set_paid"`
	Meta        []struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	} `json:"meta_data"`
	Lines []lineRequest `json:"line_items"`
	Fees  []lineRequest `json:"fee_lines"`
	Ships []lineRequest `json:"shipping_lines"`
}

type lineRequest struct {
	ID          int             `json:"id"`
	Product     int             `json:"product_id"`
	Variation   int             `json:"variation_id"`
	SKU         string          `json:"sku"`
	Name        string          `json:"name"`
	Method      string          `json:"method_id"`
	MethodTitle string          `json:"method_title"`
	Quantity    *int            `json:"quantity"`
	Subtotal    json.RawMessage `json:"subtotal"`
	Total       json.RawMessage `json:"total"`
	TaxStatus   string          `json:"tax_status"`
	Meta        []struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	} `json:"meta_data"`
}

var statuses = []string{"pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed", "checkout-draft"}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

// readOrder applies a request to an order. The caller sets the status, "so transitions have new data". It ignores taxes
// of lines, because prepare_line_items sets only name, quantity, total, subtotal and tax_class.
func (w *Platform) readOrder(c *host.Call, p *purchase) (asked orderRequest, problem *host.Answer) {
	refuse := func(code, text string) (orderRequest, *host.Answer) {
		a := w.coded(http.StatusBadRequest, code, text)
		return asked, &a
	}
	if !host.ReadJSON(c.Content, &asked) {
		return refuse("rest_invalid_json", "Invalid JSON body passed.")
	}
	var wrong []string
	if asked.Status != "" && !slices.Contains(statuses, asked.Status) {
		wrong = append(wrong, "status")
	}
	if asked.Currency != "" && !currencyForm.MatchString(asked.Currency) {
		wrong = append(wrong, "currency")
	}
	if email, given := asked.Billing["email"].(string); given && !strings.Contains(email, "@") {
		wrong = append(wrong, "billing")
	}
	if len(wrong) > 0 {
		return refuse("rest_invalid_param", "Invalid parameter(s): "+strings.Join(wrong, ", "))
	}
	for name, value := range asked.Billing {
		p.billing[name] = value
	}
	for name, value := range asked.Shipping {
		p.shipping[name] = value
	}
	for from, to := range map[*string]*string{asked.Note: &p.note, asked.Method: &p.method, asked.Title: &p.title} {
		if from != nil {
			*to = *from
		}
	}
	if asked.Currency != "" {
		p.currency = asked.Currency
	}
	if asked.Transaction != "" {
		p.transaction = asked.Transaction
	}
	for _, m := range asked.Meta {
		w.setMeta(&p.meta, m.Key, m.Value)
	}
	for of, list := range map[string][]lineRequest{"line_items": asked.Lines, "fee_lines": asked.Fees, "shipping_lines": asked.Ships} {
		for n, one := range list {
			if code, text := w.readLine(p, of, n, one); code != "" {
				return refuse(code, text)
			}
		}
	}
	slices.SortStableFunc(p.lines, func(a, b *line) int { return a.id - b.id })
	return asked, nil
}

func (w *Platform) setMeta(list *[]entry, key string, value any) {
	for n := range *list {
		if (*list)[n].key == key {
			(*list)[n].value = value
			return
		}
	}
	*list = append(*list, entry{w.next(), key, value})
}

func (w *Platform) readLine(p *purchase, of string, n int, one lineRequest) (code, text string) {
	at := of + "[" + strconv.Itoa(n) + "]"
	l := &line{
		of:       of,
		item:     -1,
		quantity: 1,
	}
	if one.ID != 0 {
		k := slices.IndexFunc(p.lines, func(l *line) bool { return l.id == one.ID && l.of == of })
		if k < 0 {
			return "woocommerce_rest_invalid_item_id", "Order item ID provided is not associated with order."
		}
		l = p.lines[k]
	}
	switch {
	case one.ID != 0:
	case of == "line_items":
		number := one.Product
		if one.Variation != 0 {
			number = one.Variation
		}
		if number == 0 && one.SKU == "" {
			return "woocommerce_rest_required_product_reference", "Product ID or SKU is required."
		}
		l.item = w.itemOf(number, one.SKU)
	case of == "shipping_lines" && one.Method == "":
		return "woocommerce_rest_invalid_shipping_item", "Shipping method ID is required."
	case of == "fee_lines" && one.Name == "":
		return "woocommerce_rest_invalid_fee_item", "Fee name is required."
	}
	if one.Quantity != nil {
		l.quantity = *one.Quantity
	}
	if l.item >= 0 && one.ID == 0 {
		l.name = w.Products[w.Items[l.item].Product].Title
		l.total = w.Items[l.item].Cents * int64(l.quantity)
		l.subtotal = l.total
	}
	if one.Name+one.MethodTitle != "" {
		l.name = one.Name + one.MethodTitle
	}
	if one.Method != "" {
		l.method = one.Method
	}
	l.untaxed = one.TaxStatus == "none"
	for raw, to := range map[*json.RawMessage]*int64{&one.Total: &l.total, &one.Subtotal: &l.subtotal} {
		if len(*raw) == 0 {
			continue
		}
		amount, good := cents(*raw)
		if !good {
			return "rest_invalid_param", "Invalid parameter(s): " + at // total and subtotal must be strings
		}
		*to = amount
	}
	for _, m := range one.Meta {
		w.setMeta(&l.meta, m.Key, m.Value)
	}
	if l.id == 0 {
		l.id = w.next()
		p.lines = append(p.lines, l)
	}
	return "", ""
}

// itemOf returns the position of an item by the id of its product or variation, or by its SKU. It is negative if there is
// none.
func (w *Platform) itemOf(number int, sku string) int {
	for n, i := range w.Items {
		if sku != "" && i.SKU == sku || sku == "" && w.itemID(n) == strconv.Itoa(number) {
			return n
		}
	}
	return -1
}

var amountForm = regexp.MustCompile(`^-?\d+(\.\d{1,2}0*)?$`)

// cents parses an amount in a JSON string, with at most two decimals that are not zero.
func cents(raw json.RawMessage) (int64, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil || !amountForm.MatchString(text) {
		return 0, false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	return n, err == nil
}

// instant parses a time in the query. It is in the shop's time zone unless dates_are_gmt.
func instant(c *host.Call, name string, absent int64) (int64, bool) {
	text := c.URL.Query().Get(name)
	if text == "" {
		return absent, true
	}
	in := zone
	if c.URL.Query().Get("dates_are_gmt") == "true" {
		in = time.UTC
	}
	at, err := time.ParseInLocation(timeForm, strings.TrimSuffix(text, "Z"), in)
	return at.UnixMilli(), err == nil
}
