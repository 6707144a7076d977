package acp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Agents find operations by the meanings of the words, which name the manifest's urls.
func TestActions_meanOperationsOfTheManifest(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(urlsAt("https://shop.example"))
	if err != nil {
		t.Fatal(err)
	}
	var addresses map[string]string
	if err := json.Unmarshal(text, &addresses); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range actions {
		if seen[a.word] || a.meaning == "" {
			t.Errorf("%s stands twice, or means nothing", a.word)
		}
		seen[a.word] = true
		words := strings.FieldsFunc(a.meaning, func(r rune) bool { return strings.ContainsRune(" :.,", r) })
		if method := words[0]; method == "GET" || method == "POST" || method == "PUT" {
			if addresses[words[1]] == "" {
				t.Errorf("%s: %q is none of the manifest's urls", a.word, words[1])
			}
		}
	}
	for code, next := range afterErrors {
		for _, word := range next {
			if !seen[word] {
				t.Errorf("%s: %q is no word of next_actions", code, word)
			}
		}
	}
}

func TestAfterError(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*fault.Error{
		"search":                            fault.Missing("product"),
		"new_session":                       fault.Missing("session"),
		"read_manifest":                     fault.New(fault.NotFound, "route_not_found", "None."),
		"correct_request":                   fault.Field("offer_price", "must be more than zero"),
		"retry_later":                       fault.New(fault.Limited, "rate_limited", "Too many.").After(time.Second),
		"ask_price make_offer read_session": negotiation.ErrClosed,
		"init_checkout":                     checkout.ErrExpired,
		"revise_checkout check_availability search": fault.New(fault.Conflict, "out_of_stock", "None left."),
	} {
		if got := strings.Join(afterError(err), " "); got != want {
			t.Errorf("%s: %s, want %s", err.Code, got, want)
		}
	}
	for kind := fault.Internal; kind <= fault.Unavailable; kind++ {
		if kind != fault.Conflict && kind != fault.Forbidden && kind != fault.Unauthenticated && len(afterError(fault.New(kind, "new", "New."))) == 0 {
			t.Errorf("nothing follows an error of kind %d", kind)
		}
	}
	next := afterError(negotiation.ErrClosed)
	next[0] = "changed"
	if afterErrors["quote_closed"][0] != actAskPrice {
		t.Error("an answer changes the table")
	}
}

func TestAfterCheckout(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	methods := []project.PaymentMethod{project.SharedPaymentToken}
	for status, want := range map[checkout.Status]string{
		checkout.Incomplete: "revise_checkout cancel_checkout",
		checkout.Ready:      "finalize revise_checkout cancel_checkout",
		checkout.Pending:    "finalize revise_checkout cancel_checkout",
		checkout.Processing: "read_checkout",
		checkout.Completed:  "read_order",
		checkout.Expired:    "init_checkout",
		checkout.Canceled:   "init_checkout",
	} {
		c := checkout.Rehydrate(checkout.Snapshot{Status: status, ValidUntil: now.Add(time.Minute)})
		if got := strings.Join(afterCheckout(c, methods, now), " "); got != want {
			t.Errorf("%s: %s, want %s", status, got, want)
		}
	}
	ready := checkout.Rehydrate(checkout.Snapshot{Status: checkout.Ready, ValidUntil: now.Add(time.Minute)})
	if next := afterCheckout(ready, nil, now); slices.Contains(next, actFinalize) {
		t.Errorf("a shop that takes no payments: %s", next)
	}
	if next := afterCheckout(ready, methods, now.Add(time.Minute)); strings.Join(next, " ") != actInitCheckout {
		t.Errorf("past its time: %s", next)
	}
}
