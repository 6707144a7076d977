package id

type (
	account  struct{}
	apiKey   struct{}
	project  struct{}
	product  struct{}
	variant  struct{}
	session  struct{}
	quote    struct{}
	checkout struct{}
	order    struct{}
	payment  struct{}
	ret      struct{}
	evt      struct{}
	decision struct{}
	auditEvt struct{}
	factor   struct{}
	refund   struct{}
	entry    struct{}
	sub      struct{}
	delivery struct{}
	integr   struct{}
	hook     struct{}
	hookLog  struct{}
	run      struct{}
	label    struct{}
	note     struct{}
	synonym  struct{}
	negAgent struct{}
	dispute  struct{}
	negot    struct{}
	person   struct{}
	link     struct{}
	signIn   struct{}
	agentKey struct{}
	job      struct{}
)

func (account) prefix() string  { return "acct_" }
func (apiKey) prefix() string   { return "key_" }
func (project) prefix() string  { return "proj_" }
func (product) prefix() string  { return "prod_" }
func (variant) prefix() string  { return "var_" }
func (session) prefix() string  { return "sess_" }
func (quote) prefix() string    { return "quote_" }
func (checkout) prefix() string { return "chk_" }
func (order) prefix() string    { return "ord_" }
func (payment) prefix() string  { return "pay_" }
func (ret) prefix() string      { return "ret_" }
func (evt) prefix() string      { return "evt_" }
func (decision) prefix() string { return "dec_" }
func (auditEvt) prefix() string { return "aud_" }
func (factor) prefix() string   { return "mfa_" }
func (refund) prefix() string   { return "ref_" }
func (entry) prefix() string    { return "txn_" }
func (sub) prefix() string      { return "sub_" }
func (delivery) prefix() string { return "dlv_" }
func (integr) prefix() string   { return "int_" }
func (hook) prefix() string     { return "wh_" }
func (hookLog) prefix() string  { return "whlog_" }
func (run) prefix() string      { return "sync_" }
func (label) prefix() string    { return "lbl_" }
func (note) prefix() string     { return "note_" }
func (synonym) prefix() string  { return "syn_" }
func (negAgent) prefix() string { return "agent_" }
func (dispute) prefix() string  { return "dsp_" }
func (negot) prefix() string    { return "neg_" }
func (person) prefix() string   { return "mem_" }
func (link) prefix() string     { return "link_" }
func (signIn) prefix() string   { return "csess_" }
func (agentKey) prefix() string { return "akey_" }
func (job) prefix() string      { return "job_" }

type (
	Account       = ID[account]
	APIKey        = ID[apiKey]
	Project       = ID[project]
	Product       = ID[product]
	Variant       = ID[variant]
	Session       = ID[session]
	Quote         = ID[quote]
	Checkout      = ID[checkout]
	Order         = ID[order]
	Payment       = ID[payment]
	Return        = ID[ret]
	Event         = ID[evt]
	Decision      = ID[decision]
	AuditEvent    = ID[auditEvt]
	Authenticator = ID[factor]
	Refund        = ID[refund]
	Transaction   = ID[entry] // of the ledger
	Subscription  = ID[sub]   // to events
	Delivery      = ID[delivery]
	Integration   = ID[integr]
	Webhook       = ID[hook]
	WebhookLog    = ID[hookLog] // an entry of it
	Sync          = ID[run]
	Label         = ID[label] // of a parcel
	Note          = ID[note]  // on an order
	Synonym       = ID[synonym]
	Agent         = ID[negAgent]
	Dispute       = ID[dispute] // of a payment
	Negotiation   = ID[negot]   // of a session, gives no access to it: see NegotiationOf

	Member         = ID[person]
	MemberLink     = ID[link]   // an invitation, or a link to set a password or sign in
	ConsoleSession = ID[signIn] // of a member in the console
	AgentKey       = ID[agentKey]
	Job            = ID[job]
)
