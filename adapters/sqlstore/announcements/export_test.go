package announcements

// Unexported identifiers that the tests use.

var AlertablePayments = alertablePayments
var AlertableRefunds = alertableRefunds
