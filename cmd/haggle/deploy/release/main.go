// Command release builds haggle and haggle-sim for each platform of a release, and packs them with their licenses, a CycloneDX
// SBOM and checksums. The same commit and Go version give the same bytes. It uploads nothing.
//
//	go run ./cmd/haggle/deploy/release -out .bin/release
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/haggle-commerce/haggle/cmd/version"
)

const module = "github.com/haggle-commerce/haggle"

// programs are the packages of an archive's programs.
var programs = []string{module + "/cmd/haggle", module + "/cmd/haggle-sim"}

// documents are the other files in an archive, from the module's root.
var documents = []string{"LICENSE", "README.md", "CHANGELOG.md"}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("out", ".bin/release", "folder of the archives, which is made anew")
	wanted := flags.String("platforms", strings.Join(released, ","), "platforms, separated by commas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	platforms, err := parsePlatforms(*wanted)
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	return release{
		root:      root,
		out:       *out,
		version:   version.Number,
		programs:  programs,
		documents: documents,
		platforms: platforms,
	}.write()
}
