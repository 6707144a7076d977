package sqlstore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/personal"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// notPersonal are columns of text and bytes that hold no personal data of buyers, and why. A name after * is of any table.
var notPersonal = map[string]string{
	"an id, a hash, or a provider's id: it tells nothing of a person without the row or account that it is of": `
*.id *.project_id *.job_id *.session_id *.order_id *.checkout_id *.payment_id *.refund_id *.return_id *.product_id *.variant_id *.negotiation_id
*.quote_id *.integration_id *.account_id *.agent_id *.event_id *.webhook_id *.run_id *.row_id *.key_id *.charge_id *.record_id
*.transaction_id *.dispute_id *.authenticator_id *.member_id *.request_id *.key *.hash *.prior *.token_hash *.queue *.provider *.gateway
*.token_salt *.agent_key *.remote *.local *.reference *.subject *.claimed_by *.redeemed_by *.digest *.fingerprint *.prefix
decisions.personal copies.prints copies.seen orders.confirmation orphan_charges.charge orphan_charges.refund
decision_chains.folded_hash decision_chains.seal retention.seal retention.sessions_id retention.pseudonym_key
integrations.webhook_remote platform_orders.remote_name platform_orders.remote_url platform_orders.told platform_orders.moved crm_deals.remote_url crm_deals.written disputes.provider sync_problems.remote`,
	"one of a fixed list": `
*.status *.state *.kind *.type *.currency *.resource *.topic *.response *.rule *.handler *.hook_protocol *.protocol *.fallback *.origin *.method *.carrier
disputes.fee_currency disputes.withdrawn_currency disputes.reason orders.fulfillment_status refunds.failure orphan_charges.failure
sandbox_charges.result sandbox_disputes.reason sandbox_disputes.evidence sessions.loyalty_tier sessions.member_tier sessions.urgency audit_events.action
integrations.webhook_status integrations.refused_orders integrations.sync_schedule checkouts.selected labels.service idempotency_keys.content_type outbox.type ledger_postings.debit
ledger_postings.credit sync_changes.field payments.label agent_policies.origin accounts.plan member_links.purpose quotes.personal quotes.personal_region`,
	"the merchant's own people, not buyers: who works for the account": `
members.email members.name members.password members.projects members.role member_identities.issuer member_links.email member_links.made_by member_links.projects
member_links.role member_tries.wrong console_sessions.address console_sessions.browser`,
	"the merchant's: names, settings, credentials, goods": `
accounts.email accounts.name agent_policies.note agent_policies.policy agents.handlers agents.model agents.name agents.secret
api_keys.name api_keys.projects api_keys.scopes authenticators.secret mfa_tries.wrong authorizations.callback authorizations.redirect_uri authorizations.store
authorizations.verifier event_subscriptions.description event_subscriptions.previous event_subscriptions.reason
event_subscriptions.secret event_subscriptions.types event_subscriptions.url integration_webhooks.actions integration_webhooks.problem
signing_keys.sealed signing_keys.x signing_keys.y agent_keys.name agent_keys.profile
integration_webhooks.signing integrations.account integrations.base_url integrations.name integrations.sealed integrations.store
integrations.wanted products.category products.details products.folded products.name products.sku projects.description projects.event_types
projects.name jobs.request import_files.content import_refusals.content released_slugs.slug projects.progress projects.routes projects.personalization projects.settings projects.slug projects.storefront stock.location
stock_moves.location stock_moves.reason stock_turns.location synonyms.input synonyms.words variants.color variants.size
variants.sku variants.gtin variants.mpn variants.inventory_policy copies.sku sync_changes.title sync_changes.fields embeddings.model embeddings.vector embedding_progress.model returns.instructions audit_events.address`,
	"goods, prices, what moved them, and counts of a sale or a negotiation": `
analytics_slots.figures analytics_slots.products cart_items.name checkouts.lines checkouts.cart_problems checkouts.options checkouts.taken orders.lines
quotes.bundle quotes.declined_for returns.allocation returns.restocked decisions.before decisions.signals reconciliations.totals
integrations.synced sync_runs.steps jobs.result`,
	"this program's words about a failure": `
deliveries.last_error embedding_progress.last_error integrations.last_error jobs_set_aside.error orphan_charges.problem
reconciliations.last_error refunds.problem sync_problems.reason sync_runs.error sync_runs.notices jobs.code jobs.reason webhook_deliveries.error`,
	"the audit log, whose operations name buyers by pseudonyms": `
audit_events.after audit_events.before audit_events.target`,
}

// Every column is classified: erasing a buyer and closing a project erase it, or notPersonal gives the reason why not.
func TestMigrations_personalColumnsClassified(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		var erasable []string
		for _, p := range personal.Tables(s.DB.Dialect) {
			for _, c := range p.Erased {
				erasable = append(erasable, p.Table+"."+c.Name)
			}
		}
		erasable = append(erasable, personal.AlsoPersonal...)
		harmless, seen := map[string]bool{}, map[string]bool{}
		for _, columns := range notPersonal {
			for _, c := range strings.Fields(columns) {
				harmless[c] = true
			}
		}
		all := storetest.TextColumns(t, s)
		for _, column := range all {
			_, name, _ := strings.Cut(column, ".")
			named, anywhere, erased := harmless[column], harmless["*."+name], slices.Contains(erasable, column)
			switch {
			case !erased && !named && !anywhere:
				t.Errorf("%s is not classified: add it to personal or to notPersonal", column)
			case erased && named:
				t.Errorf("%s is classified as both", column)
			}
			seen[column], seen["*."+name] = true, true
		}
		for _, column := range erasable {
			if !slices.Contains(all, column) {
				t.Errorf("%s is to be erased, and is no column of text", column)
			}
		}
		for column := range harmless {
			if !seen[column] {
				t.Errorf("%s is classified, and is no column of text", column)
			}
		}
	})
}
