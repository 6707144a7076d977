package remoteagent

import "time"

// Patient raises the time limit to a minute for handlers that answer at once, because a test machine may stall.
func (a *Agents) Patient() *Agents {
	a.client.Timeout = time.Minute
	return a
}
