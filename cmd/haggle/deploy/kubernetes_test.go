package deploy_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// cluster has the manifests' objects, one of each kind.
type cluster struct {
	config     core.ConfigMap
	deployment apps.Deployment
	job        batch.Job
	service    core.Service
	budget     policy.PodDisruptionBudget
	autoscaler autoscaling.HorizontalPodAutoscaler
	network    networking.NetworkPolicy
	ingress    networking.Ingress
	namespace  core.Namespace
	account    core.ServiceAccount
}

// kustomization is the part of a kustomization file that the manifests use.
type kustomization struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Labels     []struct {
		Pairs            map[string]string `json:"pairs"`
		IncludeTemplates bool              `json:"includeTemplates"`
	} `json:"labels"`
	Resources []string `json:"resources"`
}

// manifests reads the manifests that the kustomizations list. Fields unknown to Kubernetes are an error.
func manifests(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{}
	kinds := map[string]any{
		"v1/ConfigMap":                           &c.config,
		"apps/v1/Deployment":                     &c.deployment,
		"batch/v1/Job":                           &c.job,
		"v1/Service":                             &c.service,
		"policy/v1/PodDisruptionBudget":          &c.budget,
		"autoscaling/v2/HorizontalPodAutoscaler": &c.autoscaler,
		"networking.k8s.io/v1/NetworkPolicy":     &c.network,
		"networking.k8s.io/v1/Ingress":           &c.ingress,
		"v1/Namespace":                           &c.namespace,
		"v1/ServiceAccount":                      &c.account,
	}
	for _, folder := range []string{"kubernetes", "kubernetes/migrate"} {
		var k kustomization
		if err := yaml.UnmarshalStrict([]byte(read(t, folder+"/kustomization.yaml")), &k); err != nil {
			t.Fatal(err)
		}
		for _, file := range k.Resources {
			for document := range strings.SplitSeq(read(t, filepath.Join(folder, file)), "\n---\n") {
				if err := decode(document, kinds); err != nil {
					t.Errorf("%s/%s: %v", folder, file, err)
				}
			}
		}
	}
	for kind := range kinds {
		t.Errorf("there is no %s", kind)
	}
	return c
}

// decode decodes a document into the object of its kind, and removes the kind from kinds.
func decode(document string, kinds map[string]any) error {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal([]byte(document), &head); err != nil {
		return err
	}
	kind := head.APIVersion + "/" + head.Kind
	object, known := kinds[kind]
	if !known {
		return fmt.Errorf("there is another %s, or it is not expected", kind)
	}
	delete(kinds, kind)
	return yaml.UnmarshalStrict([]byte(document), object)
}

func TestKubernetes_resources(t *testing.T) {
	t.Parallel()
	manifests(t)
	listed := map[string]bool{}
	err := filepath.WalkDir("kubernetes", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "kustomization.yaml" {
			listed[path] = false
		}
		return err
	})
	for _, folder := range []string{"kubernetes", "kubernetes/migrate"} {
		var k kustomization
		err = errors.Join(err, yaml.Unmarshal([]byte(read(t, folder+"/kustomization.yaml")), &k))
		for _, file := range k.Resources {
			listed[filepath.Join(folder, file)] = true
		}
	}
	for path, is := range listed {
		if !is {
			t.Errorf("%s is no resource of a kustomization", path)
		}
	}
	if err != nil || len(listed) < 8 {
		t.Errorf("%d manifests: %v", len(listed), err)
	}
	if err := decode("apiVersion: v1\nkind: Service\nspec:\n  prots: []\n", map[string]any{"v1/Service": &core.Service{}}); err == nil {
		t.Error("a field that Kubernetes does not know is accepted")
	}
}

// Every variable is known to haggle, and every *_FILE variable names a key of the mounted secret.
func TestKubernetes_variables(t *testing.T) {
	t.Parallel()
	c := manifests(t)
	var environ []string
	for name, value := range c.config.Data {
		environ = append(environ, name+"="+value)
		if strings.HasSuffix(name, "_FILE") && !strings.HasPrefix(value, "/run/secrets/haggle/") {
			t.Errorf("%s is %s", name, value)
		}
	}
	if err := boot.CheckEnvironment(environ); err != nil {
		t.Error(err)
	}
	for name, pod := range map[string]core.PodSpec{"server": c.deployment.Spec.Template.Spec, "migrate": c.job.Spec.Template.Spec} {
		from := pod.Containers[0].EnvFrom
		if len(from) != 1 || from[0].ConfigMapRef == nil || from[0].ConfigMapRef.Name != c.config.Name || len(pod.Containers[0].Env) > 0 {
			t.Errorf("%s: variables come from %+v", name, from)
		}
		mounted := slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m core.VolumeMount) bool {
			return m.MountPath == "/run/secrets/haggle" && m.ReadOnly
		})
		if !mounted {
			t.Errorf("%s: the secret is not mounted", name)
		}
	}
}

