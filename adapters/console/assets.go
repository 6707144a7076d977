package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
)

//go:embed assets
var assetFiles embed.FS

// assets are the files that pages load. Their address changes with their content, so that browsers keep them for good.
type assets struct {
	version string
	files   map[string][]byte
}

func loadAssets() *assets {
	a := &assets{files: map[string][]byte{}}
	sum := sha256.New()
	entries, err := fs.ReadDir(assetFiles, "assets")
	for _, e := range entries {
		var content []byte
		if content, err = fs.ReadFile(assetFiles, "assets/"+e.Name()); err != nil {
			break
		}
		if e.Name() == "console.css" {
			content = append(content, pricepath.CSS...)
		}
		a.files[e.Name()] = content
		sum.Write([]byte(e.Name()))
		sum.Write(content)
	}
	if err != nil {
		panic(err) // they are part of the program
	}
	a.version = hex.EncodeToString(sum.Sum(nil)[:6])
	return a
}

// Asset is the address of a file.
func (a *assets) Asset(file string) string { return Path + "/assets/" + a.version + "/" + file }

func (a *assets) serveAsset(w http.ResponseWriter, r *http.Request) {
	content, ok := a.files[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.PathValue("file"))))
	if r.PathValue("version") == a.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(content) // the client may have gone
}
