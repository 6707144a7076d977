package main

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/model"
)

type modelCmd struct {
	Addr      string `default:"127.0.0.1:8098" help:"Address to listen on."`
	Key       string `help:"Ask for this API key."`
	Behaviour string `default:"polite" enum:"polite,chatty,parrot,generous,leaky,linking,markup,unicode,yes,obedient" help:"What it writes: ${enum}."`
}

func (c modelCmd) Run(ctx context.Context) error {
	return serveLookAlike(ctx, c.Addr, model.Open(model.Config{Key: c.Key, Behaviour: c.Behaviour}), c.greet)
}

func (c modelCmd) greet(url string) {
	key := ""
	if c.Key != "" {
		key = fmt.Sprintf(" HAGGLE_OPENAI_KEY=%[1]s HAGGLE_ANTHROPIC_KEY=%[1]s", c.Key)
	}
	fmt.Printf(`A look-alike of OpenAI's chat completions (%[1]s/v1) and of Anthropic's messages (%[1]s).

1. Let a server use it, in another terminal:

   HAGGLE_OPENAI_URL=%[1]s/v1 HAGGLE_ANTHROPIC_URL=%[1]s%[2]s %[3]s serve --demo

   and turn it on for an agent: provider "openai" or "anthropic", any name of a model.

2. See what was asked:

   curl -s %[1]s/control/state
   curl -s %[1]s/control/questions

3. Let it write what it should not: polite, chatty, parrot, generous, leaky, linking, markup, unicode, yes, obedient:

   curl -s -X PUT %[1]s/control/behaviour --json '{"behaviour": "generous"}'

4. Let it fail: slow, error, throttle, truncated, broken, empty, prose, schema, page, endless, lost, hang and more:

   curl -s %[1]s/control/faults --json '{"kind": "slow", "times": 5, "ms": 900}'
   curl -s -X DELETE %[1]s/control/faults

Stop with Ctrl-C.
`, url, key, merchantProgram())
}
