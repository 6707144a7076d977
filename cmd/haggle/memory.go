package main

import (
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// rareCollection is GOGC for a server. The heap is small compared with the memory limit, so collecting less often uses only
// memory that is free anyway.
const rareCollection = 400

// limitMemory sets GOMEMLIMIT to 90 % of the container's memory limit, or to half of the machine's memory if there is no limit,
// and GOGC to rareCollection. GOMEMLIMIT and GOGC in the environment take precedence.
func limitMemory() error {
	machine := memlimit.ApplyRatio(memlimit.FromSystem, 0.5)
	_, err := memlimit.Set(memlimit.WithRatio(1), memlimit.WithProvider(
		memlimit.ApplyFallback(memlimit.ApplyRatio(memlimit.FromCgroup, 0.9), machine)))
	if err != nil {
		return err
	}
	if _, given := os.LookupEnv("GOGC"); !given {
		debug.SetGCPercent(rareCollection)
	}
	return nil
}
