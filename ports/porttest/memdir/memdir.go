// Package memdir finds a folder in memory (tmpfs) for test databases, because tests do not check the disk, and a slow
// one delays them by seconds. It creates no databases.
package memdir

import (
	"os"
	"syscall"
	"testing"
)

const parent = "/dev/shm"

// Parent is a folder in memory for temporary folders, or "" where there is none with room for hundreds of databases.
func Parent() string {
	const plenty = 8 << 30
	var s syscall.Statfs_t
	if syscall.Statfs(parent, &s) != nil || s.Bavail*uint64(s.Bsize) < plenty {
		return ""
	}
	return parent
}

// New makes a folder that is removed when the test ends. It is in memory where there is room; a benchmark's is on the
// disk.
func New(tb testing.TB) string {
	tb.Helper()
	if _, measured := tb.(*testing.B); measured || Parent() == "" {
		return tb.TempDir()
	}
	dir, err := os.MkdirTemp(parent, "haggle-test-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Errorf("removing the folder in memory: %v", err)
		}
	})
	return dir
}
