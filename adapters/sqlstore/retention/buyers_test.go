package retention_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/personal"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/retention"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// holding are the columns that hold a text, in any case.
func holding(t *testing.T, s *storetest.Store, text string) (list []string) {
	t.Helper()
	for _, column := range storetest.TextColumns(t, s) {
		table, name, _ := strings.Cut(column, ".")
		var values [][]byte
		if err := s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
			return x.Select(t.Context(), &values, "SELECT "+name+" FROM "+table+" WHERE "+name+" IS NOT NULL")
		}); err != nil {
			t.Fatalf("%s: %v", column, err)
		}
		if slices.ContainsFunc(values, func(v []byte) bool { return bytes.Contains(bytes.ToLower(v), []byte(text)) }) {
			list = append(list, column)
		}
	}
	return list
}

const zoe = "zoe@example.com"

// marked is a store in which a buyer asked for a return of an order that is under way. Wherever personal data may be, it
// is marked: "zoe" in all that is this buyer's, and "bob" in the order of another one.
func marked(t *testing.T, s *storetest.Store) (sale *porttest.Sale, answer ports.KeyUsage) {
	t.Helper()
	bob := porttest.NewSale(t, storetest.Views(s))
	bob.Finalize(bob.Init(bob.Quote()))
	storetest.Change(t, s, `UPDATE orders SET email = 'bob@example.com', notes = 'bob'`)
	sale = porttest.NewSale(t, storetest.Views(s))
	r := sale.Answer()
	r.Entry.Message, r.Entry.Client = "I am zoe", "client of zoe"
	if err := s.Haggling().Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	sale.Finalize(sale.Init(r))
	sale.Return()
	if _, err := s.Decisions().Seal(t.Context(), 1000); err != nil {
		t.Fatal(err)
	}
	storetest.Change(t, s, storetest.ProvidersCharges)
	of, order, project := "WHERE project_id = '"+sale.Project().String()+"'", sale.Order.ID.String(), sale.Project().String()
	address := `'{"name":"zoe","first":"zoe","last":"zoe","line1":"zoe","line2":"zoe","city":"zoe","state":"OR","postal_code":"zoe","country":"US","phone":"zoe"}'`
	for _, statement := range []string{
		`UPDATE orders SET agent_profile = 'zoe', hook_protocol = 'haggle', hook_url = 'zoe', email = 'Zoe@Example.COM', notes = 'zoe', address = ` + address + `,
			fulfillment = '{"tracking_number":"zoe","tracking_url":"zoe",' || substr(fulfillment, 2) ` + of,
		`UPDATE checkouts SET agent_profile = 'zoe', hook_protocol = 'haggle', hook_url = 'zoe', client = 'zoe', buyer = '{"first":"zoe","last":"zoe","email":"zoe@example.com","phone":"zoe"}', address = ` + address + `,
			payment = '{"method":"psp_spt","token_hash":"","email":"ZOE@example.com","notes":"zoe","client":"zoe","option":"standard"}' ` + of,
		`UPDATE returns SET comment = 'zoe', reason = 'zoe', items = replace(items, 'too small', 'zoe') ` + of,
		`UPDATE sessions SET location = 'zoe', agent_profile = 'zoe', buyer_first = 'zoe', buyer_last = 'zoe', buyer_email = 'zOe@example.com', buyer_phone = 'zoe' ` + of,
		`UPDATE outbox SET hook = 'hook:zoe', payload = '{"data":{"order_id":"` + order + `","buyer_email":"zoe","notes":"zoe","reason":"zoe","tracking_number":"zoe","tracking_url":"zoe",
			"shipping_address":{"name":"zoe","first_name":"zoe","last_name":"zoe","line1":"zoe","line2":"zoe","city":"zoe","state":"OR","postal_code":"zoe","country":"US","phone":"zoe"}}}' ` + of + ` AND type = 'order.completed'`,
		`INSERT INTO refunds (project_id, id, order_id, payment_id, return_id, status, currency, amount, reason, failure, provider, created_at, updated_at, attempts)
			SELECT project_id, 'ref_1', order_id, id, '', 'failed', currency, 1, 'zoe', '', '', 0, 0, 0 FROM payments ` + of,
		`INSERT INTO disputes (project_id, id, order_id, payment_id, gateway, provider, status, response, evidence, reason, currency, amount, withdrawn_currency,
			withdrawn, fee_currency, fee, steps, reported_at, created_at, updated_at)
			SELECT project_id, 'dsp_1', order_id, id, gateway, 'du_1', 'lost', 'closed', '{"note":"zoe"}', 'fraudulent', currency, 1, currency, 0, currency, 0, 0, 0, 0, 0 FROM payments ` + of,
		`INSERT INTO labels (project_id, order_id, test, id, integration_id, carrier, service, grams, unsure, remote, tracking_number, currency, price, pdf, told, created_at, former)
			VALUES ('` + project + `', '` + order + `', FALSE, 'l', 'i', 'DHL', 's', 1, FALSE, '', 'zoe', 'USD', 1, CAST('zoe' AS ` + storetest.Blob(s) + `), TRUE, 0,
				'[{"tracking_number":"zoe"}]')`,
		`INSERT INTO order_notes (project_id, id, order_id, member_id, key_id, text, created_at)
			VALUES ('` + project + `', 'n', '` + order + `', 'm', '', 'zoe', 0)`,
		`INSERT INTO platform_orders (project_id, order_id, integration_id, status, problem, created_at, updated_at)
			VALUES ('` + project + `', '` + order + `', 'i', 'refused', 'zoe', 0, 0)`,
		`INSERT INTO crm_deals (project_id, order_id, integration_id, status, problem, created_at, updated_at)
			VALUES ('` + project + `', '` + order + `', 'i', 'refused', 'zoe', 0, 0)`,
		`INSERT INTO copies (project_id, integration_id, resource, remote, local, sku, digest, quantity, seen, removed, email, content, updated_at)
			VALUES ('` + project + `', 'i', 'customers', '1', '', '', '', 0, '', FALSE, 'zoe@example.com', '{"customer":{"name":"zoe"}}', 0)`,
		`INSERT INTO webhook_deliveries (project_id, id, integration_id, webhook_id, topic, remote, status, error, retries, size, payload, received_at)
			VALUES ('` + project + `', 'w', 'i', 'w', 't', '', 'failed', '', 0, 1, CAST('{"email":"Zoe@example.com","name":"zoe"}' AS ` + storetest.Blob(s) + `), 0)`,
	} {
		storetest.Change(t, s, statement)
	}
	answer = ports.KeyUsage{
		Owner:       "o",
		Route:       "POST /x",
		Key:         "k",
		Fingerprint: sha256.Sum256([]byte("x")),
		At:          time.Now(),
	}
	record := ports.Record{Use: &answer, Answer: ports.Answer{
		Status:  200,
		Body:    []byte("to zoe"),
		Subject: order,
	}}
	if err := s.Requests().Record(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	return sale, answer
}

func TestBuyerRecords_Erase(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale, answer := marked(t, s)
		records, project := s.BuyerRecords(), sale.Project()
		everywhere := holding(t, s, "zoe")
		for _, p := range personal.Tables(s.DB.Dialect) {
			for _, c := range p.Erased {
				if column := p.Table + "." + c.Name; c.Name != "salt" && !slices.Contains(everywhere, column) {
					t.Errorf("%s is not marked in this test: %v", column, everywhere)
				}
			}
		}
		sessions := func() []id.Session {
			list, err := records.Sessions(t.Context(), project, zoe, ports.Page{Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		found := sessions()
		if len(found) != 1 {
			t.Fatalf("sessions of the buyer: %v", found)
		}
		erase := func() ports.ErasedSession {
			done, err := records.Erase(t.Context(), project, found[0], zoe)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		copied := func() (erased, waiting int) {
			erased, waiting, err := records.EraseCopied(t.Context(), project, zoe, "buyer_1")
			if err != nil {
				t.Fatal(err)
			}
			return erased, waiting
		}

		done := erase()
		want := []ports.PendingErasure{{Order: sale.Order.ID, Checkout: sale.Order.Checkout, Reasons: []string{"not_delivered", "return_requested"}}}
		if fmt.Sprint(done.Pending) != fmt.Sprint(want) || !slices.Equal(holding(t, s, "zoe"), everywhere) {
			t.Errorf("in progress: %+v, want %v and nothing erased", done, want)
		}
		storetest.Change(t, s, "UPDATE orders SET fulfillment_status = 'delivered'")
		storetest.Change(t, s, "UPDATE returns SET status = 'rejected', decided_at = 1")
		exported, err := records.Session(t.Context(), project, found[0], zoe)
		if err != nil || len(exported.Orders) != 1 || len(exported.Entries) != 1 || len(exported.Events) < 2 || exported.Session.Claims.Location != "zoe" {
			t.Errorf("exported %+v, %v", exported, err)
		}
		if list, err := records.Copied(t.Context(), project, zoe); err != nil || len(list) != 2 {
			t.Errorf("copied: %v, %v", list, err)
		}
		if done = erase(); len(done.Pending) > 0 || done.Orders != 1 || done.Checkouts != 1 || done.Messages != 1 || done.Kept != 0 || done.Events < 2 {
			t.Errorf("erased %+v", done)
		}
		if erased, waiting := copied(); erased != 2 || waiting != 0 {
			t.Errorf("erased %d of platforms, %d wait", erased, waiting)
		}
		if left := holding(t, s, "zoe"); len(left) > 0 {
			t.Errorf("the buyer is still in %v", left)
		}
		if bobs := holding(t, s, "bob"); !slices.Equal(bobs, []string{"orders.email", "orders.notes"}) {
			t.Errorf("another buyer is in %v", bobs)
		}
		if broken := storetest.Verified(t, s).Violations(); len(broken) > 0 {
			t.Errorf("the books break %v", broken)
		}
		sealed, err := s.Decisions().Sealed(t.Context(), project, 1, 10)
		if err != nil || len(sealed) != 1 {
			t.Fatalf("%d links, %v", len(sealed), err)
		}
		if _, broken := negotiation.VerifyChain(negotiation.ChainEnd{}, []negotiation.Link{negotiation.Link(sealed[0])}); broken != 0 {
			t.Errorf("the chain breaks at %d", broken)
		}
		if _, err := s.Requests().Find(t.Context(), answer); !fault.Is(err, "answer_erased") {
			t.Errorf("the erased answer is %v", err)
		}
		if err := s.Requests().Claim(t.Context(), answer); !fault.Is(err, "idempotency_in_progress") {
			t.Errorf("the request is carried out again: %v", err)
		}
		if again := sessions(); len(again) > 0 {
			t.Errorf("sessions after erasure: %v", again)
		}
		if again := erase(); again.Orders != 0 || len(again.Pending) > 0 {
			t.Errorf("erased again: %+v", again)
		}
	})
}

// Reads of a buyer by e-mail use an index.
func TestBuyerSessions_index(t *testing.T) {
	s := storetest.FreshPostgres(t)
	var plan []string
	args := db.Args{"p"}
	query := retention.BuyerSessions(s.DB.Dialect, &args, zoe)
	if err := s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
		if _, err := x.Exec(t.Context(), "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		return x.Select(t.Context(), &plan, "EXPLAIN "+query, args...)
	}); err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{"orders_email", "checkouts_email"} {
		if !strings.Contains(strings.Join(plan, "\n"), index) {
			t.Errorf("%s is not used: %s", index, strings.Join(plan, "\n"))
		}
	}
}
