package providercontract

import (
	"maps"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

// These tests check what the Stripe adapter relies on. Sources, all read in November 2026:
// docs.stripe.com/api/idempotent_requests, docs.stripe.com/error-low-level, docs.stripe.com/api/payment_intents/list,
// docs.stripe.com/api/payment_intents/search, docs.stripe.com/search.

// payment returns the parameters of a charge of a test card, with its key as metadata.
func (s target) payment(key string) map[string]string {
	return map[string]string{
		"amount": "4990", "currency": "usd", "confirm": "true", "payment_method": s.payable, "metadata[key]": key,
		"automatic_payment_methods[enabled]": "true", "automatic_payment_methods[allow_redirects]": "never",
	}
}

func void(key string) map[string]string {
	return map[string]string{"amount": "4990", "currency": "usd", "metadata[key]": key, "metadata[void]": "true"}
}

func eachStripe(t *testing.T, check func(*testing.T, target)) {
	for name, at := range stripeTargets(t) {
		t.Run(name, func(t *testing.T) { check(t, at) })
	}
}

// "Subsequent requests with the same key return the same result."
func TestStripeContract_aRepeatGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		key := fresh(t)
		first := s.form(t, http.MethodPost, "/v1/payment_intents", key, s.payment(key))
		again := s.form(t, http.MethodPost, "/v1/payment_intents", key, s.payment(key))
		if first.at("status") != "succeeded" || again.at("id") != first.at("id") || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d %v, then %d %v", first.status, first.body["id"], again.status, again.body["id"])
		}
	})
}

// A key whose request is in progress is refused: 409, "the request conflicts with another request that's executing
// concurrently".
func TestStripeContract_aKeyInUseIs409(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		key := fresh(t)
		values := s.payment(key)
		if s.look != nil {
			delete(values, "payment_method")
			values["payment_method_data[shared_payment_granted_token]"] = s.look.token(t, "slow:500;ok")
		}
		var mu sync.Mutex
		ids, conflicts := map[string]bool{}, 0
		var racers sync.WaitGroup
		for range 5 {
			racers.Go(func() {
				given := s.form(t, http.MethodPost, "/v1/payment_intents", key, values)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case given.status == http.StatusConflict && given.at("error", "code") == "idempotency_key_in_use":
					conflicts++
				case given.status == http.StatusOK:
					ids[given.at("id")] = true
				default:
					t.Errorf("%d %v", given.status, given.body)
				}
			})
		}
		racers.Wait()
		if len(ids) != 1 || conflicts == 0 {
			t.Errorf("%d intents and %d conflicts of five requests under one key", len(ids), conflicts)
		}
	})
}

// "Saving the resulting status code and body [...] regardless of whether it succeeds or fails": a decline is repeated even if
// the card would be accepted by then.
func TestStripeContract_aDeclineIsRepeated(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		key := fresh(t)
		values := s.payment(key)
		values["payment_method"] = "pm_card_visa_chargeDeclinedInsufficientFunds"
		first := s.form(t, http.MethodPost, "/v1/payment_intents", key, values)
		again := s.form(t, http.MethodPost, "/v1/payment_intents", key, values)
		if first.status != http.StatusPaymentRequired || again.status != http.StatusPaymentRequired ||
			first.at("error", "payment_intent", "id") == "" || first.at("error", "payment_intent", "id") != again.at("error", "payment_intent", "id") {
			t.Errorf("%d %v, then %d %v", first.status, first.body, again.status, again.body)
		}
	})
}

// "Including 500 errors." A test cannot make Stripe return a 500.
func TestStripeContract_a500IsKept(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		if s.look == nil {
			t.Skip("Stripe fails by itself only")
		}
		key := fresh(t)
		values := s.payment(key)
		delete(values, "payment_method")
		values["payment_method_data[shared_payment_granted_token]"] = s.look.token(t, "error_kept:1;ok")
		for range 2 {
			if given := s.form(t, http.MethodPost, "/v1/payment_intents", key, values); given.status != http.StatusInternalServerError {
				t.Errorf("%d %v", given.status, given.body)
			}
		}
		if given := s.form(t, http.MethodPost, "/v1/payment_intents", key, void(key)); given.at("error", "type") != "idempotency_error" {
			t.Errorf("the void: %d %v", given.status, given.body)
		}
	})
}

// "If incoming parameters fail validation [...] we don't save the idempotent result": the key can be used again.
func TestStripeContract_aMalformedRequestUsesNoKey(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		key := fresh(t)
		malformed := s.payment(key)
		malformed["no_such_parameter"] = "1"
		if given := s.form(t, http.MethodPost, "/v1/payment_intents", key, malformed); given.status != http.StatusBadRequest || given.at("error", "code") != "parameter_unknown" {
			t.Errorf("%d %v", given.status, given.body)
		}
		if given := s.form(t, http.MethodPost, "/v1/payment_intents", key, void(key)); given.status != http.StatusOK {
			t.Errorf("the void: %d %v", given.status, given.body)
		}
	})
}

