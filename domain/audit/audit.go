// Package audit defines the account's audit log: one event for each change made
// through the Management API, and for each sign-in to the console. Events are only added.
package audit

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Actions that are not operations of the Management API.
const (
	SignIn  = "sign-in"        // a member signed in to the console
	Join    = "join-account"   // an invited person became a member, and signed in
	Blocked = "block-sign-ins" // attempts to sign in as a member were refused, because there were too many
)

// Actions that a shop platform requires of its app.
const (
	CustomerData   = "platform-customer-data"   // a customer requests their data: the merchant exports it
	CustomerRedact = "platform-customer-redact" // a customer's personal data was erased
	AppUninstalled = "platform-app-uninstalled" // the shop removed the app, and was disconnected
	ShopRedact     = "platform-shop-redact"     // the imported personal data was erased
)

// ResetFactor is an operation of the Management API that is also a command for the operator of the server.
const ResetFactor = "reset-member-mfa"

// OfPlatforms reports whether an action was required by a platform.
func OfPlatforms(action string) bool {
	return action == CustomerData || action == CustomerRedact || action == ShopRedact || action == AppUninstalled
}

// OfSignIn reports whether an action is about signing in to the console.
func OfSignIn(action string) bool { return action == SignIn || action == Join || action == Blocked }

// Event is one change.
type Event struct {
	ID        id.AuditEvent
	Account   id.Account
	Project   id.Project // zero: the change was of the account itself
	Key       id.APIKey  // who
	Member    id.Member  // who, if not a key; with neither, somebody unknown or the operator of the server
	Action    string     // what: the operation's id in the OpenAPI document, or one of the actions above
	Target    string     // the id of what was changed
	Address   string     // of the client
	RequestID string
	At        time.Time
	// Before and After are JSON objects of the change, without secrets; "" if there is nothing to record. Settings and
	// the inputs of prices have both.
	Before, After string
}
