package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// importJob is a job in the API's format.
type importJob struct {
	ID, Status string
	Import     struct {
		Read    int `json:"products_read"`
		Created int
		Refused int
		Errors  []struct{ Line int }
	}
}

// importJobIs polls an import job until done returns true.
func (r *replica) importJobIs(t *testing.T, shop, job string, done func(importJob) bool) (j importJob) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); {
		r.must(t, 200, &j, boottest.Key, "GET", "/v1/jobs/"+job, "", "X-Project-ID", shop)
		if done(j) {
			return j
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatalf("the import is %+v", j)
	return j
}

// A server is killed during an import. Another server resumes it: no product is lost, and none is counted twice.
func TestServeCmd_Run_killedDuringImport(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			const products = 30_000
			var file strings.Builder
			file.WriteString("sku,name,price,quantity\n")
			for n := range products {
				price := "12.50"
				if n%10_000 == 7 {
					price = "12,50"
				}
				fmt.Fprintf(&file, "K-%d,Product %d,%q,%d\n", n, n, price, n%100)
			}
			database := engine.URL(t)
			victim := startReplica(t, database)
			shop := victim.openShop(t, "shop")
			var started importJob
			send := []string{"X-Project-ID", shop, "Content-Type", "text/csv", "Idempotency-Key", "the only import"}
			for range 2 {
				victim.must(t, 202, &started, boottest.Key, "POST", "/v1/imports", file.String(), send...)
			}
			victim.importJobIs(t, shop, started.ID, func(j importJob) bool { return j.Import.Read > 0 })
			victim.kill()
			survivor := startReplica(t, database)
			var left importJob
			survivor.must(t, 200, &left, boottest.Key, "GET", "/v1/jobs/"+started.ID, "", "X-Project-ID", shop)
			if left.Status != "running" || left.Import.Read == 0 || left.Import.Read >= products {
				t.Fatalf("the victim left %+v", left)
			}
			ended := survivor.importJobIs(t, shop, started.ID, func(j importJob) bool { return j.Status != "running" && j.Status != "queued" })
			if ended.Status != "succeeded" || ended.Import.Read != products || ended.Import.Created != products-3 || ended.Import.Refused != 3 || len(ended.Import.Errors) != 3 {
				t.Errorf("it ended as %+v", ended)
			}
			var list struct{ Meta struct{ Total int } }
			survivor.must(t, 200, &list, boottest.Key, "GET", "/v1/catalog/products?limit=1", "", "X-Project-ID", shop)
			var jobs struct{ Meta struct{ Total int } }
			survivor.must(t, 200, &jobs, boottest.Key, "GET", "/v1/jobs?kind=import", "", "X-Project-ID", shop)
			if list.Meta.Total != products-3 || jobs.Meta.Total != 1 {
				t.Errorf("%d products, %d imports", list.Meta.Total, jobs.Meta.Total)
			}
			var parts int
			if err := boottest.Inspect(t, database).QueryRow("SELECT count(*) FROM import_files").Scan(&parts); err != nil || parts != 0 {
				t.Errorf("%d parts of the file are left, %v", parts, err)
			}
		})
	}
}
