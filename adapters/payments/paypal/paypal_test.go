package paypal

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	account = ports.PaymentAccount{Key: "client", Secret: "hush"}
	since   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// fakeClock is a clock that tests set.
type fakeClock struct{ at time.Time }

func (h *fakeClock) Now() time.Time { return h.at }

func request() ports.ChargeRequest {
	of := id.New[id.Checkout]([16]byte{1})
	return ports.ChargeRequest{
		Project:  id.New[id.Project]([16]byte{2}),
		Checkout: of,
		Token:    "B-TOKEN",
		Charge: checkout.Charge{
			Key:    checkout.AttemptKey(of, 1),
			Amount: money.Of(4990, money.USD),
			Method: project.BillingAgreement,
			Since:  since,
		},
	}
}

// fakePayPal gives prepared answers by method and last path element, and records the requests.
type fakePayPal struct {
	mu      sync.Mutex
	answers map[string]string // status and body
	asked   []string
	bodies  map[string]string
	grants  int
	clock   *fakeClock // the same as ours
}

func newProvider(t *testing.T, answers map[string]string) (*Provider, *fakePayPal, *fakeClock) {
	t.Helper()
	clock := &fakeClock{since.Add(time.Minute)}
	remote := &fakePayPal{
		answers: answers,
		bodies:  map[string]string{},
		clock:   clock,
	}
	s := httptest.NewServer(remote)
	t.Cleanup(s.Close)
	return New(Config{URL: s.URL, Clock: clock}), remote, clock
}

