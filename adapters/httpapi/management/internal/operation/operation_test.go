package operation

import "testing"

func TestLastID(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/agents":            "",
		"/v1/agents/{agent_id}": "agent_id",
		"/v1/agents/{agent_id}/policies/{version}/activate": "agent_id",
		"/v1/subs/{sub_id}/deliveries/{delivery_id}/redo":   "delivery_id",
	} {
		if got := lastID(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
