package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/cmd/haggle/licenses"
)

// release says what to build and where to write it.
type release struct {
	root, out, version string

	programs  []string // packages; the first is the product
	documents []string // files below root
	platforms []platform
}

// sumsFile has the SHA-256 of all other files of a release, in the format of sha256sum -c.
const sumsFile = "SHA256SUMS"

// write creates the release's folder, replacing an existing one. SHA256SUMS is written last.
func (r release) write() error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, p := range r.platforms {
		if err := r.writePlatform(p); err != nil {
			return err
		}
	}
	return writeSums(r.out)
}

// name returns the base name of a platform's files, such as haggle_0.2.0_linux_amd64.
func (r release) name(p platform) string {
	return fmt.Sprintf("haggle_%s_%s_%s", r.version, p.os, p.arch)
}

func (r release) writePlatform(p platform) (err error) {
	folder, err := os.MkdirTemp("", "haggle-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	fmt.Println("Building", r.name(p))
	built, err := build(r.root, folder, p, r.programs)
	if err != nil {
		return err
	}
	date, err := built[0].date()
	if err != nil {
		return err
	}
	sbom, err := billOfMaterials(r.version, p, built, date)
	if err != nil {
		return err
	}
	entries, err := r.entries(built, sbom)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, r.name(p)+".cdx.json"), sbom, 0o644); err != nil {
		return err
	}
	return writeArchive(filepath.Join(r.out, r.name(p)+".tar.gz"), r.name(p), entries, date)
}

// entry is a file of an archive.
type entry struct {
	name    string
	mode    int64
	content []byte
}

// entries returns the files of a platform's archive.
func (r release) entries(built []program, sbom []byte) (all []entry, err error) {
	for _, p := range built {
		content, err := os.ReadFile(p.file)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{p.name, 0o755, content})
	}
	for _, name := range r.documents {
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		all = append(all, entry{filepath.Base(name), 0o644, content})
	}
	var texts bytes.Buffer
	if err := licenses.PrintFor(&texts, built[0].info); err != nil {
		return nil, err
	}
	return append(all, entry{"THIRD_PARTY_LICENSES.txt", 0o644, texts.Bytes()}, entry{"sbom.cdx.json", 0o644, sbom}), nil
}

// writeArchive writes a tar.gz whose bytes depend only on the arguments.
func writeArchive(file, folder string, entries []entry, date time.Time) (err error) {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, e := range entries {
		header := &tar.Header{
			Typeflag: tar.TypeReg,
			Name:     folder + "/" + e.name,
			Mode:     e.mode,
			Size:     int64(len(e.content)),
			ModTime:  date,
			Format:   tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

// writeSums writes the checksums of all files of a folder.
func writeSums(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var lines []string
	for _, f := range files {
		sum, err := sumOf(filepath.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, sum+"  "+f.Name()+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return os.WriteFile(filepath.Join(folder, sumsFile), []byte(strings.Join(lines, "")), 0o644)
}

func sumOf(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
