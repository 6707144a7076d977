package agent

import (
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// SearchEvent asks for products. The answer is a catalog.Found.
type SearchEvent struct {
	Project *project.Project
	Session *session.Session
	Query   catalog.Query
}
