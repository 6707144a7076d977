package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const evalData = "testdata/search-eval/"

// searchEval runs the command over a small shop. Later flags override earlier ones.
func searchEval(t *testing.T, flags ...string) (out, said string, code int) {
	t.Helper()
	c := command(t, append([]string{"search-eval"}, flags...)...)
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		code = failed.ExitCode()
	}
	return stdout.String(), stderr.String(), code
}

func evalFlags(more ...string) []string {
	return append([]string{"--products=" + evalData + "products.csv", "--queries=" + evalData + "queries.jsonl", "--judgements=" + evalData + "judgements.jsonl"}, more...)
}

// Each query has one right answer, and the tent in stock ranks before its sold-out twin.
func TestSearchEvalCmd_Run(t *testing.T) {
	t.Parallel()
	out, said, code := searchEval(t, evalFlags("--worst=1", "--explain=gas stove")...)
	for _, want := range []string{
		"products      5 (1 rejected)", "judgements    6 (1 for unknown SKUs)", "queries                   4\n",
		"with judgements           3\n", "skipped: no gain above 0  1\n", "NDCG@10                   1.000\n",
		"recall@100                1.000\n", "latency p99", "The worst queries", `"gas stove": `, "STOVE-1",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code != 0 || said != evalData+"products.csv: line 7: sku BAD-1: price must be more than zero\n" {
		t.Errorf("%d, and said\n%s", code, said)
	}
}

func TestSearchEvalCmd_Run_json(t *testing.T) {
	t.Parallel()
	packed := filepath.Join(t.TempDir(), "products.csv.gz")
	pack(t, evalData+"products.csv", packed)
	out, said, code := searchEval(t, "--json", "--products="+packed, "--queries="+evalData+"queries.jsonl",
		"--judgements="+evalData+"judgements.jsonl", "--paraphrases="+evalData+"paraphrases.jsonl", "--synonyms="+evalData+"synonyms.jsonl")
	var got struct {
		Products, Synonyms   int
		Queries, Paraphrases struct {
			Evaluated int
			NDCG      float64 `json:"ndcg_at_10"`
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("%d, %v\n%s%s", code, err, out, said)
	}
	if got.Products != 5 || got.Synonyms != 2 || got.Queries.Evaluated != 3 || got.Queries.NDCG != 1 || got.Paraphrases.Evaluated != 2 || got.Paraphrases.NDCG != 1 {
		t.Errorf("%s", out)
	}
}

func pack(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(file)
	_, err = w.Write(text)
	if err := errors.Join(err, w.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestSearchEvalCmd_Run_errors(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{\"query_id\":\"q1\",\"sku\":\"TENT-1\",\"gain\":1}\n{\"query_id\":\"q1\",\"sku\":\"TENT-2\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	queries, products := "--queries="+evalData+"queries.jsonl", "--products="+evalData+"products.csv"
	for _, c := range []struct {
		code  int
		says  string
		flags []string
	}{
		{2, bad + ": line 2: gain is required", []string{products, queries, "--judgements=" + bad}},
		{2, evalData + "none.csv: no such file", []string{"--products=" + evalData + "none.csv", "--explain=tent"}},
		{2, "testdata: is a directory", []string{products, "--queries=testdata", "--judgements=" + bad}},
		{1, "must be set together", []string{products, queries}},
		{1, "or --explain", []string{products}},
		{1, "--products", []string{"--explain=tent"}},
	} {
		out, said, code := searchEval(t, c.flags...)
		if code != c.code || out != "" || !strings.Contains(said, c.says) || strings.Count(said, "\n") != 1 {
			t.Errorf("%v: %d, %q, %q; want %d and %s", c.flags, code, out, said, c.code, c.says)
		}
	}
	if out, said, code := searchEval(t, products, "--explain=tent"); code != 0 || !strings.Contains(out, "TENT-1") {
		t.Errorf("explaining alone: %d\n%s%s", code, out, said)
	}
}
