package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/agent"
)

type agentCmd struct {
	Addr   string `default:"127.0.0.1:8097" help:"Address to listen on."`
	Secret string `help:"The agent's secret (whsec_…): requests that are not signed with it are answered 401. Without it all are taken."`
	Mode   string `default:"honest" enum:"honest,nonsense,hang,slow,refuse,undercut,gouge,leak,flap" help:"How to behave: ${enum}."`
}

func (c agentCmd) Run(ctx context.Context) error {
	handler, err := agent.Open(agent.Config{Secret: c.Secret, Mode: c.Mode})
	if err != nil {
		return err
	}
	return serveLookAlike(ctx, c.Addr, handler, c.greet)
}

func (c agentCmd) greet(url string) {
	signed := "Requests need no signature. To have them checked, start with --secret and the secret of an agent."
	if c.Secret != "" {
		signed = "Requests that are not signed with the secret are answered 401."
	}
	fmt.Printf(`A merchant's own handler of the four agent events, %[2]s: %[1]s/agent
%[3]s

1. Give its address to an agent of a sandbox that allows loopback (HAGGLE_ALLOW_LOOPBACK=1):

   "handlers": {"quote": {"type": "remote", "url": "%[1]s/agent"}}

2. See what was asked for:

   curl -s %[1]s/control/state
   curl -s %[1]s/control/last

3. Let it behave in another way: %[4]s:

   curl -s %[1]s/control/mode --json '{"mode": "leak"}'

Stop with Ctrl-C.
`, url, c.Mode, signed, strings.Join(agent.Modes, ", "))
}
