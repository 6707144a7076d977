package llm

import (
	"sync/atomic"

	"github.com/sony/gobreaker/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// model is the state of one model of a provider.
type model struct {
	noTemperature atomic.Bool // it rejects the parameter temperature
}

type circuit = gobreaker.CircuitBreaker[ports.ModelReply]

func newCircuit() *circuit {
	return gobreaker.NewCircuitBreaker[ports.ModelReply](gobreaker.Settings{
		Timeout:      pause,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tooMany },
		IsSuccessful: healthy,
	})
}

// Suspended returns how many circuits of models and groups are open now.
func (c *Client) Suspended() int { return c.circuits.Open() }

// healthy reports whether an error says nothing against the model. The content of one request must not suspend the model for
// others, and a canceled request has not waited long.
func healthy(err error) bool {
	return err == nil || !fault.Is(err, "model_timeout") && !fault.Is(err, "model_unreachable") && !isDenied(err)
}
