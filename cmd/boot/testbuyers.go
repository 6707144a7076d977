package boot

import (
	"net"

	"github.com/haggle-commerce/haggle/adapters/testbuyers"
	"github.com/haggle-commerce/haggle/domain/account"
)

// openTestBuyers finds the program that sends buyers. They are for the sandbox.
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

// localURL is where this machine reaches the API, whatever proxies are before it.
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
