package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Embedder is the contract of ports.Embedder. open returns one that works.
func Embedder(t *testing.T, open func(t *testing.T) ports.Embedder) {
	for name, test := range map[string]func(*testing.T, ports.Embedder){
		"there is a vector for each text, in order":    embedderOrder,
		"more texts than one request takes":            embedderMany,
		"nothing is asked for nothing":                 embedderNothing,
		"texts of all kinds":                           embedderKinds,
		"what means the same is close":                 embedderMeaning,
		"what is answered is the caller's":             embedderAliasing,
		"who gave up waiting is told so":               embedderCanceled,
		"sixteen who ask at once have the same answer": embedderRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := open(t)
			if e.Model() == "" {
				t.Error("the model has no name")
			}
			test(t, e)
		})
	}
}

// embed requests vectors, and checks the rules of every answer.
func embed(t *testing.T, e ports.Embedder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(ports.NewOutbound(t.Context()), texts)
	if err != nil {
		t.Fatal(err)
	}
	porttest.Same(t, "vectors", len(vectors), len(texts))
	for i, v := range vectors {
		length := cosine(v, v) * norm(v)
		if len(v) == 0 || len(v) != len(vectors[0]) || math.IsNaN(length) || math.IsInf(length, 0) || length == 0 {
			t.Fatalf("the vector of %.40q is %v", texts[i], v)
		}
	}
	return vectors
}

func norm(a []float32) float64 {
	sum := 0.0
	for _, x := range a {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum / norm(a) / norm(b)
}

func embedderOrder(t *testing.T, e ports.Embedder) {
	a, b := embed(t, e, "tent", "lamp", "tent"), embed(t, e, "lamp", "tent")
	for what, pair := range map[string][2][]float32{"tents": {a[0], a[2]}, "the tent": {a[0], b[1]}, "the lamp": {a[1], b[0]}} {
		if c := cosine(pair[0], pair[1]); c < 0.999 {
			t.Errorf("%s are apart: %f", what, c)
		}
	}
	if c := cosine(a[0], a[1]); c > 0.95 {
		t.Errorf("a tent is a lamp: %f", c)
	}
}

func embedderMany(t *testing.T, e ports.Embedder) {
	var texts []string
	for i := range 150 {
		texts = append(texts, fmt.Sprintf("article number%d", i))
	}
	all := embed(t, e, texts...)
	for _, i := range []int{0, 63, 64, 127, 128, 149} {
		if c := cosine(all[i], embed(t, e, texts[i])[0]); c < 0.999 {
			t.Errorf("the vector of text %d is another's: %f", i, c)
		}
	}
}

func embedderNothing(t *testing.T, e ports.Embedder) {
	vectors, err := e.Embed(ports.NewOutbound(t.Context()), nil)
	if err != nil || len(vectors) != 0 {
		t.Errorf("%v, %v", vectors, err)
	}
}

func embedderKinds(t *testing.T, e ports.Embedder) {
	for _, text := range []string{
		"x", "  spaces \t and\nlines ", "Größe über ½ Zoll", "日本語の傘", "🏕️", `"quotes" \ and {braces}`, "'; DROP TABLE products; --",
		strings.Repeat("word ", 400), strings.Repeat("傘", 2000), "-",
	} {
		embed(t, e, text)
	}
}

func embedderMeaning(t *testing.T, e ports.Embedder) {
	v := embed(t, e, "a red couch", "a red sofa", "a steel hammer")
	if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near <= far {
		t.Errorf("a couch is as close to a sofa (%f) as to a hammer (%f)", near, far)
	}
}

func embedderAliasing(t *testing.T, e ports.Embedder) {
	first := embed(t, e, "tent")[0]
	was := first[0]
	for i := range first {
		first[i] = 9
	}
	porttest.Same(t, "again", embed(t, e, "tent")[0][0], was)
}

func embedderCanceled(t *testing.T, e ports.Embedder) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ports.NewOutbound(gone), []string{"a text that nobody asked for before"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func embedderRace(t *testing.T, e ports.Embedder) {
	answers := make([][][]float32, porttest.Racers)
	if err := porttest.AtOnce(porttest.Racers, func(n int) (err error) {
		answers[n], err = e.Embed(ports.NewOutbound(t.Context()), []string{"umbrella"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, answer := range answers {
		porttest.Same(t, "answer", answer, answers[0])
	}
}
