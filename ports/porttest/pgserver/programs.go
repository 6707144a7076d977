package pgserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// debianPrograms is where Debian keeps the programs of each major version, off the PATH.
const debianPrograms = "/usr/lib/postgresql/*/bin"

// oldestMajor is the first version the product supports.
const oldestMajor = 15

var errNotInstalled = errors.New("PostgreSQL's server programs (initdb, pg_ctl, postgres, psql) are not installed: `make test` installs them")

// Programs returns the folder of PostgreSQL's programs, and the user to run them as, which is nil for this process's own.
func Programs() (dir string, as *syscall.Credential, err error) {
	if dir, err = findPrograms(debianPrograms); err != nil {
		return "", nil, err
	}
	as, err = serverUser()
	return dir, as, err
}

// Program is the path of one of PostgreSQL's programs, of the server's version.
func (s *Server) Program(name string) string { return filepath.Join(s.bin, name) }

// findPrograms returns the folder that holds PostgreSQL's programs: the PATH's, else the newest of
// Debian's.
func findPrograms(debian string) (string, error) {
	var folders []string
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(initdb); err == nil {
			folders = append(folders, filepath.Dir(real))
		}
	}
	versions, err := filepath.Glob(debian)
	if err != nil {
		return "", err
	}
	versions = slices.DeleteFunc(versions, func(dir string) bool { return major(dir) < oldestMajor })
	slices.SortFunc(versions, func(a, b string) int { return major(b) - major(a) })
	for _, dir := range append(folders, versions...) {
		if hasPrograms(dir) {
			return dir, nil
		}
	}
	return "", errNotInstalled
}

// major reads 15 from /usr/lib/postgresql/15/bin, and 0 from a folder that is not a version's.
func major(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

func hasPrograms(dir string) bool {
	for _, program := range []string{"initdb", "pg_ctl", "postgres", "psql"} {
		if _, err := exec.LookPath(filepath.Join(dir, program)); err != nil {
			return false
		}
	}
	return true
}

// serverUser is whom the server runs as: PostgreSQL refuses root, so root hands over to the user
// that Debian's package made, or to nobody. For anyone else it is nil: the server runs as they do.
func serverUser() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}