// "Compares incoming parameters to those of the original request and errors if they're not the same": of void and charge the
// first one wins, and its response shows which it was.
func TestStripeContract_voidAndChargeExcludeEachOther(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		for name, order := range map[string][2]func(string) map[string]string{"void first": {void, s.payment}, "charge first": {s.payment, void}} {
			key := fresh(t) + name
			first := s.form(t, http.MethodPost, "/v1/payment_intents", key, order[0](key))
			second := s.form(t, http.MethodPost, "/v1/payment_intents", key, order[1](key))
			if first.status != http.StatusOK || second.status != http.StatusBadRequest || second.at("error", "type") != "idempotency_error" {
				t.Errorf("%s: %d, then %d %v", name, first.status, second.status, second.body)
			}
			if found := s.listed(t, key, time.Now().Add(-5*time.Minute)); len(found) != 1 || found[0] != first.at("id") {
				t.Errorf("%s: listed %v, want %s", name, found, first.at("id"))
			}
		}
	})
}

// listed returns the ids of a key's intents by list, newest first.
func (s target) listed(t *testing.T, key string, since time.Time) (found []string) {
	t.Helper()
	if s.look != nil {
		since = since.Add(time.Duration(s.look.clock.ahead.Load()))
	}
	query := map[string]string{"limit": "100", "created[gte]": strconv.FormatInt(since.Unix(), 10)}
	for {
		given := s.form(t, http.MethodGet, "/v1/payment_intents", "", query)
		data, _ := given.body["data"].([]any)
		for _, row := range data {
			one := reply{body: row.(map[string]any)}
			query["starting_after"] = one.at("id")
			if one.at("metadata", "key") == key {
				found = append(found, one.at("id"))
			}
		}
		if more, _ := given.body["has_more"].(bool); !more {
			return found
		}
	}
}

// Lists "aren't subject to the availability delay": they show an intent immediately.
func TestStripeContract_aListShowsAnIntentAtOnce(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		for range 5 {
			key := fresh(t)
			made := s.form(t, http.MethodPost, "/v1/payment_intents", key, s.payment(key))
			if found := s.listed(t, key, time.Now().Add(-5*time.Minute)); len(found) != 1 || found[0] != made.at("id") {
				t.Errorf("listed %v, want %s", found, made.at("id"))
			}
		}
	})
}

// Search usually finds an intent by its metadata within a minute.
func TestStripeContract_searchFindsAnIntentLater(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		key := fresh(t)
		made := s.form(t, http.MethodPost, "/v1/payment_intents", key, s.payment(key))
		query := map[string]string{"query": "metadata['key']:'" + key + "'"}
		for began := time.Now(); ; time.Sleep(5 * time.Second) {
			given := s.form(t, http.MethodGet, "/v1/payment_intents/search", "", query)
			data, _ := given.body["data"].([]any)
			switch {
			case given.status != http.StatusOK:
				t.Fatalf("%d %v", given.status, given.body)
			case len(data) == 1 && (reply{body: data[0].(map[string]any)}).at("id") == made.at("id"):
				return
			case time.Since(began) > 3*time.Minute || s.look != nil:
				t.Fatalf("%d found after %s", len(data), time.Since(began))
			}
		}
	})
}

// "Keys [...] at least 24 hours old" may be forgotten: a refund's key is remembered after 20 hours, and can be reused a day
// later.
func TestStripeContract_aRefundsKeyAfter20Hours(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		key := fresh(t)
		paid := s.form(t, http.MethodPost, "/v1/payment_intents", key, s.payment(key))
		back := map[string]string{"payment_intent": paid.at("id"), "amount": "1000"}
		first := s.form(t, http.MethodPost, "/v1/refunds", key+"-refund", maps.Clone(back))
		if s.look != nil {
			s.look.clock.set(20 * time.Hour)
		}
		again := s.form(t, http.MethodPost, "/v1/refunds", key+"-refund", maps.Clone(back))
		if first.at("id") == "" || again.at("id") != first.at("id") {
			t.Errorf("%d %v, then %d %v", first.status, first.body, again.status, again.body)
		}
		if s.look == nil {
			t.Skip("Stripe's clock cannot be set: run it again tomorrow")
		}
		s.look.clock.set(25 * time.Hour)
		if later := s.form(t, http.MethodPost, "/v1/refunds", key+"-refund", maps.Clone(back)); later.at("id") == first.at("id") {
			t.Error("the key is remembered after 25 hours")
		}
	})
}

// The Date header of a response is from the same clock as created.
func TestStripeContract_dateIsTheClockOfCreated(t *testing.T) {
	t.Parallel()
	eachStripe(t, func(t *testing.T, s target) {
		if s.look != nil {
			s.look.clock.set(-10 * time.Minute)
		}
		key := fresh(t)
		made := s.form(t, http.MethodPost, "/v1/payment_intents", key, void(key))
		date, err := http.ParseTime(made.header.Get("Date"))
		created, _ := made.body["created"].(float64)
		if off := date.Sub(time.Unix(int64(created), 0)); err != nil || off.Abs() > 10*time.Second {
			t.Errorf("Date is %s off created: %v", off, err)
		}
	})
}
