package embeddings_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/embeddings"
)

func start(t *testing.T, c embeddings.Config) *embeddings.Server {
	t.Helper()
	s, err := embeddings.Start("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// send sends a request and returns the status and the body.
func send(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer key")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func cosine(a, b string) float64 {
	x, y := embeddings.Vector(a, 64), embeddings.Vector(b, 64)
	sum := 0.0
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return sum
}

// Paraphrases are much closer to each other than unrelated texts.
func TestVector_paraphrases(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ query, near, far string }{
		{"couch", "a sofa", "table"},
		{"cheap laptop for kids", "affordable notebook for children", "warm jumper for men"},
		{"waterproof jackets", "rainproof coat", "steel saucepan"},
		{"cellphone", "Mobile phones", "headphones"},
	} {
		if near, far := cosine(test.query, test.near), cosine(test.query, test.far); near < 0.7 || far > 0.5 {
			t.Errorf("%q: %q is at %.2f, %q at %.2f", test.query, test.near, near, test.far, far)
		}
	}
	for _, text := range []string{"sofa", "the", "?!", "", "日本語の傘 and a long text, of many words"} {
		if c := cosine(text, text); math.Abs(c-1) > 1e-5 {
			t.Errorf("%q is as long as %f", text, c)
		}
	}
}

func TestEmbeddings_ServeHTTP(t *testing.T) {
	t.Parallel()
	s := start(t, embeddings.Config{
		Dims:      8,
		Key:       "key",
		MaxInputs: 3,
	})
	status, text := send(t, "POST", s.URL+"/v1/embeddings", `{"model": "m", "input": ["sofa", "lamp"], "encoding_format": "float"}`)
	var list struct {
		Data []struct {
			Index     int
			Embedding []float32
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || status != http.StatusOK || len(list.Data) != 2 || list.Data[1].Index != 1 || list.Usage.Prompt != 2 {
		t.Fatalf("%d %v %s", status, err, text)
	}
	status, text = send(t, "POST", s.URL+"/v1/embeddings", `{"model": "m", "input": "sofa", "encoding_format": "base64"}`)
	var bits struct{ Data []struct{ Embedding string } }
	if err := json.Unmarshal([]byte(text), &bits); err != nil || status != http.StatusOK {
		t.Fatalf("%d %v %s", status, err, text)
	}
	raw, err := base64.StdEncoding.DecodeString(bits.Data[0].Embedding)
	if err != nil || len(raw) != 32 || math.Float32frombits(binary.LittleEndian.Uint32(raw)) != list.Data[0].Embedding[0] {
		t.Errorf("%v %x", err, raw)
	}
	if s.Asked("sofa") != 2 || s.State() != (embeddings.State{
		Requests: 2,
		Texts:    3,
		Largest:  2,
		Answered: 3,
	}) {
		t.Errorf("%+v", s.State())
	}
	for _, body := range []string{
		`{`, `{"input": "a"}`, `{"model": "m", "input": []}`, `{"model": "m", "input": ["a", ""]}`, `{"model": "m", "input": 7}`,
		`{"model": "m", "input": ["a", "b", "c", "d"]}`, `{"model": "m", "input": "a", "encoding_format": "int8"}`,
	} {
		if status, text := send(t, "POST", s.URL+"/v1/embeddings", body); status != http.StatusBadRequest || !strings.Contains(text, `"error"`) {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	if status, _ := send(t, "POST", start(t, embeddings.Config{Key: "another"}).URL+"/v1/embeddings", `{}`); status != http.StatusUnauthorized {
		t.Errorf("another key: %d", status)
	}
}

// Faults apply in the order in which they were posted, as often as they say.
func TestServer_control(t *testing.T) {
	t.Parallel()
	s := start(t, embeddings.Config{})
	for _, fault := range []string{`{"kind": "error", "after": 1, "times": 2, "status": 503}`, `{"kind": "throttle", "match": "lamp", "times": -1, "retry_after": 7}`} {
		if status, text := send(t, "POST", s.URL+"/control/faults", fault); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	for _, test := range []struct {
		input string
		want  int
	}{{"sofa", 200}, {"lamp", 503}, {"sofa", 503}, {"sofa", 200}, {"a lamp", 429}, {"lamp", 429}} {
		if status, text := send(t, "POST", s.URL+"/v1/embeddings", `{"model": "m", "input": "`+test.input+`"}`); status != test.want {
			t.Errorf("%s: %d, want %d (%s)", test.input, status, test.want, text)
		}
	}
	if status, _ := send(t, "POST", s.URL+"/control/faults", `{"kind": "flood"}`); status != http.StatusUnprocessableEntity {
		t.Errorf("an unknown fault: %d", status)
	}
	if status, text := send(t, "DELETE", s.URL+"/control/faults", ""); status != http.StatusOK || len(s.Faults()) != 0 {
		t.Errorf("%d %s", status, text)
	}
	if _, text := send(t, "GET", s.URL+"/control/state", ""); !strings.Contains(text, `"faults":4`) {
		t.Error(text)
	}
	if _, text := send(t, "GET", s.URL+"/control/texts", ""); !strings.Contains(text, "a lamp") {
		t.Error(text)
	}
}
