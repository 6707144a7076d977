package management

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/ports"
)

// These are the sources of audit targets that are not ids of the path.
const (
	noted      = "noted"    // the handler notes what it made, or the account
	theProject = "project"  // nothing else is named
	unlogged   = "unlogged" // the operation changes nothing
)

// targets maps each operation that is not a GET to the path parameter whose value the audit log gets as its target.
var targets = map[string]string{
	"update-account": noted, "enrol-mfa": noted, "confirm-mfa": noted, "disable-mfa": noted,
	"create-invitation": noted, "revoke-invitation": "invitation_id", "update-member": "member_id", "remove-member": "member_id",
	"create-password-link": "member_id", "reset-member-mfa": "member_id", "end-console-session": "session_id", "end-console-sessions": noted,
	"create-api-key": noted, "revoke-api-key": "key_id",
	"create-project": noted, "update-project": "project_id", "delete-project": "project_id",
	"update-settings": "project_id", "update-storefront": "project_id",
	"create-agent": noted, "update-agent": "agent_id", "delete-agent": "agent_id", "activate-agent": "agent_id",
	"rotate-agent-secret": "agent_id", "create-agent-policy": "agent_id", "activate-agent-policy": "agent_id",
	"dry-run-agent-policy": unlogged, "simulate-agent": unlogged, "replay-agent": unlogged, "tune-agent": "agent_id", "start-market": "agent_id", "cancel-job": "job_id", "start-import": noted,
	"create-buyer-token": noted, "export-buyer": noted, "erase-buyer": noted,
	"set-inventory": theProject, "adjust-inventory": theProject,
	"create-product": noted, "update-product": "product_id", "delete-product": "product_id", "upsert-products": theProject,
	"create-synonym": noted, "update-synonym": "synonym_id", "delete-synonym": "synonym_id", "replace-synonyms": theProject,
	"cancel-order": "order_id", "create-order-note": "order_id", "retry-platform-order": "order_id", "retry-crm-deal": "order_id", "update-fulfillment": "order_id", "refund-payment": "payment_id",
	"open-sandbox-dispute": "", "submit-evidence": "dispute_id", "accept-dispute": "dispute_id",
	"resolve-payment": "checkout_id", "resolve-refund": "refund_id", "resolve-orphan": "orphan_id",
	"approve-return": "return_id", "reject-return": "return_id",
	"connect-integration": theProject, "complete-connection": noted, "connect-api-key": noted,
	"update-integration": "integration_id", "rotate-credentials": "integration_id", "disconnect-integration": "integration_id",
	"get-shipping-rates": noted, "create-shipping-label": noted, "void-shipping-label": "label_id",
	"create-event-subscription": noted, "update-event-subscription": "subscription_id", "delete-event-subscription": "subscription_id",
	"rotate-event-secret": "subscription_id", "test-event-subscription": "subscription_id", "redeliver-event": "delivery_id", "redeliver-failed-events": "subscription_id",
	"rotate-signing-keys": noted, "revoke-signing-key": noted,
	"create-agent-key": noted, "revoke-agent-key": "key_id",
	"start-sync": noted, "cancel-sync": "sync_id",
	"send-test-buyers": theProject,
	"register-webhook": noted, "remove-webhook": "webhook_id", "retry-webhook-call": "log_id",
}

// noBuyers makes register add the operations of the sandbox.
type noBuyers struct{ ports.TestBuyers }

type noDisputes struct{ ports.SandboxDisputes }

func TestRegister_auditTargets(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	a := register(wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"}), Services{TestBuyers: noBuyers{}, SandboxDisputes: noDisputes{}})
	found := map[string]string{}
	eachChange(a, func(path string, op *huma.Operation) {
		r := httptest.NewRequest(op.Method, "/", nil)
		for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
			r.SetPathValue(name[1], name[1])
		}
		found[op.OperationID] = a.PathTarget(op.OperationID, r)
	})
	for _, name := range slices.Sorted(maps.Keys(found)) {
		switch want := targets[name]; want {
		case noted, unlogged: // whatever the path has
		case theProject:
			if found[name] != "" {
				t.Errorf("the target of %s is %q, want the project", name, found[name])
			}
		case found[name]:
		default:
			t.Errorf("the target of %s is %q, want %q", name, found[name], want)
		}
	}
	if len(found) != len(targets) {
		t.Errorf("%d operations, %d lines", len(found), len(targets))
	}
}

func eachChange(a *operation.API, do func(path string, op *huma.Operation)) {
	for path, item := range a.Document().Paths {
		for _, op := range []*huma.Operation{item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				do(path, op)
			}
		}
	}
}
