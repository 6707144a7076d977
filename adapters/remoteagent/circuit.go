package remoteagent

import (
	"errors"
	"math/bits"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/haggle-commerce/haggle/ports"
)

const (
	tooMany = 5                // failures in a row
	window  = 20               // most recent requests that are considered
	mostly  = 10               // failures among them
	pause   = 30 * time.Second // during which a failing handler gets no requests
	known   = 10_000           // handlers that are remembered
)

// circuit suspends a handler that keeps failing.
type circuit struct {
	*gobreaker.CircuitBreaker[struct{}]
	recent uint32 // one bit per request, set if it failed; the lowest bit is the latest
}

// circuitKey identifies a handler by agent and URL, so that failures of one do not affect others.
func circuitKey(to ports.RemoteHandler) string { return to.Agent.String() + " " + to.URL }

// newCircuit returns a closed circuit. The library calls all of these functions under its lock, and calls IsSuccessful once
// for each request that counts, before ReadyToTrip.
func newCircuit() *circuit {
	c := &circuit{}
	c.CircuitBreaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout: pause,
		// A canceled call or one that sent no request says nothing about the handler.
		IsExcluded: func(err error) bool { return errors.Is(err, errCallerGone) || errors.Is(err, errNotAsked) },
		IsSuccessful: func(err error) bool {
			c.recent <<= 1
			if err != nil {
				c.recent |= 1
			}
			return err == nil
		},
		ReadyToTrip: func(n gobreaker.Counts) bool {
			return n.ConsecutiveFailures >= tooMany || bits.OnesCount32(c.recent&(1<<window-1)) >= mostly
		},
		OnStateChange: func(string, gobreaker.State, gobreaker.State) { c.recent = 0 },
	})
	return c
}
