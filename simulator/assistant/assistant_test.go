package assistant

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

func TestAlone_Next(t *testing.T) {
	situation := func(current, hint int64, final bool, offers ...int64) Situation {
		return Situation{
			Currency:     "USD",
			List:         25000,
			CurrentPrice: current,
			Hint:         hint,
			Offers:       offers,
			Allowed:      6,
			Final:        final,
		}
	}
	offer := func(amount int64) Move { return Move{Offer, amount} }
	tests := []struct {
		name   string
		budget string
		s      Situation
		want   Move
	}{
		{"the first offer is 80 % of the budget", "200", situation(24000, 0, false), offer(16000)},
		{"without a budget, of the list price", "0", situation(24000, 0, false), offer(20000)},
		{"what the shop considers is heeded", "200", situation(24000, 18500, false, 16000), offer(18800)},
		{"offers rise", "200", situation(24000, 18500, false, 16000, 18800), offer(19200)},
		{"the last offer is the budget", "200", situation(24000, 0, false, 1, 2, 3, 4), offer(20000)},
		{"a price that it would offer is accepted", "200", situation(16000, 0, false), Move{Action: Accept}},
		{"a final price within the budget is accepted", "200", situation(20000, 0, true, 16000), Move{Action: Accept}},
		{"a final price above it is not", "200", situation(20001, 0, true, 16000), Move{Action: WalkAway}},
		{"nor is one after the last offer", "200", situation(20001, 0, false, 1, 2, 3, 4, 5), Move{Action: WalkAway}},
		{"a shop that considers nothing within the budget is left", "200", situation(24000, 20001, false), Move{Action: WalkAway}},
		{"cents count below twenty", "9.99", situation(900, 0, false, 100, 200, 300, 400), Move{Action: Accept}},
	}
	for _, test := range tests {
		got, err := Alone{Budget: decimal.MustParse(test.budget)}.Next(test.s)
		if err != nil || got != test.want {
			t.Errorf("%s: %v, %v", test.name, got, err)
		}
	}
}

func TestAlone_neverPaysMoreThanItsBudget(t *testing.T) {
	for budget := int64(1); budget < 300; budget += 7 {
		buyer := Alone{Budget: decimal.FromInt(budget)}
		s := Situation{
			Currency:     "USD",
			List:         25000,
			CurrentPrice: 25000,
			Allowed:      6,
		}
		for range 30 {
			move, _ := buyer.Next(s)
			if move.Action == Accept && s.CurrentPrice > budget*100 || move.Price > budget*100 || move.Action == Offer && move.Price > s.CurrentPrice {
				t.Fatalf("budget %d: %v at %+v", budget, move, s)
			}
			if move.Action != Offer {
				break
			}
			s.Offers = append(s.Offers, move.Price)
			s.CurrentPrice -= 900
			s.Final = len(s.Offers) == 6
		}
	}
}

func TestAlone_Product(t *testing.T) {
	products := make([]ucp.Product, 3)
	for i, listed := range []int64{90000, 25000, 10000} {
		products[i].PriceRange.Min = ucp.Money{Amount: listed, Currency: "USD"}
	}
	if i, _ := (Alone{Budget: decimal.FromInt(200)}).Product(products); i != 1 {
		t.Errorf("product %d", i)
	}
	if i, _ := (Alone{}).Product(products); i != 0 {
		t.Errorf("without a budget: product %d", i)
	}
}

func TestPerson(t *testing.T) {
	out := &bytes.Buffer{}
	p := NewPerson(strings.NewReader("7\n2\nlots\n300\n230\n190\ny\nyes\n"), Page{W: out}, "", decimal.FromInt(200))
	if i, err := p.Product(make([]ucp.Product, 3)); i != 1 || err != nil {
		t.Errorf("product %d, %v", i, err)
	}
	s := Situation{
		Currency:     "USD",
		List:         25000,
		CurrentPrice: 24000,
	}
	if m, err := p.Next(s); m != (Move{Offer, 19000}) || err != nil {
		t.Errorf("%v, %v", m, err)
	}
	if m, err := p.Next(s); m.Action != Accept || err != nil {
		t.Errorf("%v, %v", m, err)
	}
	if agreed, err := p.Pays(ucp.Money{Amount: 1, Currency: "USD"}); !agreed || err != nil {
		t.Errorf("%v, %v", agreed, err)
	}
	if agreed, err := p.Pays(ucp.Money{Amount: 1, Currency: "USD"}); agreed || !errors.Is(err, ErrNothing) {
		t.Errorf("at the end of the input: %v, %v", agreed, err)
	}
	for _, want := range []string{"from 1 to 3", "The shop asks for 240.00", "your budget of 200.00", "Type a price such as 216.00"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it did not say %q:\n%s", want, out)
		}
	}
}

