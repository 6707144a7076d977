package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// stuck is what Patroni before 3.1.0, which includes Debian 12's 3.0.2, logs in each loop when it no longer makes a standby
// synchronous. Either it knows an old revision of its key after a delay (https://github.com/patroni/patroni/pull/2783, read
// 2026-11-27), or the key names a former leader without a synchronous standby, and process_sync_replication in ha.py does not
// change such a key.
const stuck = "Synchronous replication key updated by someone else"

// syncKey is the key in etcd that names the synchronous standbys: namespace, scope, "sync".
const syncKey = "/service/haggle/sync"

// repair does what an operator has to do when Patroni is stuck, and reports whether the cluster is healthy afterwards: it
// restarts the leader's Patroni while PostgreSQL continues to run. If that does not help, it deletes the key, and the leader
// writes a new one.
func (d *database) repair() bool {
	leader := d.leader()
	if leader == nil || !strings.Contains(leader.patroni.output(), stuck) {
		return within(patience, d.whole)
	}
	d.t.Logf("Patroni of %s is stuck: it is started again; %s is %s", leader.Name, syncKey, d.ask("range"))
	leader.patroni.kill()
	leader.run()
	if within(time.Minute, d.whole) {
		return true
	}
	d.t.Logf("Patroni of %s is stuck still: %s is %s, and removed", leader.Name, syncKey, d.ask("range"))
	d.ask("deleterange")
	return within(patience, d.whole)
}

// ask sends a request about the key to etcd's gateway (https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/), and returns the
// key's value.
func (d *database) ask(what string) string {
	body, err := json.Marshal(map[string][]byte{"key": []byte(syncKey)})
	if err != nil {
		return err.Error()
	}
	response, err := impatient.Post("http://"+d.etcd+":2379/v3/kv/"+what, "application/json", bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	var found struct{ KVs []struct{ Value []byte } }
	text, err := io.ReadAll(io.LimitReader(response.Body, 10_000))
	if err == nil && response.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, &found)
	}
	if err != nil || len(found.KVs) == 0 {
		return fmt.Sprintf("%s %s %v", response.Status, text, err)
	}
	return string(found.KVs[0].Value)
}
