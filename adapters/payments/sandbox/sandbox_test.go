package sandbox

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

// fakeLedger is a ledger in memory. The stored ledger has its own contract suite.
type fakeLedger struct {
	mu       sync.Mutex
	charges  map[string]ports.SandboxCharge
	refunds  map[string]ports.SandboxRefund
	failures map[string]int
	disputes map[string]ports.SandboxDispute
	losing   bool
}

var errLostByTest = errors.New("the ledger's answer was lost")

func (m *fakeLedger) lose(lost bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.losing = lost
}

// answer returns an error if answers are lost.
func (m *fakeLedger) answer() error {
	if m.losing {
		return errLostByTest
	}
	return nil
}

func (m *fakeLedger) Once(_ context.Context, project id.Project, c ports.SandboxCharge) (ports.SandboxCharge, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := project.String() + c.Key
	if stored, ok := m.charges[key]; ok {
		return stored, m.answer()
	}
	m.charges[key] = c
	return c, m.answer()
}

func (m *fakeLedger) Refund(_ context.Context, project id.Project, r ports.SandboxRefund) (ports.SandboxRefund, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := project.String() + r.Key
	if stored, ok := m.refunds[key]; ok {
		return stored, true, m.answer()
	}
	left := int64(0)
	for name, c := range m.charges {
		if strings.HasPrefix(name, project.String()) && c.ID == r.Charge && c.Result == paid && c.Amount.Currency() == r.Amount.Currency() {
			left = c.Amount.Minor()
		}
	}
	for name, other := range m.refunds {
		if strings.HasPrefix(name, project.String()) && other.Charge == r.Charge {
			left -= other.Amount.Minor()
		}
	}
	if left < r.Amount.Minor() {
		return ports.SandboxRefund{}, false, m.answer()
	}
	m.refunds[key] = r
	return r, true, m.answer()
}

func (m *fakeLedger) Movements(_ context.Context, project id.Project, from, to time.Time, after string, limit int) ([]ports.Movement, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []ports.Movement
	add := func(name string, mv ports.Movement) {
		if strings.HasPrefix(name, project.String()) && mv.Key > after && !mv.At.Before(from) && mv.At.Before(to) {
			found = append(found, mv)
		}
	}
	for name, c := range m.charges {
		if c.Result == paid {
			add(name, ports.Movement{
				Provider: c.ID,
				Key:      c.Key,
				Amount:   c.Amount,
				At:       c.At,
			})
		}
	}
	for name, r := range m.refunds {
		add(name, ports.Movement{
			Refund:   true,
			Provider: r.ID,
			Key:      r.Key,
			Amount:   r.Amount,
			At:       r.At,
		})
	}
	slices.SortFunc(found, func(a, b ports.Movement) int { return strings.Compare(a.Key, b.Key) })
	return found[:min(limit, len(found))], nil
}

func (m *fakeLedger) Failure(_ context.Context, project id.Project, subject string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures[project.String()+subject]++
	return m.failures[project.String()+subject], nil
}

type clock struct{}

