//go:build profile

package main

import (
	"bytes"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
)

// A program built with the tag profile serves profiles at PROFILE_ADDR: /start begins a CPU profile, /cpu ends it and returns
// it, and /allocs returns the allocations so far. features/journey uses it.
func init() {
	runtime.MemProfileRate = 32 << 10
	var cpu bytes.Buffer
	http.HandleFunc("/start", func(w http.ResponseWriter, _ *http.Request) {
		cpu.Reset()
		if err := pprof.StartCPUProfile(&cpu); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
	http.HandleFunc("/cpu", func(w http.ResponseWriter, _ *http.Request) {
		pprof.StopCPUProfile()
		_, _ = cpu.WriteTo(w)
	})
	http.HandleFunc("/allocs", func(w http.ResponseWriter, _ *http.Request) {
		runtime.GC() // the profile covers allocations up to the last collection
		_ = pprof.Lookup("allocs").WriteTo(w, 0)
	})
	go func() { panic(http.ListenAndServe(os.Getenv("PROFILE_ADDR"), nil)) }()
}
