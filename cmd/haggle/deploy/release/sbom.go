package main

import (
	"bytes"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// billOfMaterials returns a CycloneDX 1.6 SBOM (JSON) of an archive's programs, from the build information in the binaries.
// https://cyclonedx.org/docs/1.6/json/ (read 2026-11-27)
func billOfMaterials(version string, p platform, built []program, date time.Time) ([]byte, error) {
	product := "pkg:golang/" + module + "@v" + version
	var files, modules []cyclonedx.Component
	for _, one := range built {
		sum, err := sumOf(one.file)
		if err != nil {
			return nil, err
		}
		files = append(files, cyclonedx.Component{
			BOMRef:  one.name,
			Type:    cyclonedx.ComponentTypeApplication,
			Name:    one.name,
			Version: version,
			Hashes:  &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum}},
		})
		modules = append(modules, linked(one.info)...)
	}
	modules = distinct(modules)
	var dependencies []cyclonedx.Dependency
	for i, one := range built {
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: files[i].BOMRef, Dependencies: refsOf(one.info)})
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: date.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef:     product,
			Type:       cyclonedx.ComponentTypeApplication,
			Name:       "haggle",
			Version:    version,
			PackageURL: product,
			Properties: properties(p, built[0]),
		},
	}
	all := append(files, modules...)
	bom.Components = &all
	bom.Dependencies = &dependencies
	var out bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	if err := encoder.EncodeVersion(bom, cyclonedx.SpecVersion1_6); err != nil {
		return nil, fmt.Errorf("cannot write the SBOM: %w", err)
	}
	return out.Bytes(), nil
}

// properties returns the platform and, if known, the commit.
func properties(p platform, of program) *[]cyclonedx.Property {
	all := []cyclonedx.Property{
		{Name: "haggle:platform", Value: p.String()},
	}
	for _, key := range []string{"vcs.revision", "vcs.modified"} {
		if value := of.setting(key); value != "" {
			all = append(all, cyclonedx.Property{Name: "haggle:" + key, Value: value})
		}
	}
	return &all
}

// linked returns the modules that are linked into a program, and Go's standard library.
func linked(info *debug.BuildInfo) []cyclonedx.Component {
	all := []cyclonedx.Component{library("std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, library(m.Path, m.Version, m.Sum))
	}
	return all
}

func library(path, version, sum string) cyclonedx.Component {
	c := cyclonedx.Component{
		BOMRef:     packageURL(path, version),
		Type:       cyclonedx.ComponentTypeLibrary,
		Name:       path,
		Version:    version,
		PackageURL: packageURL(path, version),
	}
	if sum != "" { // go.sum's hash of hashes is not a hash of the file
		c.Properties = &[]cyclonedx.Property{{Name: "haggle:go.sum", Value: sum}}
	}
	return c
}

// packageURL returns a module's purl. Its path is in lower case. https://github.com/package-url/purl-spec, type golang (read
// 2026-11-27)
func packageURL(path, version string) string {
	segments := strings.Split(strings.ToLower(path), "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	return "pkg:golang/" + strings.Join(segments, "/") + "@" + url.PathEscape(version)
}

// distinct sorts components and removes the duplicates of programs with the same dependencies.
func distinct(all []cyclonedx.Component) []cyclonedx.Component {
	slices.SortFunc(all, func(a, b cyclonedx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	return slices.CompactFunc(all, func(a, b cyclonedx.Component) bool { return a.BOMRef == b.BOMRef })
}

func refsOf(info *debug.BuildInfo) *[]string {
	var refs []string
	for _, c := range distinct(linked(info)) {
		refs = append(refs, c.BOMRef)
	}
	return &refs
}
