package stripe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	account = ports.PaymentAccount{Key: "sk_test_51Haggle"}
	since   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

type clock struct{}

func (clock) Now() time.Time { return since.Add(time.Minute) }

func request(token string) ports.ChargeRequest {
	of := id.New[id.Checkout]([16]byte{1})
	return ports.ChargeRequest{
		Project:  id.New[id.Project]([16]byte{2}),
		Checkout: of,
		Token:    token,
		Charge: checkout.Charge{
			Key:    checkout.AttemptKey(of, 1),
			Amount: money.Of(4990, money.USD),
			Method: project.SharedPaymentToken,
			Since:  since,
		},
	}
}

// newProvider returns a provider with a fake Stripe that answers with a handler, and whose clock is the same as ours.
func newProvider(t *testing.T, answer http.HandlerFunc) *Provider {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", clock{}.Now().Format(http.TimeFormat))
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return New(Config{URL: s.URL, Clock: clock{}})
}

func respond(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// intent returns a payment intent as JSON, with additional fields.
func intent(status, more string) string {
	return fmt.Sprintf(`{"id":"pi_1","object":"payment_intent","amount":4990,"amount_received":4990,"currency":"usd","status":"%s","created":%d,
		"metadata":{"key":"%s"}%s}`, status, since.Unix(), request("").Charge.Key, more)
}

func refusalOf(kind, code, more string) string {
	return fmt.Sprintf(`{"error":{"type":"%s","code":"%s","message":"spt_123 and sk_test_51Haggle"%s}}`, kind, code, more)
}

func TestCharge_outcomes(t *testing.T) {
	declined := func(code string, final bool) func(checkout.Outcome) bool {
		return func(o checkout.Outcome) bool {
			d, ok := o.(checkout.Declined)
			return ok && d.Code == code && d.Final == final && d.Message != "" && !strings.Contains(d.Message, "spt_")
		}
	}
	unknown := func(o checkout.Outcome) bool { return o == nil }
	card := `,"latest_charge":{"id":"ch_1","object":"charge","payment_method_details":{"type":"card","card":{"brand":"visa","last4":"4242"}}}`
	for name, test := range map[string]struct {
		status int
		body   string
		want   func(checkout.Outcome) bool
	}{
		"paid": {200, intent("succeeded", card), func(o checkout.Outcome) bool {
			return o == checkout.Paid{Provider: "pi_1", Label: "Visa ending in 4242"}
		}},
		"paid, the card unknown":  {200, intent("succeeded", `,"latest_charge":"ch_1"`), func(o checkout.Outcome) bool { return o == checkout.Paid{Provider: "pi_1", Label: "Card"} }},
		"declined":                {402, refusalOf("card_error", "card_declined", `,"decline_code":"insufficient_funds"`), declined("insufficient_funds", false)},
		"stolen":                  {402, refusalOf("card_error", "card_declined", `,"decline_code":"stolen_card"`), declined("stolen_card", true)},
		"expired":                 {402, refusalOf("card_error", "expired_card", ""), declined("expired_card", false)},
		"declined without a 402":  {200, intent("requires_payment_method", `,"last_payment_error":{"type":"card_error","code":"card_declined","decline_code":"fraudulent"}`), declined("fraudulent", true)},
		"no such token":           {400, refusalOf("invalid_request_error", "resource_missing", `,"param":"payment_method_data[shared_payment_granted_token]"`), declined("invalid_token", false)},
		"a used token":            {400, refusalOf("invalid_request_error", "token_already_used", ""), declined("token_already_used", false)},
		"a token for less":        {400, refusalOf("invalid_request_error", "amount_too_large", ""), declined("amount_too_large", false)},
		"processing":              {200, intent("processing", ""), unknown},
		"another amount":          {200, strings.ReplaceAll(intent("succeeded", ""), "4990", "4991"), unknown},
		"another currency":        {200, strings.ReplaceAll(intent("succeeded", ""), "usd", "eur"), unknown},
		"an empty object":         {200, `{}`, unknown},
		"half an object":          {200, `{"id":"pi_1","obj`, unknown},
		"a page":                  {200, `<html>`, unknown},
		"an error of no one":      {400, `<html>`, unknown},
		"in use":                  {409, refusalOf("idempotency_error", "idempotency_key_in_use", ""), unknown},
		"too many":                {429, refusalOf("invalid_request_error", "rate_limit", ""), unknown},
		"failed":                  {500, refusalOf("api_error", "", ""), unknown},
		"elsewhere":               {302, ``, unknown},
		"another use, not listed": {400, refusalOf("idempotency_error", "", ""), unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					respond(w, 200, `{"object":"list","data":[]}`)
					return
				}
				w.Header().Set("Location", "/elsewhere")
				respond(w, test.status, test.body)
			})
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, request("spt_123"))
			if !test.want(outcome) || (outcome == nil) == (err == nil) {
				t.Errorf("%#v, %v", outcome, err)
			}
			if errors.Is(err, ports.ErrUndecided) != (name == "processing") {
				t.Errorf("undecided: %v", err)
			}
			for _, secret := range []string{"spt_123", "51Haggle", request("").Checkout.String()} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("a secret is in %v", err)
				}
			}
		})
	}
}

