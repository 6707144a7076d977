package console

import (
	"encoding/json"
	"testing"
)

func TestParseRegions(t *testing.T) {
	t.Parallel()
	text := "DE off\nEU disclosed\nUS-NY disclosed THIS PRICE."
	rules, wrong := parseRegions(" EU  disclosed \n\nUS-NY disclosed  THIS PRICE.\nDE off\n")
	if wrong != "" || regionLines(asRead(t, rules)) != text {
		t.Errorf("%v, %q", rules, wrong)
	}
	if none, wrong := parseRegions(" \n"); len(none) != 0 || wrong != "" || regionLines(none) != "" {
		t.Errorf("no rules: %v, %q", none, wrong)
	}
	for text, want := range map[string]string{
		"EU":                "must be a region and allowed, disclosed or off, such as US-NY disclosed, a line",
		"EU never":          "must be a region and allowed, disclosed or off, such as US-NY disclosed, a line",
		"EU off\nEU off":    "must have one line for EU",
		"Text of no region": "must be a region and allowed, disclosed or off, such as US-NY disclosed, a line",
	} {
		if _, wrong := parseRegions(text); wrong != want {
			t.Errorf("%q: %q, want %q", text, wrong, want)
		}
	}
}

// asRead returns rules as the API's JSON is read.
func asRead(t *testing.T, rules map[string]any) (read map[string]any) {
	t.Helper()
	text, err := json.Marshal(rules)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}
