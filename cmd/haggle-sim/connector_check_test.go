package main

import (
	"net/http/httptest"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func TestConnectorCheckCmd_Run(t *testing.T) {
	t.Parallel()
	p := platforms.Open(platforms.Config{
		Products:  5,
		Customers: 5,
		Orders:    5,
	})
	server := httptest.NewServer(p)
	t.Cleanup(func() {
		server.Close()
		p.Close()
	})
	for key, want := range map[string]string{"custom-key": "", "another": "1 checks failed"} {
		c := connectorCheckCmd{
			URL:  server.URL + "/custom",
			Key:  key,
			Hook: "https://haggle.example/hooks/wh_1",
		}
		got := ""
		if err := c.Run(t.Context()); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
