package stored_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

type line struct {
	Product   id.Product
	UnitPrice money.Amount
	Was       *money.Amount
	Note      string
	Kept      int
	Seller    id.Account
}

type basket struct {
	LLMName  string
	LogoURL  string
	IDs      []string
	Lines    []line
	Routes   map[project.PaymentMethod]line
	Shares   [2]money.Percent
	At       time.Time
	Currency money.Currency
}

var baskets = stored.JSON[basket](stored.Tags{"line.Note": "remark,omitempty", "line.Kept": "-", "line.Seller": "-"})

func TestFormat_Text(t *testing.T) {
	was := money.Of(900, money.USD)
	of := line{
		Product:   id.Stored[id.Product]("prod_1"),
		UnitPrice: money.Of(800, money.USD),
		Was:       &was,
	}
	noted := line{Note: "last", UnitPrice: money.Zero(money.USD)}
	full := basket{
		LLMName:  "m",
		LogoURL:  "u",
		IDs:      []string{"a"},
		Lines:    []line{of, noted},
		Routes:   map[project.PaymentMethod]line{project.BillingAgreement: of},
		Shares:   [2]money.Percent{1, 2},
		At:       time.UnixMilli(7).UTC(),
		Currency: money.USD,
	}
	const product = `{"product":"prod_1","unit_price":800,"was":900}`
	for want, b := range map[string]basket{
		`{"llm_name":"m","logo_url":"u","i_ds":["a"],"lines":[` + product + `,{"product":"","unit_price":0,"was":null,"remark":"last"}],` +
			`"routes":{"wallet_ba":` + product + `},"shares":[1,2],"at":7,"currency":"USD"}`: full,
		`{"llm_name":"","logo_url":"","i_ds":null,"lines":null,"routes":null,"shares":[0,0],"at":0,"currency":""}`: {At: time.UnixMilli(0).UTC()},
	} {
		text, err := baskets.Text(b)
		if err != nil || text != want {
			t.Errorf("%v\n got %s\nwant %s", err, text, want)
		}
		var got basket
		if err := baskets.Read(text, &got, money.USD); err != nil || !reflect.DeepEqual(got, b) {
			t.Errorf("%v\n got %+v\nwant %+v", err, got, b)
		}
	}
}

func TestFormat_Read_leavesWhatIsMissing(t *testing.T) {
	got := line{Note: "kept", Kept: 3}
	err := stored.JSON[line](stored.Tags{"line.Kept": "-", "line.Seller": "-"}).Read(`{"unit_price":5}`, &got, money.USD)
	if want := (line{
		UnitPrice: money.Of(5, money.USD),
		Note:      "kept",
		Kept:      3,
	}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestFormat_Read_unreadable(t *testing.T) {
	for _, text := range []string{"", `{"lines":{}}`, `{"routes":{"shells":{}}}`, `{"currency":"nowhere"}`} {
		if err := baskets.Read(text, &basket{}, money.USD); !fault.Is(err, "internal_error") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestJSON_panicsOnATagOfNoField(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	stored.JSON[line](stored.Tags{"line.Price": "-"})
}
