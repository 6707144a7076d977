package main

import (
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// rareCollection is GOGC for a server. Its heap is small beside its memory limit, so that collecting garbage less often
// costs only memory that is there.
const rareCollection = 400

// limitMemory sets GOMEMLIMIT to 90 % of the container's memory limit, or to half of the machine's memory where there is
// none, and GOGC to rareCollection. GOMEMLIMIT and GOGC in the environment go first.
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
