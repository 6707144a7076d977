package journey

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// profiles is the folder for profiles of the server, or "" for none. Profiling costs CPU time and allocations, so the results
// of such a run do not count.
var profiles = os.Getenv("PROFILES")

// buildTags returns the program's build tags.
func buildTags() string {
	if profiles == "" {
		return ""
	}
	return "profile"
}

// profiler takes profiles of a server: ENGINE.cpu.pprof, ENGINE.allocs.pprof and, with the allocations before the measurement,
// ENGINE.base.pprof. Without an address it takes none.
type profiler struct{ address, engine string }

func newProfiler(b *testing.B) (p profiler) {
	b.Helper()
	if profiles == "" {
		return p
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	must(b, free.Close())
	return profiler{address: free.Addr().String(), engine: filepath.Base(b.Name())}
}

func (p profiler) start(b *testing.B) {
	b.Helper()
	if p.address != "" {
		must(b, p.save("allocs", "base"))
		must(b, p.save("start", ""))
	}
}

func (p profiler) stop(b *testing.B) {
	b.Helper()
	if p.address != "" {
		must(b, p.save("cpu", "cpu"))
		must(b, p.save("allocs", "allocs"))
	}
}

// save writes the server's response to a file, if it has a name.
func (p profiler) save(path, name string) error {
	answer, err := http.Get("http://" + p.address + "/" + path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	profile, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", path, strings.TrimSpace(string(profile)))
	case name == "":
		return nil
	}
	return os.WriteFile(filepath.Join(profiles, p.engine+"."+name+".pprof"), profile, 0o644)
}
