// Package schema embeds the published schemas of the Universal Commerce Protocol (UCP) and validates values against them,
// resolved for a direction and an operation. It knows JSON Schema only. Package judge decides which schemas a message
// must satisfy and checks the rules that are only in the specification's text.
package schema

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Version is a version of the protocol.
type Version string

// The versions whose schemas are embedded.
const (
	V20260825 Version = "2026-08-25"
	V20260408 Version = "2026-04-08"
)

// Versions are all versions, newest first.
var Versions = []Version{V20260825, V20260408}

// Direction is the sender of a value, because one UCP schema is used for requests and for answers.
type Direction string

// The directions, named as in the annotations of the schemas.
const (
	Request  Direction = "request"
	Response Direction = "response"
)

// Host is the prefix of all identifiers of published schemas.
const Host = "https://ucp.dev/"

// ErrUnknown means that a version or a schema is not embedded.
var ErrUnknown = errors.New("no such schema")

//go:embed published/2026-08-25 published/2026-04-08 haggle
var files embed.FS

// Ref selects a schema and how to resolve it.
type Ref struct {
	Version   Version
	Direction Direction
	Operation string // create, update, complete, read, …; only used for requests
	Location  string // below https://ucp.dev/schemas/, with a fragment if it has one
}

// url returns the identifier under which the schema is compiled.
func (r Ref) url() string {
	if strings.Contains(r.Location, "://") {
		return r.Location
	}
	return Host + "schemas/" + r.Location
}

// Compiled schemas and their compilers. A compiler is not safe for concurrent use, a compiled schema is.
var (
	mu        sync.Mutex
	compilers = map[Ref]*jsonschema.Compiler{} // by Ref without its location
	compiled  = map[Ref]*jsonschema.Schema{}
)

// Compile resolves and compiles the schema, and caches it.
func Compile(ref Ref) (*jsonschema.Schema, error) {
	mu.Lock()
	defer mu.Unlock()
	if ready := compiled[ref]; ready != nil {
		return ready, nil
	}
	compiler, err := compilerFor(ref)
	if err != nil {
		return nil, err
	}
	ready, err := compiler.Compile(ref.url())
	if err != nil {
		return nil, fmt.Errorf("%w: %s of %s: %w", ErrUnknown, ref.Location, ref.Version, err)
	}
	compiled[ref] = ready
	return ready, nil
}

// raw are the published documents by version. They are shared and must not be changed.
var raw = map[Version]func() (map[string]any, error){
	V20260825: sync.OnceValues(func() (map[string]any, error) { return Documents(V20260825) }),
	V20260408: sync.OnceValues(func() (map[string]any, error) { return Documents(V20260408) }),
}

// Document returns a published schema by its location. It is shared and must not be changed.
func Document(version Version, location string) (any, error) {
	load := raw[version]
	if load == nil {
		return nil, fmt.Errorf("%w: version %q", ErrUnknown, version)
	}
	documents, err := load()
	if err != nil {
		return nil, err
	}
	document, found := documents[Ref{Location: location}.url()]
	if !found {
		return nil, fmt.Errorf("%w: %s of %s", ErrUnknown, location, version)
	}
	return document, nil
}

func compilerFor(ref Ref) (*jsonschema.Compiler, error) {
	ref.Location = ""
	if ready := compilers[ref]; ready != nil {
		return ready, nil
	}
	documents, err := Documents(ref.Version)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for id, document := range documents {
		if err := compiler.AddResource(id, Resolve(document, ref.Direction, ref.Operation)); err != nil {
			return nil, err
		}
	}
	compilers[ref] = compiler
	return compiler, nil
}

// Documents returns all schemas of a version by identifier. The caller may change them.
func Documents(version Version) (map[string]any, error) {
	documents := map[string]any{}
	for _, folder := range []string{"published/" + string(version), "haggle"} {
		err := fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(name) != ".json" {
				return err
			}
			document, err := read(name)
			if object, isObject := document.(map[string]any); err == nil && isObject {
				if id, identified := object["$id"].(string); identified {
					object["$id"] = placed(id)
					documents[placed(id)] = document
				}
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%w: version %q: %w", ErrUnknown, version, err)
		}
	}
	return documents, nil
}

// placed corrects the identifier of the discovery profile of 2026-04-08, whose references are relative to the location of
// its file, one folder above its $id.
func placed(id string) string {
	if id == Host+"schemas/discovery/profile.json" {
		return Host + "discovery/profile_schema.json"
	}
	return id
}

func read(name string) (any, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}

// Service returns a document of the shopping service: rest.openapi.json or mcp.openrpc.json.
func Service(version Version, name string) (any, error) {
	return read("published/" + string(version) + "/services/shopping/" + name)
}
