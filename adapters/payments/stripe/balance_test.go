package stripe

import (
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func TestBalanceChanges(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		respond(w, 200, `{"object":"list","data":[
			{"id":"txn_1","object":"balance_transaction","amount":4990,"fee":175,"currency":"usd","created":1772366400,"reporting_category":"charge",
				"source":{"id":"ch_1","object":"charge","payment_intent":"pi_1"}},
			{"id":"txn_2","object":"balance_transaction","amount":-1000,"fee":0,"currency":"usd","created":1772366400,"reporting_category":"refund",
				"source":{"id":"re_1","object":"refund","payment_intent":"pi_1"}},
			{"id":"txn_3","object":"balance_transaction","amount":-4990,"fee":1500,"currency":"usd","created":1772366400,"reporting_category":"dispute",
				"source":{"id":"dp_1","object":"dispute","currency":"usd","payment_intent":"pi_1"}},
			{"id":"txn_8","object":"balance_transaction","amount":-4990,"fee":1500,"currency":"usd","created":1772366400,"reporting_category":"dispute",
				"source":{"id":"dp_2","object":"dispute","currency":"eur","payment_intent":"pi_2"}},
			{"id":"txn_4","object":"balance_transaction","amount":-3000,"fee":25,"currency":"usd","created":1772366400,"reporting_category":"payout","source":"po_1"},
			{"id":"txn_5","object":"balance_transaction","amount":-200,"fee":0,"currency":"usd","created":1772366400,"reporting_category":"fee","source":null},
			{"id":"txn_6","object":"balance_transaction","amount":-10,"fee":0,"currency":"usd","created":1772366400,"reporting_category":"transfer","source":"tr_1"},
			{"id":"txn_7","object":"balance_transaction","amount":-10,"fee":0,"currency":"zzz","created":1772366400,"reporting_category":"transfer","source":"tr_2"}]}`)
	})
	var got []ports.BalanceChange
	err := p.BalanceChanges(ports.NewOutbound(t.Context()), account, ports.StatementRequest{From: since, To: since.Add(time.Hour)}, func(c ports.BalanceChange) error {
		got = append(got, c)
		return nil
	})
	usd := func(n int64) money.Amount { return money.Of(n, money.USD) }
	want := []ports.BalanceChange{
		{Kind: ports.BalanceFee, Provider: "txn_1", Charge: "pi_1", Amount: usd(-175), At: since},
		{Kind: ports.BalanceDispute, Provider: "txn_3", Charge: "pi_1", Amount: usd(-6490), At: since},
		{Kind: ports.BalanceDispute, Provider: "txn_8", Charge: "pi_2", Amount: usd(-4990), At: since},
		{Kind: ports.BalanceFee, Provider: "txn_8", Charge: "pi_2", Amount: usd(-1500), At: since},
		{Kind: ports.BalancePayout, Provider: "txn_4", Amount: usd(-3000), At: since},
		{Kind: ports.BalanceFee, Provider: "txn_4", Amount: usd(-25), At: since},
		{Kind: ports.BalanceFee, Provider: "txn_5", Amount: usd(-200), At: since},
		{Kind: ports.BalanceOther, Provider: "txn_6", Amount: usd(-10), At: since},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
}

