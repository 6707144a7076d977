package llm

import (
	"sync/atomic"

	"github.com/sony/gobreaker/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// model is what is known of one model of a provider.
type model struct {
	cold atomic.Bool // takes no temperature
}

type circuit = gobreaker.CircuitBreaker[ports.ModelReply]

func newCircuit() *circuit {
	return gobreaker.NewCircuitBreaker[ports.ModelReply](gobreaker.Settings{
		Timeout:      pause,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tooMany },
		IsSuccessful: healthy,
	})
}

// Suspended is how many circuits of models and groups are open at the moment.
func (c *Client) Suspended() int { return c.circuits.Open() }

// healthy reports whether a model works. What one request has in it is not to close the model for others, and who
// goes away has not waited for long.
func healthy(err error) bool {
	return err == nil || !fault.Is(err, "model_timeout") && !fault.Is(err, "model_unreachable") && !isDenied(err)
}