func (clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// fakeEntropy is deterministic entropy that concurrent tests can share.
type fakeEntropy struct{ n atomic.Int64 }

func (c *fakeEntropy) Bits128() [16]byte { return [16]byte{byte(c.n.Add(1))} }

func (c *fakeEntropy) IDBits() [16]byte  { return c.Bits128() }
func (c *fakeEntropy) Secret(int) string { return strconv.FormatInt(c.n.Add(1), 10) }

func newProvider(t *testing.T) (Provider, *fakeLedger) {
	t.Helper()
	m := &fakeLedger{
		charges:  map[string]ports.SandboxCharge{},
		refunds:  map[string]ports.SandboxRefund{},
		failures: map[string]int{},
		disputes: map[string]ports.SandboxDispute{},
	}
	return Provider{
		Ledger:  m,
		Clock:   clock{},
		Entropy: &fakeEntropy{},
	}, m
}

func TestProvider(t *testing.T) {
	tokens := map[adaptertest.TokenFate]string{
		adaptertest.TokenPaid: "spt_sandbox_ok", adaptertest.TokenDecline: "spt_sandbox_decline_insufficient_funds",
		adaptertest.TokenFinal: "spt_sandbox_decline_stolen_card", adaptertest.TokenUnknown: "tok_visa",
	}
	adaptertest.Gateway(t, func(t *testing.T) adaptertest.Payments {
		p, m := newProvider(t)
		return adaptertest.Payments{
			PaymentProvider: p,
			Method:          project.SharedPaymentToken,
			Lose:            m.lose,
			Token:           func(_ *testing.T, fate adaptertest.TokenFate) string { return tokens[fate] },
		}
	})
}

// charge charges without an account, which the provider ignores.
func charge(p Provider, r ports.ChargeRequest) (checkout.Outcome, error) {
	return p.Charge(ports.NewOutbound(context.Background()), ports.PaymentAccount{}, r)
}

func TestCharge_tokens(t *testing.T) {
	for _, test := range []struct {
		method      project.PaymentMethod
		token, want string
	}{
		{project.SharedPaymentToken, "spt_sandbox_ok", "paid"},
		{project.SharedPaymentToken, "spt_sandbox_ok_42", "paid"},
		{project.BillingAgreement, "ba_sandbox_ok", "paid"},
		{project.SharedPaymentToken, "spt_sandbox_okay", "invalid_token"},
		{project.SharedPaymentToken, "ba_sandbox_ok", "invalid_token"},
		{project.BillingAgreement, "spt_sandbox_ok", "invalid_token"},
		{project.PaymentMethod{}, "spt_sandbox_ok", "invalid_token"},
		{project.SharedPaymentToken, "tok_visa", "invalid_token"},
		{project.SharedPaymentToken, "", "invalid_token"},
		{project.SharedPaymentToken, "spt_sandbox_decline_expired_card", "expired_card"},
		{project.SharedPaymentToken, "spt_sandbox_decline_fraudulent", "fraudulent"},
		{project.SharedPaymentToken, "spt_sandbox_decline_withdrawal_limit", "withdrawal_limit"},
		{project.SharedPaymentToken, "spt_sandbox_decline_", "invalid_token"},
		{project.SharedPaymentToken, "spt_sandbox_decline_paid", "invalid_token"},
		{project.SharedPaymentToken, "spt_sandbox_decline_void", "invalid_token"},
		{project.SharedPaymentToken, "spt_sandbox_decline_<script>", "invalid_token"},
		{project.SharedPaymentToken, "spt_sandbox_outage_x", "invalid_token"},
		{project.SharedPaymentToken, "spt_sandbox_outage_11", "invalid_token"},
		{project.SharedPaymentToken, "spt_sandbox_outage_999999999", "invalid_token"},
		{project.SharedPaymentToken, "spt_sandbox_outage_0", "paid"},
	} {
		p, _ := newProvider(t)
		outcome, err := charge(p, request("chk-1", test.token, test.method))
		got := "paid"
		if d, ok := outcome.(checkout.Declined); ok {
			got = d.Code
		}
		if err != nil || got != test.want {
			t.Errorf("%s by %s: %s, %v; want %s", test.token, test.method, got, err, test.want)
		}
	}
}

// An outage that is shorter than the client's tries has no effect. A longer one ends when the attempts of the
// checkout have failed often enough.
func TestOutage(t *testing.T) {
	p, _ := newProvider(t)
	if outcome, err := charge(p, request("a", "spt_sandbox_outage_2", project.SharedPaymentToken)); err != nil {
		t.Errorf("outage of 2: %v, %v", outcome, err)
	}
	for i, wantErr := range []bool{true, false} {
		_, err := charge(p, request("b", "spt_sandbox_outage_5", project.SharedPaymentToken))
		if errors.Is(err, errOutage) != wantErr {
			t.Errorf("charge %d in an outage of 5: %v", i+1, err)
		}
	}
}

// Only the first answer is lost. A repeated charge with the same key returns the outcome.
func TestCharge_lostReply(t *testing.T) {
	p, _ := newProvider(t)
	lost := request("c", "spt_sandbox_lost_reply", project.SharedPaymentToken)
	if outcome, err := charge(p, lost); !errors.Is(err, errLostReply) {
		t.Errorf("first: %v, %v", outcome, err)
	}
	if outcome, err := charge(p, lost); err != nil || outcome.(checkout.Paid).Provider == "" {
		t.Errorf("second: %v, %v", outcome, err)
	}
}

func request(key, token string, method project.PaymentMethod) ports.ChargeRequest {
	return ports.ChargeRequest{
		Token: token, Charge: checkout.Charge{
			Key:    key,
			Amount: money.Of(100, money.USD),
			Method: method,
		},
	}
}
