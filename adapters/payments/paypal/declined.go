package paypal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

// otherUse is the issue of a request id that belongs to another request.
const otherUse = "PAYPAL_REQUEST_ID_PREVIOUSLY_USED"

// alreadyCaptured are the issues of a capture that mean that the money may have been captured before.
var alreadyCaptured = []string{"ORDER_ALREADY_CAPTURED", "ORDER_ALREADY_COMPLETED", "ORDER_COMPLETED", "DUPLICATE_INVOICE_ID"}

// accountIssues are the issues with the merchant's account, which no buyer can cause. Sources: developer.paypal.com, "Orders v2
// errors", "Merchant not enabled for reference transaction", api/errors/currency-not-allowed and
// api/errors/unsupported-payee-currency, read November 2026.
var accountIssues = []string{
	"CURRENCY_NOT_ALLOWED", "CURRENCY_NOT_SUPPORTED", "CURRENCY_NOT_SUPPORTED_FOR_COUNTRY", "MERCHANT_NOT_ENABLED_FOR_REFERENCE_TRANSACTION",
	"NOT_ENABLED_FOR_REFERENCE_TRANSACTION", "PAYEE_ACCOUNT_INVALID", "PAYEE_ACCOUNT_LOCKED_OR_CLOSED", "PAYEE_ACCOUNT_NOT_SUPPORTED",
	"PAYEE_ACCOUNT_NOT_VERIFIED", "PAYEE_ACCOUNT_RESTRICTED", "PAYEE_NOT_CONSENTED", "PERMISSION_DENIED", "PERMISSION_NOT_GRANTED",
	"REFERENCE_TRANSACTION_NOT_ENABLED", "TRANSACTION_RECEIVING_LIMIT_EXCEEDED", "UNSUPPORTED_PAYEE_CURRENCY",
}

// declineCodes maps PayPal's issues to the codes of features/PROTOCOL.md#sandbox-tokens and of cards. Other issues become lower case.
var declineCodes = map[string]string{
	"AGREEMENT_ALREADY_CANCELLED":   "invalid_token",
	"BILLING_AGREEMENT_NOT_FOUND":   "invalid_token",
	"INVALID_PARAMETER_SYNTAX":      "invalid_token",
	"INVALID_PARAMETER_VALUE":       "invalid_token",
	"ORDER_NOT_APPROVED":            "invalid_token",
	"TOKEN_EXPIRED":                 "invalid_token",
	"TOKEN_ID_NOT_FOUND":            "invalid_token",
	"PAYER_ACTION_REQUIRED":         "authentication_required",
	"INSTRUMENT_DECLINED":           "instrument_declined",
	"TRANSACTION_LIMIT_EXCEEDED":    "amount_too_large",
	"PAYMENT_INSTRUMENT_NOT_USABLE": "instrument_declined",
}

var messages = map[string]string{
	"amount_invalid":          "This amount cannot be paid with PayPal.",
	"amount_too_large":        "The amount is more than the agreement covers.",
	"authentication_required": "PayPal wants the buyer to confirm the payment, which is not possible here.",
	"currency_not_supported":  "PayPal does not support this currency.",
	"instrument_declined":     "The buyer's bank or card declined the payment.",
	"invalid_token":           "The payment token is not valid. Pay with another one.",
	"payer_cannot_pay":        "The buyer's PayPal account cannot pay.",
}

// finalCodes are the declines that another try cannot change.
var finalCodes = []string{"payer_account_locked_or_closed", "payer_account_restricted", "compliance_violation", "payee_blocked_transaction"}

// declined converts one of PayPal's issues, or one of our codes.
func declined(issue string) checkout.Declined {
	code := cmp.Or(declineCodes[issue], strings.ToLower(issue))
	return checkout.Declined{
		Code:    code,
		Message: cmp.Or(messages[code], "PayPal declined the payment."),
		Final:   slices.Contains(finalCodes, code),
	}
}
