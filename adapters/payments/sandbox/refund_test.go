package sandbox

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func TestStatement_allPages(t *testing.T) {
	p, _ := newProvider(t)
	for i := range 2*page + 1 {
		if _, err := charge(p, request(fmt.Sprint("chk-", i), "spt_sandbox_ok", project.SharedPaymentToken)); err != nil {
			t.Fatal(err)
		}
	}
	counts := map[string]int{}
	from := clock{}.Now().Add(-time.Hour)
	err := p.Statement(ports.NewOutbound(t.Context()), ports.PaymentAccount{}, ports.StatementRequest{From: from, To: from.Add(2 * time.Hour)},
		func(m ports.Movement) error {
			counts[m.Key]++
			return nil
		})
	if err != nil || len(counts) != 2*page+1 {
		t.Errorf("%d movements told, %v", len(counts), err)
	}
	for key, times := range counts {
		if times != 1 {
			t.Errorf("%s told %d times", key, times)
		}
	}
}

func TestRefund_zeroAmount(t *testing.T) {
	p, _ := newProvider(t)
	outcome, err := p.Refund(ports.NewOutbound(t.Context()), ports.PaymentAccount{}, ports.RefundRequest{Key: "ref_1", Charge: "ch_sandbox_1"})
	if failed, ok := outcome.(order.RefundFailed); err != nil || !ok || failed.Code != "amount_too_small" {
		t.Errorf("%#v, %v", outcome, err)
	}
}