// A refusal because of the merchant's account is no decline, and no proof that an earlier request with the key has charged
// nothing.
func TestCharge_accountRefused(t *testing.T) {
	for name, test := range map[string]struct {
		code, param string
		first       bool   // false: the charge is a repetition
		void        int    // status of the answer to the void
		list        string // the existing intents
		want        string
	}{
		"tokens are not enabled":       {"parameter_unknown", "payment_method_data[shared_payment_granted_token]", true, 0, "", "account"},
		"nor were they before":         {"parameter_unknown", "payment_method_data", false, 200, "", "account"},
		"currency is not enabled":      {"", "currency", false, 400, "", "account"},
		"a test account":               {"testmode_charges_only", "", false, 400, "", "account"},
		"charged before":               {"parameter_unknown", "payment_method_data", false, 409, intent("succeeded", ""), "paid"},
		"used before, nobody knows":    {"parameter_unknown", "payment_method_data", false, 409, "", "unknown"},
		"charged before it was closed": {"account_invalid", "", false, 400, intent("succeeded", ""), "paid"},
		"a void without an answer":     {"account_invalid", "", false, 500, "", "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				refused := refusalOf("invalid_request_error", test.code, `,"param":"`+test.param+`"`)
				switch {
				case strings.HasSuffix(r.URL.Path, "/pi_1"):
					respond(w, 200, test.list)
				case r.Method == http.MethodGet:
					respond(w, 200, `{"object":"list","data":[`+test.list+`]}`)
				case strings.HasSuffix(r.URL.Path, "/cancel"):
					respond(w, 200, `{}`)
				case r.FormValue("metadata[void]") == "" || test.void == 400:
					respond(w, 400, refused)
				case test.void == 409:
					respond(w, 400, refusalOf("idempotency_error", "", ""))
				case test.void == 500:
					respond(w, 500, refusalOf("api_error", "", ""))
				default:
					respond(w, 200, strings.Replace(intent("requires_payment_method", ""), `"key"`, `"void":"true","key"`, 1))
				}
			})
			r := request("spt_123")
			r.Again = !test.first
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, r)
			got := map[bool]string{true: "account", false: "unknown"}[errors.Is(err, ports.ErrAccountRefused)]
			if _, ok := outcome.(checkout.Paid); ok {
				got = "paid"
			}
			if got != test.want || (outcome == nil) == (err == nil) {
				t.Errorf("%#v, %v, want %s", outcome, err, test.want)
			}
		})
	}
}

