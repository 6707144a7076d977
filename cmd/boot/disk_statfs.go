//go:build linux || darwin

package boot

import "syscall"

// freeSpace is how many bytes may be written where a folder lies.
func freeSpace(folder string) (uint64, error) {
	var s syscall.Statfs_t
	err := syscall.Statfs(folder, &s)
	return s.Bavail * uint64(s.Bsize), err
}