func (r *fakePayPal) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	w.Header().Set("Date", r.clock.at.Format(http.TimeFormat))
	if strings.HasSuffix(q.URL.Path, "/token") {
		r.grants++
		if _, refuses := r.answers["token"]; refuses {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"access_token":"access-%d","expires_in":3600,"app_id":"APP-1"}`, r.grants)
		return
	}
	name := q.Method + " " + q.URL.Path[strings.LastIndex(q.URL.Path, "/")+1:]
	r.asked = append(r.asked, name+" "+q.Header.Get("PayPal-Request-Id"))
	r.bodies[name] = string(body)
	answer, ok := r.answers[q.Header.Get("Authorization")]
	if !ok {
		answer = r.answers[name]
	}
	var status int
	_, _ = fmt.Sscanf(answer, "%d", &status)
	w.WriteHeader(max(status, http.StatusOK))
	_, content, _ := strings.Cut(answer, " ")
	_, _ = io.WriteString(w, content)
}

func shown(intent, status, captures string) string {
	return fmt.Sprintf(`{"id":"O1","intent":"%s","status":"%s","purchase_units":[{"amount":{"currency_code":"USD","value":"49.90"},
		"payments":{"captures":[%s]}}]}`, intent, status, captures)
}

func issue(name string) string {
	return `422 {"name":"UNPROCESSABLE_ENTITY","message":"B-TOKEN hush","debug_id":"d1","details":[{"issue":"` + name + `"}]}`
}

var (
	made = "201 " + shown("CAPTURE", "CREATED", "")
	done = "200 " + shown("CAPTURE", "COMPLETED", `{"id":"C1","status":"COMPLETED"}`)
)

func TestCharge_outcomes(t *testing.T) {
	paid := checkout.Paid{Provider: "C1", Label: "PayPal"}
	for name, test := range map[string]struct {
		answers map[string]string
		want    checkout.Outcome
	}{
		"paid":               {map[string]string{"POST orders": made, "POST capture": done}, paid},
		"paid before":        {map[string]string{"POST orders": done}, paid},
		"given back since":   {map[string]string{"POST orders": made, "POST capture": strings.Replace(done, `"C1","status":"COMPLETED"`, `"C1","status":"REFUNDED"`, 1)}, paid},
		"pending":            {map[string]string{"POST orders": made, "POST capture": "201 " + shown("CAPTURE", "COMPLETED", `{"id":"C1","status":"PENDING"}`)}, nil},
		"declined":           {map[string]string{"POST orders": made, "POST capture": "201 " + shown("CAPTURE", "COMPLETED", `{"id":"C1","status":"DECLINED"}`)}, declined("INSTRUMENT_DECLINED")},
		"refused":            {map[string]string{"POST orders": made, "POST capture": issue("PAYER_CANNOT_PAY")}, declined("PAYER_CANNOT_PAY")},
		"wants the buyer":    {map[string]string{"POST orders": made, "POST capture": issue("PAYER_ACTION_REQUIRED")}, declined("PAYER_ACTION_REQUIRED")},
		"given up":           {map[string]string{"POST orders": made, "POST capture": issue("ACTION_DOES_NOT_MATCH_INTENT")}, checkout.NotCharged{}},
		"given up, and seen": {map[string]string{"POST orders": "200 " + shown("AUTHORIZE", "CREATED", "")}, checkout.NotCharged{}},
		"captured already":   {map[string]string{"POST orders": made, "POST capture": issue("ORDER_ALREADY_CAPTURED"), "GET O1": done}, paid},
		"invoiced already": {map[string]string{"POST orders": made, "POST capture": issue("DUPLICATE_INVOICE_ID"), "GET O1": made,
			"GET transactions": `200 {"total_pages":1,"transaction_details":[{"transaction_info":{"transaction_id":"C1","transaction_event_code":"T0003",
				"transaction_status":"S","transaction_amount":{"currency_code":"USD","value":"49.90"},"invoice_id":"` + request().Charge.Key + `"}}]}`}, paid},
		"invoiced, nobody knows where": {map[string]string{"POST orders": made, "POST capture": issue("DUPLICATE_INVOICE_ID"), "GET O1": made, "GET transactions": `200 {}`}, nil},
		"another amount":               {map[string]string{"POST orders": strings.Replace(made, "49.90", "49.91", 1)}, nil},
		"another use of the key":       {map[string]string{"POST orders": issue(otherUse)}, nil},
		"half an order":                {map[string]string{"POST orders": "201 " + made[:40]}, nil},
		"an empty order":               {map[string]string{"POST orders": "201 {}"}, nil},
		"an empty capture":             {map[string]string{"POST orders": made, "POST capture": "201 {}"}, nil},
		"elsewhere":                    {map[string]string{"POST orders": made, "POST capture": "302 "}, nil},
		"failed":                       {map[string]string{"POST orders": made, "POST capture": "500 {}"}, nil},
		"refused by a page":            {map[string]string{"POST orders": made, "POST capture": "409 <html>"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, _ := newProvider(t, test.answers)
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, request())
			if outcome != test.want || (outcome == nil) == (err == nil) {
				t.Errorf("%#v, %v, want %#v", outcome, err, test.want)
			}
			if errors.Is(err, ports.ErrUndecided) != (name == "pending") {
				t.Errorf("undecided: %v", err)
			}
			if err != nil && (strings.Contains(err.Error(), "B-TOKEN") || strings.Contains(err.Error(), "hush")) {
				t.Errorf("a secret is in %v", err)
			}
		})
	}
}

func TestCharge_requests(t *testing.T) {
	p, remote, _ := newProvider(t, map[string]string{"POST orders": made, "POST capture": done})
	r := request()
	if _, err := p.Charge(ports.NewOutbound(t.Context()), account, r); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(remote.asked), fmt.Sprint([]string{"POST orders " + r.Charge.Key, "POST capture " + r.Charge.Key + "-capture"}); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	for name, want := range map[string]string{
		"POST orders": `{"intent":"CAPTURE","purchase_units":[{"reference_id":"` + r.Checkout.String() + `","custom_id":"` + r.Charge.Key +
			`","invoice_id":"` + r.Charge.Key + `","amount":{"currency_code":"USD","value":"49.90"}}]}`,
		"POST capture": `{"payment_source":{"token":{"id":"B-TOKEN","type":"BILLING_AGREEMENT"}}}`,
	} {
		if remote.bodies[name] != want {
			t.Errorf("%s: %s, want %s", name, remote.bodies[name], want)
		}
	}
}

// A refusal because of the merchant's account is no decline. In a repeated charge it says nothing about the earlier one.
func TestCharge_accountRefused(t *testing.T) {
	for name, answers := range map[string]map[string]string{
		"a currency that the account does not take": {"POST orders": issue("CURRENCY_NOT_SUPPORTED")},
		"agreements are not enabled":                {"POST orders": made, "POST capture": issue("MERCHANT_NOT_ENABLED_FOR_REFERENCE_TRANSACTION")},
		"a restricted account":                      {"POST orders": made, "POST capture": issue("PAYEE_ACCOUNT_RESTRICTED")},
	} {
		for _, again := range []bool{false, true} {
			p, _, _ := newProvider(t, answers)
			r := request()
			r.Again = again
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, r)
			if outcome != nil || err == nil || errors.Is(err, ports.ErrAccountRefused) == again {
				t.Errorf("%s, again %t: %#v, %v", name, again, outcome, err)
			}
		}
	}
}

func TestCanCharge(t *testing.T) {
	p := New(Config{Clock: &fakeClock{}})
	for _, test := range []struct {
		currency string
		minor    int64
		want     bool
	}{
		{"USD", 1, true}, {"USD", 0, false}, {"JPY", 500, true}, {"HUF", 50000, true}, {"HUF", 50050, false}, {"TWD", 100, true},
		{"TWD", 101, false}, {"KWD", 1000, false}, {"ISK", 10, false},
	} {
		c, err := money.ParseCurrency(test.currency)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.CanCharge(project.PaymentRoute{}, money.Of(test.minor, c)); got != test.want {
			t.Errorf("%d %s: %t", test.minor, test.currency, got)
		}
	}
}

// If credentials are refused after a capture may have been sent, the outcome is unknown. Before that, nothing was charged.
func TestCharge_credentialsRefused(t *testing.T) {
	refused := `403 {"name":"NOT_AUTHORIZED"}`
	for name, test := range map[string]struct {
		answers map[string]string
		refused bool
	}{
		"for the order":         {map[string]string{"POST orders": refused}, true},
		"for the capture":       {map[string]string{"POST orders": made, "POST capture": refused}, true},
		"after the capture":     {map[string]string{"POST orders": made, "POST capture": issue("ORDER_ALREADY_CAPTURED"), "GET O1": refused}, false},
		"for the report":        {map[string]string{"POST orders": made, "POST capture": issue("DUPLICATE_INVOICE_ID"), "GET O1": made, "GET transactions": "401 "}, false},
		"for an order it lost":  {map[string]string{"POST orders": made, "POST capture": issue("RESOURCE_NOT_FOUND"), "GET O1": "401 "}, false},
		"for another use of it": {map[string]string{"POST orders": made, "POST capture": issue(otherUse), "GET O1": "401 "}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, _ := newProvider(t, test.answers)
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, request())
			if outcome != nil || err == nil || errors.Is(err, ports.ErrCredentialsRefused) != test.refused {
				t.Errorf("%#v, %v", outcome, err)
			}
		})
	}
}

