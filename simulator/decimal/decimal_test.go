package decimal_test

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func TestParse(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"0": "0", "-0": "0", "7": "7", "49.9": "49.9", "49.90": "49.9", "-12.50": "-12.5", "0.0001": "0.0001",
		"19.990000000": "19.99", "900000000000000": "900000000000000",
	}
	for text, want := range good {
		got, err := decimal.Parse(text)
		if err != nil || got.String() != want {
			t.Errorf("Parse(%q) = %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", ".", "1.", ".5", "+1", "1e2", "1E400", "NaN", "0x1", "1_0", " 1", "1.00001", "99999999999999999999"} {
		if got, err := decimal.Parse(text); !errors.Is(err, decimal.ErrNotDecimal) {
			t.Errorf("Parse(%q) = %s, %v; want ErrNotDecimal", text, got, err)
		}
	}
}

func TestDecimal_UnmarshalJSON_keepsDigits(t *testing.T) {
	t.Parallel()
	var body struct {
		Price decimal.Decimal  `json:"price"`
		None  *decimal.Decimal `json:"none"`
	}
	if err := json.Unmarshal([]byte(`{"price": 90071992547.4093, "none": null}`), &body); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(body)
	if err != nil || string(out) != `{"price":90071992547.4093,"none":null}` {
		t.Errorf("got %s, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"price": "12.00"}`), &body); err == nil {
		t.Error("a price in a string was accepted")
	}
}

func TestDecimal_Percent_roundsUp(t *testing.T) {
	t.Parallel()
	tests := []struct {
		amount, percent string
		places          int
		want            string
	}{
		{"99.99", "80", 2, "80"}, // 79.992
		{"100", "80", 2, "80"},
		{"0.01", "87.5", 2, "0.01"},
		{"1999", "85", 0, "1700"}, // 1699.15
		{"1.234", "50", 3, "0.617"},
	}
	for _, c := range tests {
		got := decimal.MustParse(c.amount).Percent(decimal.MustParse(c.percent), c.places)
		if got.String() != c.want {
			t.Errorf("%s%% of %s to %d places = %s, want %s", c.percent, c.amount, c.places, got, c.want)
		}
	}
}

func TestDecimal_roundingAndFormat(t *testing.T) {
	t.Parallel()
	if got := decimal.MustParse("-5.5").Fixed(2); got != "-5.50" {
		t.Errorf("Fixed = %q", got)
	}
	if got := decimal.MustParse("1234.99").Fixed(0); got != "1234" {
		t.Errorf("Fixed = %q", got)
	}
	if got := decimal.MustParse("1.999").Down(2).String(); got != "1.99" {
		t.Errorf("Down = %s", got)
	}
	if !decimal.FromInt(75).MultipleOf(decimal.FromInt(5)) || decimal.MustParse("75.5").MultipleOf(decimal.FromInt(5)) {
		t.Error("MultipleOf is wrong")
	}
	if decimal.Places("JPY") != 0 || decimal.Places("BHD") != 3 || decimal.Places("EUR") != 2 {
		t.Error("Places is wrong")
	}
}

func TestDecimal_arithmetic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(-1e12, 1e12).Draw(t, "a")
		b := rapid.Int64Range(-1e12, 1e12).Draw(t, "b")
		count := rapid.Int64Range(1, 50).Draw(t, "count")
		x, y := decimal.FromInt(a).Over(100), decimal.FromInt(b).Over(100)
		if x.Plus(y).Minus(y) != x {
			t.Fatalf("%s + %s - %s is not the first", x, y, y)
		}
		if x.Times(count).Over(count) != x {
			t.Fatalf("%s × %d ÷ %d is not the first", x, count, count)
		}
		if again := decimal.MustParse(x.String()); again != x {
			t.Fatalf("%s read back is %s", x, again)
		}
		if x.Less(y) != (a < b) || x.Sign() != decimal.FromInt(a).Sign() {
			t.Fatalf("order of %s and %s", x, y)
		}
	})
}

func TestDecimal_Times_overflow(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("an overflow went unnoticed")
		}
	}()
	decimal.FromInt(900_000_000_000_000).Times(1000)
}

func TestStep(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][2]string{
		"12": {"0.2", "0.5"}, "100": {"2", "5"}, "1000": {"20", "50"}, "137.77": {"2", "5"}, "39.99": {"0.5", "1"},
		"0.03": {"0.0005", "0.001"}, "0.0001": {"0.0001", "0.0001"}, "9999999999": {"200000000", "200000000"},
	} {
		d := decimal.MustParse(list)
		if d.Step(40) != decimal.MustParse(want[0]) || d.Step(20) != decimal.MustParse(want[1]) {
			t.Errorf("%s: %s and %s, want %v", list, d.Step(40), d.Step(20), want)
		}
	}
	two := decimal.FromInt(2)
	for from, want := range map[string]int64{"0": 0, "80": 80, "80.01": 82, "81.99": 82, "82": 82} {
		if got := decimal.MustParse(from).Up(two); got != decimal.FromInt(want) {
			t.Errorf("%s goes up to %s", from, got)
		}
	}
}
