package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/embeddings"
)

type embeddingsCmd struct {
	Addr string `default:"127.0.0.1:8096" help:"Listen address, host:port."`
	Dims int    `default:"64" help:"Number of dimensions of the vectors, 1 to 4096."`
	Key  string `help:"API key that requests must have. Default: none is required."`
}

func (c embeddingsCmd) Run(ctx context.Context) error {
	if c.Dims < 1 || c.Dims > 4096 {
		return errors.New("--dims must be 1 to 4096")
	}
	return serveLookAlike(ctx, c.Addr, embeddings.Open(embeddings.Config{Dims: c.Dims, Key: c.Key}), c.greet)
}

func (c embeddingsCmd) greet(url string) {
	key := ""
	if c.Key != "" {
		key = " HAGGLE_EMBEDDINGS_KEY=" + c.Key
	}
	fmt.Printf(`Simulated OpenAI-compatible embeddings endpoint with %[2]d dimensions: %[1]s/v1

1. In another terminal, start a server that uses it:

   HAGGLE_EMBEDDINGS_URL=%[1]s/v1%[3]s HAGGLE_EMBEDDINGS_MODEL=look-alike %[4]s serve --demo

2. Show the requests received:

   curl -s %[1]s/control/state
   curl -s %[1]s/control/texts

3. Inject faults (slow, error, throttle, wrong_size, wrong_count, nan, garbage, hang and others):

   curl -s %[1]s/control/faults --json '{"kind": "slow", "times": 5, "ms": 400}'
   curl -s -X DELETE %[1]s/control/faults

Stop with Ctrl-C.
`, url, c.Dims, key, merchantProgram())
}
