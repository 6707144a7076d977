package apidocs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// pages are the templates by name, each within the frame.
var pages = parsePages()

func parsePages() map[string]*template.Template {
	parsed := map[string]*template.Template{}
	for _, name := range []string{"start", "book", "group", "missing"} {
		parsed[name] = template.Must(template.ParseFS(files, "templates/frame.html", "templates/parts.html", "templates/"+name+".html")).Lookup("frame.html")
	}
	return parsed
}

// rendered is a page as it is sent.
type rendered struct {
	body, packed []byte
	tag          string
}

func render(name string, view any) (*rendered, error) {
	var text, packed bytes.Buffer
	if err := pages[name].Execute(&text, view); err != nil {
		return nil, err
	}
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(text.Bytes()) // writing to a buffer does not fail
	if err := zip.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text.Bytes())
	return &rendered{
		body:   text.Bytes(),
		packed: packed.Bytes(),
		tag:    `W/"` + hex.EncodeToString(sum[:8]) + `"`,
	}, nil
}

// send answers with the page, or with 304 Not Modified.
func (p *rendered) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", p.tag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimSpace(known) == p.tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	text := p.body
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		text = p.packed
	}
	_, _ = w.Write(text) // the client may have disconnected
}

// assets are the files that pages load. Their URL changes with their content.
type assets struct {
	version string
	files   map[string][]byte
}

func loadAssets() *assets {
	a := &assets{files: map[string][]byte{}}
	sum := sha256.New()
	entries, err := fs.ReadDir(files, "assets")
	for _, e := range entries {
		var content []byte
		if content, err = fs.ReadFile(files, "assets/"+e.Name()); err != nil {
			break
		}
		a.files[e.Name()] = content
		sum.Write(content)
	}
	if err != nil {
		panic(err) // they are part of the program
	}
	a.version = hex.EncodeToString(sum.Sum(nil)[:6])
	return a
}

func (a *assets) serve(w http.ResponseWriter, r *http.Request) {
	content, ok := a.files[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.PathValue("file"))))
	if r.PathValue("version") == a.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(content) // the client may have disconnected
}
