package deploy_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// makeSecrets runs secrets.sh for a folder.
func makeSecrets(t *testing.T, folder string) {
	t.Helper()
	if out, err := exec.Command("compose/secrets.sh", folder).CombinedOutput(); err != nil {
		t.Fatalf("secrets.sh: %v\n%s", err, out)
	}
}

// loadCompose reads compose.yaml as docker compose does, in an environment.
func loadCompose(t *testing.T, environment ...string) (*types.Project, error) {
	t.Helper()
	root := moduleRoot(t)
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "compose.yaml")},
		cli.WithWorkingDirectory(root), cli.WithEnv(environment), cli.WithResolvedPaths(true))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(t.Context())
}

func compose(t *testing.T) *types.Project {
	t.Helper()
	secrets := t.TempDir()
	makeSecrets(t, secrets)
	project, err := loadCompose(t, "HAGGLE_HOST=shops.example.com", "HAGGLE_SECRETS="+secrets)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// replicas are the services that run haggle serve.
var replicas = []string{"haggle-1", "haggle-2"}

func TestCompose_host(t *testing.T) {
	t.Parallel()
	if _, err := loadCompose(t); err == nil || !strings.Contains(err.Error(), "HAGGLE_HOST") {
		t.Errorf("without a host: %v", err)
	}
	environment := compose(t).Services["haggle-1"].Environment
	if u := environment["HAGGLE_PUBLIC_URL"]; u == nil || *u != "https://shops.example.com" {
		t.Errorf("the public URL is %v", u)
	}
}

// Every variable that a service sets is known to haggle, and every mounted file exists.
func TestCompose_names(t *testing.T) {
	t.Parallel()
	project := compose(t)
	for name, service := range project.Services {
		var environ []string
		for variable, value := range service.Environment {
			environ = append(environ, fmt.Sprintf("%s=%v", variable, value))
			path, inSecrets := "", false
			if strings.HasSuffix(variable, "_FILE") && value != nil {
				path, inSecrets = strings.CutPrefix(*value, "/run/secrets/")
				mounted := slices.ContainsFunc(service.Secrets, func(s types.ServiceSecretConfig) bool { return s.Source == path })
				if !inSecrets || !mounted {
					t.Errorf("%s: %s is %s, which is not mounted", name, variable, *value)
				}
			}
		}
		if strings.HasPrefix(name, "haggle") || name == "migrate" {
			if err := boot.CheckEnvironment(environ); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, volume := range service.Volumes {
			if _, err := os.Stat(volume.Source); volume.Type == types.VolumeTypeBind && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for name, secret := range project.Secrets {
		if info, err := os.Stat(secret.File); err != nil || info.Size() == 0 {
			t.Errorf("the secret %s has no file: %v", name, err)
		}
	}
}

// Only the proxy publishes ports, no environment contains a secret, and replicas run with the least privileges.
func TestCompose_safe(t *testing.T) {
	t.Parallel()
	project := compose(t)
	for name, service := range project.Services {
		if len(service.Ports) > 0 && name != "proxy" {
			t.Errorf("%s publishes ports", name)
		}
		for variable, value := range service.Environment {
			for _, word := range []string{"PASSWORD", "SECRET", "KEY", "TOKEN", "DATABASE_URL", "REDIS_URL", "NATS_URL"} {
				if strings.Contains(variable, word) && !strings.HasSuffix(variable, "_FILE") {
					t.Errorf("%s: %s is %v in the environment", name, variable, value)
				}
			}
		}
		if service.HealthCheck == nil && !slices.Contains(replicas, name) { // the image has a health check
			t.Errorf("%s has no health check", name)
		}
	}
	for _, name := range append([]string{"migrate"}, replicas...) {
		service, there := project.Services[name]
		if !there || !service.ReadOnly || service.Privileged || !slices.Contains(service.CapDrop, "ALL") ||
			!slices.Contains(service.SecurityOpt, "no-new-privileges:true") || service.User != "" {
			t.Errorf("%s: %+v", name, service)
		}
	}
	if !project.Networks["inside"].Internal {
		t.Error("the network of the databases leads outside")
	}
	edge := project.Networks["edge"].Ipam.Config[0].Subnet
	if trusted := project.Services["haggle-1"].Environment["HAGGLE_TRUSTED_PROXIES"]; trusted == nil || *trusted != edge {
		t.Errorf("replicas trust %v, and the proxy is in %s", trusted, edge)
	}
}

// The proxy forwards to each replica at the image's port, and tells browsers to use TLS only.
func TestCompose_proxy(t *testing.T) {
	t.Parallel()
	project := compose(t)
	var caddyfile string
	for _, volume := range project.Services["proxy"].Volumes {
		if volume.Target == "/etc/caddy/Caddyfile" {
			caddyfile = read(t, volume.Source)
		}
	}
	want := "reverse_proxy haggle-1:8080 haggle-2:8080 {"
	if !strings.Contains(caddyfile, want) || !strings.Contains(read(t, filepath.Join(moduleRoot(t), "Dockerfile")), "HAGGLE_ADDR=0.0.0.0:8080 ") {
		t.Errorf("the proxy has no %q", want)
	}
	if !strings.Contains(caddyfile, `Strict-Transport-Security "max-age=31536000;`) {
		t.Error("the proxy does not send HSTS")
	}
}

// Caddy accepts the configuration.
func TestCompose_proxyValidates(t *testing.T) {
	t.Parallel()
	caddy, err := exec.LookPath("caddy")
	if err != nil {
		t.Fatalf("%v: run .ci/need caddy, as make test does", err)
	}
	c := exec.Command(caddy, "validate", "--adapter", "caddyfile", "--config", "compose/Caddyfile")
	c.Env = []string{"HAGGLE_HOST=shops.example.com", "HOME=" + t.TempDir()}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	one, other := t.TempDir(), t.TempDir()
	for _, folder := range []string{one, other} {
		makeSecrets(t, folder)
	}
	first := map[string]string{}
	for name, secret := range compose(t).Secrets {
		file := filepath.Base(secret.File)
		first[file] = read(t, filepath.Join(one, file))
		if name != file || first[file] == read(t, filepath.Join(other, file)) {
			t.Errorf("%s is the same in two folders", file)
		}
	}
	if info, err := os.Stat(one); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v: %v", info.Mode(), err)
	}
	if len(strings.TrimSpace(first["master_key"])) < 32 {
		t.Errorf("the master key has %d characters", len(first["master_key"]))
	}
	makeSecrets(t, one)
	for file, content := range first {
		if read(t, filepath.Join(one, file)) != content {
			t.Errorf("%s changed", file)
		}
	}
}

// The role that database.sh creates can migrate a new database and serve in production.
func TestCompose_database(t *testing.T) {
	t.Parallel()
	cluster, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Close() })
	secrets := t.TempDir()
	makeSecrets(t, secrets)
	admin, err := url.Parse(cluster.AdminURL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	socket := admin.Query().Get("host")
	script := exec.Command("compose/database.sh")
	script.Env = append(os.Environ(), "PATH="+filepath.Dir(cluster.Program("psql"))+":"+os.Getenv("PATH"), "PGHOST="+socket, "HAGGLE_PASSWORD_FILE="+filepath.Join(secrets, "database_password"))
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("database.sh: %v\n%s", err, out)
	}
	given, err := url.Parse(strings.TrimSpace(read(t, filepath.Join(secrets, "database_url"))))
	if err != nil {
		t.Fatal(err)
	}
	given.Host, given.RawQuery = "", url.Values{"host": {socket}, "sslmode": {"disable"}}.Encode()
	config := boot.Config{
		Addr:        "127.0.0.1:0",
		OpsAddr:     "127.0.0.1:0",
		PublicURL:   "https://shops.example.com",
		DatabaseURL: given.String(),
		Env:         "production",
		MasterKey:   strings.TrimSpace(read(t, filepath.Join(secrets, "master_key"))),
	}
	app, err := boot.New(t.Context(), config, config.Logger(os.Stderr))
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Close(); err != nil {
		t.Error(err)
	}
	rights, err := cluster.PSQL("postgres", "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = 'haggle'")
	if err != nil || rights != "f|f|f|f" {
		t.Errorf("the role has %q: %v", rights, err)
	}
}
