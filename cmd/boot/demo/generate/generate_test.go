package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestCatalogue_committed(t *testing.T) {
	t.Parallel()
	want, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../catalogue.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("catalogue.ndjson is stale: run go generate in cmd/boot/demo")
	}
}

func TestReadDepartment_errors(t *testing.T) {
	t.Parallel()
	const sub = "@ tents | a quick pitch | thin stakes\n"
	for _, c := range []struct{ name, text, want string }{
		{"subcategory without dislikes", "@ tents | dry", "test.txt:1: a subcategory has"},
		{"cut off", sub + "A | B | C | 1 |\n d", "test.txt:2: a product takes three lines"},
		{"price in words", sub + "A | B | C | ten |\n d\n a=b | t | A\n", `test.txt:2: price "ten" is no number`},
		{"three decimals", sub + "A | B | C | 1.005 |\n d\n a=b | t | A\n", "more than two decimals"},
		{"attribute without value", sub + "A | B | C | 1 |\n d\n a | t | A\n", `attribute "a" has no value`},
		{"unknown variant", sub + "A | B | C | 1 | cut: slim\n d\n a=b | t | A\n", `"cut" is neither size nor color`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := readDepartment("test", c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestDollars(t *testing.T) {
	t.Parallel()
	for cents, want := range map[int]string{24900: "249", 24950: "249.5", 24995: "249.95", 1205: "12.05"} {
		if got := dollars(cents).String(); got != want {
			t.Errorf("dollars(%d) is %s, want %s", cents, got, want)
		}
	}
}