// An intent that requires an action of the buyer is canceled, unless it was decided meanwhile.
func TestCharge_requiresAction(t *testing.T) {
	for now, want := range map[string]string{"": "authentication_required", "canceled": "authentication_required", "succeeded": "paid", "processing": "unknown"} {
		t.Run("meanwhile "+now, func(t *testing.T) {
			t.Parallel()
			var canceled atomic.Int32
			p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/cancel") && now == "":
					canceled.Add(1)
					respond(w, 200, intent("canceled", ""))
				case strings.HasSuffix(r.URL.Path, "/cancel"):
					respond(w, 400, refusalOf("invalid_request_error", "payment_intent_unexpected_state", ""))
				case r.Method == http.MethodGet:
					respond(w, 200, intent(now, ""))
				default:
					respond(w, 200, intent("requires_action", ""))
				}
			})
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, request("spt_123"))
			got := "unknown"
			switch o := outcome.(type) {
			case checkout.Declined:
				got = o.Code
			case checkout.Paid:
				got = "paid"
			}
			if got != want || now == "" && canceled.Load() != 1 {
				t.Errorf("%#v, %v, canceled %d times", outcome, err, canceled.Load())
			}
		})
	}
}

// ErrCredentialsRefused means that nothing was charged, so it is not returned if an earlier try may have been carried out.
func TestCharge_credentialsRefused(t *testing.T) {
	for _, before := range []bool{false, true} {
		var tries atomic.Int32
		p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
			if tries.Add(1) == 1 && before {
				respond(w, 500, refusalOf("api_error", "", ""))
				return
			}
			respond(w, 401, refusalOf("invalid_request_error", "", ""))
		})
		outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, request("spt_123"))
		if outcome != nil || err == nil || errors.Is(err, ports.ErrCredentialsRefused) == before {
			t.Errorf("after a failure: %t: %#v, %v", before, outcome, err)
		}
		again := request("spt_123")
		again.Again = true
		if outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, again); outcome != nil || err == nil || errors.Is(err, ports.ErrCredentialsRefused) {
			t.Errorf("a repeat: %#v, %v", outcome, err)
		}
	}
}

// If credentials are refused after a charge was sent, its outcome is unknown.
func TestCharge_credentialsRefusedAfterwards(t *testing.T) {
	waiting := intent("requires_action", "")
	for name, test := range map[string]struct {
		status int
		charge string
		refuse func(*http.Request) bool
	}{
		"the list":       {400, refusalOf("idempotency_error", "", ""), func(r *http.Request) bool { return r.Method == http.MethodGet }},
		"the paid one":   {400, refusalOf("idempotency_error", "", ""), func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/pi_1") }},
		"giving up":      {200, waiting, func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/pi_1") }},
		"a second look":  {200, waiting, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/pi_1") }},
		"the cancelling": {200, waiting, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/cancel") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case test.refuse(r):
					respond(w, 401, refusalOf("invalid_request_error", "", ""))
				case strings.HasSuffix(r.URL.Path, "/cancel"):
					respond(w, 400, refusalOf("invalid_request_error", "payment_intent_unexpected_state", ""))
				case r.Method == http.MethodPost:
					respond(w, test.status, test.charge)
				case strings.HasSuffix(r.URL.Path, "/pi_1"):
					respond(w, 200, waiting)
				default:
					respond(w, 200, `{"object":"list","data":[`+intent("succeeded", "")+`]}`)
				}
			})
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, request("spt_123"))
			if outcome != nil || err == nil || errors.Is(err, ports.ErrCredentialsRefused) {
				t.Errorf("%#v, %v", outcome, err)
			}
		})
	}
}

// Stripe remembers a key longer than an attempt may be charged under it.
func TestKeyAge(t *testing.T) {
	if keyAge <= checkout.KeyAge || keyAge <= checkout.Validity {
		t.Errorf("keys are trusted for %s; attempts are charged for %s, checkouts last %s", keyAge, checkout.KeyAge, checkout.Validity)
	}
}

