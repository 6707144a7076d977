package searcheval

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// readFixture reads files with these texts; "" stands for a valid text.
func readFixture(t *testing.T, name, queries, judgements, paraphrases, synonyms string) (questions, error) {
	t.Helper()
	or := func(text, good string) string {
		if text == "" {
			return good
		}
		return text
	}
	return readQuestions(Config{
		Queries:     file(t, "queries"+name, or(queries, `{"id":"q1","query":"tent"}`)),
		Judgements:  file(t, "judgements"+name, or(judgements, `{"query_id":"q1","sku":"T-1","gain":1}`)),
		Paraphrases: file(t, "paraphrases"+name, or(paraphrases, `{"id":"q1","query":"canvas"}`)),
		Synonyms:    file(t, "synonyms"+name, or(synonyms, `{"words":["tent","shelter"]}`)),
	})
}

func TestReadQuestions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".jsonl", ".jsonl.gz"} {
		q, err := readFixture(t, name,
			"\ufeff{\"id\":\"q1\",\"query\":\"tent\",\"note\":\"read over\"}\n\n{\"id\":2,\"query\":\"mat\"}\r\n",
			`{"query_id":"q1","sku":"T-1","gain":0.25}
{"query_id":2,"sku":17,"gain":0}
{"query_id":"q1","sku":"T-1","gain":1}`,
			"{\"id\":\"q1\",\"query\":\"canvas\"}\n{\"id\":\"q1\",\"query\":\"bivouac\"}",
			"{\"words\":[\"tent\",\" bivy  sack\"]}\n{\"input\":\"doss\",\"words\":[\"mat\"]}")
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(q.queries, q.judged, q.repeated, q.paraphrases)
		if want := "[{q1 tent} {2 mat}] map[2:map[17:0] q1:map[T-1:1]] 1 [{q1 canvas} {q1 bivouac}]"; got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		s := q.synonyms
		if len(s) != 2 || fmt.Sprint(s[0].Words) != "[tent bivy sack]" || len(s[0].Words) != 2 || s[1].Input != "doss" || s[0].ID == s[1].ID {
			t.Errorf("%s: synonyms %+v", name, s)
		}
	}
}

func TestReadQuestions_badLines(t *testing.T) {
	t.Parallel()
	const query = `{"id":"q1","query":"tent"}` + "\n"
	for _, c := range []struct{ queries, judgements, paraphrases, synonyms, want string }{
		{queries: query + "\nnothing", want: "queries.jsonl: line 3: is not JSON: "},
		{queries: query + `{"id":"q2","query":"mat"`, want: "queries.jsonl: line 2: is not JSON: "},
		{queries: `"tent"`, want: "queries.jsonl: line 1: is not a JSON object"},
		{queries: `{"query":"tent"}`, want: "queries.jsonl: line 1: id is required"},
		{queries: `{"id":"q1","query":" "}`, want: "queries.jsonl: line 1: query is required"},
		{queries: `{"id":"q1","query":7}`, want: "queries.jsonl: line 1: query has the wrong type"},
		{queries: `{"id":["q1"],"query":"tent"}`, want: "queries.jsonl: line 1: id must be a string or a number"},
		{queries: query + query, want: `queries.jsonl: line 2: id "q1" is used twice`},
		{queries: "\n \n", want: "queries.jsonl: is empty"},
		{queries: query + strings.Repeat("x", longestLine+1), want: "queries.jsonl: line 2: is longer than 1 MiB"},
		{judgements: `{"sku":"T-1","gain":1}`, want: "judgements.jsonl: line 1: query_id is required"},
		{judgements: `{"query_id":"q1","gain":1}`, want: "judgements.jsonl: line 1: sku is required"},
		{judgements: `{"query_id":"q1","sku":"T-1"}`, want: "judgements.jsonl: line 1: gain is required"},
		{judgements: `{"query_id":"q1","sku":"T-1","gain":-0.5}`, want: "judgements.jsonl: line 1: gain must be zero or more"},
		{judgements: `{"query_id":"q1","sku":"T-1","gain":"1"}`, want: "judgements.jsonl: line 1: gain has the wrong type"},
		{judgements: `{"query_id":"q1","sku":"T-1","gain":1e999}`, want: "judgements.jsonl: line 1: gain has the wrong type"},
		{paraphrases: query + `{"id":"q1"}`, want: "paraphrases.jsonl: line 2: query is required"},
		{synonyms: `{"words":["tent"]}`, want: "synonyms.jsonl: line 1: words must have at least 2 words"},
		{synonyms: `{"input":"tent"}`, want: "synonyms.jsonl: line 1: words must have at least 1 word"},
	} {
		_, err := readFixture(t, ".jsonl", c.queries, c.judgements, c.paraphrases, c.synonyms)
		_, isInputError := errors.AsType[*InputError](err)
		if !isInputError || !strings.Contains(err.Error(), string(filepath.Separator)+c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	if _, err := readQueries(filepath.Join(t.TempDir(), "none"), true); !errors.As(err, new(*InputError)) {
		t.Errorf("no file: %v", err)
	}
}
