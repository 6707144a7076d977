package agents

// What tests see of the package.

var FromPolicyText = fromPolicyText
var Policies = policies
