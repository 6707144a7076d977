package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/embeddings"
)

// embeddingsContext runs a server that asks an embeddings endpoint of the scenario's own.
type embeddingsContext struct {
	*scenario

	endpoint *embeddings.Server
}

const (
	modelKey = "model-key-of-the-merchant"
	// modelTimeout is longer than a busy machine takes to have a few products embedded after failures.
	modelTimeout = 30 * time.Second
)

func embeddingSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a server that asks a model what texts mean$`, s.embeddings.startsServerWithModel)
	sc.Step(`^the model's endpoint answers with (\{.*\})$`, s.embeddings.setsModelFault)
	sc.Step(`^the model's endpoint is down$`, func() error { return s.embeddings.endpoint.Close() })
	sc.Step(`^the model's endpoint is back$`, s.embeddings.restartsModel)
	sc.Step(`^the model's endpoint is well again$`, func() { s.embeddings.endpoint.ClearFaults() })
	sc.Step(`^a search for "([^"]*)" soon finds (nothing|".*")$`, s.embeddings.searchSoonFinds)
	sc.Then(`^the model was asked about "([^"]*)" (\d+) times?$`, s.embeddings.modelWasAsked)
	sc.Step(`^the model is soon asked about "([^"]*)"$`, func(text string) error {
		return eventually(func() error {
			if s.embeddings.endpoint.Asked(text) == 0 {
				return fmt.Errorf("it was asked about %q", s.embeddings.endpoint.Texts())
			}
			return nil
		})
	})
}

func (c *embeddingsContext) startsServerWithModel() error {
	endpoint, err := embeddings.Start(boottest.Address(), embeddings.Config{Key: modelKey})
	if err != nil {
		return err
	}
	c.endpoint = endpoint
	c.atEnd(c.closeModel)
	c.useServer(boottest.Start(c.tb, c.server.engine.URL(c.tb), func(config *boot.Config) {
		config.Connections = 10 // few, because many such servers run at the same time
		config.EmbeddingsURL, config.EmbeddingsKey = endpoint.URL+"/v1", modelKey
	}))
	return nil
}

// closeModel stops the endpoint. It returns an error for each answer to a buyer that revealed the endpoint.
func (c *embeddingsContext) closeModel() (leaked error) {
	for _, a := range c.recorder.all() {
		answer := strings.ToLower(fmt.Sprint(a.header, string(a.body)))
		for _, secret := range []string{modelKey, strings.TrimPrefix(c.endpoint.URL, "http://"), "embedding", "endpoint answered"} {
			if a.toBuyer && strings.Contains(answer, secret) {
				leaked = errors.Join(leaked, fmt.Errorf("%s tells of %q", a.path, secret))
			}
		}
	}
	return errors.Join(leaked, c.endpoint.Close())
}

func (c *embeddingsContext) setsModelFault(fault string) error {
	var f embeddings.Fault
	if err := json.Unmarshal([]byte(fault), &f); err != nil {
		return err
	}
	return c.endpoint.Fault(f)
}

// restartsModel starts the endpoint again at its old address.
func (c *embeddingsContext) restartsModel() error {
	return eventually(func() error {
		endpoint, err := embeddings.Start(strings.TrimPrefix(c.endpoint.URL, "http://"), embeddings.Config{Key: modelKey})
		if err == nil {
			c.endpoint = endpoint
		}
		return err
	})
}

func (c *embeddingsContext) searchSoonFinds(query, what string) error {
	return eventually(func() error { return c.discovery.searchFinds(query, what) })
}

func (c *embeddingsContext) modelWasAsked(text string, times int) error {
	if n := c.endpoint.Asked(text); n != times {
		return fmt.Errorf("it was asked %d times, of %q", n, c.endpoint.Texts())
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
