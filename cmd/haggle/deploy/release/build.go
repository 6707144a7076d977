package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// released are the platforms of a release.
var released = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// platform is a GOOS and a GOARCH.
type platform struct {
	os, arch string
}

func (p platform) String() string { return p.os + "/" + p.arch }

// parsePlatforms parses a list such as "linux/amd64,darwin/arm64".
func parsePlatforms(list string) (platforms []platform, err error) {
	for name := range strings.SplitSeq(list, ",") {
		if !slices.Contains(released, name) {
			return nil, fmt.Errorf("-platforms has %q: it must be one of %s", name, strings.Join(released, ", "))
		}
		system, arch, _ := strings.Cut(name, "/")
		platforms = append(platforms, platform{system, arch})
	}
	return platforms, nil
}

// program is a built program.
type program struct {
	name string
	file string
	info *debug.BuildInfo
}

// fixedEnvironment resets the variables of a developer's environment that would change the binaries. Binaries are static and
// run on every processor of their architecture.
var fixedEnvironment = []string{
	"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off",
}

// build builds packages for a platform into a folder. Go stamps the commit into the binaries if root is a repository.
func build(root, folder string, p platform, packages []string) ([]program, error) {
	c := exec.Command("go", append([]string{
		"build", "-trimpath", "-buildvcs=auto", "-ldflags", "-s -w", "-o", folder + string(filepath.Separator),
	}, packages...)...)
	c.Dir = root
	c.Env = append(append(os.Environ(), fixedEnvironment...), "GOOS="+p.os, "GOARCH="+p.arch)
	if output, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot build for %s: %w\n%s", p, err, output)
	}
	var all []program
	for _, name := range packages {
		built := program{
			name: path.Base(name),
			file: filepath.Join(folder, path.Base(name)),
		}
		var err error
		if built.info, err = buildinfo.ReadFile(built.file); err != nil {
			return nil, err
		}
		all = append(all, built)
	}
	return all, nil
}

// setting returns a build setting such as "vcs.revision", or "" if the build does not have it.
func (p program) setting(key string) string {
	for _, s := range p.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// date returns the modification time of a release's files: SOURCE_DATE_EPOCH, or the commit's time, or 1970.
// https://reproducible-builds.org/specs/source-date-epoch/ (read 2026-11-27)
func (p program) date() (time.Time, error) {
	if given := os.Getenv("SOURCE_DATE_EPOCH"); given != "" {
		var seconds int64
		if _, err := fmt.Sscanf(given, "%d", &seconds); err != nil || fmt.Sprint(seconds) != given {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q: it must be a number of seconds", given)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	committed := p.setting("vcs.time")
	if committed == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	return time.Parse(time.RFC3339, committed)
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	file, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	return filepath.Dir(strings.TrimSpace(string(file))), nil
}
