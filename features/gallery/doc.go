// Package gallery takes pictures of every page that people see, and fails on what a picture does not show: overflow at five
// widths, complaints of the browser, violations of the pages' policies, requests to other servers, and findings of axe-core
// with serious or critical impact. make gallery runs it, and it writes into the directory that GALLERY names.
package gallery
