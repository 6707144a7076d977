package agentprofiles

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/agentid"
)

// Bounds of a file of known profiles.
const (
	mostKnown   = 10_000
	longestFile = 64 << 20 // bytes
)

// ReadKnown reads a file that maps addresses to profiles: {"https://…": {…profile…}}. These addresses are never fetched. An
// error names the file and the entry.
func ReadKnown(name string, rules agentid.Rules) (map[string]agentid.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, longestFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(body) > longestFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, longestFile>>20)
	}
	var entries map[string]jsontext.Value
	if err := json.Unmarshal(body, &entries); err != nil {
		return nil, fmt.Errorf("%s must be a JSON object of profiles by their URLs: %w", name, err)
	}
	if len(entries) > mostKnown {
		return nil, fmt.Errorf("%s has more than %d profiles", name, mostKnown)
	}
	known := make(map[string]agentid.Profile, len(entries))
	for _, address := range slices.Sorted(maps.Keys(entries)) {
		if _, ok := rules.Claim(address); !ok {
			return nil, fmt.Errorf("%s: %q must be an https URL", name, address)
		}
		if known[address], err = Read(entries[address], address, true); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, address, err)
		}
		if release := known[address].Declares.Release; !release.Ours() {
			return nil, fmt.Errorf("%s: %q: ucp.version is %s, which is not supported", name, address, release)
		}
	}
	return known, nil
}