// PayPal remembers a request id longer than an attempt may be charged under it.
func TestKeyAge(t *testing.T) {
	if keyAge < checkout.KeyAge || keyAge <= checkout.Validity {
		t.Errorf("keys are trusted for %s; attempts are charged for %s, checkouts last %s", keyAge, checkout.KeyAge, checkout.Validity)
	}
}

// An attempt whose key PayPal may have forgotten is only looked up.
func TestLookUp(t *testing.T) {
	reported := func(status string) string {
		return `200 {"total_pages":1,"transaction_details":[{"transaction_info":{"transaction_id":"C1","transaction_event_code":"T0003",
			"transaction_status":"` + status + `","transaction_amount":{"currency_code":"USD","value":"49.90"},"invoice_id":"` + request().Charge.Key + `"}}]}`
	}
	const none, longest = "200 {}", 9 * time.Hour
	paid := checkout.Paid{Provider: "C1", Label: "PayPal"}
	for name, test := range map[string]struct {
		age    time.Duration
		report string
		want   checkout.Outcome
	}{
		"paid":                    {checkout.KeyAge, reported("S"), paid},
		"paid long ago":           {50 * time.Hour, reported("S"), paid},
		"not seen yet":            {checkout.KeyAge, none, nil},
		"still not seen":          {longest - time.Second, none, nil},
		"never seen":              {longest, none, checkout.NotCharged{}},
		"denied":                  {longest, reported("D"), checkout.NotCharged{}},
		"pending":                 {50 * time.Hour, reported("P"), nil},
		"the report is forbidden": {50 * time.Hour, `403 {"name":"NOT_AUTHORIZED"}`, nil},
		"refused":                 {50 * time.Hour, "401 ", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, remote, clock := newProvider(t, map[string]string{"POST orders": made, "POST capture": done, "PATCH O1": "204 ",
				"GET O1": "200 " + shown("AUTHORIZE", "CREATED", ""), "GET transactions": test.report})
			clock.at = since.Add(test.age)
			charged, errCharged := p.Charge(ports.NewOutbound(t.Context()), account, request())
			if charged != test.want || (charged == nil) == (errCharged == nil) || errors.Is(errCharged, ports.ErrCredentialsRefused) {
				t.Errorf("charged: %#v, %v, want %#v", charged, errCharged, test.want)
			}
			if errCharged != nil && strings.Contains(errCharged.Error(), request().Checkout.String()) {
				t.Errorf("the id of a checkout, which is secret, is in %v", errCharged)
			}
			if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, request()); outcome != test.want || (outcome == nil) == (err == nil) {
				t.Errorf("resolved: %#v, %v, want %#v", outcome, err, test.want)
			}
			for _, asked := range remote.asked {
				if !strings.HasPrefix(asked, "GET transactions") {
					t.Errorf("asked for %s", asked)
				}
			}
		})
	}
}

