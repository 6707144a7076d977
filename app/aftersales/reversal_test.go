package aftersales_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
)

// A provider reports twice that a successful refund failed, and then, too late, that it succeeded.
func TestReverse_failedAfterSuccess(t *testing.T) {
	t.Parallel()
	d, s, p := newFixture()
	r := refundDollar(t, d, s)
	for _, outcome := range []order.RefundOutcome{
		order.RefundFailed{Code: "expired_card"}, order.RefundFailed{Code: "expired_card"}, order.Refunded{Provider: "re_1"},
	} {
		if err := s.RecordRefund(t.Context(), p.ID, r.ID.String(), outcome); err != nil {
			t.Fatal(err)
		}
	}
	if got, paid := d.kept.Refunds[0], d.kept.Order.Payment; got.Status != order.RefundIsFailed || got.Failure != "expired_card" || paid.Left() != paid.Amount {
		t.Errorf("%+v of %+v", got, paid)
	}
	if last, ok := d.announced[len(d.announced)-1].Data.(event.RefundFailed); len(d.announced) != 2 || !ok || !last.Succeeded || len(d.ledger) != 2 {
		t.Errorf("announced %+v, recorded %+v", d.announced, d.ledger)
	}
}

func TestReverse_pendingRefund(t *testing.T) {
	t.Parallel()
	d, s, p := newFixture()
	d.answers = []any{order.RefundPending{Provider: "re_1"}}
	r := refundDollar(t, d, s)
	if err := s.RecordRefund(t.Context(), p.ID, r.ID.String(), order.RefundFailed{Code: "expired_card"}); err != nil {
		t.Fatal(err)
	}
	if failed, ok := d.announced[0].Data.(event.RefundFailed); !ok || failed.Succeeded || len(d.ledger) > 0 {
		t.Errorf("announced %+v, recorded %+v", d.announced, d.ledger)
	}
}

func TestRecordExternalRefund(t *testing.T) {
	t.Parallel()
	d, s, p := newFixture()
	report := order.ExternalRefund{
		Charge:   "ch_1",
		Provider: "re_9",
		Amount:   usd(1_00),
		Outcome:  order.Refunded{},
		At:       noon,
	}
	for range 2 {
		if err := s.RecordExternalRefund(t.Context(), p.ID, report); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.kept.Refunds) != 1 || d.kept.Order.Payment.Refunded != usd(1_00) || len(d.asked) > 0 {
		t.Errorf("%+v, asked %v", d.kept.Refunds, d.asked)
	}
	report.Charge = "ch_other"
	if err := s.RecordExternalRefund(t.Context(), p.ID, report); !fault.Is(err, "payment_not_found") {
		t.Errorf("another charge: %v", err)
	}
}

func TestRecordDispute(t *testing.T) {
	t.Parallel()
	d, s, p := newFixture()
	report := order.DisputeReport{
		Charge:    "ch_1",
		Provider:  "du_1",
		Status:    order.DisputeOpen,
		Amount:    usd(330_00),
		Withdrawn: usd(330_00),
		Fee:       usd(15_00),
		At:        noon,
	}
	if err := s.RecordDispute(t.Context(), p.ID, report); err != nil {
		t.Fatal(err)
	}
	if len(d.kept.Disputes) != 1 || d.announced[0].Data.Type() != event.DisputeOpenedType || len(d.ledger) != 1 {
		t.Errorf("%+v, announced %+v, recorded %+v", d.kept.Disputes, d.announced, d.ledger)
	}
	report.Charge = "ch_other"
	if err := s.RecordDispute(t.Context(), p.ID, report); !fault.Is(err, "payment_not_found") {
		t.Errorf("another charge: %v", err)
	}
}
