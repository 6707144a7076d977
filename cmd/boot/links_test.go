package boot_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	markdownLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	markdownHeading = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	fencedCode      = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	notInAnchor     = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchorsOf returns GitHub's anchors of the headings of a page.
func anchorsOf(page string) (anchors []string) {
	for _, heading := range markdownHeading.FindAllStringSubmatch(fencedCode.ReplaceAllString(page, ""), -1) {
		anchors = append(anchors, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-"))
	}
	return anchors
}

// brokenLinks returns the links of a page to files and headings that do not exist.
func brokenLinks(path, page string, read func(string) (string, error)) (broken []string) {
	for _, link := range markdownLink.FindAllStringSubmatch(fencedCode.ReplaceAllString(page, ""), -1) {
		if strings.Contains(link[1], "://") {
			continue
		}
		name, anchor, _ := strings.Cut(link[1], "#")
		target, text := path, page
		if name != "" {
			target = filepath.Join(filepath.Dir(path), name)
			var err error
			if text, err = read(target); err != nil {
				broken = append(broken, link[1])
				continue
			}
		}
		if anchor != "" && strings.HasSuffix(target, ".md") && !slices.Contains(anchorsOf(text), anchor) {
			broken = append(broken, link[1])
		}
	}
	return broken
}

// Every link in the repository's Markdown files leads to an existing file and heading.
func TestBrokenLinks_repository(t *testing.T) {
	t.Parallel()
	const root = "../.."
	read := func(path string) (string, error) {
		about, err := os.Stat(path)
		if err != nil || about.IsDir() {
			return "", err
		}
		text, err := os.ReadFile(path)
		return string(text), err
	}
	pages := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		pages++
		page, err := read(path)
		if err != nil {
			return err
		}
		for _, link := range brokenLinks(path, page, read) {
			t.Errorf("%s: %s leads nowhere", path, link)
		}
		return nil
	})
	if err != nil || pages < 15 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

func TestBrokenLinks(t *testing.T) {
	t.Parallel()
	read := func(path string) (string, error) {
		if path == "a/other.md" {
			return "# A `title`, and more\n```sh\n# no heading\n```\n", nil
		}
		return "", fs.ErrNotExist
	}
	const page = "# Here\n[1](other.md) [2](other.md#a-title-and-more) [3](#here) [4](https://example.com/x.md#y)\n" +
		"[5](other.md#no-heading) [6](missing.md) [7](#there)\n```\n[8](missing.md)\n```\n"
	if got := brokenLinks("a/page.md", page, read); !slices.Equal(got, []string{"other.md#no-heading", "missing.md", "#there"}) {
		t.Errorf("%v", got)
	}
}
