// Package gallery takes pictures of every page that people see, and fails on what a picture does not show: overflow at five
// widths, complaints of the browser, violations of the pages' policies, requests elsewhere, and what axe-core finds of
// serious or critical impact. It runs by make gallery, and writes into the directory that GALLERY names.
package gallery
