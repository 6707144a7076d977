// Package schema holds the published schemas of the Universal Commerce Protocol (UCP) and validates values by them,
// resolved for a direction and an operation. It knows JSON Schema only; which schema an answer must satisfy, and the
// rules that only the texts state, are package judge's.
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

// The versions whose schemas are here.
const (
	V20260825 Version = "2026-08-25"
	V20260408 Version = "2026-04-08"
)

// Versions are all of them, newest first.
var Versions = []Version{V20260825, V20260408}

// Direction says who sends what is validated: one UCP schema serves requests and answers.
type Direction string

// The directions are named as the annotations of the schemas name them.
const (
	Request  Direction = "request"
	Response Direction = "response"
)

// Host is what the identifiers of all published schemas begin with.
const Host = "https://ucp.dev/"

// ErrUnknown marks a version, or a schema, that is not here.
var ErrUnknown = errors.New("no such schema")

//go:embed published/2026-08-25 published/2026-04-08 haggle
var files embed.FS

// Ref names a schema and how to read it.
type Ref struct {
	Version   Version
	Direction Direction
	Operation string // create, update, complete, read, …; matters for requests only
	Location  string // below https://ucp.dev/schemas/, with a fragment if it has one
}

// url is the identifier that the schema is compiled by.
func (r Ref) url() string {
	if strings.Contains(r.Location, "://") {
		return r.Location
	}
	return Host + "schemas/" + r.Location
}

// Compiled schemas and the compilers that made them. A compiler is not safe for concurrent use, a schema is.
var (
	mu        sync.Mutex
	compilers = map[Ref]*jsonschema.Compiler{} // by all but the location
	compiled  = map[Ref]*jsonschema.Schema{}
)

// Compile resolves the schema for its direction and operation and compiles it, once.
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

// raw are the documents of each version as published. They are shared: nobody may change them.
var raw = map[Version]func() (map[string]any, error){
	V20260825: sync.OnceValues(func() (map[string]any, error) { return Documents(V20260825) }),
	V20260408: sync.OnceValues(func() (map[string]any, error) { return Documents(V20260408) }),
}

// Document is one schema as it was published, by its location. It is shared: nobody may change it.
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

// Documents reads all schemas of a version, by identifier. The values are the caller's.
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

// placed mends the identifier of the discovery profile of 2026-04-08: its references are relative to where the file
// lies, one folder above what its $id says.
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

// Service reads a document of the shopping service: rest.openapi.json or mcp.openrpc.json.
func Service(version Version, name string) (any, error) {
	return read("published/" + string(version) + "/services/shopping/" + name)
}
