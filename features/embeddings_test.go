package features

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/embeddings"
)

// embeddingState is a fake embeddings endpoint and the cleanups of the server that uses it. Scenarios do not share them,
// because a server stops calling its endpoint for a while after failures.
type embeddingState struct {
	endpoint *embeddings.Server
	modelTB  *scenarioTB
}

const (
	modelKey = "model-key-of-the-merchant"
	// modelTimeout is longer than a busy machine takes to have a few products embedded after failures.
	modelTimeout = 30 * time.Second
)

func embeddingSteps(sc stepRegistry, w *world) {
	sc.Given(`^a server that asks a model what texts mean$`, w.startsServerWithModel)
	sc.Step(`^the model's endpoint answers with (\{.*\})$`, w.setsModelFault)
	sc.Step(`^the model's endpoint is down$`, func() error { return w.endpoint.Close() })
	sc.Step(`^the model's endpoint is back$`, w.restartsModel)
	sc.Step(`^the model's endpoint is well again$`, func() { w.endpoint.ClearFaults() })
	sc.Step(`^a search for "([^"]*)" soon finds (nothing|".*")$`, w.searchSoonFinds)
	sc.Then(`^the model was asked about "([^"]*)" (\d+) times?$`, w.modelWasAsked)
	sc.Step(`^the model is soon asked about "([^"]*)"$`, func(text string) error {
		return eventually(func() error {
			if w.endpoint.Asked(text) == 0 {
				return fmt.Errorf("it was asked about %q", w.endpoint.Texts())
			}
			return nil
		})
	})
	sc.sc.After(func(ctx context.Context, _ *godog.Scenario, _ error) (context.Context, error) {
		return ctx, w.closeModel()
	})
}

// scenarioTB is a testing.TB whose cleanups run at the end of a scenario, not of the test.
type scenarioTB struct {
	testing.TB
	cleanups []func()
}

func (l *scenarioTB) Cleanup(end func()) { l.cleanups = append(l.cleanups, end) }

func (w *world) startsServerWithModel() error {
	endpoint, err := embeddings.Start(boottest.Address(), embeddings.Config{Key: modelKey})
	if err != nil {
		return err
	}
	w.embeddingState = embeddingState{endpoint, &scenarioTB{TB: w.server.t}}
	w.useServer(boottest.Start(w.modelTB, w.server.engine.URL(w.modelTB), func(c *boot.Config) {
		c.Connections = 10 // few, because many such servers run at the same time
		c.EmbeddingsURL, c.EmbeddingsKey = endpoint.URL+"/v1", modelKey
	}))
	return nil
}

// closeModel stops the scenario's own server and endpoint. It returns an error for each answer to a buyer that revealed the
// endpoint.
func (w *world) closeModel() (leaked error) {
	if w.modelTB == nil {
		return nil
	}
	for _, end := range slices.Backward(w.modelTB.cleanups) {
		end()
	}
	for _, a := range w.recorder.all() {
		answer := strings.ToLower(fmt.Sprint(a.header, string(a.body)))
		for _, secret := range []string{modelKey, strings.TrimPrefix(w.endpoint.URL, "http://"), "embedding", "endpoint answered"} {
			if a.toBuyer && strings.Contains(answer, secret) {
				leaked = errors.Join(leaked, fmt.Errorf("%s tells of %q", a.path, secret))
			}
		}
	}
	return errors.Join(leaked, w.endpoint.Close())
}

func (w *world) setsModelFault(fault string) error {
	var f embeddings.Fault
	if err := json.Unmarshal([]byte(fault), &f); err != nil {
		return err
	}
	return w.endpoint.Fault(f)
}

// restartsModel starts the endpoint again at its old address.
func (w *world) restartsModel() error {
	return eventually(func() error {
		endpoint, err := embeddings.Start(strings.TrimPrefix(w.endpoint.URL, "http://"), embeddings.Config{Key: modelKey})
		if err == nil {
			w.endpoint = endpoint
		}
		return err
	})
}

func (w *world) searchSoonFinds(query, what string) error {
	return eventually(func() error { return w.searchFinds(query, what) })
}

func (w *world) modelWasAsked(text string, times int) error {
	if n := w.endpoint.Asked(text); n != times {
		return fmt.Errorf("it was asked %d times, of %q", n, w.endpoint.Texts())
	}
	return nil
}

// eventually retries check until it succeeds or modelTimeout has passed.
func eventually(check func() error) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if err := check(); err == nil || time.Since(began) > modelTimeout {
			return err
		}
	}
}
