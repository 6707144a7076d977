package boot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// largestVariable is the maximum size of a file that holds a variable, in bytes.
const largestVariable = 64 << 10

// fileMark is the suffix of variables that name a file with the value of another variable: HAGGLE_MASTER_KEY_FILE names the
// file with HAGGLE_MASTER_KEY. systemd, Docker and Kubernetes provide secrets as files.
const fileMark = "_FILE"

// ReadVariableFiles reads the files that HAGGLE_…_FILE variables name and calls set with the variables' values. Newlines at the
// end of a file do not belong to the value.
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
