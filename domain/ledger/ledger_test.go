package ledger_test

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
)

var (
	noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	pay  = id.New[id.Payment]([16]byte{1})
	ref  = id.New[id.Refund]([16]byte{2})
)

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

func sale(subtotal, shipping, tax int64) ledger.Transaction {
	return ledger.Sale(ledger.Transaction{
		Payment:  pay,
		Provider: "stripe",
		At:       noon,
	}, usd(subtotal), usd(shipping), usd(tax))
}

func refund(amount int64) ledger.Transaction {
	return ledger.Refund(ledger.Transaction{
		Payment:  pay,
		Refund:   ref,
		Provider: "stripe",
		At:       noon,
	}, usd(amount))
}

func TestSale_zeroParts(t *testing.T) {
	t.Parallel()
	funds := ledger.Funds("stripe")
	for _, c := range []struct {
		got  ledger.Transaction
		want []ledger.Posting
	}{
		{sale(90, 7, 3), []ledger.Posting{{funds, ledger.Sales, usd(90)}, {funds, ledger.Shipping, usd(7)}, {funds, ledger.Tax, usd(3)}}},
		{sale(90, 0, 3), []ledger.Posting{{funds, ledger.Sales, usd(90)}, {funds, ledger.Tax, usd(3)}}},
		{sale(0, 0, 0), nil},
		{refund(5), []ledger.Posting{{ledger.Refunds, funds, usd(5)}}},
	} {
		if !reflect.DeepEqual(c.got.Postings, c.want) {
			t.Errorf("%v, want %v", c.got.Postings, c.want)
		}
	}
}

// A transaction that is recorded twice has the same ID, so that the store keeps it once.
func TestTransaction_stableID(t *testing.T) {
	t.Parallel()
	if got, want := sale(1, 0, 0).ID, id.New[id.Transaction]([16]byte{1}); got != want {
		t.Errorf("a sale is %s, want %s", got, want)
	}
	if got, want := refund(1).ID, id.New[id.Transaction]([16]byte{2}); got != want {
		t.Errorf("a refund is %s, want %s", got, want)
	}
}

func TestAccount_Provider(t *testing.T) {
	t.Parallel()
	if provider, funds := ledger.Funds("stripe").Provider(); provider != "stripe" || !funds {
		t.Errorf("%q, %t", provider, funds)
	}
	if _, funds := ledger.Sales.Provider(); funds {
		t.Error("sales are no funds")
	}
	if got := ledger.StoredAccount(ledger.Funds("stripe").String()); got != ledger.Funds("stripe") {
		t.Errorf("stored as %s", got)
	}
}

// For every sale and refund the entries sum to zero, and the funds hold what was paid less what was refunded.
func TestTransaction_Entries_balance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, money.Limit-1)
		subtotal, shipping, tax := amount.Draw(t, "subtotal"), amount.Draw(t, "shipping"), amount.Draw(t, "tax")
		back := amount.Draw(t, "back")
		var sum int64
		held := map[ledger.Account]int64{}
		for _, transaction := range []ledger.Transaction{sale(subtotal, shipping, tax), refund(back)} {
			for _, p := range transaction.Postings {
				if !p.Amount.IsPositive() || p.Debit == p.Credit {
					t.Fatalf("posting %v", p)
				}
			}
			for _, e := range transaction.Entries() {
				sum += e.Amount.Minor()
				held[e.Account] += e.Amount.Minor()
			}
		}
		if sum != 0 || held[ledger.Funds("stripe")] != subtotal+shipping+tax-back || held[ledger.Refunds] != back {
			t.Fatalf("the sum is %d, held is %v", sum, held)
		}
	})
}

// Each kind adds to or subtracts from the provider's funds, and its other side is its own account.
func TestChange_accounts(t *testing.T) {
	t.Parallel()
	funds, entry := ledger.Funds("stripe"), id.New[id.Transaction]([16]byte{3})
	change := func(kind ledger.Kind, minor int64) ledger.Transaction {
		return ledger.Change(kind, ledger.Transaction{
			ID:        entry,
			Provider:  "stripe",
			Reference: "x_1",
			At:        noon,
		}, usd(minor))
	}
	step := func(withdrawn, fee int64) ledger.Transaction {
		return ledger.Dispute(ledger.Transaction{
			ID:       entry,
			Provider: "stripe",
			At:       noon,
		}, 2, usd(withdrawn), usd(fee))
	}
	given := ledger.Transaction{
		ID:       entry,
		Payment:  pay,
		Refund:   ref,
		Provider: "stripe",
		At:       noon,
	}
	for _, c := range []struct {
		got       ledger.Transaction
		kind      ledger.Kind
		reference string
		want      []ledger.Posting
	}{
		{ledger.Reversal(given, usd(5)), ledger.ReversalKind, "", []ledger.Posting{{funds, ledger.Refunds, usd(5)}}},
		{step(50, 15), ledger.DisputeKind, "2", []ledger.Posting{{ledger.Disputes, funds, usd(50)}, {ledger.Fees, funds, usd(15)}}},
		{step(-50, 0), ledger.DisputeKind, "2", []ledger.Posting{{funds, ledger.Disputes, usd(50)}}},
		{step(0, 0), ledger.DisputeKind, "2", nil},
		{change(ledger.FeeKind, -3), ledger.FeeKind, "x_1", []ledger.Posting{{ledger.Fees, funds, usd(3)}}},
		{change(ledger.FeeKind, 3), ledger.FeeKind, "x_1", []ledger.Posting{{funds, ledger.Fees, usd(3)}}},
		{change(ledger.PayoutKind, -90), ledger.PayoutKind, "x_1", []ledger.Posting{{ledger.Bank, funds, usd(90)}}},
		{change(ledger.AdjustmentKind, 7), ledger.AdjustmentKind, "x_1", []ledger.Posting{{funds, ledger.Adjustments, usd(7)}}},
		{change(ledger.OrphanKind, 9), ledger.OrphanKind, "x_1", []ledger.Posting{{funds, ledger.Orphans, usd(9)}}},
		{change(ledger.OrphanRefundKind, -9), ledger.OrphanRefundKind, "x_1", []ledger.Posting{{ledger.Orphans, funds, usd(9)}}},
		{change(ledger.OrphanReversalKind, 9), ledger.OrphanReversalKind, "x_1", []ledger.Posting{{funds, ledger.Orphans, usd(9)}}},
	} {
		if c.got.Kind != c.kind || c.got.Reference != c.reference || c.got.ID != entry ||
			!reflect.DeepEqual(c.got.Postings, c.want) {
			t.Errorf("%s %q: %v, want %s %q: %v", c.got.Kind, c.got.Reference, c.got.Postings, c.kind, c.reference, c.want)
		}
		if ledger.Kinds[c.kind.String()] != c.kind {
			t.Errorf("%s is not in Kinds", c.kind)
		}
	}
}
