package boot_test

import (
	"net/http"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// Each start of the demo has a key that works, and old ones do not pile up.
func TestDemoKeysOfEarlierStartsEnd(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	var shops []boot.DemoShop
	for range 7 {
		shop, err := app.Demo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		shops = append(shops, shop)
		boottest.Tick()
	}
	for i, shop := range shops {
		r, err := http.NewRequest("GET", app.URL()+"/v1/projects", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+shop.Key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if works := answer.StatusCode == 200; works != (i >= 2) {
			t.Errorf("the key of start %d of 7: %d", i+1, answer.StatusCode)
		}
	}
}
