// Package pgbouncer runs a private PgBouncer for tests, in front of a server of package pgserver, from the program
// installed on the machine. It gives each transaction one of a few connections to PostgreSQL.
//
// It has a folder of its own, listens on a Unix socket in that folder only, and ends with the process that started it, also
// when that process is killed (package lifeline).
package pgbouncer

import (
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports/porttest/lifeline"
)

//go:embed supervise.sh
var supervise string

var errNotInstalled = errors.New("pgbouncer is not installed: `make test` installs it")

// Connections is how many connections to PostgreSQL the clients of one database share.
const Connections = 2

// config is a pgbouncer.ini: the folders of PostgreSQL's socket and of its own, and further settings.
const config = `[databases]
* = host=%s port=5432
[pgbouncer]
pool_mode = transaction
default_pool_size = %d
max_client_conn = 900
listen_port = 5432
unix_socket_dir = %s
auth_type = trust
auth_file = %[3]s/users
admin_users = %s
log_connections = 0
log_disconnections = 0
%s
`

// Server is one PgBouncer.
type Server struct {
	dir     string
	running *lifeline.Server
}

// Start runs a PgBouncer in front of the server that a URL of pgserver addresses, until the test ends. Settings are lines
// of pgbouncer.ini.
func Start(tb testing.TB, direct string, settings ...string) *Server {
	tb.Helper()
	s, err := open(direct, settings)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.running.Close() }) // killed, which the script reports
	return s
}

var shared struct {
	sync.Mutex
	server *Server
}

// Shared is one PgBouncer of this test process in front of pgserver.Shared, one of whose databases direct addresses.
func Shared(tb testing.TB, direct string) *Server {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		s, err := open(direct, nil)
		if err != nil {
			tb.Fatal(err)
		}
		shared.server = s
	}
	return shared.server
}

// URL addresses the database that direct addresses.
func (s *Server) URL(direct string) string {
	u, err := url.Parse(direct)
	if err != nil {
		return direct
	}
	query := u.Query()
	query.Set("host", s.dir)
	u.RawQuery = query.Encode()
	return u.String()
}

func open(direct string, settings []string) (*Server, error) {
	u, err := url.Parse(direct)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("pgbouncer"); err != nil && !executable("/usr/sbin/pgbouncer") {
		return nil, errNotInstalled
	}
	dir, err := os.MkdirTemp("/tmp", "haggle-pgb-") // not TMPDIR: a socket's path has to stay under 100 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := errors.Join(s.configure(u, settings), s.start(u)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

func (s *Server) configure(direct *url.URL, settings []string) error {
	user := direct.User.Username()
	ini := fmt.Sprintf(config, direct.Query().Get("host"), Connections, s.dir, user, strings.Join(settings, "\n"))
	return errors.Join(
		os.WriteFile(filepath.Join(s.dir, "pgbouncer.ini"), []byte(ini), 0o600),
		os.WriteFile(filepath.Join(s.dir, "users"), fmt.Appendf(nil, "%q \"\"\n", user), 0o600))
}

// start runs the supervising script, and returns when PgBouncer takes connections.
func (s *Server) start(direct *url.URL) (err error) {
	s.running, err = lifeline.Start("PgBouncer", supervise, "/", nil, s.dir, direct.Query().Get("host"))
	if err != nil {
		return err
	}
	for range 500 {
		var conn net.Conn
		if conn, err = net.Dial("unix", filepath.Join(s.dir, ".s.PGSQL.5432")); err == nil {
			return conn.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}
