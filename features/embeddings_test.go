package features

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/embeddings"
	"github.com/haggle-commerce/haggle/simulator/merchant"
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
	sc.Step(`^the model's endpoint (always fails|fails once|fails twice) with "(\w+)"(?: about the "([^"]*)")?$`, s.embeddings.setsModelFault)
	sc.Step(`^the model's endpoint takes 1 second for each answer$`, func() error {
		return s.embeddings.endpoint.Fault(embeddings.Fault{
			Kind:   "slow",
			Millis: 1000,
			Times:  -1,
		})
	})
	sc.Step(`^the model's endpoint is down$`, func() error { return s.embeddings.endpoint.Close() })
	sc.Step(`^the model's endpoint is back$`, s.embeddings.restartsModel)
	sc.Step(`^the model's endpoint works again$`, func() { s.embeddings.endpoint.ClearFaults() })
	sc.Step(`^the merchant adds the "([^"]*)"(?: \((\w+)(?:, (\w+))?\))? for (\d+)$`, s.embeddings.addsProduct)
	sc.When(`^the merchant turns the product into the "([^"]*)" \((\w+)\)$`, func(name, category string) error {
		return s.merchantSends("PATCH", s.catalog.productPath(), fmt.Sprintf(`{"name": %q, "category": %q}`, name, category))
	})
	sc.When(`^the merchant takes the product off sale$`, func() error {
		return s.merchantSends("PATCH", s.catalog.productPath(), `{"status": "archived"}`)
	})
	sc.Then(`^the results by meaning are, in order: (.+)$`, func(list string) error { return s.answerShows("results.*.name", "["+list+"]") })
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

// setsModelFault makes the endpoint fail, with any answer or only with those to requests that contain a text.
func (c *embeddingsContext) setsModelFault(often, kind, about string) error {
	times := map[string]int{"always fails": -1, "fails once": 1, "fails twice": 2}
	return c.endpoint.Fault(embeddings.Fault{
		Kind:  kind,
		Times: times[often],
		Match: about,
	})
}

// addsProduct adds a product with a stock of five.
func (c *embeddingsContext) addsProduct(name, category, brand string, price int) error {
	product := merchant.Product{
		Name:     name,
		SKU:      skuOf(name),
		Price:    decimal.FromInt(int64(price)),
		Category: category,
		Brand:    brand,
		Quantity: new(5),
	}
	made, err := c.merchant.CreateProduct(c.ctx, product)
	c.product, c.products[name] = made, made
	return err
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