// The balance report also contains the news of webhooks, because a webhook can be lost.
func TestBalanceChanges_news(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		respond(w, 200, `{"object":"list","data":[
			{"id":"txn_1","object":"balance_transaction","amount":-4990,"fee":1500,"currency":"usd","created":1772366400,"reporting_category":"dispute",
				"source":{"id":"dp_1","object":"dispute","status":"lost","reason":"fraudulent","amount":4990,"currency":"usd","payment_intent":"pi_1",
					"balance_transactions":[{"id":"txn_1","amount":-4990,"fee":1500,"currency":"usd"}]}},
			{"id":"txn_2","object":"balance_transaction","amount":1000,"fee":0,"currency":"usd","created":1772366400,"reporting_category":"refund_failure",
				"source":{"id":"re_1","object":"refund","status":"failed","failure_reason":"lost_or_stolen_card","amount":1000,"currency":"usd",
					"payment_intent":"pi_1","metadata":{"`+metaRefund+`":"ref_1"}}},
			{"id":"txn_3","object":"balance_transaction","amount":-500,"fee":0,"currency":"usd","created":1772366400,"reporting_category":"refund",
				"source":{"id":"re_2","object":"refund","status":"succeeded","amount":500,"currency":"usd","payment_intent":"pi_1","created":1772366400}},
			{"id":"txn_4","object":"balance_transaction","amount":-500,"fee":0,"currency":"usd","created":1772366400,"reporting_category":"refund",
				"source":{"id":"re_3","object":"refund","status":"succeeded","amount":500,"currency":"usd","payment_intent":"pi_1","metadata":{"`+metaRefund+`":"ref_2"}}}]}`)
	})
	got := map[string]ports.PaymentEvent{}
	err := p.BalanceChanges(ports.NewOutbound(t.Context()), account, ports.StatementRequest{From: since, To: since.Add(time.Hour)}, func(c ports.BalanceChange) error {
		switch c.Kind {
		case ports.BalanceNews:
			got[c.Provider] = c.News
		case ports.BalanceDispute:
		default:
			t.Errorf("%s is %s", c.Provider, c.Kind)
		}
		return nil
	})
	usd := func(n int64) money.Amount { return money.Of(n, money.USD) }
	dispute := got["txn_1"].Dispute
	if err != nil || len(got) != 3 || dispute == nil || dispute.At.IsZero() {
		t.Fatalf("%v: %+v", err, got)
	}
	dispute.At = since
	if want := (order.DisputeReport{
		Charge:    "pi_1",
		Provider:  "dp_1",
		Status:    order.DisputeLost,
		Response:  order.ResponseClosed,
		Reason:    "fraudulent",
		Amount:    usd(4990),
		Withdrawn: usd(4990),
		Fee:       usd(1500),
		At:        since,
	}); *dispute != want {
		t.Errorf("the dispute: %+v", *dispute)
	}
	if refund, _ := got["txn_2"].Refund.(order.RefundFailed); refund.Provider != "re_1" || got["txn_2"].Key != "ref_1" {
		t.Errorf("the refund that failed: %+v", got["txn_2"])
	}
	if external := got["txn_3"].External; external == nil || external.Provider != "re_2" || external.Amount != usd(500) {
		t.Errorf("the refund made elsewhere: %+v", got["txn_3"])
	}
}

// The time of a dispute's report is that of the answer by Stripe's clock, even for the first answer. A later time would make
// the following reports look outdated.
func TestBalanceChanges_firstAnswer(t *testing.T) {
	theirs := clock{}.Now().Add(-48 * time.Hour)
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", theirs.Format(http.TimeFormat))
		respond(w, 200, `{"object":"list","data":[
			{"id":"txn_1","object":"balance_transaction","amount":-4990,"fee":1500,"currency":"usd","created":1772366400,"reporting_category":"dispute",
				"source":{"id":"dp_1","object":"dispute","status":"needs_response","amount":4990,"currency":"usd","payment_intent":"pi_1"}}]}`)
	})
	var at time.Time
	err := p.BalanceChanges(ports.NewOutbound(t.Context()), account, ports.StatementRequest{From: since, To: since.Add(time.Hour)}, func(c ports.BalanceChange) error {
		if c.Kind == ports.BalanceNews {
			at = c.News.Dispute.At
		}
		return nil
	})
	if err != nil || at.Sub(theirs).Abs() > 2*time.Second {
		t.Errorf("reported at %s by a clock that said %s, %v", at, theirs, err)
	}
}

// Dispute reads the current state, because a dispute that is lost weeks after it opened changes no balance.
func TestDispute(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/disputes/dp_1" {
			respond(w, 404, `{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such dispute"}}`)
			return
		}
		respond(w, 200, `{"id":"dp_1","object":"dispute","status":"lost","reason":"fraudulent","amount":4990,"currency":"usd","payment_intent":"pi_1",
			"balance_transactions":[{"id":"txn_1","amount":-4990,"fee":1500,"currency":"usd"}]}`)
	})
	news, err := p.Dispute(ports.NewOutbound(t.Context()), account, "dp_1")
	if d := news.Dispute; err != nil || d == nil || d.Provider != "dp_1" || d.Charge != "pi_1" || d.Status != order.DisputeLost ||
		d.Withdrawn != money.Of(49_90, money.USD) || d.Fee != money.Of(15_00, money.USD) {
		t.Errorf("%+v, %v", d, err)
	}
	if news, err := p.Dispute(ports.NewOutbound(t.Context()), account, "dp_2"); err == nil {
		t.Errorf("a dispute that there is not: %+v", news)
	}
}
