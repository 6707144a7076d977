package main

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/model"
)

type modelCmd struct {
	Addr      string `default:"127.0.0.1:8098" help:"Listen address, host:port."`
	Key       string `help:"API key that requests must have. Default: none is required."`
	Behaviour string `default:"polite" enum:"polite,chatty,parrot,generous,leaky,linking,markup,unicode,yes,obedient" help:"Behavior of the model: ${enum}."`
}

func (c modelCmd) Run(ctx context.Context) error {
	return serveLookAlike(ctx, c.Addr, model.Open(model.Config{Key: c.Key, Behaviour: c.Behaviour}), c.greet)
}

func (c modelCmd) greet(url string) {
	key := ""
	if c.Key != "" {
		key = fmt.Sprintf(" HAGGLE_OPENAI_KEY=%[1]s HAGGLE_ANTHROPIC_KEY=%[1]s", c.Key)
	}
	fmt.Printf(`Simulated language models: OpenAI chat completions (%[1]s/v1) and Anthropic messages (%[1]s).

1. In another terminal, start a server that uses it:

   HAGGLE_OPENAI_URL=%[1]s/v1 HAGGLE_ANTHROPIC_URL=%[1]s%[2]s %[3]s serve --demo

   Then enable the model for an agent: provider "openai" or "anthropic", with any model name.

2. Show the requests received:

   curl -s %[1]s/control/state
   curl -s %[1]s/control/questions

3. Change the behavior (polite, chatty, parrot, generous, leaky, linking, markup, unicode, yes, obedient):

   curl -s -X PUT %[1]s/control/behaviour --json '{"behaviour": "generous"}'

4. Inject faults (slow, error, throttle, truncated, broken, empty, prose, schema, page, endless, lost, hang and others):

   curl -s %[1]s/control/faults --json '{"kind": "slow", "times": 5, "ms": 900}'
   curl -s -X DELETE %[1]s/control/faults

Stop with Ctrl-C.
`, url, key, merchantProgram())
}
