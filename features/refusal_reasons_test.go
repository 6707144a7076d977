package features

import (
	"fmt"
	"strings"
)

// refusalReasons are the words of steps for refusals: the status and code of the answer, and the field that it names, if any. A
// code without a status is that of the sign-in, which has no API.
var refusalReasons = map[string]struct{ with, field string }{
	"a code is required":                             {"403 mfa_required", ""},
	"a return is not decided yet":                    {"409 return_open", ""},
	"a setting is wrong":                             {"422 validation_error", ""},
	"a shop does not exist":                          {"422 validation_error", ""},
	"a valid code is missing":                        {"403 mfa_required", ""},
	"all of it was refunded":                         {"409 payment_refunded", ""},
	"an account needs an owner":                      {"409 last_owner", ""},
	"an earlier request about a label is unfinished": {"409 label_in_progress", ""},
	"another account is connected":                   {"409 integration_exists", ""},
	"another shop has the slug":                      {"409 slug_taken", ""},
	"closing was not confirmed":                      {"400 confirmation_required", ""},
	"consent was asked for something else":           {"400 invalid_state", ""},
	"consent was denied":                             {"422 validation_error", ""},
	"it exceeds the rest of the payment":             {"422 validation_error", "amount"},
	"it exceeds what was bought":                     {"422 validation_error", "items.0.quantity"},
	"it is not about a Shopify shop":                 {"422 validation_error", ""},
	"it is their own second factor":                  {"409 own_mfa", ""},
	"it was decided already":                         {"409 payment_decided", ""},
	"it would shut out the merchant":                 {"422 validation_error", "security.ip_allowlist"},
	"no authenticator waits for its first code":      {"404 mfa_not_found", ""},
	"nobody gives more than they have":               {"422 validation_error", "scopes.0"},
	"only Shopify has this setting":                  {"422 validation_error", "config.offer_gift_cards"},
	"only the order's buyer may":                     {"403 order_token_required", ""},
	"shipstation is unavailable":                     {"503 provider_unavailable", ""},
	"shipstation was disconnected":                   {"409 integration_disconnected", ""},
	"the account has too many members":               {"409 too_many_members", ""},
	"the address belongs to a member":                {"409 email_taken", ""},
	"the address or the password is wrong":           {"sign_in_refused", ""},
	"the agent belongs to another shop":              {"404 agent_not_found", ""},
	"the carrier has the parcel":                     {"409 label_not_voided", ""},
	"the code does not confirm":                      {"422 validation_error", "code"},
	"the code is wrong":                              {"code_refused", ""},
	"the dispute is closed":                          {"409 dispute_closed", ""},
	"the dispute was answered":                       {"409 dispute_answered", ""},
	"the import has ended":                           {"409 job_finished", ""},
	"the key may not do this":                        {"403 insufficient_scope", ""},
	"the last owner stays owner":                     {"422 validation_error", "role"},
	"the link is not valid":                          {"link_not_found", ""},
	"the next key is too new":                        {"409 signing_key_too_new", ""},
	"the order has no such product":                  {"422 validation_error", "items.0.product_id"},
	"the order is canceled":                          {"409 order_canceled", ""},
	"the order was delivered":                        {"409 order_delivered", ""},
	"the order was not shipped":                      {"409 order_not_shipped", ""},
	"the order was shipped":                          {"409 order_shipped", ""},
	"the password is easy to guess":                  {"validation_error", "password"},
	"the payment's outcome is unknown":               {"503 payment_unresolved", ""},
	"the platform does not answer":                   {"503 provider_unavailable", ""},
	"the platform has not signed it":                 {"422 authorization_failed", ""},
	"the provider may still report the payment":      {"409 payment_too_recent", ""},
	"the provider may still report the refund":       {"409 refund_too_recent", ""},
	"the return is decided already":                  {"409 return_closed", ""},
	"the role does not allow it":                     {"403 insufficient_scope", ""},
	"the run belongs to another shop":                {"404 job_not_found", ""},
	"the run has ended":                              {"409 job_finished", ""},
	"the scopes do not allow it":                     {"403 insufficient_scope", ""},
	"the session belongs to another shop":            {"404 session_not_found", ""},
	"the session is somebody else's":                 {"404 console_session_not_found", ""},
	"the shop takes nothing back":                    {"422 validation_error", "order_id"},
	"the SKU is taken":                               {"409 sku_taken", ""},
	"there are products with prices already":         {"409 currency_in_use", ""},
	"there are too many keys":                        {"409 too_many_keys", ""},
	"there are too many subscriptions":               {"409 too_many_subscriptions", ""},
	"there are too many products":                    {"422 validation_error", "products"},
	"there is no authenticator":                      {"404 mfa_not_found", ""},
	"there is no second factor":                      {"409 mfa_not_enrolled", ""},
	"there is no such product":                       {"404 product_not_found", ""},
	"there is no such shop":                          {"404 project_not_found", ""},
	"there is too little stock":                      {"409 insufficient_stock", ""},
	"there were too many attempts":                   {"rate_limited", ""},
	"there were too many wrong codes":                {"429 rate_limited", ""},
	"two runs are under way":                         {"409 too_many_jobs", ""},
}

// isRefusedAs checks the latest refusal's status and code, "422 validation_error", and that it names the field, unless "".
func (s *scenario) isRefusedAs(with, field string) error {
	var status int
	var code string
	if _, err := fmt.Sscan(with, &status, &code); err != nil {
		return err
	}
	if err := s.isRefused(status, code); err != nil || field == "" {
		return err
	}
	return s.refusalNames(field)
}

// isRefusedBecause checks the latest refusal against one of refusalReasons.
func (s *scenario) isRefusedBecause(words string) error {
	reason, known := refusalReasons[words]
	switch {
	case !known:
		return fmt.Errorf("no refusal is described as %q", words)
	case strings.Contains(reason.with, " "):
		return s.isRefusedAs(reason.with, reason.field)
	case reason.field != "":
		return s.members.signInRefusedNaming(reason.with, reason.field)
	}
	return s.members.signInRefused(reason.with)
}

// succeedOrRefusedBecause checks the results of concurrent requests.
func (s *scenario) succeedOrRefusedBecause(well, badly int, words string) error {
	reason, known := refusalReasons[words]
	if !known {
		return fmt.Errorf("no refusal is described as %q", words)
	}
	var status int
	var code string
	if _, err := fmt.Sscan(reason.with, &status, &code); err != nil {
		return err
	}
	return s.succeedAndRefused(well, badly, status, code)
}
