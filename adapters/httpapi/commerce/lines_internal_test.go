package commerce

import "testing"

func TestParseLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "li_1": 1, LineID(207): 207} {
		if line, ok := ParseLine(text); !ok || line != want {
			t.Errorf("%q is %d, %v", text, line, ok)
		}
	}
	for _, text := range []string{"1", "li_", "li_0", "li_-1", "li_01", "li_1 ", "LI_1", "li_li_1", "li_99999999999999999999"} {
		if line, ok := ParseLine(text); ok {
			t.Errorf("%q is %d", text, line)
		}
	}
}