func TestResolve_youngAttempt(t *testing.T) {
	p, remote, clock := newProvider(t, map[string]string{"POST orders": made, "POST capture": done, "PATCH O1": "204 ",
		"GET O1": "200 " + shown("AUTHORIZE", "CREATED", "")})
	clock.at = since.Add(checkout.KeyAge - time.Second)
	if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, request()); outcome != (checkout.NotCharged{}) || len(remote.asked) != 3 {
		t.Errorf("resolved: %#v, %v, asked %q", outcome, err, remote.asked)
	}
	if outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, request()); outcome != (checkout.Paid{Provider: "C1", Label: "PayPal"}) {
		t.Errorf("charged: %#v, %v", outcome, err)
	}
}

// An account is identified by its client id, because PayPal's app_id is the same for all applications of its sandbox.
func TestInspect(t *testing.T) {
	p, _, _ := newProvider(t, nil)
	for _, a := range []ports.PaymentAccount{account, {Key: account.Key, Secret: "rotated"}, {Key: "other", Secret: "hush"}} {
		if got, live, err := p.Inspect(ports.NewOutbound(t.Context()), a); err != nil || got != a.Key || live {
			t.Errorf("%s: %q, live %t, %v", a.Key, got, live, err)
		}
	}
	p, _, _ = newProvider(t, map[string]string{"token": ""})
	if got, _, err := p.Inspect(ports.NewOutbound(t.Context()), account); got != "" || !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("refused: %q, %v", got, err)
	}
}

// Resolve returns the payment if the order was captured before it could abandon the order.
func TestResolve_concurrentCapture(t *testing.T) {
	for name, test := range map[string]struct {
		patch, now string
		want       checkout.Outcome
	}{
		"in time":          {"204 ", "200 " + shown("AUTHORIZE", "CREATED", ""), checkout.NotCharged{}},
		"too late":         {issue("ORDER_ALREADY_COMPLETED"), done, checkout.Paid{Provider: "C1", Label: "PayPal"}},
		"at the same time": {"204 ", done, checkout.Paid{Provider: "C1", Label: "PayPal"}},
		"not understood":   {issue("SOMETHING_ELSE"), made, nil},
		"without effect":   {"204 ", made, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, _ := newProvider(t, map[string]string{"POST orders": made, "PATCH O1": test.patch, "GET O1": test.now})
			if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, request()); outcome != test.want || (outcome == nil) == (err == nil) {
				t.Errorf("%#v, %v, want %#v", outcome, err, test.want)
			}
		})
	}
}

// An access token is requested once, again when it expires, and again when PayPal refuses it.
func TestAccessToken(t *testing.T) {
	p, remote, clock := newProvider(t, map[string]string{"GET O1": made})
	look := func() {
		t.Helper()
		if _, err := p.order(t.Context(), account, "O1"); err != nil {
			t.Fatal(err)
		}
	}
	want := func(grants int) {
		t.Helper()
		if remote.grants != grants {
			t.Errorf("%d access tokens, want %d", remote.grants, grants)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(look)
	}
	wg.Wait()
	want(1)
	clock.at = clock.at.Add(time.Hour - time.Minute)
	look()
	want(2)
	remote.answers["Bearer access-2"] = "401 "
	look()
	want(3)
	remote.answers["Bearer access-3"], remote.answers["Bearer access-4"] = "401 ", "401 "
	if _, err := p.order(t.Context(), account, "O1"); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("%v", err)
	}
	want(4)
	if _, _, err := p.Inspect(ports.NewOutbound(t.Context()), ports.PaymentAccount{Key: "other", Secret: "hush"}); err != nil {
		t.Error(err)
	}
	want(5)
}

func TestToAmount(t *testing.T) {
	for _, test := range []struct {
		currency      string
		minor         int64
		text, problem string
	}{
		{"USD", 4990, "49.90", ""}, {"JPY", 500, "500", ""}, {"HUF", 50000, "500", ""}, {"HUF", 50050, "", "amount_invalid"},
		{"TWD", 100, "1", ""}, {"BHD", 1000, "", "currency_not_supported"}, {"USD", 0, "", "amount_invalid"},
	} {
		c, err := money.ParseCurrency(test.currency)
		if err != nil {
			t.Fatal(err)
		}
		got, problem := toAmount(money.Of(test.minor, c))
		if got.Value != test.text || problem != test.problem || problem == "" && !got.equals(money.Of(test.minor, c)) {
			t.Errorf("%d %s: %v, %q", test.minor, test.currency, got, problem)
		}
	}
}
