package boot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// largestVariable is how many bytes a file may have that holds a variable.
const largestVariable = 64 << 10

// fileMark ends the names of variables that name a file with the value of another one: HAGGLE_MASTER_KEY_FILE is where
// HAGGLE_MASTER_KEY is. Secrets of systemd, Docker and Kubernetes are such files.
const fileMark = "_FILE"

// ReadVariableFiles sets each HAGGLE_ variable whose value is in a file that the variable of its name and _FILE names.
// Newlines at the end of a file do not belong to the value.
func ReadVariableFiles(environ []string, set func(name, value string) error) error {
	given := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		given[name] = value
	}
	known := knownVariables()
	for name, path := range given {
		base, isFile := strings.CutSuffix(name, fileMark)
		switch {
		case !isFile || !known[base] || path == "":
			continue
		case given[base] != "":
			return fmt.Errorf("%s and %s are both set: unset one of them", base, name)
		}
		value, err := readVariable(path)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := set(base, value); err != nil {
			return fmt.Errorf("%s: %w", base, err)
		}
	}
	return nil
}

func readVariable(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, largestVariable+1))
	value := strings.TrimRight(string(content), "\r\n")
	switch {
	case err != nil:
		return "", err
	case len(content) > largestVariable:
		return "", fmt.Errorf("%s has more than %d bytes", path, largestVariable)
	case value == "":
		return "", fmt.Errorf("%s is empty", path)
	case strings.ContainsAny(value, "\x00\n"):
		return "", errors.New(path + " has more than one line, or a NUL character")
	}
	return value, nil
}
