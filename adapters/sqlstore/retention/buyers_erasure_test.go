package retention_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/retention"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func erased(s *storetest.Store, t *testing.T, project id.Project, session id.Session, email string) ports.ErasedSession {
	t.Helper()
	done, err := s.BuyerRecords().Erase(t.Context(), project, session, email)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// A checkout whose address is erased cannot be paid any more: the order would have nowhere to go.
func TestBuyerRecords_Erase_openCheckout(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		open := sale.Checkouts(3, false)
		expired, declined := open[1], open[2]
		storetest.Change(t, s, "UPDATE checkouts SET status = 'expired' WHERE id = '"+expired.String()+"'")
		storetest.Change(t, s, `UPDATE checkouts SET status = 'pending', attempt = 1, declines = 1,
			payment = '{"method":"psp_spt","token_hash":"","email":"zoe@example.com","notes":"","option":"standard"}' WHERE id = '`+declined.String()+`'`)
		if done := erased(s, t, sale.Project(), sale.Visit().Session.ID, zoe); done.Checkouts != 3 || len(done.Pending) > 0 {
			t.Errorf("erased %+v", done)
		}
		for n, want := range map[int]error{0: checkout.ErrCanceled, 1: checkout.ErrExpired, 2: checkout.ErrCanceled} {
			c, err := s.Checkouts().Get(t.Context(), sale.Project(), open[n])
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Payable(time.Now()); !errors.Is(err, want) {
				t.Errorf("checkout %d is %s without its address; paying it: %v, want %v", n, c.Status(), err, want)
			}
		}
	})
}

// A message may be erased before its decision is sealed: the chain verifies with it, too.
func TestBuyerRecords_Erase_beforeSealing(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		for _, message := range []string{"I am zoe", "zoe again"} {
			r := sale.Answer()
			r.Entry.Message, r.Entry.Client = message, "client of zoe"
			if err := s.Haggling().Save(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if message == "I am zoe" {
				sale.Checkouts(1, false)
				if done := erased(s, t, sale.Project(), sale.Visit().Session.ID, zoe); done.Messages != 1 {
					t.Fatalf("erased %+v", done)
				}
			}
		}
		if n, err := s.Decisions().Seal(t.Context(), 10); n != 2 || err != nil {
			t.Fatalf("%d sealed, %v", n, err)
		}
		if broken, whole := storetest.Tampered(t, s, sale.Project()); broken != 0 || !whole {
			t.Errorf("the chain breaks at %d, whole: %t", broken, whole)
		}
	})
}

// A buyer is found by an address with characters that JSON may escape.
func TestBuyerRecords_Sessions_addressEscapedInJSON(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		sale.Checkouts(1, false)
		const email = "tom&zoe@example.com"
		payment, err := purchase.PaidFormat.Text(purchase.Paid{Payment: checkout.Payment{
			Method: project.SharedPaymentToken,
			Email:  "Tom&Zoe@example.com",
			Option: "standard",
		}})
		if err != nil {
			t.Fatal(err)
		}
		storetest.Change(t, s, "UPDATE checkouts SET status = 'pending', attempt = 1, declines = 1, payment = '"+payment+"'")
		found, err := s.BuyerRecords().Sessions(t.Context(), sale.Project(), email, ports.Page{Limit: 10})
		if err != nil || len(found) != 1 {
			t.Fatalf("sessions of %s: %v, %v", email, found, err)
		}
		if done := erased(s, t, sale.Project(), found[0], email); done.Checkouts != 1 {
			t.Errorf("erased %+v", done)
		}
		if left := holding(t, s, "zoe@example.com"); len(left) > 0 {
			t.Errorf("the buyer is still in %v", left)
		}
	})
}

// Letters other than A to Z are found in lower and upper case, too.
func TestBuyerRecords_Sessions_eitherCase(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		sale.Finalize(sale.Init(sale.Quote()))
		for _, stored := range []string{"INFO@MÜLLER.DE", "info@müller.de", "Info@Müller.de"} {
			storetest.Change(t, s, "UPDATE orders SET email = '"+stored+"'")
			for _, given := range []string{"info@müller.de", "info@mÜller.de"} { // what the application makes of any case
				found, err := s.BuyerRecords().Sessions(t.Context(), sale.Project(), given, ports.Page{Limit: 10})
				if err != nil || len(found) != 1 {
					t.Errorf("sessions of %s by %s: %v, %v", stored, given, found, err)
				}
			}
		}
		storetest.Change(t, s, "UPDATE orders SET fulfillment_status = 'delivered'")
		if done := erased(s, t, sale.Project(), sale.Visit().Session.ID, "info@mÜller.de"); done.Orders != 1 {
			t.Errorf("erased %+v", done)
		}
	})
}

// A webhook about another buyer, whose address has this one's at its end, is not this one's.
func TestNames(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]bool{
		`{"email":"Ann@Example.com"}`:                     true,
		`ann@example.com`:                                 true,
		`{"note":"Write to ann@example.com."}`:            true,
		`{"note":"Mail:\nann@example.com\nThanks"}`:       true,
		`{"email":"ann\u0040example.com"}`:                true,
		`{"to":"Ann <ann@example.com>"}`:                  true,
		`{"email":"joann@example.com"}`:                   false,
		`{"email":"jo-ann@example.com"}`:                  false,
		`{"email":"jo.ann@example.com"}`:                  false,
		`{"email":"jo\u002bann@example.com"}`:             false,
		`{"email":"éann@example.com"}`:                    false,
		`{"email":"ann@example.community"}`:               false,
		`{"email":"ann@example.com.au"}`:                  false,
		`{"a":"joann@example.com","b":"ann@example.com"}`: true,
		`{}`: false,
	} {
		if got := retention.Names([]byte(payload), "ann@example.com"); got != want {
			t.Errorf("%s: %t", payload, got)
		}
	}
}

// If a buyer is erased and pays at the same time, either the payment comes first and nothing is erased, or the checkout
// is canceled. There is never an order without an address.
func TestBuyerRecords_Erase_paymentAtOnce(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		for range 10 {
			sale := porttest.NewSale(t, storetest.Views(s))
			r := sale.Quote()
			c := sale.Init(r)
			session := sale.Visit().Session.ID
			var done ports.ErasedSession
			var erasing, paying error
			var both sync.WaitGroup
			both.Go(func() {
				done, erasing = s.BuyerRecords().Erase(t.Context(), sale.Project(), session, "ada@example.com")
			})
			both.Go(func() { paying = sale.TryFinalize(c) })
			both.Wait()
			if erasing != nil {
				t.Fatal(erasing)
			}
			after, err := s.Checkouts().Get(t.Context(), sale.Project(), c.ID())
			if err != nil {
				t.Fatal(err)
			}
			snapshot := after.Snapshot()
			if whole := snapshot.Address.Name != ""; whole != (paying == nil) || (done.Checkouts == 1) == whole {
				t.Errorf("%s, address %+v; erased %+v, paid %v", snapshot.Status, snapshot.Address, done, paying)
			}
		}
	})
}
