package features

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// refusalStatus holds the HTTP status of each refusal that a scenario names.
var refusalStatus = map[string]int{
	"checkout_not_found":  404,
	"quote_not_found":     404,
	"session_not_found":   404,
	"checkout_canceled":   409,
	"checkout_completed":  409,
	"checkout_incomplete": 409,
	"nothing_to_ship":     409,
	"out_of_stock":        409,
	"quote_accepted":      409,
	"quote_closed":        409,
	"shipping_required":   409,
	"token_redeemed":      409,
	"price_mismatch":      422,
	"validation_error":    422,
	"too_many_declines":   429,
	"payment_unresolved":  503,
}

// isRefusedAs checks that the latest action was refused. The code is in words: "out of stock". The cause, if there is one, is what
// the answer names: "the quantity of item 1", or "the quantity of item 1 alone".
func (c *checkoutsContext) isRefusedAs(words, cause string) error {
	code := strings.ReplaceAll(words, " ", "_")
	status, known := refusalStatus[code]
	if !known {
		return fmt.Errorf("no refusal is %q", code)
	}
	if err := c.isRefused(status, code); err != nil || cause == "" {
		return err
	}
	cause, alone := strings.CutSuffix(cause, " alone")
	field, err := fieldInWords(cause)
	if err != nil {
		return err
	}
	if err := c.refusalNames(field); err != nil {
		return err
	}
	if alone && len(c.refused.fields) != 1 {
		return fmt.Errorf("it names %v", c.refused.fields)
	}
	return nil
}

var itemCause = regexp.MustCompile(`^the (\w+) of item (\d+)$`)

// fieldInWords returns the field of a request that words mean: "items.0.quantity" for "the quantity of item 1".
func fieldInWords(words string) (string, error) {
	fields := map[string]string{
		"the country":         "shipping_address.country",
		"the address":         "shipping_address.line1",
		"the agreement":       "checkout_token",
		"the shipping option": "shipping_option",
		"the cart":            "from_cart",
	}
	ofItem := map[string]string{
		"price":     "negotiated_price",
		"product":   "product_id",
		"variant":   "variant_id",
		"line":      "line_id",
		"agreement": "checkout_token",
		"quantity":  "quantity",
	}
	if parts := itemCause.FindStringSubmatch(words); parts != nil && ofItem[parts[1]] != "" {
		n, err := strconv.Atoi(parts[2])
		return fmt.Sprintf("items.%d.%s", n-1, ofItem[parts[1]]), err
	}
	if fields[words] == "" {
		return "", fmt.Errorf("no field is %q", words)
	}
	return fields[words], nil
}

// someAreRefusedAs checks the results of runConcurrently: so many succeeded, and all others were refused.
func (c *checkoutsContext) someAreRefusedAs(well, badly int, words string) error {
	code := strings.ReplaceAll(words, " ", "_")
	status, known := refusalStatus[code]
	if !known {
		return fmt.Errorf("no refusal is %q", code)
	}
	return c.succeedAndRefused(well, badly, status, code)
}

// paymentIsRefused pays, and checks that this is refused.
func (c *checkoutsContext) paymentIsRefused(words string) error {
	if err := c.paysByCard(); err != nil {
		return err
	}
	return c.isRefusedAs(words, "")
}
