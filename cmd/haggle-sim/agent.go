package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/agent"
)

type agentCmd struct {
	Addr   string `default:"127.0.0.1:8097" help:"Listen address, host:port."`
	Secret string `help:"Secret of the agent (whsec_…). Requests without a valid signature get status 401. Without a secret, signatures are not checked."`
	Mode   string `default:"honest" enum:"honest,nonsense,hang,slow,refuse,undercut,gouge,leak,flap" help:"Behavior of the handler: ${enum}."`
}

func (c agentCmd) Run(ctx context.Context) error {
	handler, err := agent.Open(agent.Config{Secret: c.Secret, Mode: c.Mode})
	if err != nil {
		return err
	}
	return serveLookAlike(ctx, c.Addr, handler, c.greet)
}

func (c agentCmd) greet(url string) {
	signed := "Signatures are not checked. To check them, set --secret to the secret of an agent."
	if c.Secret != "" {
		signed = "Requests without a valid signature get status 401."
	}
	fmt.Printf(`Remote handler of the four agent events, mode %[2]s: %[1]s/agent
%[3]s

1. Start a sandbox with HAGGLE_ALLOW_LOOPBACK=1 and set the address in an agent:

   "handlers": {"quote": {"type": "remote", "url": "%[1]s/agent"}}

2. Show the requests received:

   curl -s %[1]s/control/state
   curl -s %[1]s/control/last

3. Change the mode (%[4]s):

   curl -s %[1]s/control/mode --json '{"mode": "leak"}'

Stop with Ctrl-C.
`, url, c.Mode, signed, strings.Join(agent.Modes, ", "))
}
