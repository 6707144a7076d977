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

// model is a look-alike of an embeddings endpoint, and the server that asks it. A scenario has both to itself, for
// a server that meets failures leaves its endpoint alone for a while.
type model struct {
	endpoint *embeddings.Server
	lease    *lease
}

const (
	modelKey = "model-key-of-the-merchant"
	// modelPatience is longer than a busy machine takes to have a few products embedded after failures.
	modelPatience = 30 * time.Second
)

func embeddingSteps(sc book, w *world) {
	sc.Given(`^a server that asks a model what texts mean$`, w.asksModel)
	sc.Step(`^the model's endpoint answers with (\{.*\})$`, w.modelFails)
	sc.Step(`^the model's endpoint is down$`, func() error { return w.endpoint.Close() })
	sc.Step(`^the model's endpoint is back$`, w.modelIsBack)
	sc.Step(`^the model's endpoint is well again$`, func() { w.endpoint.ClearFaults() })
	sc.Step(`^a search for "([^"]*)" soon finds (nothing|".*")$`, w.wouldSoonFind)
	sc.Then(`^the model was asked about "([^"]*)" (\d+) times?$`, w.modelWasAsked)
	sc.Step(`^the model is soon asked about "([^"]*)"$`, func(text string) error {
		return soon(func() error {
			if w.endpoint.Asked(text) == 0 {
				return fmt.Errorf("it was asked about %q", w.endpoint.Texts())
			}
			return nil
		})
	})
	sc.sc.After(func(ctx context.Context, _ *godog.Scenario, _ error) (context.Context, error) {
		return ctx, w.leaveModel()
	})
}

// lease is a test's, for the time of one scenario.
type lease struct {
	testing.TB
	ends []func()
}

func (l *lease) Cleanup(end func()) { l.ends = append(l.ends, end) }

func (w *world) asksModel() error {
	endpoint, err := embeddings.Start(boottest.Address(), embeddings.Config{Key: modelKey})
	if err != nil {
		return err
	}
	w.model = model{endpoint, &lease{TB: w.server.t}}
	w.goTo(boottest.Start(w.lease, w.server.engine.URL(w.lease), func(c *boot.Config) {
		c.Connections = 10 // as many as its scenario and its loops need: there are many such servers
		c.EmbeddingsURL, c.EmbeddingsKey = endpoint.URL+"/v1", modelKey
	}))
	return nil
}

// leaveModel ends the scenario's own server, after a look at what it told buyers of the endpoint.
func (w *world) leaveModel() (told error) {
	if w.lease == nil {
		return nil
	}
	for _, end := range slices.Backward(w.lease.ends) {
		end()
	}
	for _, a := range w.tape.all() {
		answer := strings.ToLower(fmt.Sprint(a.header, string(a.body)))
		for _, secret := range []string{modelKey, strings.TrimPrefix(w.endpoint.URL, "http://"), "embedding", "endpoint answered"} {
			if a.toBuyer && strings.Contains(answer, secret) {
				told = errors.Join(told, fmt.Errorf("%s tells of %q", a.path, secret))
			}
		}
	}
	return errors.Join(told, w.endpoint.Close())
}

func (w *world) modelFails(fault string) error {
	var f embeddings.Fault
	if err := json.Unmarshal([]byte(fault), &f); err != nil {
		return err
	}
	return w.endpoint.Fault(f)
}

// modelIsBack starts the endpoint anew where it was.
func (w *world) modelIsBack() error {
	return soon(func() error {
		endpoint, err := embeddings.Start(strings.TrimPrefix(w.endpoint.URL, "http://"), embeddings.Config{Key: modelKey})
		if err == nil {
			w.endpoint = endpoint
		}
		return err
	})
}

func (w *world) wouldSoonFind(query, what string) error {
	return soon(func() error { return w.wouldFind(query, what) })
}

func (w *world) modelWasAsked(text string, times int) error {
	if n := w.endpoint.Asked(text); n != times {
		return fmt.Errorf("it was asked %d times, of %q", n, w.endpoint.Texts())
	}
	return nil
}

// soon waits until something holds.
func soon(holds func() error) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if err := holds(); err == nil || time.Since(began) > modelPatience {
			return err
		}
	}
}
