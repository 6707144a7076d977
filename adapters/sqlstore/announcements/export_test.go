package announcements

// What tests see of the package.

var AlertablePayments = alertablePayments
var AlertableRefunds = alertableRefunds
