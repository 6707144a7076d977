//go:build !linux && !darwin

package boot

import "errors"

// freeSpace returns how many bytes may be written to the file system of a folder.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
