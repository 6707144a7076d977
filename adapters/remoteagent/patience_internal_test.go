package remoteagent

import "time"

// Patient gives handlers that answer at once the time that a machine may stall for.
func (a *Agents) Patient() *Agents {
	a.client.Timeout = time.Minute
	return a
}