func TestPerson_paysOnlyAfterAClearYes(t *testing.T) {
	for _, said := range []string{"", "n", "maybe", "yess"} {
		p := NewPerson(strings.NewReader(said+"\n"), Page{W: io.Discard}, "", decimal.Decimal{})
		if agreed, _ := p.Pays(ucp.Money{}); agreed {
			t.Errorf("%q pays", said)
		}
	}
}

// The page keeps to 80 columns and has no control characters, even if the shop sends them.
func TestPage(t *testing.T) {
	out := &bytes.Buffer{}
	p := Page{W: out}
	hostile := "\x1b[31mred\x1b]0;title\a \u202eevil\u202c " + strings.Repeat("帳篷", 60) + strings.Repeat("long ", 300) + strings.Repeat("x", 200)
	p.shop("%s", hostile)
	p.row(hostile, "1.00 USD")
	p.you("accept_offer", "%s", strings.Repeat("words ", 40))
	p.you("accept_offer", "%s", strings.Repeat("w", 70))
	p.receipt([]ucp.Line{{Item: ucp.Item{Title: hostile}, Quantity: 2}}, ucp.Totals{{Type: "total", DisplayText: hostile, Amount: -5}}, "JPY")
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if width(line) > pageWidth || strings.ContainsAny(line, "\x1b\a\u202e\u202c") {
			t.Errorf("%d columns: %q", width(line), line)
		}
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"Tent\r\n> Pay 1.00 USD?":                "Tent  > Pay 1.00 USD?",
		"\x1b]0;owned\x07\x1b[2JTent\u009b31m":   "]0;owned[2JTent31m",
		"\u202etneT\u202c \u2066x\u2069":         "tneT x",
		"T\u200be\u200dn\ufefft\U000E0041":       "Tent",
		"e\u0301" + strings.Repeat("\u0335", 50): "e\u0301\u0335",
		"\ue000Tent":                             "Tent",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if err := printable(fmt.Errorf("%w: \x1b[2J", ErrNothing)); !errors.Is(err, ErrNothing) || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q", err)
	}
}

func TestAmount(t *testing.T) {
	for _, test := range []struct {
		minor    int64
		currency string
		want     string
	}{{22400, "USD", "224.00"}, {-5, "USD", "-0.05"}, {0, "EUR", "0.00"}, {12000, "JPY", "12000"}, {1, "BHD", "0.001"}} {
		if got := amount(test.minor, test.currency); got != test.want {
			t.Errorf("%d %s: %s", test.minor, test.currency, got)
		}
	}
}

// Run explains in one sentence why an address is not a shop's endpoint.
func TestRun_noShop(t *testing.T) {
	answers := func(status int, kind, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, test := range map[string]struct{ address, want string }{
		"nobody listens":       {closed.URL, "cannot reach"},
		"no address":           {"shop.example.com/mcp", "begins with http://"},
		"nothing is there":     {answers(404, "application/json", `{}`), "does not speak MCP"},
		"a page":               {answers(200, "text/html", "<html>"), "is no MCP endpoint: it answers 200 text/html"},
		"another API":          {answers(200, "application/json", `{"products": []}`), "is no MCP endpoint"},
		"a server in trouble":  {answers(503, "application/json", `{}`), "is no MCP endpoint: it answers 503"},
		"an error of JSON-RPC": {answers(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`), "is no MCP endpoint: it answers 400"},
	} {
		err := Run(t.Context(), Config{URL: test.address, Page: Page{W: io.Discard}}, Alone{For: "tent"})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
