// Package audit is the account's memory of who changed what: one event for each change that was made
// through the Management API. Events are only added.
package audit

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Event is one change.
type Event struct {
	ID        id.AuditEvent
	Account   id.Account
	Project   id.Project // zero: the change was of the account itself
	Key       id.APIKey  // who
	Member    id.Member  // who, if no key did it
	Action    string     // what: the operation's id in the OpenAPI document
	Target    string     // the id of what was changed
	Address   string     // from where
	RequestID string
	At        time.Time
	// Before and After are JSON objects of what changed, without secrets; "" where there is nothing to
	// tell. Settings and what prices depend on have both.
	Before, After string
}
