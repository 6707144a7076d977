// Package audit is the account's memory of who changed what: one event for each change that was made
// through the Management API, and for each sign-in to the console. Events are only added.
package audit

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Actions that are no operation of the Management API.
const (
	SignIn  = "sign-in"        // a member signed in to the console
	Join    = "join-account"   // an invited person became a member, and signed in
	Blocked = "block-sign-ins" // attempts to sign in as a member were refused, because there were too many
)

// Actions that a shop platform demands of its app.
const (
	CustomerData   = "platform-customer-data"   // a customer wants to know what is kept: the merchant exports it
	CustomerRedact = "platform-customer-redact" // a customer's personal data was erased
	AppUninstalled = "platform-app-uninstalled" // the shop removed the app, and was disconnected
	ShopRedact     = "platform-shop-redact"     // what was imported of people was erased
)

// ResetFactor is an operation of the Management API that the operator of the server has a command for, too.
const ResetFactor = "reset-member-mfa"

// OfPlatforms reports whether an action is what a platform demanded.
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
	Member    id.Member  // who, if no key did it; with neither, somebody unknown or the operator of the server
	Action    string     // what: the operation's id in the OpenAPI document, or one of the actions above
	Target    string     // the id of what was changed
	Address   string     // from where
	RequestID string
	At        time.Time
	// Before and After are JSON objects of what changed, without secrets; "" where there is nothing to
	// tell. Settings and what prices depend on have both.
	Before, After string
}
