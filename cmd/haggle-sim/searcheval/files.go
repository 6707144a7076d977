package searcheval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// question is a query of a file. Several paraphrases may have one id.
type question struct{ id, text string }

// questions are the contents of the files: queries, judgements, paraphrases and synonyms.
type questions struct {
	queries, paraphrases []question
	judged               judgements
	repeated             int // judgements that replaced an earlier one
	synonyms             []catalog.Synonym
}

// judgements has the gain by query id and sku.
type judgements map[string]map[string]float64

func readQuestions(c Config) (q questions, err error) {
	if c.Queries != "" {
		if q.queries, err = readQueries(c.Queries, true); err != nil {
			return questions{}, err
		}
		if q.judged, q.repeated, err = readJudgements(c.Judgements); err != nil {
			return questions{}, err
		}
	}
	if c.Paraphrases != "" {
		if q.paraphrases, err = readQueries(c.Paraphrases, false); err != nil {
			return questions{}, err
		}
	}
	if c.Synonyms != "" {
		q.synonyms, err = readSynonyms(c.Synonyms)
	}
	return q, err
}

func readQueries(path string, unique bool) (all []question, err error) {
	type record struct {
		ID    label  `json:"id"`
		Query string `json:"query"`
	}
	seen := make(map[label]bool)
	err = records(path, func(r record) error {
		switch {
		case r.ID == "":
			return errors.New("id is required")
		case strings.TrimSpace(r.Query) == "":
			return errors.New("query is required")
		case unique && seen[r.ID]:
			return fmt.Errorf("id %q is used twice", r.ID)
		}
		seen[r.ID] = true
		all = append(all, question{string(r.ID), r.Query})
		return nil
	})
	return all, err
}

// readJudgements keeps the later of two judgements of the same query and sku, and counts such repetitions.
func readJudgements(path string) (all judgements, repeated int, err error) {
	type record struct {
		Query label    `json:"query_id"`
		SKU   label    `json:"sku"`
		Gain  *float64 `json:"gain"`
	}
	all = make(judgements)
	err = records(path, func(r record) error {
		switch {
		case r.Query == "":
			return errors.New("query_id is required")
		case r.SKU == "":
			return errors.New("sku is required")
		case r.Gain == nil:
			return errors.New("gain is required")
		case *r.Gain < 0:
			return errors.New("gain must be zero or more")
		}
		gains := all[string(r.Query)]
		if gains == nil {
			gains = make(map[string]float64)
			all[string(r.Query)] = gains
		}
		if _, known := gains[string(r.SKU)]; known {
			repeated++
		}
		gains[string(r.SKU)] = *r.Gain
		return nil
	})
	return all, repeated, err
}

// readSynonyms validates synonyms by the catalogue's rules.
func readSynonyms(path string) (all []catalog.Synonym, err error) {
	type record struct {
		Input *string  `json:"input"`
		Words []string `json:"words"`
	}
	err = records(path, func(r record) error {
		if len(all) == catalog.MaxSynonyms {
			return fmt.Errorf("there are more than %d synonyms", catalog.MaxSynonyms)
		}
		draft := catalog.SynonymDraft{Words: patch.To(r.Words)}
		if r.Input != nil {
			draft.Input = patch.To(*r.Input)
		}
		made, err := catalog.CreateSynonym(projectID, synonymID(len(all)), draft, opened)
		if bad, ok := errors.AsType[*fault.Error](err); ok {
			return errors.New(bad.Description())
		} else if err != nil {
			return err
		}
		all = append(all, *made)
		return nil
	})
	return all, err
}

// label is an id in a file, which may be a string or a number.
type label string

func (l *label) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if kind := from.PeekKind(); kind != '"' && kind != '0' {
		return errors.New("must be a string or a number")
	}
	token, err := from.ReadToken()
	*l = label(token.String())
	return err
}

// longestLine limits the bytes of a record.
const longestLine = 1 << 20

// records calls take with every line of a JSON Lines file. It skips empty lines and ignores unknown names.
func records[T any](path string, take func(T) error) error {
	file, err := os.Open(path)
	if err != nil {
		return &InputError{File: path, Err: withoutPath(err)}
	}
	defer func() { _ = file.Close() }() // opened for reading only
	text, err := plain(file)
	if err != nil {
		return &InputError{File: path, Err: err}
	}
	number, found := 0, false
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		number++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		found = true
		if err := record(lines.Bytes(), take); err != nil {
			return &InputError{path, number, err}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &InputError{path, number + 1, errors.New("is longer than 1 MiB")}
	case err != nil && number == 0:
		return &InputError{File: path, Err: withoutPath(err)}
	case err != nil:
		return &InputError{path, number + 1, withoutPath(err)}
	case !found:
		return &InputError{File: path, Err: errors.New("is empty")}
	}
	return nil
}

func record[T any](line []byte, take func(T) error) error {
	var r T
	if err := json.Unmarshal(line, &r); err != nil {
		return badJSON(err)
	}
	return take(r)
}

// plain decompresses gzipped input and removes a byte order mark.
func plain(from io.Reader) (io.Reader, error) {
	raw := bufio.NewReader(from)
	if magic, _ := raw.Peek(2); string(magic) == "\x1f\x8b" {
		archive, err := gzip.NewReader(raw)
		if err != nil {
			return nil, err
		}
		raw = bufio.NewReader(archive)
	}
	if mark, _ := raw.Peek(3); string(mark) == "\ufeff" {
		_, _ = raw.Discard(3)
	}
	return raw, nil
}

// badJSON returns the JSON library's error with the field's name.
func badJSON(err error) error {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		field := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", ".")
		switch {
		case field == "":
			return errors.New("is not a JSON object")
		case semantic.GoType == reflect.TypeFor[label]() && semantic.Err != nil:
			return fmt.Errorf("%s %w", field, semantic.Err)
		}
		return fmt.Errorf("%s has the wrong type", field)
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("is not JSON: %w at byte %d", syntactic.Err, syntactic.ByteOffset+1)
	}
	return fmt.Errorf("is not JSON: %w", err)
}

// withoutPath removes the path from an os.PathError, because an InputError already names the file.
func withoutPath(err error) error {
	if of, ok := errors.AsType[*os.PathError](err); ok {
		return of.Err
	}
	return err
}