// Charge only resolves an attempt that is too old to be charged. Refused credentials then mean that the outcome is unknown.
func TestCharge_oldAttempt(t *testing.T) {
	for name, test := range map[string]struct {
		age    time.Duration
		list   string
		status int
		want   checkout.Outcome
		asked  string
	}{
		"young":   {checkout.KeyAge - time.Second, "", 200, checkout.Paid{Provider: "pi_2", Label: "Card"}, "charged"},
		"paid":    {checkout.KeyAge, intent("succeeded", ""), 200, checkout.Paid{Provider: "pi_1", Label: "Card"}, ""},
		"ancient": {26 * time.Hour, intent("succeeded", ""), 200, checkout.Paid{Provider: "pi_1", Label: "Card"}, ""},
		"never":   {checkout.KeyAge, "", 200, checkout.NotCharged{}, "voided"},
		"refused": {checkout.KeyAge, "", 401, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := ""
			p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case test.status != 200:
					respond(w, test.status, refusalOf("invalid_request_error", "", ""))
				case r.Method == http.MethodPost && r.FormValue("metadata[void]") != "" && test.list != "":
					respond(w, 400, refusalOf("idempotency_error", "", ""))
				case r.Method == http.MethodPost && r.FormValue("metadata[void]") != "":
					asked += "voided"
					respond(w, 200, strings.Replace(intent("requires_payment_method", ""), `"key"`, `"void":"true","key"`, 1))
				case strings.HasSuffix(r.URL.Path, "/cancel"):
					respond(w, 200, `{}`)
				case r.Method == http.MethodPost:
					asked += "charged"
					respond(w, 200, strings.Replace(intent("succeeded", ""), "pi_1", "pi_2", 1))
				case strings.HasSuffix(r.URL.Path, "/pi_1"):
					respond(w, 200, intent("succeeded", ""))
				default:
					respond(w, 200, `{"object":"list","data":[`+test.list+`]}`)
				}
			})
			r := request("spt_123")
			r.Charge.Since = clock{}.Now().Add(-test.age)
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, r)
			if outcome != test.want || (outcome == nil) == (err == nil) || errors.Is(err, ports.ErrCredentialsRefused) || asked != test.asked {
				t.Errorf("%#v, %v, %s", outcome, err, asked)
			}
		})
	}
}

// There are at most three tries, and none after the context has ended.
func TestTry_limits(t *testing.T) {
	var tries atomic.Int32
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		respond(w, 503, refusalOf("api_error", "", ""))
	})
	if _, err := p.Charge(ports.NewOutbound(t.Context()), account, request("spt_123")); err == nil || tries.Load() != 3 {
		t.Errorf("%v after %d tries", err, tries.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	tries.Store(0)
	p = newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client disconnects
		cancel()
		<-r.Context().Done()
	})
	if _, err := p.Charge(ports.NewOutbound(ctx), account, request("spt_123")); !errors.Is(err, context.Canceled) || tries.Load() != 1 {
		t.Errorf("%v after %d tries", err, tries.Load())
	}
}

func TestToUnits(t *testing.T) {
	for _, test := range []struct {
		currency string
		minor    int64
		units    int64
		ok       bool
	}{
		{"USD", 4990, 4990, true}, {"JPY", 500, 500, true}, {"ISK", 500, 50000, true}, {"UGX", 5, 500, true},
		{"MGA", 500, 5, true}, {"MGA", 550, 0, false}, {"BHD", 1230, 1230, true}, {"BHD", 1235, 0, false}, {"USD", 0, 0, false},
	} {
		c, err := money.ParseCurrency(test.currency)
		if err != nil {
			t.Fatal(err)
		}
		units, ok := toUnits(money.Of(test.minor, c))
		if ok != test.ok || ok && units != test.units {
			t.Errorf("%d %s: %d, %t", test.minor, test.currency, units, ok)
		}
		if again, err := fromUnits(units, strings.ToLower(test.currency)); ok && (err != nil || again != money.Of(test.minor, c)) {
			t.Errorf("%d %s comes back as %v, %v", test.minor, test.currency, again, err)
		}
	}
}