// Pods satisfy the restricted Pod Security Standard and have a read-only root filesystem.
func TestKubernetes_restricted(t *testing.T) {
	t.Parallel()
	c := manifests(t)
	for name, pod := range map[string]core.PodSpec{"server": c.deployment.Spec.Template.Spec, "migrate": c.job.Spec.Template.Spec} {
		s, one := pod.SecurityContext, pod.Containers[0]
		if !*s.RunAsNonRoot || fmt.Sprintf("%d:%d", *s.RunAsUser, *s.RunAsGroup) != imageUser || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s: %+v", name, s)
		}
		if *one.SecurityContext.AllowPrivilegeEscalation || !*one.SecurityContext.ReadOnlyRootFilesystem ||
			!slices.Contains(one.SecurityContext.Capabilities.Drop, "ALL") {
			t.Errorf("%s: %+v", name, one.SecurityContext)
		}
		if *pod.AutomountServiceAccountToken || pod.ServiceAccountName != c.account.Name || *pod.EnableServiceLinks {
			t.Errorf("%s: the token of %s is mounted, or variables of services are set", name, pod.ServiceAccountName)
		}
		if one.Resources.Limits.Memory().IsZero() || one.Resources.Requests.Cpu().IsZero() {
			t.Errorf("%s: resources %+v", name, one.Resources)
		}
	}
	if c.namespace.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
		t.Errorf("the namespace enforces %v", c.namespace.Labels)
	}
}

// Ports match the server's, every selector selects its pods, and the replicas' connections fit into PostgreSQL's limit.
func TestKubernetes_wiring(t *testing.T) {
	t.Parallel()
	c := manifests(t)
	ports := map[string]int32{}
	for _, p := range c.deployment.Spec.Template.Spec.Containers[0].Ports {
		ports[p.Name] = p.ContainerPort
	}
	for name, variable := range map[string]string{"http": "HAGGLE_ADDR", "ops": "HAGGLE_OPS_ADDR"} {
		if want := fmt.Sprintf("0.0.0.0:%d", ports[name]); c.config.Data[variable] != want {
			t.Errorf("%s is %s, and the port %s is %d", variable, c.config.Data[variable], name, ports[name])
		}
	}
	if got := []int32{c.network.Spec.Ingress[0].Ports[0].Port.IntVal, c.network.Spec.Ingress[1].Ports[0].Port.IntVal}; !slices.Equal(got, []int32{ports["http"], ports["ops"]}) {
		t.Errorf("the network policy opens %v", got)
	}
	labels := c.deployment.Spec.Template.Labels
	for name, selector := range map[string]map[string]string{
		"deployment": c.deployment.Spec.Selector.MatchLabels, "service": c.service.Spec.Selector,
		"budget": c.budget.Spec.Selector.MatchLabels, "network": c.network.Spec.PodSelector.MatchLabels,
	} {
		for key, value := range selector {
			if labels[key] != value {
				t.Errorf("the %s selects %s=%s, and pods have %v", name, key, value, labels)
			}
		}
	}
	rule := c.ingress.Spec.Rules[0]
	if backend := rule.HTTP.Paths[0].Backend.Service; backend.Name != c.service.Name || backend.Port.Name != c.service.Spec.Ports[0].Name ||
		c.service.Spec.Ports[0].TargetPort.StrVal != "http" || c.config.Data["HAGGLE_PUBLIC_URL"] != "https://"+rule.Host || c.ingress.Spec.TLS[0].Hosts[0] != rule.Host {
		t.Errorf("the ingress leads to %+v", backend)
	}
	scaled := c.autoscaler.Spec
	var connections int32
	if _, err := fmt.Sscan(c.config.Data["HAGGLE_DATABASE_CONNECTIONS"], &connections); err != nil || (scaled.MaxReplicas+1)*connections > 97 {
		t.Errorf("%d replicas with %d connections do not fit into PostgreSQL: %v", scaled.MaxReplicas+1, connections, err)
	}
	if scaled.ScaleTargetRef.Name != c.deployment.Name || *scaled.MinReplicas < 2 || c.deployment.Spec.Replicas != nil {
		t.Errorf("the autoscaler: %+v", scaled)
	}
}

// Probes use paths that the operations address serves, and the termination grace period covers the server's shutdown.
func TestKubernetes_probes(t *testing.T) {
	t.Parallel()
	c := manifests(t)
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	pod := c.deployment.Spec.Template.Spec
	server := pod.Containers[0]
	paths := []string{pod.Containers[0].StartupProbe.HTTPGet.Path}
	for _, probe := range []*core.Probe{server.StartupProbe, server.ReadinessProbe, server.LivenessProbe} {
		if probe.HTTPGet.Port.StrVal != "ops" {
			t.Errorf("a probe asks the port %v", probe.HTTPGet.Port)
		}
		paths = append(paths, probe.HTTPGet.Path)
	}
	for _, path := range append(paths, c.deployment.Spec.Template.Annotations["prometheus.io/path"]) {
		answer, err := http.Get(app.OpsURL() + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	if paths[2] != "/readyz" || paths[3] != "/livez" {
		t.Errorf("the probes ask %v", paths)
	}
	if *pod.TerminationGracePeriodSeconds < server.Lifecycle.PreStop.Sleep.Seconds+35 {
		t.Errorf("stopping has %d s", *pod.TerminationGracePeriodSeconds)
	}
	if !slices.Equal(server.Args, []string{"serve"}) || !slices.Equal(c.job.Spec.Template.Spec.Containers[0].Args, []string{"migrate"}) {
		t.Errorf("containers run %v and %v", server.Args, c.job.Spec.Template.Spec.Containers[0].Args)
	}
}
