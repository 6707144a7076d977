package member

// Method is how a member signed in.
type Method struct{ name string }

var (
	ByPassword   = Method{"password"}
	ByLink       = Method{"link"}           // a one-time link from the operator of the installation
	ByInvitation = Method{"invitation"}     // by joining
	ByProvider   = Method{"openid_connect"} // an OpenID Connect provider vouched for the member
)

func (m Method) String() string { return m.name }

// Methods are all methods by name. Sessions from before methods were recorded have the zero Method.
var Methods = map[string]Method{
	ByPassword.String():   ByPassword,
	ByLink.String():       ByLink,
	ByInvitation.String(): ByInvitation,
	ByProvider.String():   ByProvider,
}
