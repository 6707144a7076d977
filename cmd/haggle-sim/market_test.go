package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/simulating"
)

// simulateMarket runs the command without a terminal.
func simulateMarket(t *testing.T, flags ...string) (out, said string, err error) {
	t.Helper()
	c := command(t, append([]string{"market"}, flags...)...)
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	return stdout.String(), stderr.String(), err
}

func TestMarketCmd_Run(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files [2][2][]byte
	var tables [2]string
	for i := range files {
		j, h := filepath.Join(dir, fmt.Sprint(i, ".json")), filepath.Join(dir, fmt.Sprint(i, ".html"))
		out, said, err := simulateMarket(t, "--seed=1", "--buyers=2000", "--json="+j, "--html="+h)
		if err != nil || !strings.Contains(said, "44000 negotiations in ") || strings.Count(said, "\n") != 1 {
			t.Fatalf("%v\n%s%s", err, out, said)
		}
		tables[i], files[i] = out, [2][]byte{read(t, j), read(t, h)}
	}
	if tables[0] != tables[1] || !bytes.Equal(files[0][0], files[1][0]) || !bytes.Equal(files[0][1], files[1][1]) {
		t.Error("the same seed gave other figures")
	}
	for _, want := range []string{"Multiple of best posted price, mean", "normal-85-c65", "tit-for-tat", "outside the market:", "Prober, round", "Round cap     6\n"} {
		if !strings.Contains(tables[0], want) {
			t.Errorf("%q is not in\n%s", want, tables[0])
		}
	}
	var r simulating.Report
	if err := json.Unmarshal(files[0][0], &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Populations) != 10 || len(r.Strategies) != 11 || len(r.Paths) != 11 || !r.OK() || r.Summary.DealRate <= 0 || r.Summary.DealRate >= 1 {
		t.Errorf("%+v", r.Summary)
	}
	if page := string(files[0][1]); !strings.Contains(page, `<section id="probing">`) || !strings.HasSuffix(page, "</html>\n") {
		t.Error("the page is not whole")
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestMarketCmd_Run_flags(t *testing.T) {
	t.Parallel()
	out, said, err := simulateMarket(t, "--json=-", "--buyers=500", "--population=lognormal", "--population=uniform-c65", "--strategy=prober,linear",
		"--hints=heed", "--list=20.00", "--max-discount=12.5", "--rounds=3", "--seed=9")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var r simulating.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, p := range r.Populations {
		names += p.Name + " "
	}
	for _, s := range r.Strategies {
		names += s.Strategy + " "
	}
	if names != "lognormal-c50 lognormal-c65 uniform-c65 prober linear " || !r.HeedHints || r.List != 2000 || r.Seed != 9 || r.Buyers != 500 {
		t.Errorf("%s: %+v", names, r)
	}
	if got := fmt.Sprint(r.Settings); got != "[{Policy built-in, version 1} {List price 20.00 USD} {Max discount 12.5%} {Round cap 3}]" {
		t.Error(got)
	}
	// With a max discount of 0 there is nothing to negotiate: the margin is exactly that of the list price.
	out, _, err = simulateMarket(t, "--json=-", "--buyers=500", "--population=uniform-c50", "--max-discount=0")
	var fixed simulating.Report
	if e := json.Unmarshal([]byte(out), &fixed); err != nil || e != nil || fixed.Populations[0].Policy.Margin != fixed.Populations[0].List.Margin {
		t.Errorf("%v, %v: %+v", err, e, fixed.Populations)
	}
}

func TestMarketCmd_buyers_custom(t *testing.T) {
	t.Parallel()
	lines := filepath.Join(t.TempDir(), "all.csv")
	out, said, err := simulateMarket(t, "--json=-", "--buyers=1000", "--population=two:.75:.05:1.05:.05:.5:c40", "--population=normal:.88:.12",
		"--deadline=2", "--first=.5:.6", "--firm=.95", "--strategy=hardliner,linear", "--csv="+lines)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var r simulating.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, p := range r.Populations {
		names += p.Name + " "
	}
	if names != "two:0.75:0.05:1.05:0.05:0.5-c40 normal:0.88:0.12-c50 normal:0.88:0.12-c65 " || r.Strategies[0].Rounds > 2 || r.Paths[0].Deadline != 2 {
		t.Errorf("%s: %+v", names, r.Strategies)
	}
	if first := r.Paths[0]; first.Steps[0].Offer/first.Worth < .9499 || first.Steps[0].Offer/first.Worth > .9501 {
		t.Errorf("a firm hardliner: %+v", first)
	}
	records, err := csv.NewReader(bytes.NewReader(read(t, lines))).ReadAll()
	if err != nil || len(records) != 1+3000 {
		t.Fatalf("%v, %d lines", err, len(records))
	}
	deals := 0
	for _, record := range records[1:] {
		if record[7] != "" {
			deals++
		}
		if record[5] != "2" || record[8] != "" {
			t.Errorf("%q", record)
		}
	}
	if deals != r.Strategies[0].Deals+r.Strategies[1].Deals || deals == 0 {
		t.Errorf("%d deals in the file, %+v", deals, r.Strategies)
	}
}

func TestMarketCmd_Run_errors(t *testing.T) {
	t.Parallel()
	for flag, says := range map[string]string{
		"--population=nobody": "there are uniform-c50", "--strategy=nobody": "there are boulware", "--buyers=3": "10 to 1000000 buyers",
		"--list=x": "--list must be", "--list=0.99": "--list must be", "--max-discount=91": "--max-discount must be", "--max-discount=1.25": "--max-discount must be",
		"--rounds=-1": "--rounds must be 1 to 20", "--rounds=21": "--rounds must be 1 to 20", "--hints=maybe": "--hints must be one of", "--strategy=linear,linear": "named twice",
		"--html=/no/such/folder/x.html": "no such file", "--csv=/no/such/folder/x.csv": "no such file",
		"--population=normal:x:.1:c50": "--population: \"normal:x:.1:c50\": \"x\" is no share", "--population=normal:.9:c50": "--population: ", "--population=two:1:2": "--population: ",
		"--deadline=8:3": "--deadline must be", "--deadline=0:3": "--deadline must be", "--deadline=3:21": "--deadline must be", "--deadline=x": "--deadline must be",
		"--first=.9:.8": "--first must be", "--first=.5:1.2": "--first must be", "--first=0": "--first must be", "--firm=0": "--firm must be", "--firm=NaN": "--firm must be",
		"--url=http://127.0.0.1:1": "--url requires --key", "--key=x": "require --url", "--project=demo": "require --url", "--pay": "require --url", "--concurrency=2": "require --url",
	} {
		flags := []string{"--buyers=10", flag}
		if out, said, err := simulateMarket(t, flags...); err == nil || out != "" || !strings.Contains(said, says) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: %v, %q, %q; want %s", flag, err, out, said, says)
		}
	}
	for flag, says := range map[string]string{
		"--rounds=3": "--rounds and --learn cannot be combined", "--learn=2000": "--rounds and --learn cannot be combined", "--max-discount=x": "--max-discount must be", "--max-discount=12.55": "--max-discount must be", "--list=0.5": "--list must be",
		"--concurrency=1001": "--concurrency must be", "--deadline=x": "--deadline must be", "--seed=1": "cannot prepare the simulation at http://127.0.0.1:1: ",
	} {
		if _, said, err := simulateMarket(t, "--buyers=10", "--url=http://127.0.0.1:1", "--key=x", flag); err == nil || !strings.Contains(said, says) {
			t.Errorf("%s: %v, %q; want %s", flag, err, said, says)
		}
	}
	if _, said, err := simulateMarket(t, "--csv=-", "--html=-"); err == nil || !strings.Contains(said, "only one of --json, --html and --csv can be -") {
		t.Errorf("%v, %q", err, said)
	}
	if out, err := command(t, "market", "--help").CombinedOutput(); err != nil || !strings.Contains(string(out), "95 % interval") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestMarketCmd_write_oneFile(t *testing.T) {
	t.Parallel()
	for flag, begins := range map[string]string{"--json=-": "{", "--html=-": "<!DOCTYPE html>", "--csv=-": "population,"} {
		out, said, err := simulateMarket(t, "--buyers=10", "--population=uniform-c50", flag)
		if err != nil || !strings.HasPrefix(out, begins) || strings.Contains(out, "Multiple of best posted price, mean  ") {
			t.Errorf("%s: %v\n%.200s%s", flag, err, out, said)
		}
	}
}

func BenchmarkMarket(b *testing.B) {
	config, err := marketCmd{
		Seed:        1,
		Buyers:      5000,
		List:        "100.00",
		MaxDiscount: "20",
	}.config()
	if err != nil {
		b.Fatal(err)
	}
	negotiations := 0
	for b.Loop() {
		report, err := simulating.Run(b.Context(), config)
		if err != nil {
			b.Fatal(err)
		}
		negotiations += report.Negotiations
	}
	b.ReportMetric(float64(negotiations)/b.Elapsed().Seconds(), "negotiations/s")
}
