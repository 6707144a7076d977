//go:build linux || darwin

package boot

import "syscall"

// freeSpace returns how many bytes may be written to the file system of a folder.
func freeSpace(folder string) (uint64, error) {
	var s syscall.Statfs_t
	err := syscall.Statfs(folder, &s)
	return s.Bavail * uint64(s.Bsize), err
}
