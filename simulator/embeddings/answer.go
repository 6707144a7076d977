package embeddings

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// request is the body of a request for embeddings.
type request struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Format     string          `json:"encoding_format"`
	Dimensions int             `json:"dimensions"`
	texts      []string
}

type embedding struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"`
}

// embed answers with vectors, or as the oldest matching fault says.
func (e *Embeddings) embed(w http.ResponseWriter, r *http.Request) {
	if e.config.Key != "" && r.Header.Get("Authorization") != "Bearer "+e.config.Key {
		script.Write(w, http.StatusUnauthorized, refusal("invalid_api_key", "Incorrect API key provided."))
		return
	}
	asked, err := e.read(r)
	if err != nil {
		script.Write(w, http.StatusBadRequest, refusal("invalid_request_error", err.Error()))
		return
	}
	e.asked(asked.texts)
	f := e.Meet(asked.texts...)
	if f.Kind != "" {
		e.note(func(s *State) { s.Faults++ })
	}
	if f.Befalls(w, r, replies) {
		return
	}
	body := e.answer(asked, f)
	if f.Kind == "" || f.Kind == script.Slow || f.Kind == reversed {
		e.note(func(s *State) { s.Answered += len(asked.texts) })
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

func (e *Embeddings) read(r *http.Request) (request, error) {
	var asked request
	if err := json.NewDecoder(io.LimitReader(r.Body, largestBody)).Decode(&asked); err != nil {
		return asked, fmt.Errorf("the body is not the JSON that is expected here: %w", err)
	}
	var one string
	if json.Unmarshal(asked.Input, &one) == nil {
		asked.texts = []string{one}
	} else if json.Unmarshal(asked.Input, &asked.texts) != nil {
		return asked, fmt.Errorf("input must be a text, or a list of texts")
	}
	switch {
	case asked.Model == "":
		return asked, fmt.Errorf("you must provide a model parameter")
	case len(asked.texts) == 0 || len(asked.texts) > e.config.MaxInputs:
		return asked, fmt.Errorf("input must have 1 to %d texts", e.config.MaxInputs)
	case asked.Format != "" && asked.Format != "float" && asked.Format != "base64":
		return asked, fmt.Errorf("encoding_format must be float or base64")
	case asked.Dimensions < 0 || asked.Dimensions > 4096:
		return asked, fmt.Errorf("dimensions must be 1 to 4096")
	}
	for _, text := range asked.texts {
		if text == "" || len(text) > e.config.MaxText {
			return asked, fmt.Errorf("each text must have 1 to %d bytes", e.config.MaxText)
		}
	}
	return asked, nil
}

// answer returns the body, damaged as a fault says.
func (e *Embeddings) answer(asked request, f Fault) []byte {
	dims := e.config.Dims
	if asked.Dimensions > 0 {
		dims = asked.Dimensions
	}
	if f.Kind == wrongSize {
		dims = max(1, dims/2)
	}
	data := make([]embedding, len(asked.texts))
	tokens := 0
	for i, text := range asked.texts {
		vector := damage(Vector(text, dims), i, f.Kind)
		data[i] = embedding{"embedding", i, vector}
		if asked.Format == "base64" {
			data[i].Embedding = packed(vector)
		}
		if f.Kind == wrongIndex {
			data[i].Index = 0
		}
		tokens += len(strings.Fields(text))
	}
	switch f.Kind {
	case wrongCount:
		data = data[:len(data)-1]
	case reversed:
		for i, j := 0, len(data)-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
	}
	body, _ := json.Marshal(map[string]any{
		"object": "list", "model": asked.Model, "data": data, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})
	switch f.Kind {
	case notNumber:
		body = bytes.ReplaceAll(body, []byte("7777777"), []byte("NaN"))
	case huge:
		body = bytes.ReplaceAll(body, []byte("7777777"), []byte("1e60"))
	case garbage:
		body = body[:len(body)/2]
	}
	return body
}

// damage damages the i-th vector.
func damage(vector []float32, i int, kind string) []float32 {
	switch kind {
	case uneven:
		if i == 0 {
			return vector[1:]
		}
	case zeros:
		return make([]float32, len(vector))
	case empty:
		return []float32{}
	case notNumber, huge:
		vector[len(vector)/2] = 7777777 // replaced in the JSON text later
	}
	return vector
}

func packed(vector []float32) string {
	var bits []byte
	for _, x := range vector {
		bits = binary.LittleEndian.AppendUint32(bits, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(bits)
}
