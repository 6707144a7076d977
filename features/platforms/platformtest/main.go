package platformtest

import (
	"flag"
	"os"
	"testing"
)

// Main runs a package's tests, eight at a time unless -parallel says otherwise: they mostly wait until something is tried again.
func Main(m *testing.M) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		_ = flag.Set("test.parallel", "8") // a number
	}
	os.Exit(m.Run())
}
