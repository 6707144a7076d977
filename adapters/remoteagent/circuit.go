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
	window  = 20               // requests that are looked back on,
	mostly  = 10               // of which so many failed
	pause   = 30 * time.Second // in which a handler that failed is left alone
	known   = 10_000           // handlers that are remembered
)

// circuit leaves a handler alone that keeps failing.
type circuit struct {
	*gobreaker.CircuitBreaker[struct{}]
	recent uint32 // one bit for each request, set where it failed, the last one lowest
}

// circuitKey tells handlers apart: what one agent's URL does is no other's concern.
func circuitKey(to ports.RemoteHandler) string { return to.Agent.String() + " " + to.URL }

// newCircuit is closed. The library calls all of these functions under its lock, and IsSuccessful once for each
// request that counts, before ReadyToTrip.
func newCircuit() *circuit {
	c := &circuit{}
	c.CircuitBreaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout: pause,
		// Who gave up waiting has learnt nothing, nor has who did not ask.
		IsExcluded: func(err error) bool { return errors.Is(err, errLeft) || errors.Is(err, errUnasked) },
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
