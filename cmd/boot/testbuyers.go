package boot

import (
	"net"

	"github.com/haggle-commerce/haggle/adapters/testbuyers"
	"github.com/haggle-commerce/haggle/domain/account"
)

// openTestBuyers finds the program that simulates buyers, in a sandbox only.
func (a *App) openTestBuyers() {
	if a.env != account.Sandbox {
		return
	}
	a.testBuyers = &testbuyers.Program{
		Path: testbuyers.Find(a.config.Simulator),
		URL:  a.localURL,
		Log:  a.log,
	}
}

// localURL returns the API's address on this machine, without the proxies in front of it.
func (a *App) localURL() string {
	if a.api == nil {
		return a.URL()
	}
	host, port, _ := net.SplitHostPort(a.api.Addr().String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
